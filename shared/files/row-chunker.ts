import { FILE_EMPTY_CHUNK_FACTOR } from '../limits/transfers';
import { DamagedFile } from './damaged-file';
import type { Checkpoint, Row, RowChunk, DecodedRecord } from './row';

/** Gathers rows into chunks of at most `maxRows` rows and about `maxBytes` bytes, of the file and in memory. */
export class RowChunker {
  private rows: Row[] = [];
  private checkpoint: Checkpoint;
  /** Where the current chunk begins in the inflated file. */
  private startOffset: number;
  /** Of the rows so far, where it is told. */
  private bytesInMemory = 0;

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
    for (const { row, checkpoint, bytes = 0 } of decoded) {
      this.bytesInMemory += bytes;
      if (row !== undefined) this.rows.push(row);
      this.checkpoint = checkpoint;
      const maxBytes = this.rows.length > 0 ? this.maxBytes : FILE_EMPTY_CHUNK_FACTOR * this.maxBytes;
      const chunkBytes = Math.max(checkpoint.offset - this.startOffset, this.bytesInMemory);
      if (this.rows.length >= this.maxRows || chunkBytes >= maxBytes) yield this.takeChunk();
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
    this.bytesInMemory = 0;
    return chunk;
  }
}
