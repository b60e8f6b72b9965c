/** Cuts a stream of bytes into records, whatever the edges of its pieces, and holds at most one record. */
import { CODE, skipBlanks } from '../platform/ascii';
import { MAX_FILE_RECORD_BYTES, MAX_FILE_RECORD_SEARCH_BYTES } from '../limits/transfers';
import type { ArrayNext, Boundary, RecordSummary } from './boundaries/boundary';
import { DamagedFile } from './damaged-file';

/** A place between two records. */
export interface FilePosition {
  /** Bytes of the file before it. */
  readonly offset: number;
  /** The line, or the position in the array, of what comes next. */
  readonly nextLine: number;
  readonly arrayNext: ArrayNext;
  /** Whether the byte before it is a carriage return, so that a newline that comes next ends no line of its own. */
  readonly isAfterReturn: boolean;
  /** Why nothing after it can be read. */
  readonly damage?: string | undefined;
}

/** A record, and the place after it. */
export interface RawRecord extends FilePosition {
  /** The record without what ended it; undefined: it is longer than the bound, and nothing of it was kept. */
  readonly bytes: Buffer | undefined;
  /** Bytes of the file before it. */
  readonly startOffset: number;
  readonly length: number;
  /** Its first line, or its position in the array. */
  readonly line: number;
  /** Cells of a CSV row that has no flaw. */
  readonly cells?: number | undefined;
  readonly flaw?: string | undefined;
}

export class RecordSplitter {
  private received: number;
  /** Bytes of the file that are known to be a record, what ends one, or blank. */
  private accounted: number;
  private line: number;
  private blankLines = 0;
  private start = 0;
  private pending: Buffer[] = [];
  private pendingBytes = 0;

  constructor(
    private readonly boundary: Boundary,
    from: { readonly offset: number; readonly line: number },
  ) {
    this.received = from.offset;
    this.accounted = from.offset;
    this.line = from.line;
  }

  /** The place after all that was split; undefined: within a record. */
  get position(): FilePosition | undefined {
    return this.pendingBytes > 0 ? undefined : this.positionAt(this.received);
  }

  /** The line, or position, that comes next, and how many blank lines were passed over. */
  get lineCounts(): { readonly nextLine: number; readonly blankLines: number } {
    return { nextLine: this.line, blankLines: this.blankLines };
  }

  /** The records that end in this piece, in order. A record with `damage` is the last. @throws DamagedFile */
  *split(piece: Buffer): Generator<RawRecord, void, undefined> {
    const pieceOffset = this.received;
    let from = 0;
    while (from < piece.length) {
      if (this.pendingBytes === 0) from = this.skipToRecord(piece, from, pieceOffset);
      const end = this.boundary.findEnd(piece, from);
      this.bufferBytes(piece.subarray(from, end?.endIndex));
      if (end === undefined) break;
      this.accounted += isCrlf(piece, end.endIndex) ? end.nextIndex - end.endIndex : 1;
      from = end.nextIndex;
      yield this.finishRecord(end, pieceOffset + from);
    }
    this.received = pieceOffset + piece.length;
  }

  /**
   * The record that the end of the file ends, if there is one.
   * @throws DamagedFile when not every byte of the file was a record, what ends one, or blank
   */
  *end(): Generator<RawRecord, void, undefined> {
    const end = this.boundary.endOfFile();
    if (this.pendingBytes > 0 || end.damage !== undefined) yield this.finishRecord(end, this.received);
    if (this.accounted !== this.received) {
      throw new DamagedFile(`Only ${this.accounted} of the file's ${this.received} bytes were read.`);
    }
  }

  private skipToRecord(piece: Buffer, from: number, pieceOffset: number): number {
    const position = this.boundary.skipToRecord(piece, from);
    this.line += this.boundary.skippedLines;
    this.blankLines += this.boundary.skippedLines;
    this.accounted += position - from;
    this.start = pieceOffset + position;
    return position;
  }

  private bufferBytes(bytes: Buffer): void {
    this.accounted += bytes.length;
    this.pendingBytes += bytes.length;
    if (this.pendingBytes > MAX_FILE_RECORD_SEARCH_BYTES) {
      throw new DamagedFile(
        `Line (or element) ${this.line} has not ended after ${MAX_FILE_RECORD_SEARCH_BYTES} bytes.`,
      );
    }
    if (this.pendingBytes > MAX_FILE_RECORD_BYTES) this.pending = [];
    else if (bytes.length > 0) this.pending.push(bytes);
  }

  private finishRecord({ lines, cells, flaw, damage }: RecordSummary, end: number): RawRecord {
    const { line, start, pendingBytes: length } = this;
    const bytes = length > MAX_FILE_RECORD_BYTES ? undefined : joined(this.pending);
    this.line += lines;
    this.pending = [];
    this.pendingBytes = 0;
    const why = damage === undefined ? undefined : `${damage} ${line}.`;
    return { ...this.positionAt(end), bytes, startOffset: start, length, line, cells, flaw, damage: why };
  }

  private positionAt(end: number): FilePosition {
    const { arrayNext: next, isAfterReturn } = this.boundary;
    return { offset: end, nextLine: this.line, arrayNext: next, isAfterReturn };
  }
}

/** True when the record holds white space only. */
export function isBlankRecord({ bytes }: RawRecord): boolean {
  return bytes !== undefined && skipBlanks(bytes, 0) === bytes.length;
}

function isCrlf(bytes: Buffer, position: number): boolean {
  return bytes[position] === CODE.carriageReturn && bytes[position + 1] === CODE.newline;
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
