/** Cuts a stream of bytes into records, whatever the edges of its pieces, and holds at most one record. */
import { skipBlanks } from '../ascii';
import { MAX_FILE_RECORD_BYTES } from '../domain/limits';
import type { Boundary, RecordEnd } from './boundary';

export interface RawRecord {
  /** The record without the byte that ended it; undefined: it is longer than the bound, and nothing of it was kept. */
  readonly bytes: Buffer | undefined;
  /** Its first line, or its position in the array. */
  readonly line: number;
  /** Bytes of the file up to the end of it. */
  readonly end: number;
  readonly nextLine: number;
  readonly flaw?: string | undefined;
  readonly damage?: string | undefined;
  /** It was the array's last element. */
  readonly closed: boolean;
}

export class RecordSplitter {
  private offset: number;
  private line: number;
  private pending: Buffer[] = [];
  private pendingBytes = 0;

  constructor(
    private readonly boundary: Boundary,
    from: { readonly offset: number; readonly line: number },
  ) {
    this.offset = from.offset;
    this.line = from.line;
  }

  /** The records that end in this piece, in order. A record with `damage` is the last. @throws DamagedFile */
  *split(piece: Buffer): Generator<RawRecord, void, undefined> {
    const pieceOffset = this.offset;
    let from = 0;
    while (from < piece.length) {
      if (this.pendingBytes === 0) from = this.boundary.skip(piece, from);
      const end = this.boundary.findEnd(piece, from);
      this.keep(piece.subarray(from, end?.place));
      if (end === undefined) break;
      from = end.place + 1;
      this.offset = pieceOffset + from;
      yield this.take(end);
    }
    this.offset = pieceOffset + piece.length;
  }

  /** The record that the end of the file ends, if there is one. */
  *end(): Generator<RawRecord, void, undefined> {
    const end = this.boundary.endOfFile();
    if (this.pendingBytes > 0 || end.damage !== undefined) yield this.take(end);
  }

  private keep(bytes: Buffer): void {
    this.pendingBytes += bytes.length;
    if (this.pendingBytes > MAX_FILE_RECORD_BYTES) this.pending = [];
    else if (bytes.length > 0) this.pending.push(bytes);
  }

  private take({ lines, flaw, damage }: Omit<RecordEnd, 'place'>): RawRecord {
    const record = {
      bytes: this.pendingBytes > MAX_FILE_RECORD_BYTES ? undefined : joined(this.pending),
      line: this.line,
      end: this.offset,
      nextLine: this.line + lines,
      flaw,
      damage: damage === undefined ? undefined : `${damage} ${this.line}.`,
      closed: this.boundary.closed,
    };
    this.line = record.nextLine;
    this.pending = [];
    this.pendingBytes = 0;
    return record;
  }
}

/** True when the record holds white space only. */
export function isBlankRecord({ bytes }: RawRecord): boolean {
  return bytes !== undefined && skipBlanks(bytes, 0) === bytes.length;
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
