import type { EventLoopShare } from '../../platform/async/event-loop-share';
import { BadData } from './bad-data';

/** Parts that are unpacked without a look at the clock. */
const PARTS_AT_ONCE = 10_000;

/** Up to as many bytes a loop copies faster than a call does. */
const LOOP_BYTES = 64;

/** A block that is decompressed, of a format whose parts are literals, and copies of bytes before them. */
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

  /** Unpacks the block part by part. @returns its content @throws BadData when that is not whole */
  async unpack(unpackPart: () => void, share: EventLoopShare): Promise<Buffer> {
    for (let part = 0; this.hasMore(); part += 1) {
      if (part % PARTS_AT_ONCE === 0 && share.isUsedUp) await share.renew();
      unpackPart();
    }
    if (this.to !== this.content.length) throw new BadData();
    return this.content;
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
    if (size > LOOP_BYTES) content.set(packed.subarray(at, at + size), to);
    else for (let index = 0; index < size; index += 1) content[to + index] = packed[at + index] ?? 0;
    this.at += size;
    this.to += size;
  }

  /** Copies bytes that begin so far before the end of the content. @throws BadData when there are none, or no room */
  copy(back: number, size: number): void {
    const { content } = this;
    if (back === 0 || back > this.to || size > content.length - this.to) throw new BadData();
    const start = this.to - back;
    const end = this.to + size;
    if (size > LOOP_BYTES) {
      // A copy may reach into what it writes: each piece is all that is written since the start.
      for (let to = this.to; to < end; to = Math.min(2 * to - start, end)) {
        content.copyWithin(to, start, Math.min(to, start + end - to));
      }
    } else for (let to = this.to; to < end; to += 1) content[to] = content[to - back] ?? 0;
    this.to = end;
  }
}
