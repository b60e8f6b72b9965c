/** A stream of bytes whose beginning can be inspected, and dropped, before the rest is read. */
export class PeekableBytes {
  private readonly source: AsyncIterator<Buffer>;
  private buffered: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Buffer>) {
    this.source = bytes[Symbol.asyncIterator]();
  }

  /** Returns the next bytes without consuming them: at least `length`, unless the stream ends before. */
  async peek(length: number): Promise<Buffer> {
    const pieces = this.buffered.length === 0 ? [] : [this.buffered];
    let available = this.buffered.length;
    while (available < length) {
      const next = await this.source.next();
      if (next.done === true) break;
      pieces.push(next.value);
      available += next.value.length;
    }
    const [first] = pieces;
    this.buffered = pieces.length === 1 && first ? first : Buffer.concat(pieces);
    return this.buffered;
  }

  /** Consumes bytes that were peeked at. */
  drop(length: number): void {
    this.buffered = this.buffered.subarray(length);
  }

  /** Yields all bytes that are left. Ending the iteration early closes the stream. */
  async *rest(): AsyncGenerator<Buffer, void, undefined> {
    try {
      if (this.buffered.length > 0) yield this.buffered;
      this.buffered = Buffer.alloc(0);
      for (let next = await this.source.next(); next.done !== true; next = await this.source.next()) yield next.value;
    } finally {
      await this.close();
    }
  }

  /** Closes the stream. Safe to repeat. */
  async close(): Promise<void> {
    await this.source.return?.();
  }
}
