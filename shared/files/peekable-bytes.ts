/** A stream of bytes whose beginning can be looked at, and taken off, before it is read. */
export class PeekableBytes {
  private readonly source: AsyncIterator<Buffer>;
  private held: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Buffer>) {
    this.source = bytes[Symbol.asyncIterator]();
  }

  /** The next bytes, at least `length` of them unless the stream ends before. They stay. */
  async peek(length: number): Promise<Buffer> {
    while (this.held.length < length) {
      const next = await this.source.next();
      if (next.done === true) break;
      this.held = this.held.length === 0 ? next.value : Buffer.concat([this.held, next.value]);
    }
    return this.held;
  }

  /** Takes off bytes that were peeked at. */
  drop(length: number): void {
    this.held = this.held.subarray(length);
  }

  /** All bytes that are left. Leaving it early closes the stream. */
  async *rest(): AsyncGenerator<Buffer, void, undefined> {
    try {
      if (this.held.length > 0) yield this.held;
      this.held = Buffer.alloc(0);
      for (let next = await this.source.next(); next.done !== true; next = await this.source.next()) yield next.value;
    } finally {
      await this.close();
    }
  }

  /** Tells the stream that no more is wanted. Safe to repeat. */
  async close(): Promise<void> {
    await this.source.return?.();
  }
}
