import { brotliDecompress } from 'node:zlib';
import type { EventLoopShare } from '../../platform/async/event-loop-share';
import { BadData } from '../binary/bad-data';
import { inflateBytes } from '../binary/inflate-bytes';
import { unlz4 } from '../binary/lz4';
import { unsnappy } from '../binary/snappy';
import { DamagedFile } from '../damaged-file';

type Decompressor = (packed: Buffer, length: number, share: EventLoopShare) => Buffer | Promise<Buffer>;

/** By the numbers of codecs in a file. LZO is not among them. */
const DECOMPRESSORS: Readonly<Record<number, Decompressor>> = {
  0: (packed) => packed,
  1: unsnappy,
  2: (packed, length) => inflateBytes(packed, 'gzip', length),
  4: unbrotli,
  5: unlz4InFrames,
  6: unzstd,
  7: unlz4,
};

/** @throws BadData when it is not as many bytes, or corrupt @throws DamagedFile when the codec is not read */
export async function decompress(
  packed: Buffer,
  codec: number,
  length: number,
  share: EventLoopShare,
): Promise<Buffer> {
  const decompressor = DECOMPRESSORS[codec];
  if (!decompressor) {
    throw new DamagedFile('The Parquet file must be compressed by snappy, gzip, zstd, lz4 or brotli, or not at all.');
  }
  if (length === 0) return Buffer.alloc(0);
  const content = await tryTo(() => decompressor(packed, length, share));
  if (content.length !== length) throw new BadData();
  return content;
}

/** What libraries throw depends on the library. */
async function tryTo(act: () => Buffer | Promise<Buffer>): Promise<Buffer> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof DamagedFile ? error : new BadData();
  }
}

function unbrotli(packed: Buffer, maxOutputLength: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    brotliDecompress(packed, { maxOutputLength }, (error, content) => (error ? reject(error) : resolve(content)));
  });
}

/** Bytes of a block of the older LZ4 at the least, on average. Hadoop makes them of 256 KiB. */
const MIN_LZ4_BLOCK_BYTES = 1_024;

/** The older LZ4 of Hadoop: blocks behind their lengths, or a single one without. */
async function unlz4InFrames(packed: Buffer, length: number, share: EventLoopShare): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  let total = 0;
  for (let at = 0; at < packed.length;) {
    if (at + 8 > packed.length) return unlz4(packed, length, share);
    if (pieces.length * MIN_LZ4_BLOCK_BYTES > length) throw new BadData();
    const [bytes, packedBytes] = [view.getUint32(at), view.getUint32(at + 4)];
    at += 8;
    total += bytes;
    if (total > length || packedBytes > packed.length - at) return unlz4(packed, length, share);
    pieces.push(await unlz4(packed.subarray(at, at + packedBytes), bytes, share));
    at += packedBytes;
  }
  return Buffer.concat(pieces);
}

let zstd: Promise<(packed: Uint8Array, length: number) => Uint8Array> | undefined;

/** By the decoder of Zstandard itself, which takes 43 KB and is loaded with the first page that needs it. */
async function unzstd(packed: Buffer, length: number): Promise<Buffer> {
  zstd ??= (async () => {
    const { ZSTDDecoder } = await import('zstddec');
    const decoder = new ZSTDDecoder();
    await decoder.init();
    return (bytes, size) => decoder.decode(bytes, size);
  })();
  return Buffer.from((await zstd)(packed, length));
}
