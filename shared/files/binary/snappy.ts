import { BadData } from './bad-data';

/** Decompresses a block of Snappy's raw format. @throws BadData when it is corrupt, or has more than `maxBytes` */
export function unsnappy(packed: Uint8Array, maxBytes: number): Buffer {
  let at = 0;
  const next = () => {
    const byte = packed[at];
    if (byte === undefined) throw new BadData();
    at += 1;
    return byte;
  };
  const number = (bytes: number) => {
    let value = 0;
    for (let index = 0; index < bytes; index += 1) value += next() * 2 ** (8 * index);
    return value;
  };
  let length = 0;
  for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
    byte = next();
    length += (byte & 0x7f) * 2 ** shift;
    if (length > maxBytes) throw new BadData('too large');
  }
  const content = Buffer.alloc(length);
  let to = 0;
  while (at < packed.length) {
    const tag = next();
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const size = 1 + (short < 60 ? short : number(short - 59));
      if (size > packed.length - at || size > length - to) throw new BadData();
      content.set(packed.subarray(at, at + size), to);
      at += size;
      to += size;
      continue;
    }
    const size = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
    const back = kind === 1 ? ((tag >> 5) << 8) + next() : number(kind === 2 ? 2 : 4);
    if (back === 0 || back > to || size > length - to) throw new BadData();
    // Byte by byte: a copy may reach into what it writes.
    for (const end = to + size; to < end; to += 1) content[to] = content[to - back] ?? 0;
  }
  if (to !== length) throw new BadData();
  return content;
}
