import { CODE, skipBlanks } from '../../platform/ascii';
import type { ArrayNext, Boundary, RecordEnd, RecordSummary } from './boundary';
import { DamagedFile } from '../damaged-file';

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
 * Levels whose kind of bracket is remembered (one bit each); deeper ones, which no valid record has, are only counted.
 */
const REMEMBERED_LEVELS = 32;

const MISMATCH = 'The brackets of the array do not match from element';

/**
 * An element of a JSON array ends at a comma outside its own brackets and texts, or at the array's closing bracket.
 * What is between may be junk: that is one bad row. Brackets that do not match leave no way to tell where elements end,
 * and are damage. The array's opening bracket has been read before.
 */
export class ArrayBoundary implements Boundary {
  readonly isAfterReturn = false;
  /** Elements are counted, not lines. */
  readonly skippedLines = 0;

  private depth = 0;
  /** Bit n: level n was opened by a square bracket. */
  private squares = 0;
  private inText = false;
  private escaped = false;

  private isFirst: boolean;
  private isClosed: boolean;

  /** @param next what the array may go on with: only before its first element may it close at once */
  constructor(next: ArrayNext) {
    this.isFirst = next === 'first';
    this.isClosed = next === 'end';
  }

  get arrayNext(): ArrayNext {
    if (this.isClosed) return 'end';
    return this.isFirst ? 'first' : 'element';
  }

  skipToRecord(bytes: Buffer, from: number): number {
    let position = skipBlanks(bytes, from);
    if (this.isFirst && bytes[position] === CLOSE_ARRAY) {
      this.isClosed = true;
      position = skipBlanks(bytes, position + 1);
    }
    if (position < bytes.length) {
      this.isFirst = false;
      if (this.isClosed) throw new DamagedFile('The file goes on after the end of its array.');
    }
    return position;
  }

  findEnd(bytes: Buffer, from: number): RecordEnd | undefined {
    for (let position = from; position < bytes.length; position += 1) {
      const byte = bytes[position];
      if (this.inText) this.readText(byte);
      else if (byte === QUOTE) this.inText = true;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.open(byte === OPEN_ARRAY);
      else if (byte === COMMA && this.depth === 0) return { endIndex: position, nextIndex: position + 1, lines: 1 };
      else if (byte === CLOSE_ARRAY && this.depth === 0) {
        this.isClosed = true;
        return { endIndex: position, nextIndex: position + 1, lines: 1 };
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        if (!this.close(byte === CLOSE_ARRAY)) return { endIndex: position, nextIndex: position + 1, lines: 1, damage: MISMATCH };
      }
    }
    return undefined;
  }

  endOfFile(): RecordSummary {
    return { lines: 1, damage: this.isClosed ? undefined : 'The array is not closed; the file ends in element' };
  }

  private readText(byte: number | undefined): void {
    if (this.escaped) this.escaped = false;
    else if (byte === BACKSLASH) this.escaped = true;
    else if (byte === QUOTE) this.inText = false;
  }

  private open(isSquare: boolean): void {
    if (this.depth < REMEMBERED_LEVELS) {
      const bit = 1 << this.depth;
      this.squares = isSquare ? this.squares | bit : this.squares & ~bit;
    }
    this.depth += 1;
  }

  /** False when the bracket does not match the one that it would close. */
  private close(isSquare: boolean): boolean {
    if (this.depth === 0) return false;
    this.depth -= 1;
    return this.depth >= REMEMBERED_LEVELS || ((this.squares >> this.depth) & 1) === (isSquare ? 1 : 0);
  }
}
