import { FILE_EMPTY_CHUNK_FACTOR } from '../limits/transfers';
import { DamagedFile } from './damaged-file';
import type { ResumePoint, Row, RowChunk, Step } from './row';

/** Gathers rows into chunks of at most so many rows and about so many bytes of the file. */
export class RowChunker {
  private rows: Row[] = [];
  private resume: ResumePoint;
  private start: number;

  constructor(
    from: ResumePoint,
    private readonly maxRows: number,
    private readonly maxBytes: number,
  ) {
    this.resume = from;
    this.start = from.offset;
  }

  /** The chunks that these steps fill. @throws DamagedFile after a step that ends the file so */
  *add(steps: readonly Step[]): Generator<RowChunk, void, undefined> {
    for (const { row, resume } of steps) {
      if (row !== undefined) this.rows.push(row);
      this.resume = resume;
      const maxBytes = this.rows.length > 0 ? this.maxBytes : FILE_EMPTY_CHUNK_FACTOR * this.maxBytes;
      if (this.rows.length >= this.maxRows || resume.offset - this.start >= maxBytes) yield this.take();
      if (resume.damage !== undefined) throw new DamagedFile(resume.damage);
    }
  }

  /** What is left. */
  *end(): Generator<RowChunk, void, undefined> {
    if (this.rows.length > 0) yield this.take();
  }

  private take(): RowChunk {
    const chunk = { rows: this.rows, resume: this.resume };
    this.rows = [];
    this.start = this.resume.offset;
    return chunk;
  }
}
