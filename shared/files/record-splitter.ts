/** Splits a stream of bytes into records, wherever its pieces end. Buffers at most one record. */
import { CODE, skipBlanks } from '../platform/ascii';
import { MAX_FILE_RECORD_BYTES, MAX_FILE_RECORD_SEARCH_BYTES } from '../limits/transfers';
import type { ArrayNext, Boundary, RecordSummary } from './boundaries/boundary';
import { DamagedFile } from './damaged-file';
import type { TextEncoding } from './text-encoding';
import { fileBytesOf } from './text-encoding';

/** A position between two records. */
export interface FilePosition {
  /** Bytes of the file before this position. */
  readonly offset: number;
  /** The line, or the position in the array, of the next record. */
  readonly nextLine: number;
  readonly arrayNext: ArrayNext;
  /** Whether the byte before is a carriage return. A newline that comes next then ends no line of its own. */
  readonly isAfterReturn: boolean;
  /** Undefined: UTF-8. */
  readonly encoding?: TextEncoding | undefined;
  /** Why nothing after this position can be read. */
  readonly damage?: string | undefined;
}

/** A record, and the position after it. */
export interface RawRecord extends FilePosition {
  /** The record as UTF-8, without what ends it. Undefined: it exceeds the bound and was not buffered. */
  readonly bytes: Buffer | undefined;
  /** Bytes of the file before the record. */
  readonly startOffset: number;
  /** Bytes of the file before what ends the record. */
  readonly endOffset: number;
  /** Bytes of the record as UTF-8, also if it was not buffered. */
  readonly length: number;
  /** The record's first line, or its position in the array. */
  readonly line: number;
  /** The number of cells; only of a CSV row without a flaw. */
  readonly cells?: number | undefined;
  /** Why the record cannot be decoded. */
  readonly flaw?: string | undefined;
}

export class RecordSplitter {
  /** Bytes of the file before what was looked at last. */
  private offset: number;
  private receivedBytes: number;
  /** Bytes that are known to belong to a record, to end one, or to be blank. They must become all bytes received. */
  private accountedBytes: number;
  private line: number;
  private blankLines = 0;
  private recordOffset = 0;
  private recordPieces: Buffer[] = [];
  /** Bytes of the current record so far, also those that were not buffered. */
  private recordBytes = 0;

  constructor(
    private readonly boundary: Boundary,
    private readonly from: { readonly offset: number; readonly line: number; readonly encoding?: TextEncoding },
  ) {
    this.offset = from.offset;
    this.receivedBytes = from.offset;
    this.accountedBytes = from.offset;
    this.line = from.line;
  }

  /** The position after everything that was split. Undefined: it is within a record. */
  get position(): FilePosition | undefined {
    return this.recordBytes > 0 ? undefined : this.currentPosition();
  }

  /** The line, or array position, of the next record, and how many blank lines were skipped. */
  get lineCounts(): { readonly nextLine: number; readonly blankLines: number } {
    return { nextLine: this.line, blankLines: this.blankLines };
  }

  /**
   * Yields the records that end in this piece, in order. A record with `damage` is the last one.
   * @throws DamagedFile when a record does not end within the bound, or content follows the end of an array
   */
  *split(piece: Buffer): Generator<RawRecord, void, undefined> {
    this.receivedBytes += piece.length;
    let from = 0;
    while (from < piece.length) {
      if (this.recordBytes === 0) from = this.skipToRecord(piece, from);
      const end = this.boundary.findEnd(piece, from);
      this.bufferBytes(piece.subarray(from, end?.endIndex));
      this.advance(piece, from, end?.endIndex ?? piece.length);
      if (end === undefined) break;
      const endOffset = this.offset;
      this.accountedBytes += isCrlf(piece, end.endIndex) ? end.nextIndex - end.endIndex : 1;
      this.advance(piece, end.endIndex, end.nextIndex);
      from = end.nextIndex;
      yield this.finishRecord(end, endOffset);
    }
  }

  /**
   * Yields the last record, if the end of the file ends one.
   * @throws DamagedFile when some bytes of the file belonged to no record, ended none and were not blank
   */
  *end(): Generator<RawRecord, void, undefined> {
    const end = this.boundary.endOfFile();
    if (this.recordBytes > 0 || end.damage !== undefined) yield this.finishRecord(end, this.offset);
    if (this.accountedBytes !== this.receivedBytes) {
      throw new DamagedFile(`Only ${this.accountedBytes} of the file's ${this.receivedBytes} bytes were read.`);
    }
  }

  private advance(piece: Buffer, from: number, to: number): void {
    this.offset += fileBytesOf(piece, from, to, this.from.encoding);
  }

  private skipToRecord(piece: Buffer, from: number): number {
    const index = this.boundary.skipToRecord(piece, from);
    this.line += this.boundary.skippedLines;
    this.blankLines += this.boundary.skippedLines;
    this.accountedBytes += index - from;
    this.advance(piece, from, index);
    this.recordOffset = this.offset;
    return index;
  }

  private bufferBytes(bytes: Buffer): void {
    this.accountedBytes += bytes.length;
    this.recordBytes += bytes.length;
    if (this.recordBytes > MAX_FILE_RECORD_SEARCH_BYTES) {
      throw new DamagedFile(
        `Line (or element) ${this.line} has not ended after ${MAX_FILE_RECORD_SEARCH_BYTES} bytes.`,
      );
    }
    if (this.recordBytes > MAX_FILE_RECORD_BYTES) this.recordPieces = [];
    else if (bytes.length > 0) this.recordPieces.push(bytes);
  }

  private finishRecord({ lines, cells, flaw, damage }: RecordSummary, endOffset: number): RawRecord {
    const { line, recordOffset: startOffset, recordBytes: length } = this;
    const bytes = length > MAX_FILE_RECORD_BYTES ? undefined : concatenate(this.recordPieces);
    this.line += lines;
    this.recordPieces = [];
    this.recordBytes = 0;
    const fullDamage = damage === undefined ? undefined : `${damage} ${line}.`;
    const position = this.currentPosition();
    return { ...position, bytes, startOffset, endOffset, length, line, cells, flaw, damage: fullDamage };
  }

  private currentPosition(): FilePosition {
    const { arrayNext, isAfterReturn } = this.boundary;
    return { offset: this.offset, nextLine: this.line, arrayNext, isAfterReturn, encoding: this.from.encoding };
  }
}

/** Whether the record holds only white space. A record beyond the bound, and one of several cells, is not blank. */
export function isBlankRecord({ bytes, cells = 1 }: Pick<RawRecord, 'bytes' | 'cells'>): boolean {
  return cells === 1 && bytes !== undefined && skipBlanks(bytes, 0) === bytes.length;
}

function isCrlf(bytes: Buffer, index: number): boolean {
  return bytes[index] === CODE.carriageReturn && bytes[index + 1] === CODE.newline;
}

/** Copies nothing when the record came in one piece. */
function concatenate(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
