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

/** How deep a JSON text may be nested, and how many values it may have; an array or object counts as two. */
export interface JsonBounds {
  readonly depth: number;
  readonly values: number;
}

export type JsonProblem = keyof JsonBounds | 'syntax';

/**
 * Parses a JSON text within bounds: 16 MiB of `[[[[` or `{},{},` would take hundreds of megabytes. A large text is
 * looked at before anything is built from it. One that is too short for so many values, as nearly every one is, is
 * looked at afterwards, in a tenth of the time; a value that a later one of the same name replaces is not in it then.
 * @param bytes of the text, in UTF-8
 */
export function parseJson(
  text: string,
  bytes: Buffer,
  bounds: JsonBounds,
): { readonly value: unknown } | { readonly problem: JsonProblem } {
  const isShort = 2 * bytes.length <= bounds.values; // a byte begins at most one value, and half as many are soon parsed
  const excess = isShort ? undefined : excessOf(bytes, bounds);
  if (excess) return { problem: excess };
  try {
    const value: unknown = JSON.parse(text);
    return isShort && isDeeper(value, bounds.depth) ? { problem: 'depth' } : { value };
  } catch {
    return { problem: (isShort ? excessOf(bytes, bounds) : undefined) ?? 'syntax' };
  }
}

/** Which bound a JSON text exceeds. What is no JSON may pass; the parser finds that out. */
function excessOf(bytes: Buffer, bounds: JsonBounds): keyof JsonBounds | undefined {
  let depth = 0;
  let values = 1;
  for (let place = 0; place < bytes.length; place += 1) {
    const byte = bytes[place];
    if (byte === QUOTE) place = endOfText(bytes, place);
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > bounds.depth) return 'depth';
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
  }
  return values > bounds.values ? 'values' : undefined;
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

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  if (Array.isArray(value)) {
    for (const element of value) if (isDeeper(element, depth - 1)) return true;
    return false;
  }
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], depth - 1)) return true;
  return false;
}
