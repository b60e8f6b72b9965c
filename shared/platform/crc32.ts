/** The checksum of ZIP, Avro and Parquet (CRC-32 of IEEE 802.3). */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** @param before the checksum of the bytes before these @example crc32(Buffer.from('123456789')) // 0xcbf43926 */
export function crc32(bytes: Uint8Array, before = 0): number {
  let value = ~before;
  // An index: the iterator of a byte array takes several times as long.
  for (let index = 0; index < bytes.length; index += 1) {
    value = (TABLE[(value ^ (bytes[index] ?? 0)) & 0xff] ?? 0) ^ (value >>> 8);
  }
  return ~value >>> 0;
}
