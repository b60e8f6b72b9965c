/** One entry a byte value, of the Castagnoli polynomial with its bits reversed. */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0x82f63b78 : remainder >>> 1;
  return remainder;
});

/** The CRC32C of all chunks, as Cloud Storage writes it: base64 of its four bytes, the highest first. */
export async function crc32c(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  let remainder = -1;
  for await (const chunk of chunks) {
    for (const byte of chunk) remainder = (TABLE[(remainder ^ byte) & 0xff] ?? 0) ^ (remainder >>> 8);
  }
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(~remainder);
  return bytes.toString('base64');
}
