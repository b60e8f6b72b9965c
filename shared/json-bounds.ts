import { CODE } from './ascii';

// An import is a getter at run time; a loop over bytes wants constants.
const {
  quote: QUOTE,
  comma: COMMA,
  openArray: OPEN_ARRAY,
  backslash: BACKSLASH,
  closeArray: CLOSE_ARRAY,
  openObject: OPEN_OBJECT,
  closeObject: CLOSE_OBJECT,
} = CODE;

/**
 * Which bound a JSON text exceeds, found before anything is built from it: 16 MiB of `[[[[` or `{},{},` would take
 * hundreds of megabytes. An array or object counts as two values. What is no JSON may pass; the parser finds that out.
 */
export function excessOf(bytes: Buffer, maxDepth: number, maxValues: number): 'depth' | 'values' | undefined {
  let depth = 0;
  let values = 1;
  for (let place = 0; place < bytes.length; place += 1) {
    const byte = bytes[place];
    if (byte === QUOTE) place = endOfText(bytes, place);
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) return 'depth';
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
  }
  return values > maxValues ? 'values' : undefined;
}

/** The place of the quote that ends the text beginning at `start`, or the end of the bytes. */
function endOfText(bytes: Buffer, start: number): number {
  for (let place = start + 1; place < bytes.length; place += 1) {
    const byte = bytes[place];
    if (byte === QUOTE) return place;
    if (byte === BACKSLASH) place += 1;
  }
  return bytes.length;
}
