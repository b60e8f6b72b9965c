import { CODE } from '../../platform/ascii';
import type { Boundary, RecordEnd, RecordSummary } from './boundary';
import { LineBreaks } from './line-breaks';

/** Splits NDJSON into lines. Each CR, LF and CRLF ends a record: JSON strings hold line breaks only as escapes. */
export class LineBoundary implements Boundary {
  readonly arrayNext = 'element';
  private readonly breaks: LineBreaks;
  private readonly newline = new ByteFinder(CODE.newline);
  private readonly carriageReturn = new ByteFinder(CODE.carriageReturn);

  constructor(isAfterReturn = false) {
    this.breaks = new LineBreaks(isAfterReturn);
  }

  get isAfterReturn(): boolean {
    return this.breaks.isAfterReturn;
  }

  get skippedLines(): number {
    return this.breaks.skippedLines;
  }

  skipToRecord(bytes: Buffer, from: number): number {
    return this.breaks.skipBlankLines(bytes, from);
  }

  findEnd(bytes: Buffer, from: number): RecordEnd | undefined {
    const endIndex = Math.min(this.newline.find(bytes, from), this.carriageReturn.find(bytes, from));
    if (endIndex === Infinity) return undefined;
    return { endIndex, nextIndex: this.breaks.skipBreak(bytes, endIndex), lines: 1 };
  }

  endOfFile(): RecordSummary {
    return { lines: 1 };
  }
}

/** Finds each occurrence of a byte in turn. Remembers the last one, to look at each byte of a piece only once. */
class ByteFinder {
  private bytes: Buffer | undefined;
  private index = -1;

  constructor(private readonly code: number) {}

  /** Returns the first index at or after `from`; Infinity: there is none. Within one piece `from` must not decrease. */
  find(bytes: Buffer, from: number): number {
    if (bytes !== this.bytes || this.index < from) {
      const index = bytes.indexOf(this.code, from);
      this.bytes = bytes;
      this.index = index === -1 ? Infinity : index;
    }
    return this.index;
  }
}
