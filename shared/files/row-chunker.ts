import { FILE_EMPTY_CHUNK_FACTOR } from '../limits/transfers';
import { DamagedFile } from './damaged-file';
import type { Checkpoint, Row, RowChunk, DecodedRecord } from './row';

/** Gathers rows into chunks of at most so many rows and about so many bytes of the file. */
export class RowChunker {
  private rows: Row[] = [];
  private checkpoint: Checkpoint;
  private start: number;

  constructor(
    from: Checkpoint,
    private readonly maxRows: number,
    private readonly maxBytes: number,
  ) {
    this.checkpoint = from;
    this.start = from.offset;
  }

  /** The chunks that these steps fill. @throws DamagedFile after a step that ends the file so */
  *feed(steps: readonly DecodedRecord[]): Generator<RowChunk, void, undefined> {
    for (const { row, checkpoint } of steps) {
      if (row !== undefined) this.rows.push(row);
      this.checkpoint = checkpoint;
      const maxBytes = this.rows.length > 0 ? this.maxBytes : FILE_EMPTY_CHUNK_FACTOR * this.maxBytes;
      if (this.rows.length >= this.maxRows || checkpoint.offset - this.start >= maxBytes) yield this.takeChunk();
      if (checkpoint.damage !== undefined) throw new DamagedFile(checkpoint.damage);
    }
  }

  /** What is left. */
  *flush(): Generator<RowChunk, void, undefined> {
    if (this.rows.length > 0) yield this.takeChunk();
  }

  private takeChunk(): RowChunk {
    const chunk = { rows: this.rows, checkpoint: this.checkpoint };
    this.rows = [];
    this.start = this.checkpoint.offset;
    return chunk;
  }
}
