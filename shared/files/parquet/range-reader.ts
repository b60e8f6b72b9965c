import { MAX_PARQUET_GAP_BYTES } from '../../limits/transfers';
import type { StoredBytes } from '../packing/unzip';
import { PeekableBytes } from '../peekable-bytes';
import { failCorrupt } from './thrift-cursor';

/** Reads parts of a file. Parts that are next to each other, as the columns of a row group are, take one download. */
export class RangeReader {
  private bytes: PeekableBytes | undefined;
  private at = 0;

  constructor(private readonly file: StoredBytes) {}

  /** A copy. @throws DamagedFile where the file has no such part, and errors of reading unchanged */
  async take(start: number, length: number): Promise<Buffer> {
    if (start + length > this.file.size) failCorrupt();
    const gap = start - this.at;
    if (!this.bytes || gap < 0 || gap > MAX_PARQUET_GAP_BYTES) {
      await this.close();
      this.bytes = new PeekableBytes(this.file.read(start));
      this.at = start;
    }
    await this.skip(this.bytes, start - this.at);
    const part = (await this.bytes.peek(length)).subarray(0, length);
    if (part.length < length) failCorrupt();
    const copy = Buffer.from(part);
    this.bytes.drop(length);
    this.at = start + length;
    return copy;
  }

  /** Ends the download. */
  async close(): Promise<void> {
    await this.bytes?.close();
    this.bytes = undefined;
  }

  private async skip(bytes: PeekableBytes, length: number): Promise<void> {
    await bytes.peek(length);
    bytes.drop(length);
  }
}
