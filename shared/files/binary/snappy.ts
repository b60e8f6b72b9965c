import type { EventLoopShare } from '../../platform/async/event-loop-share';
import { BadData } from './bad-data';
import { PackedBlock } from './packed-block';

/** Decompresses a block of Snappy's raw format. @throws BadData when it is corrupt, or has more than `maxBytes` */
export async function unsnappy(packed: Uint8Array, maxBytes: number, share: EventLoopShare): Promise<Buffer> {
  let at = 0;
  let length = 0;
  for (let scale = 1, byte = 0x80; byte >= 0x80; scale *= 128, at += 1) {
    byte = packed[at] ?? failBad();
    length += (byte & 0x7f) * scale;
    if (length > maxBytes) throw new BadData('too large');
  }
  const block = new PackedBlock(packed.subarray(at), length);
  const number = (bytes: number) => {
    let value = 0;
    for (let index = 0; index < bytes; index += 1) value += block.next() * 2 ** (8 * index);
    return value;
  };
  return block.unpack(() => {
    const tag = block.next();
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      block.take(1 + (short < 60 ? short : number(short - 59)));
    } else if (kind === 1) {
      block.copy(((tag >> 5) << 8) + block.next(), 4 + ((tag >> 2) & 7));
    } else {
      block.copy(number(kind === 2 ? 2 : 4), 1 + (tag >> 2));
    }
  }, share);
}

function failBad(): never {
  throw new BadData();
}
