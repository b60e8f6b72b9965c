import { BadData } from './bad-data';

/** Decompresses a block of LZ4 to as many bytes. @throws BadData when it is corrupt, or has more or fewer */
export function unlz4(packed: Uint8Array, length: number): Buffer {
  let at = 0;
  const next = () => {
    const byte = packed[at];
    if (byte === undefined) throw new BadData();
    at += 1;
    return byte;
  };
  /** A length of 15 is continued in the bytes that follow. */
  const rest = (start: number) => {
    let size = start;
    if (start === 15) for (let byte = 255; byte === 255; size += byte) byte = next();
    return size;
  };
  const content = Buffer.alloc(length);
  let to = 0;
  while (at < packed.length) {
    const token = next();
    const literals = rest(token >> 4);
    if (literals > packed.length - at || literals > length - to) throw new BadData();
    content.set(packed.subarray(at, at + literals), to);
    at += literals;
    to += literals;
    if (at === packed.length) break; // the last sequence has literals alone
    const back = next() | (next() << 8);
    const size = 4 + rest(token & 15);
    if (back === 0 || back > to || size > length - to) throw new BadData();
    // Byte by byte: a copy may reach into what it writes.
    for (const end = to + size; to < end; to += 1) content[to] = content[to - back] ?? 0;
  }
  if (to !== length) throw new BadData();
  return content;
}
