/** Reads the one file in a ZIP archive in constant memory. The archive's end says where it is. */
import { MAX_INFLATED_BYTES, MAX_ZIP_END_BYTES } from '../../limits/transfers';
import { crc32 } from '../../platform/crc32';
import { DamagedFile, requireInflatedAtMost } from '../damaged-file';
import { PeekableBytes } from '../peekable-bytes';

/** A file that can be read from any byte on. */
export interface StoredBytes {
  readonly size: number;
  read(from: number): AsyncIterable<Buffer>;
}

/** Inflates raw deflate. @throws DamagedFile when it is corrupt, or is more than `maxBytes` */
export type RawInflater = (bytes: AsyncIterable<Buffer>, maxBytes: number) => AsyncIterable<Buffer>;

/** Where the entry is, and what it must be. */
interface Entry {
  readonly isDeflated: boolean;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

const END = 0x06054b50;
const END_BYTES = 22;
const END_64 = 0x06064b50;
const END_64_BYTES = 56;
const LOCATOR_64 = 0x07064b50;
const LOCATOR_64_BYTES = 20;
const DIRECTORY_ENTRY = 0x02014b50;
const DIRECTORY_ENTRY_BYTES = 46;
const LOCAL_ENTRY = 0x04034b50;
const LOCAL_ENTRY_BYTES = 30;
/** The extra field with sizes of 64 bits. */
const SIZES_64 = 0x0001;
/** In place of a number that is among those of 64 bits. */
const IS_LONGER = 0xffffffff;
const IS_MORE = 0xffff;

const NO_ARCHIVE = 'The file is no ZIP archive, or is cut off.';
const CORRUPT = 'The ZIP archive is corrupt.';

/**
 * Yields the content of the archive's only entry, stored or deflated. Yields the content before an error first.
 * @throws DamagedFile when there is not exactly one entry, it is encrypted, damaged or compressed in another way, or
 * inflates to more than `maxBytes`. Errors of reading are passed on unchanged.
 */
export async function* unzip(
  file: StoredBytes,
  inflateRaw: RawInflater,
  maxBytes = MAX_INFLATED_BYTES,
): AsyncGenerator<Buffer, void, undefined> {
  const entry = await findEntry(file);
  requireInflatedAtMost(entry.bytes, maxBytes);
  const packed = packedBytes(file, entry);
  let crc = 0;
  let bytes = 0;
  for await (const piece of entry.isDeflated ? inflateRaw(packed, maxBytes) : packed) {
    crc = crc32(piece, crc);
    bytes += piece.length;
    if (bytes > entry.bytes) throw new DamagedFile(CORRUPT);
    yield piece;
  }
  if (bytes !== entry.bytes || crc !== entry.crc) throw new DamagedFile(CORRUPT);
}

/** The bytes of an entry as they are stored. */
async function* packedBytes(file: StoredBytes, { offset, packedBytes }: Entry): AsyncGenerator<Buffer> {
  const bytes = new PeekableBytes(file.read(offset));
  try {
    const head = viewOf(await bytes.peek(LOCAL_ENTRY_BYTES));
    if (head.byteLength < LOCAL_ENTRY_BYTES || head.getUint32(0, true) !== LOCAL_ENTRY) throw new DamagedFile(CORRUPT);
    const headBytes = LOCAL_ENTRY_BYTES + head.getUint16(26, true) + head.getUint16(28, true);
    await bytes.peek(headBytes);
    bytes.drop(headBytes);
    let left = packedBytes;
    for await (const piece of bytes.rest()) {
      const part = piece.subarray(0, left);
      left -= part.length;
      if (part.length > 0) yield part;
      if (left === 0) return;
    }
    if (left > 0) throw new DamagedFile(CORRUPT);
  } finally {
    await bytes.close();
  }
}

async function findEntry(file: StoredBytes): Promise<Entry> {
  const start = Math.max(0, file.size - MAX_ZIP_END_BYTES);
  const pieces: Buffer[] = [];
  for await (const piece of file.read(start)) pieces.push(piece);
  const view = viewOf(Buffer.concat(pieces));
  const { entries, offset } = readEnd(view, start);
  if (entries !== 1) {
    throw new DamagedFile(
      `The ZIP archive has ${entries} entries; it must have one. Make an archive of each file, without its folder.`,
    );
  }
  return readDirectoryEntry(view, offset - start);
}

/** What the archive's end says: how many entries there are, and where the directory of them begins. */
function readEnd(view: DataView, start: number): { readonly entries: number; readonly offset: number } {
  let end = view.byteLength - END_BYTES;
  const isEnd = () => view.getUint32(end, true) === END && end + END_BYTES + view.getUint16(end + 20, true) === view.byteLength; // prettier-ignore
  while (end >= 0 && !isEnd()) end -= 1;
  if (end < 0) throw new DamagedFile(NO_ARCHIVE);
  const entries = view.getUint16(end + 10, true);
  const offset = view.getUint32(end + 16, true);
  if (entries !== IS_MORE && offset !== IS_LONGER) return { entries, offset };
  const locator = requireAt(view, end - LOCATOR_64_BYTES, LOCATOR_64, LOCATOR_64_BYTES);
  const end64 = requireAt(view, toNumber(view, locator + 8) - start, END_64, END_64_BYTES);
  return { entries: toNumber(view, end64 + 32), offset: toNumber(view, end64 + 48) };
}

function readDirectoryEntry(view: DataView, index: number): Entry {
  const at = requireAt(view, index, DIRECTORY_ENTRY, DIRECTORY_ENTRY_BYTES);
  const flags = view.getUint16(at + 8, true);
  const method = view.getUint16(at + 10, true);
  if (flags & 1) throw new DamagedFile('The ZIP archive is encrypted. Make it without a password.');
  if (method !== 0 && method !== 8) {
    throw new DamagedFile(`The ZIP archive is compressed by method ${method}; only deflate is read.`);
  }
  const longer = sizes64(view, at);
  const [bytes, packedBytes, offset] = [24, 20, 42].map((field) => {
    const value = view.getUint32(at + field, true);
    return value === IS_LONGER ? (longer.shift() ?? NaN) : value;
  }) as [number, number, number];
  if (![bytes, packedBytes, offset].every(Number.isSafeInteger)) throw new DamagedFile(CORRUPT);
  return { isDeflated: method === 8, crc: view.getUint32(at + 16, true), bytes, packedBytes, offset };
}

/** The numbers of 64 bits in an entry's extra fields, in their order. */
function sizes64(view: DataView, entry: number): number[] {
  let at = entry + DIRECTORY_ENTRY_BYTES + view.getUint16(entry + 28, true);
  const end = Math.min(at + view.getUint16(entry + 30, true), view.byteLength);
  while (at + 4 <= end) {
    const next = at + 4 + view.getUint16(at + 2, true);
    if (view.getUint16(at, true) === SIZES_64) {
      const count = Math.min(3, Math.floor((Math.min(next, end) - at - 4) / 8));
      return Array.from({ length: count }, (_, index) => toNumber(view, at + 4 + 8 * index));
    }
    at = next;
  }
  return [];
}

/** The index, if the record with this signature is there. */
function requireAt(view: DataView, index: number, signature: number, bytes: number): number {
  const isThere = index >= 0 && index + bytes <= view.byteLength && view.getUint32(index, true) === signature;
  if (!isThere) throw new DamagedFile(CORRUPT);
  return index;
}

function toNumber(view: DataView, index: number): number {
  return Number(view.getBigUint64(index, true));
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
