/** ZIP archives, byte by byte: also such as no program writes by itself. */
import { deflateRawSync } from 'node:zlib';
import { crc32 } from '../../shared/platform/crc32';

export interface ZipOptions {
  /** How often the file is in it; default: once. */
  readonly entries?: number;
  /** The default is deflate. */
  readonly method?: number;
  /** Bit 0: encrypted; bit 3: its sizes stand behind it, and not before it. */
  readonly flags?: number;
  /** Whether sizes and offsets have 64 bits. */
  readonly isLong?: boolean;
  readonly comment?: string;
  /** Said instead of what is true. */
  readonly bytes?: number;
  readonly crc?: number;
}

const NAME = Buffer.from('export/customers.csv');

const u16 = (value: number) => Buffer.from([value & 0xff, value >> 8]);
const u32 = (value: number) => Buffer.concat([u16(value & 0xffff), u16(value >>> 16)]);
const u64 = (value: number) => Buffer.concat([u32(value >>> 0), u32(Math.floor(value / 2 ** 32))]);

/** Where the data of its first entry begin. */
export const ZIP_DATA_START = 30 + NAME.length;

/** What stands behind the data of an archive of one entry, without a comment: its directory and the end of it. */
const DIRECTORY_BYTES = 46 + NAME.length + 22;

/** The bytes of the data of such an archive: from the first to behind the last one. */
export function zipDataOf(archive: Buffer): readonly [start: number, end: number] {
  return [ZIP_DATA_START, archive.length - DIRECTORY_BYTES];
}

export function zipOf(content: string | Buffer, options: ZipOptions = {}): Buffer {
  const { entries = 1, method = 8, flags = 0, isLong = false, comment = '' } = options;
  const plain = Buffer.from(content);
  const packed = method === 8 ? deflateRawSync(plain) : plain;
  const { bytes = plain.length, crc = crc32(plain) } = options;
  const isStreamed = (flags & 8) !== 0;
  const sizes = Buffer.concat([u32(crc), u32(packed.length), u32(bytes)]);
  const local = Buffer.concat([
    ...[u32(0x04034b50), u16(20), u16(flags), u16(method), u32(0), isStreamed ? Buffer.alloc(12) : sizes],
    ...[u16(NAME.length), u16(0), NAME, packed],
    ...(isStreamed ? [u32(0x08074b50), sizes] : []),
  ]);
  const toDirectoryEntry = (offset: number) => {
    const extra = isLong ? Buffer.concat([u16(0x5455), u16(1), u16(0).subarray(1), u16(1), u16(24), u64(bytes), u64(packed.length), u64(offset)]) : Buffer.alloc(0); // prettier-ignore
    const said = isLong ? [u32(crc), u32(0xffffffff), u32(0xffffffff)] : [sizes];
    return Buffer.concat([
      ...[u32(0x02014b50), u16(20), u16(20), u16(flags), u16(method), u32(0), ...said],
      ...[u16(NAME.length), u16(extra.length), u16(0), u16(0), u16(0), u32(0)],
      ...[u32(isLong ? 0xffffffff : offset), NAME, extra],
    ]);
  };
  const all = Array.from({ length: entries }, () => local);
  const directory = Buffer.concat(all.map((_, index) => toDirectoryEntry(index * local.length)));
  const start = all.length * local.length;
  const end64 = Buffer.concat([
    ...[u32(0x06064b50), u64(44), u16(45), u16(45), u32(0), u32(0), u64(entries), u64(entries)],
    ...[u64(directory.length), u64(start), u32(0x07064b50), u32(0), u64(start + directory.length), u32(1)],
  ]);
  return Buffer.concat([
    ...[...all, directory, isLong ? end64 : Buffer.alloc(0)],
    ...[u32(0x06054b50), u16(0), u16(0), u16(isLong ? 0xffff : entries), u16(isLong ? 0xffff : entries)],
    ...[u32(directory.length), u32(isLong ? 0xffffffff : start), u16(comment.length), Buffer.from(comment)],
  ]);
}
