import { BadData } from './bad-data';

/** A block that is decompressed, of a format whose parts are bytes as they are, and copies of bytes before them. */
export class PackedBlock {
  private readonly content: Buffer;
  /** The next byte of the block, and the next one of the content. */
  private at = 0;
  private to = 0;

  /** @param length of the content */
  constructor(
    private readonly packed: Uint8Array,
    length: number,
  ) {
    this.content = Buffer.alloc(length);
  }

  hasMore(): boolean {
    return this.at < this.packed.length;
  }

  /** The next byte of the block. @throws BadData at its end */
  next(): number {
    const byte = this.packed[this.at];
    if (byte === undefined) throw new BadData();
    this.at += 1;
    return byte;
  }

  /** Takes the next bytes of the block as they are. @throws BadData when there are fewer, or no room for them */
  take(size: number): void {
    const { content, packed, at, to } = this;
    if (size > packed.length - at || size > content.length - to) throw new BadData();
    content.set(packed.subarray(at, at + size), to);
    this.at += size;
    this.to += size;
  }

  /** Copies bytes that begin so far before the end of the content. @throws BadData when there are none, or no room */
  copy(back: number, size: number): void {
    const { content } = this;
    if (back === 0 || back > this.to || size > content.length - this.to) throw new BadData();
    const end = this.to + size;
    // Byte by byte: a copy may reach into what it writes.
    for (let to = this.to; to < end; to += 1) content[to] = content[to - back] ?? 0;
    this.to = end;
  }

  /** The content. @throws BadData when it is not whole */
  end(): Buffer {
    if (this.to !== this.content.length) throw new BadData();
    return this.content;
  }
}
