import { CODE, skipBlanks } from '../../platform/ascii';
import type { ArrayNext, Boundary, RecordEnd, RecordSummary } from './boundary';
import { DamagedFile } from '../damaged-file';

// Local constants: at run time an import is a getter, too slow for a loop over bytes.
const {
  quote: QUOTE,
  comma: COMMA,
  openArray: OPEN_ARRAY,
  backslash: BACKSLASH,
  closeArray: CLOSE_ARRAY,
  openObject: OPEN_OBJECT,
  closeObject: CLOSE_OBJECT,
} = CODE;

/** Levels whose kind of bracket is remembered, one bit each. No valid record has deeper ones; they are only counted. */
const REMEMBERED_LEVELS = 32;

const MISMATCH = 'The brackets of the array do not match from element';

/**
 * Splits a JSON array into its elements. The array's opening bracket has been read before.
 *
 * - An element ends at a comma outside its own brackets and strings, or at the array's closing bracket.
 * - An element that is not valid JSON is one bad row.
 * - Brackets that do not match are damage: nothing tells any more where elements end.
 */
export class ArrayBoundary implements Boundary {
  readonly isAfterReturn = false;
  /** Elements are counted, not lines. */
  readonly skippedLines = 0;

  private depth = 0;
  /** Bit n is set when a square bracket opened level n. */
  private squares = 0;
  private isInString = false;
  private isEscaped = false;

  private isBeforeFirst: boolean;
  private isClosed: boolean;

  /** @param arrayNext `first` also allows the closing bracket: the array may be empty. */
  constructor(arrayNext: ArrayNext) {
    this.isBeforeFirst = arrayNext === 'first';
    this.isClosed = arrayNext === 'end';
  }

  get arrayNext(): ArrayNext {
    if (this.isClosed) return 'end';
    return this.isBeforeFirst ? 'first' : 'element';
  }

  skipToRecord(bytes: Buffer, from: number): number {
    let index = skipBlanks(bytes, from);
    if (this.isBeforeFirst && bytes[index] === CLOSE_ARRAY) {
      this.isClosed = true;
      index = skipBlanks(bytes, index + 1);
    }
    if (index < bytes.length) {
      this.isBeforeFirst = false;
      if (this.isClosed) throw new DamagedFile('The file goes on after the end of its array.');
    }
    return index;
  }

  findEnd(bytes: Buffer, from: number): RecordEnd | undefined {
    for (let index = from; index < bytes.length; index += 1) {
      const byte = bytes[index];
      if (this.isInString) this.readStringByte(byte);
      else if (byte === QUOTE) this.isInString = true;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.open(byte === OPEN_ARRAY);
      else if (byte === COMMA && this.depth === 0) return { endIndex: index, nextIndex: index + 1, lines: 1 };
      else if (byte === CLOSE_ARRAY && this.depth === 0) {
        this.isClosed = true;
        return { endIndex: index, nextIndex: index + 1, lines: 1 };
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        if (!this.close(byte === CLOSE_ARRAY)) {
          return { endIndex: index, nextIndex: index + 1, lines: 1, damage: MISMATCH };
        }
      }
    }
    return undefined;
  }

  endOfFile(): RecordSummary {
    return { lines: 1, damage: this.isClosed ? undefined : 'The array is not closed; the file ends in element' };
  }

  private readStringByte(byte: number | undefined): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else if (byte === QUOTE) this.isInString = false;
  }

  private open(isSquare: boolean): void {
    if (this.depth < REMEMBERED_LEVELS) {
      const bit = 1 << this.depth;
      this.squares = isSquare ? this.squares | bit : this.squares & ~bit;
    }
    this.depth += 1;
  }

  /** Returns false when the bracket does not match the one that opened the level. */
  private close(isSquare: boolean): boolean {
    if (this.depth === 0) return false;
    this.depth -= 1;
    return this.depth >= REMEMBERED_LEVELS || ((this.squares >> this.depth) & 1) === (isSquare ? 1 : 0);
  }
}
