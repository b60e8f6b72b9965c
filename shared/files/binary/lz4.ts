import type { EventLoopShare } from '../../platform/async/event-loop-share';
import { PackedBlock } from './packed-block';

/** Decompresses a block of LZ4 to as many bytes. @throws BadData when it is corrupt, or has more or fewer */
export async function unlz4(packed: Uint8Array, length: number, share: EventLoopShare): Promise<Buffer> {
  const block = new PackedBlock(packed, length);
  /** A length of 15 is continued in the bytes that follow, up to what there is no room for. */
  const rest = (start: number) => {
    let size = start;
    if (start === 15) for (let byte = 255; byte === 255 && size <= length; size += byte) byte = block.next();
    return size;
  };
  return block.unpack(() => {
    const token = block.next();
    block.take(rest(token >> 4));
    if (!block.hasMore()) return; // the last sequence has literals alone
    const back = block.next() | (block.next() << 8);
    block.copy(back, 4 + rest(token & 15));
  }, share);
}
