/** ASCII codes of the characters that structure files. */
export const CODE = {
  tab: 0x09,
  newline: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  quote: 0x22,
  comma: 0x2c,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** The position of the first byte at or after `from` that is no JSON white space; the length if there is none. */
export function skipBlanks(bytes: Buffer, from: number): number {
  let position = from;
  while (position < bytes.length && isBlank(bytes[position])) position += 1;
  return position;
}

function isBlank(byte: number | undefined): boolean {
  return byte === CODE.space || byte === CODE.newline || byte === CODE.carriageReturn || byte === CODE.tab;
}
