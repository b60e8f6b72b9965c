import { MAX_BODY_BYTES } from '../contract';
import type { Keys } from './identity';

/** A row on its way. */
export interface Element<T> {
  /** Its index in the whole input. */
  readonly index: number;
  /** Undefined where nobody asks for rejected rows. */
  readonly row: T | undefined;
  /** Undefined: it cannot be sent, and `problem` is why. */
  readonly json: string | undefined;
  readonly problem?: string;
  /** Bytes of `json`. */
  readonly bytes: number;
  readonly keys: Keys;
}

/** The brackets around the elements of a body. */
export const BRACKETS = 2;

/** @throws TypeError for bytes and text, which are no rows: their sender has forgotten to decode them */
export function toElement<T>(
  index: number,
  row: T,
  keysOf: (row: Readonly<Record<string, unknown>>) => Keys,
  keepsRow: boolean,
): Element<T> {
  if (typeof row === 'string' || ArrayBuffer.isView(row)) {
    throw new TypeError('The rows are text or bytes. They must be objects: decode them first.');
  }
  const unsent = { index, row: keepsRow ? row : undefined, json: undefined, bytes: 0, keys: [] };
  let json: unknown; // JSON.stringify gives undefined for what JSON does not have
  try {
    json = JSON.stringify(row);
  } catch (error) {
    return { ...unsent, problem: `The element cannot be written as JSON: ${(error as Error).message}` };
  }
  if (typeof json !== 'string') return { ...unsent, problem: 'The element cannot be written as JSON.' };
  const bytes = utf8Length(json);
  if (bytes + BRACKETS > MAX_BODY_BYTES) {
    return { ...unsent, problem: `The element has ${bytes} bytes, more than a request may have.` };
  }
  return { ...unsent, json, bytes, keys: isObject(row) ? keysOf(sentForm(row, json)) : [] };
}

/** What is sent in place of the row. */
function sentForm(row: Readonly<Record<string, unknown>>, json: string): Readonly<Record<string, unknown>> {
  if (typeof row['toJSON'] !== 'function') return row;
  const sent: unknown = JSON.parse(json);
  return isObject(sent) ? sent : {};
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Bytes of a text in UTF-8. Counting takes no memory, which encoding every row would. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // Two units of a pair are four bytes. JSON.stringify leaves no half of a pair.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}
