import { BadData } from './bad-data';

/**
 * Inflates bytes in memory, by the stream that browsers have, too.
 * @throws BadData when they are corrupt, or more than `maxBytes`
 */
export async function inflateBytes(
  packed: Uint8Array,
  format: 'deflate-raw' | 'gzip',
  maxBytes: number,
): Promise<Buffer> {
  const stream = new Blob([new Uint8Array(packed)]).stream().pipeThrough(new DecompressionStream(format));
  const reader = (stream as ReadableStream<Uint8Array>).getReader();
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length;
      if (length > maxBytes) throw new BadData('too large');
      pieces.push(Buffer.from(next.value));
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error instanceof BadData ? error : new BadData();
  }
  return Buffer.concat(pieces);
}
