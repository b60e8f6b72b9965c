import { MAX_PARQUET_GAP_BYTES } from '../../limits/transfers';
import type { StoredBytes } from '../packing/unzip';
import { failCorrupt } from './thrift-cursor';

/** Reads parts of a file. Parts that are next to each other, as the columns of a row group are, take one download. */
export class RangeReader {
  private download: AsyncIterator<Buffer> | undefined;
  /** Bytes of it that have come and are not taken. */
  private rest: Buffer = Buffer.alloc(0);
  private at = 0;

  constructor(private readonly file: StoredBytes) {}

  /** @throws DamagedFile where the file has no such part, and errors of reading unchanged */
  async take(start: number, length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0);
    if (start + length > this.file.size) failCorrupt();
    const gap = start - this.at;
    if (!this.download || gap < 0 || gap > MAX_PARQUET_GAP_BYTES) {
      await this.close();
      this.download = this.file.read(start)[Symbol.asyncIterator]();
      this.at = start;
    }
    await this.pass(this.download, start - this.at);
    const part = Buffer.alloc(length);
    await this.pass(this.download, length, part);
    return part;
  }

  /** Ends the download. */
  async close(): Promise<void> {
    await this.download?.return?.();
    this.download = undefined;
    this.rest = Buffer.alloc(0);
  }

  private async pass(download: AsyncIterator<Buffer>, length: number, into?: Buffer): Promise<void> {
    for (let passed = 0; passed < length;) {
      if (this.rest.length === 0) {
        const next = await download.next();
        this.rest = next.done === true ? failCorrupt() : next.value;
      }
      const piece = this.rest.subarray(0, length - passed);
      into?.set(piece, passed);
      this.rest = this.rest.subarray(piece.length);
      passed += piece.length;
      this.at += piece.length;
    }
  }
}
