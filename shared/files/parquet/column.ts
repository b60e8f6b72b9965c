/** A column of a row group: its pages, and what comes out of them, one entry after the other. */
import {
  MAX_PARQUET_GROUP_BYTES,
  MAX_PARQUET_GROUP_PAGES,
  MAX_PARQUET_PAGE_HEADER_BYTES,
} from '../../limits/transfers';
import type { EventLoopShare } from '../../platform/async/event-loop-share';
import { crc32 } from '../../platform/crc32';
import { DamagedFile } from '../damaged-file';
import { decompress } from './codecs';
import type { ColumnChunk } from './footer';
import { bitWidth, RunReader } from './run-reader';
import type { ColumnType, PageValues, Raw, Source } from './sources';
import { Dictionary, findStarts, openSource } from './sources';
import { failCorrupt, ThriftCursor } from './thrift-cursor';

/** What the schema says of a column. */
export interface Leaf extends ColumnType {
  /** The level at which an entry has a value. */
  readonly maxDefinition: number;
  /** How many lists a value is in. */
  readonly maxRepetition: number;
}

interface PageHeader {
  readonly type: number;
  readonly bytes: number;
  readonly packedBytes: number;
  readonly crc: number | undefined;
  readonly entries: number;
  readonly encoding: number;
  readonly levelEncodings: readonly number[];
  readonly definitionBytes: number;
  readonly repetitionBytes: number;
  /** Whether values are compressed as the column says. */
  readonly isPacked: boolean;
}

/** A page of data, decompressed. */
interface Page extends PageValues {
  /** Undefined: all levels are 0. */
  readonly repetitions: Buffer | undefined;
  readonly definitions: Buffer | undefined;
}

/** A page whose values can be read one after the other. */
interface WalkedPage extends Page {
  readonly starts: readonly number[];
}

/** Bytes whose checksum is made without a pause. */
const CHECKED_AT_ONCE = 1024 * 1024;

const PAGE = { data: 0, dictionary: 2, dataV2: 3 } as const;
const RUNS = 3;

/** Counts the pages of a row group, and their decompressed bytes: its footer may say fewer. */
export class PageCount {
  bytes = 0;
  private pages = 0;

  /** @throws DamagedFile beyond MAX_PARQUET_GROUP_BYTES and MAX_PARQUET_GROUP_PAGES */
  add(bytes: number): void {
    this.pages += 1;
    this.bytes += bytes;
    if (bytes < 0 || this.bytes > MAX_PARQUET_GROUP_BYTES) failCorrupt();
    if (this.pages > MAX_PARQUET_GROUP_PAGES) {
      throw new DamagedFile(
        `A row group of the Parquet file has more than ${MAX_PARQUET_GROUP_PAGES} pages. Write larger ones (data_page_size).`,
      );
    }
  }
}

/** Decompresses the pages of a column. @throws DamagedFile, BadData */
export async function loadColumn(
  packed: Buffer,
  chunk: ColumnChunk,
  leaf: Leaf,
  count: PageCount,
  share: EventLoopShare,
): Promise<ColumnReader> {
  const cursor = new ThriftCursor(packed);
  const pages: WalkedPage[] = [];
  let dictionary: Dictionary | undefined;
  for (let entries = 0; entries < chunk.values;) {
    if (share.isUsedUp) await share.renew();
    const header = readPageHeader(cursor);
    count.add(header.bytes);
    const content = cursor.take(header.packedBytes);
    if (header.crc !== undefined && header.crc >>> 0 !== (await checksumOf(content, share))) failCorrupt();
    if (header.type === PAGE.dictionary) {
      const values = await decompress(content, chunk.codec, header.bytes, share);
      dictionary = await Dictionary.open(values, leaf, header.entries, share);
    } else if (header.type === PAGE.data || header.type === PAGE.dataV2) {
      entries += header.entries;
      if (header.entries < 0 || entries > chunk.values) failCorrupt();
      const read = header.type === PAGE.data ? readPage : readPageV2;
      const page = await read(content, header, chunk.codec, leaf, share);
      pages.push({ ...page, starts: await findStarts(page, share) });
    }
  }
  return new ColumnReader(leaf, pages, dictionary);
}

async function checksumOf(bytes: Buffer, share: EventLoopShare): Promise<number> {
  let checksum = 0;
  for (let at = 0; at < bytes.length; at += CHECKED_AT_ONCE) {
    if (share.isUsedUp) await share.renew();
    checksum = crc32(bytes.subarray(at, at + CHECKED_AT_ONCE), checksum);
  }
  return checksum;
}

