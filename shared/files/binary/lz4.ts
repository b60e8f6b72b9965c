import { PackedBlock } from './packed-block';

/** Decompresses a block of LZ4 to as many bytes. @throws BadData when it is corrupt, or has more or fewer */
export function unlz4(packed: Uint8Array, length: number): Buffer {
  const block = new PackedBlock(packed, length);
  /** A length of 15 is continued in the bytes that follow. */
  const rest = (start: number) => {
    let size = start;
    if (start === 15) for (let byte = 255; byte === 255; size += byte) byte = block.next();
    return size;
  };
  while (block.hasMore()) {
    const token = block.next();
    block.take(rest(token >> 4));
    if (!block.hasMore()) break; // the last sequence has bytes as they are alone
    const back = block.next() | (block.next() << 8);
    block.copy(back, 4 + rest(token & 15));
  }
  return block.end();
}
