import { FILE_EMPTY_CHUNK_FACTOR } from '../limits/transfers';
import { DamagedFile } from './damaged-file';
import type { Checkpoint, Row, RowChunk, DecodedRecord } from './row';

/** Gathers rows into chunks of at most `maxRows` rows and about `maxBytes` bytes of the file. */
export class RowChunker {
  private rows: Row[] = [];
  private checkpoint: Checkpoint;
  /** Where the current chunk begins in the inflated file. */
  private startOffset: number;

  constructor(
    from: Checkpoint,
    private readonly maxRows: number,
    private readonly maxBytes: number,
  ) {
    this.checkpoint = from;
    this.startOffset = from.offset;
  }

  /** Yields the chunks that these records fill. @throws DamagedFile after a record that reports damage */
  *feed(decoded: readonly DecodedRecord[]): Generator<RowChunk, void, undefined> {
    for (const { row, checkpoint } of decoded) {
      if (row !== undefined) this.rows.push(row);
      this.checkpoint = checkpoint;
      const maxBytes = this.rows.length > 0 ? this.maxBytes : FILE_EMPTY_CHUNK_FACTOR * this.maxBytes;
      if (this.rows.length >= this.maxRows || checkpoint.offset - this.startOffset >= maxBytes) yield this.takeChunk();
      if (checkpoint.damage !== undefined) throw new DamagedFile(checkpoint.damage);
    }
  }

  /** Yields the rows that are left, if there are any. */
  *flush(): Generator<RowChunk, void, undefined> {
    if (this.rows.length > 0) yield this.takeChunk();
  }

  private takeChunk(): RowChunk {
    const chunk = { rows: this.rows, checkpoint: this.checkpoint };
    this.rows = [];
    this.startOffset = this.checkpoint.offset;
    return chunk;
  }
}
