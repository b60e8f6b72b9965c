import { CODE } from './ascii';
import { SHORT_JSON_BYTES } from '../limits/platform';
import { EventLoopShare } from './async/event-loop-share';

// At run time an import is a getter, which is slow in a loop over bytes; constants are not.
const {
  quote: QUOTE,
  comma: COMMA,
  openArray: OPEN_ARRAY,
  backslash: BACKSLASH,
  closeArray: CLOSE_ARRAY,
  openObject: OPEN_OBJECT,
  closeObject: CLOSE_OBJECT,
} = CODE;

/** Bytes that are scanned before other work may have the event loop. */
const SHARE_BYTES = 1024 * 1024;

/** The bounds of a JSON text. */
export interface JsonBounds {
  /** Levels of nesting. */
  readonly depth: number;
  /** Values in all; an array or object counts as two. */
  readonly values: number;
  /** Members of one object. */
  readonly members: number;
}

export type JsonProblem = keyof JsonBounds | 'syntax';

export type ParsedJson = { readonly value: unknown } | { readonly problem: JsonProblem };

/**
 * Parses a JSON text within bounds. Without them 16 MiB of `[[[[` or `{},{},` would take hundreds of megabytes, and an
 * object of a million members two seconds. A text is scanned before anything is built from it. A short text is checked
 * after it is parsed, in a tenth of the time; a value that a later one of the same name replaces is then not counted.
 * @param bytes of the text, in UTF-8
 */
export function parseJson(text: string, bytes: Buffer, bounds: JsonBounds): ParsedJson {
  if (isShort(bytes, bounds)) return parseShort(text, bytes, bounds);
  const problem = new JsonScan(bytes, bounds).run(bytes.length).problem;
  return problem ? { problem } : parseScanned(text);
}

/**
 * Whether a text is parsed quickly whatever it holds, and cannot exceed the bound of values: a byte begins at most one
 * value, which counts as two at most.
 */
export function isShort(bytes: Buffer, bounds: JsonBounds): boolean {
  return bytes.length <= SHORT_JSON_BYTES && 2 * bytes.length <= bounds.values;
}

/** Parses a text that was scanned before and is within its bounds. */
export function parseScanned(text: string): ParsedJson {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { problem: 'syntax' };
  }
}

/** Scans a JSON text, and lets other work have the event loop in between. */
export async function scanInShares(bytes: Buffer, bounds: JsonBounds): Promise<JsonScan> {
  const scan = new JsonScan(bytes, bounds);
  const share = new EventLoopShare();
  for (let end = SHARE_BYTES; !scan.isDone; end += SHARE_BYTES) {
    scan.run(end);
    if (share.isUsedUp) await share.renew();
  }
  return scan;
}

function parseShort(text: string, bytes: Buffer, bounds: JsonBounds): ParsedJson {
  const parsed = parseScanned(text);
  if ('problem' in parsed) return { problem: new JsonScan(bytes, bounds).run(bytes.length).problem ?? 'syntax' };
  const problem = excessOf(parsed.value, bounds.depth, bounds.members);
  return problem ? { problem } : parsed;
}

/** The bound that a parsed value exceeds. A short text cannot have too many values. */
function excessOf(value: unknown, depth: number, members: number): 'depth' | 'members' | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === 0) return 'depth';
  if (Array.isArray(value)) {
    for (const element of value) {
      const excess = excessOf(element, depth - 1, members);
      if (excess) return excess;
    }
    return undefined;
  }
  let allowed = members;
  for (const name in value) {
    allowed -= 1;
    const excess = allowed < 0 ? 'members' : excessOf((value as Record<string, unknown>)[name], depth - 1, members);
    if (excess) return excess;
  }
  return undefined;
}

/** The number of values in a parsed value, counted as in its text. */
export function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let values = 2;
  if (Array.isArray(value)) for (const element of value) values += countValues(element);
  else for (const name in value) values += countValues((value as Record<string, unknown>)[name]);
  return values;
}

/** Counts the values of a JSON text. It does not check the syntax; that is left to the parser. */
export class JsonScan {
  values = 1;
  /** The bound that the text exceeds. */
  problem: keyof JsonBounds | undefined;
  private position = 0;
  private depth = 0;
  private isInText = false;
  /** Commas so far in each object around the current position, by depth; NO_MEMBERS for an array. */
  private readonly commas: Int32Array;

  constructor(
    private readonly bytes: Buffer,
    private readonly bounds: JsonBounds,
  ) {
    this.commas = new Int32Array(bounds.depth + 2);
  }

  get isDone(): boolean {
    return this.position >= this.bytes.length || this.problem !== undefined;
  }

  /** Scans on until the position `end`, or until a bound is exceeded. */
  run(end: number): this {
    const { bytes, bounds, commas } = this;
    const last = Math.min(end, bytes.length);
    let { position, depth, values, isInText } = this;
    for (; position < last; position += 1) {
      if (isInText) {
        position = endOfText(bytes, position, last);
        if (position >= last) break;
        isInText = false;
        continue;
      }
      const byte = bytes[position];
      if (byte === QUOTE) isInText = true;
      else if (byte === COMMA) {
        values += 1;
        const before = commas[depth] ?? NO_MEMBERS;
        if (before >= 0) {
          commas[depth] = before + 1;
          if (before + 2 > bounds.members) {
            this.problem = 'members';
            break;
          }
        }
      } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        depth += 1;
        values += 1;
        if (depth > bounds.depth) {
          this.problem = 'depth';
          break;
        }
        commas[depth] = byte === OPEN_OBJECT ? 0 : NO_MEMBERS;
      } else if ((byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) && depth > 0) depth -= 1;
    }
    Object.assign(this, { position, depth, values, isInText });
    if (values > bounds.values) this.problem ??= 'values';
    return this;
  }
}

/** Stands for the commas of an array, which has no members. */
const NO_MEMBERS = -1;

/**
 * The position of the quote that ends the string around `start`. A position of `last` or more: the quote was not found,
 * and the search continues there.
 */
function endOfText(bytes: Buffer, start: number, last: number): number {
  let position = start;
  for (; position < last; position += 1) {
    const byte = bytes[position];
    if (byte === QUOTE) return position;
    if (byte === BACKSLASH) position += 1;
  }
  return position;
}