/** Reads the header of a page, and moves the cursor behind it. */
function readPageHeader(column: ThriftCursor): PageHeader {
  const cursor = new ThriftCursor(column.bytes.subarray(column.at, column.at + MAX_PARQUET_PAGE_HEADER_BYTES));
  let [type, bytes, packedBytes, entries, encoding, definitionBytes, repetitionBytes] = [-1, -1, -1, 0, -1, 0, 0];
  let crc: number | undefined;
  let levelEncodings: readonly number[] = [];
  let isPacked = true;
  const common = { 1: () => (entries = cursor.int()) };
  cursor.struct({
    1: () => (type = cursor.int()),
    2: () => (bytes = cursor.int()),
    3: () => (packedBytes = cursor.int()),
    4: () => (crc = cursor.int()),
    5: () => {
      const levels = () => (levelEncodings = [...levelEncodings, cursor.int()]);
      cursor.struct({ ...common, 2: () => (encoding = cursor.int()), 3: levels, 4: levels });
    },
    7: () => cursor.struct(common),
    8: () =>
      cursor.struct({
        ...common,
        4: () => (encoding = cursor.int()),
        5: () => (definitionBytes = cursor.int()),
        6: () => (repetitionBytes = cursor.int()),
        7: (isTrue) => (isPacked = isTrue),
      }),
  });
  column.at += cursor.at;
  return {
    type,
    bytes,
    packedBytes,
    crc,
    entries,
    encoding,
    levelEncodings,
    definitionBytes,
    repetitionBytes,
    isPacked,
  };
}

type ReadPage = (packed: Buffer, header: PageHeader, codec: number, leaf: Leaf, share: EventLoopShare) => Promise<Page>;

/** Levels are compressed with the values, each behind their length. */
const readPage: ReadPage = async (packed, header, codec, { maxDefinition, maxRepetition }, share) => {
  const hasLevels = maxDefinition > 0 || maxRepetition > 0;
  if (hasLevels && header.levelEncodings.some((encoding) => encoding !== RUNS)) {
    throw new DamagedFile(
      'The Parquet file has an encoding of levels that is not read. Write the file again with a current version of pyarrow, DuckDB or Spark, with their usual encodings.',
    );
  }
  const cursor = new ThriftCursor(await decompress(packed, codec, header.bytes, share));
  const levels = (largest: number) => {
    if (largest === 0) return undefined;
    const length = cursor.take(4).reduceRight((value, byte) => value * 256 + byte, 0);
    return cursor.take(length);
  };
  const repetitions = levels(maxRepetition);
  const definitions = levels(maxDefinition);
  const { entries, encoding } = header;
  return { entries, encoding, repetitions, definitions, values: cursor.bytes.subarray(cursor.at) };
};

/** Levels come first, and are never compressed. */
const readPageV2: ReadPage = async (packed, header, codec, leaf, share) => {
  const cursor = new ThriftCursor(packed);
  const repetitions = cursor.take(header.repetitionBytes);
  const definitions = cursor.take(header.definitionBytes);
  const length = header.bytes - cursor.at;
  if (length < 0) failCorrupt();
  const values = await decompress(packed.subarray(cursor.at), header.isPacked ? codec : 0, length, share);
  return {
    entries: header.entries,
    encoding: header.encoding,
    repetitions: leaf.maxRepetition > 0 ? repetitions : undefined,
    definitions: leaf.maxDefinition > 0 ? definitions : undefined,
    values,
  };
};

/**
 * The entries of a column. Each has a value, or says by its levels where one is missing: `repetition` is in which list
 * it goes on, `definition` how much of the path to a value there is.
 */
export class ColumnReader {
  /** Of the next entry; at the end 0 and -1. */
  repetition = 0;
  definition = -1;
  private page = -1;
  /** Entries of the page behind the next one. */
  private left = 0;
  private repetitions: RunReader | undefined;
  private definitions: RunReader | undefined;
  private source: Source | undefined;

  constructor(
    private readonly leaf: Leaf,
    private readonly pages: readonly WalkedPage[],
    private readonly dictionary: Dictionary | undefined,
  ) {
    this.advance();
  }

  get isAtEnd(): boolean {
    return this.definition === -1;
  }

  /** The next entry's value; undefined: it has none. @throws DamagedFile at the end */
  take(): Raw | undefined {
    if (this.isAtEnd) failCorrupt();
    const value = this.definition === this.leaf.maxDefinition ? this.nextValue() : undefined;
    this.advance();
    return value;
  }

  private nextValue(): Raw {
    const page = this.pages[this.page] ?? failCorrupt();
    this.source ??= openSource(page, page.starts, this.leaf, this.dictionary);
    return this.source.next();
  }

  private advance(): void {
    while (this.left === 0) {
      this.page += 1;
      const page = this.pages[this.page];
      if (!page) {
        this.repetition = 0;
        this.definition = -1;
        return;
      }
      const { maxRepetition, maxDefinition } = this.leaf;
      this.left = page.entries;
      this.repetitions = page.repetitions && new RunReader(page.repetitions, bitWidth(maxRepetition));
      this.definitions = page.definitions && new RunReader(page.definitions, bitWidth(maxDefinition));
      this.source = undefined;
    }
    this.left -= 1;
    this.repetition = this.repetitions?.next() ?? 0;
    this.definition = this.definitions?.next() ?? this.leaf.maxDefinition;
  }
}
