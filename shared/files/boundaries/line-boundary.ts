import { CODE } from '../../platform/ascii';
import type { Boundary, RecordEnd, RecordSummary } from './boundary';
import { LineBreaks } from './line-breaks';

/**
 * One JSON record a line. A record holds no line break (a text has it as an escape), so that each CR, LF and CRLF ends
 * one.
 */
export class LineBoundary implements Boundary {
  readonly arrayNext = 'element';
  private readonly breaks: LineBreaks;
  private readonly newline = new NextByte(CODE.newline);
  private readonly carriageReturn = new NextByte(CODE.carriageReturn);

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
    const position = Math.min(this.newline.find(bytes, from), this.carriageReturn.find(bytes, from));
    return position === Infinity ? undefined : { endIndex: position, nextIndex: this.breaks.skipBreak(bytes, position), lines: 1 };
  }

  endOfFile(): RecordSummary {
    return { lines: 1 };
  }
}

/** Finds a byte again and again in a piece of the file, and looks at each of its bytes once. */
class NextByte {
  private bytes: Buffer | undefined;
  private position = -1;

  constructor(private readonly code: number) {}

  /** The index at or after `from`, which never goes back; Infinity: there is none. */
  find(bytes: Buffer, from: number): number {
    if (bytes !== this.bytes || this.position < from) {
      const position = bytes.indexOf(this.code, from);
      this.bytes = bytes;
      this.position = position === -1 ? Infinity : position;
    }
    return this.position;
  }
}
