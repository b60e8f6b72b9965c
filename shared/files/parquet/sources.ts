/** The values of a page by their encodings, one after the other, so that no page takes more memory than its bytes. */
import { MAX_FILE_RECORD_BYTES } from '../../limits/transfers';
import { DamagedFile } from '../damaged-file';
import type { Physical } from './footer';
import type { EventLoopShare } from '../../platform/async/event-loop-share';
import { bitsAt, RunReader } from './run-reader';
import { failCorrupt, ThriftCursor } from './thrift-cursor';

/** A value of a physical type: INT64 as a bigint, bytes as such. */
export type Raw = number | bigint | boolean | Buffer;

export interface Source {
  /** @throws DamagedFile when there is none left */
  next(): Raw;
}

export interface ColumnType {
  readonly type: Physical;
  /** Bytes of a value of the type `fixed`. */
  readonly length: number;
}

const SIZES: Readonly<Partial<Record<Physical, number>>> = { int32: 4, int64: 8, int96: 12, float: 4, double: 8 };

/** Undefined: values of the type have no fixed size. */
function sizeOf({ type, length }: ColumnType): number | undefined {
  return type === 'fixed' ? length : SIZES[type];
}

const ENCODING = { plain: 0, plainDictionary: 2, runs: 3, delta: 5, deltaLength: 6, deltaBytes: 7, dictionary: 8, split: 9 } as const; // prettier-ignore

/** The values of a page: at most as many as it has entries. */
export interface PageValues {
  readonly values: Buffer;
  readonly encoding: number;
  readonly entries: number;
}

/**
 * Where the parts of values begin that are behind differences: bytes behind their lengths, lengths behind prefixes.
 * Differences do not say where they end, so they are walked through.
 */
export async function findStarts({ values, encoding, entries }: PageValues, share: EventLoopShare): Promise<number[]> {
  const starts: number[] = [];
  const inParts = { [ENCODING.deltaLength]: 1, [ENCODING.deltaBytes]: 2 }[encoding] ?? 0;
  const parts = values.length === 0 ? 0 : inParts; // a page of nulls alone may have no values at all
  for (let part = 0; part < parts; part += 1) {
    starts.push(await new DeltaSource(values, entries, 32, starts.at(-1)).end(share));
  }
  return starts;
}

/** @param starts of the page's parts @throws DamagedFile when the encoding is not read, or not of the type */
export function openSource(
  { values: bytes, encoding, entries }: PageValues,
  [first = 0, second = 0]: readonly number[],
  column: ColumnType,
  dictionary: Dictionary | undefined,
): Source {
  switch (encoding) {
    case ENCODING.plain:
      return new PlainSource(bytes, column);
    case ENCODING.plainDictionary:
    case ENCODING.dictionary:
      return dictionary ? indexSource(bytes, dictionary) : failCorrupt();
    case ENCODING.runs:
      return truthSource(bytes);
    case ENCODING.delta:
      return new DeltaSource(bytes, entries, column.type === 'int64' ? 64 : 32);
    case ENCODING.deltaLength:
      return lengthSource(bytes, entries, 0, first);
    case ENCODING.deltaBytes:
      return prefixSource(bytes, entries, first, second);
    case ENCODING.split:
      return splitSource(bytes, column);
    default:
      throw new DamagedFile(
        'The Parquet file has an encoding of values that is not read. Write the file again with a current version of pyarrow, DuckDB or Spark, with their usual encodings.',
      );
  }
}

/** Values side by side. */
class PlainSource implements Source {
  /** The next byte; of truth values the next bit. */
  at = 0;
  private readonly view: DataView;

  constructor(
    private readonly bytes: Buffer,
    private readonly column: ColumnType,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  next(): Raw {
    switch (this.column.type) {
      case 'boolean':
        this.at += 1;
        return bitsAt(this.bytes, this.at - 1, 1) === 1;
      case 'int32':
        return this.view.getInt32(this.skip(4), true);
      case 'int64':
        return this.view.getBigInt64(this.skip(8), true);
      case 'float':
        return this.view.getFloat32(this.skip(4), true);
      case 'double':
        return this.view.getFloat64(this.skip(8), true);
      case 'int96':
        return this.take(12);
      case 'fixed':
        return this.take(this.column.length);
      case 'bytes':
        return this.take(this.view.getUint32(this.skip(4), true));
    }
  }

  /** Passes over bytes behind their length. */
  passBytes(): void {
    this.skip(this.view.getUint32(this.skip(4), true));
  }

  private take(length: number): Buffer {
    const start = this.skip(length);
    return this.bytes.subarray(start, start + length);
  }

  private skip(length: number): number {
    if (!(length >= 0 && length <= this.bytes.length - this.at)) failCorrupt();
    this.at += length;
    return this.at - length;
  }
}

/** Values of a dictionary, and blocks of differences, that are passed over without a look at the clock. */
const FOUND_AT_ONCE = 10_000;

/** The values that indexes in data pages stand for. They stay bytes: texts would take several times as much. */
export class Dictionary {
  private constructor(
    private readonly values: PlainSource,
    private readonly count: number,
    private readonly size: number | undefined,
    /** Where each value begins, of a type without a fixed size. */
    private readonly starts: Uint32Array | undefined,
  ) {}

  /** @throws DamagedFile when it has fewer values */
  static async open(bytes: Buffer, column: ColumnType, count: number, share: EventLoopShare): Promise<Dictionary> {
    const values = new PlainSource(bytes, column);
    if (column.type !== 'bytes') return new Dictionary(values, count, sizeOf(column), undefined);
    if (count < 0 || 4 * count > bytes.length) failCorrupt();
    const starts = new Uint32Array(count);
    for (let index = 0; index < count; index += 1) {
      if (index % FOUND_AT_ONCE === 0 && share.isUsedUp) await share.renew();
      starts[index] = values.at;
      values.passBytes();
    }
    return new Dictionary(values, count, undefined, starts);
  }

  at(index: number): Raw {
    if (index >= this.count) failCorrupt();
    this.values.at = this.starts?.[index] ?? index * (this.size ?? failCorrupt());
    return this.values.next();
  }
}

function indexSource(bytes: Buffer, dictionary: Dictionary): Source {
  const indexes = new RunReader(bytes.subarray(1), bytes[0] ?? failCorrupt());
  return { next: () => dictionary.at(indexes.next()) };
}

function truthSource(bytes: Buffer): Source {
  const runs = new RunReader(bytes.subarray(4), 1); // behind their length
  return { next: () => runs.next() === 1 };
}

/** Whole numbers as differences, in blocks of smaller blocks that have as many bits for each difference as it needs. */
class DeltaSource implements Source {
  /** How many values there are. */
  readonly count: number;
  private readonly cursor: ThriftCursor;
  private readonly perBlock: number;
  private readonly blocks: number;
  private done = 0;
  private value: bigint;
  private least = 0n;
  private widths: Buffer = Buffer.alloc(0);
  /** The next small block of the current block, and the next difference in the current one. */
  private block = 0;
  private index = 0;
  private bit = 0;

  constructor(
    bytes: Buffer,
    entries: number,
    private readonly bits: 32 | 64,
    at = 0,
  ) {
    const cursor = new ThriftCursor(bytes, at);
    this.cursor = cursor;
    const size = cursor.varint();
    this.blocks = cursor.varint();
    this.perBlock = size / this.blocks;
    this.count = cursor.varint();
    // As the format has it. So there are few blocks to pass over.
    if (size === 0 || size % 128 !== 0 || this.perBlock % 32 !== 0 || this.count > entries) failCorrupt();
    this.value = bigInt(cursor);
    this.block = this.blocks;
    this.index = this.perBlock;
  }

  next(): number | bigint {
    if (this.done >= this.count) failCorrupt();
    if (this.done > 0) this.value = BigInt.asIntN(this.bits, this.value + this.difference());
    this.done += 1;
    return this.bits === 32 ? Number(this.value) : this.value;
  }

  /** Passes over all values. @returns where their bytes end */
  async end(share: EventLoopShare): Promise<number> {
    const blocks = Math.ceil((this.count - 1) / this.perBlock); // the first value is before them
    for (let passed = 0; passed < blocks; passed += 1) {
      if (passed % FOUND_AT_ONCE === 0 && share.isUsedUp) await share.renew();
      this.startBlock();
    }
    return this.cursor.at;
  }

  private difference(): bigint {
    if (this.index === this.perBlock) this.startBlock();
    const width = this.widths[this.block - 1] ?? failCorrupt();
    const low = bitsAt(this.cursor.bytes, this.bit, Math.min(width, 32));
    const high = width > 32 ? bitsAt(this.cursor.bytes, this.bit + 32, width - 32) : 0;
    this.bit += width;
    this.index += 1;
    return this.least + ((BigInt(high) << 32n) | BigInt(low));
  }

  private startBlock(): void {
    const { cursor } = this;
    if (this.block === this.blocks) {
      this.least = bigInt(cursor);
      this.widths = cursor.take(this.blocks);
      this.block = 0;
    }
    const width = this.widths[this.block] ?? failCorrupt();
    if (width > this.bits) failCorrupt();
    this.bit = 8 * cursor.at;
    cursor.take((width * this.perBlock) / 8);
    this.block += 1;
    this.index = 0;
  }
}

/** Zigzag, of up to 64 bits. */
function bigInt(cursor: ThriftCursor): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = cursor.take(1)[0] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
  }
  return failCorrupt();
}

/** Bytes behind all of their lengths. */
function lengthSource(bytes: Buffer, entries: number, lengthsAt: number, bytesAt: number): { next(): Buffer } {
  const lengths = new DeltaSource(bytes, entries, 32, lengthsAt);
  const content = new ThriftCursor(bytes, bytesAt);
  return { next: () => content.take(Number(lengths.next())) };
}

/** Bytes that begin as those before them do. */
function prefixSource(bytes: Buffer, entries: number, lengthsAt: number, bytesAt: number): Source {
  const prefixes = new DeltaSource(bytes, entries, 32);
  const suffixes = lengthSource(bytes, entries, lengthsAt, bytesAt);
  let before: Buffer = Buffer.alloc(0);
  return {
    next: () => {
      const length = Number(prefixes.next());
      const suffix = suffixes.next();
      if (length < 0 || length > before.length) failCorrupt();
      if (length + suffix.length > MAX_FILE_RECORD_BYTES) failCorrupt();
      before = Buffer.concat([before.subarray(0, length), suffix]);
      return before;
    },
  };
}

/** Values whose first bytes are side by side, then their second ones, and so on. Each holds until the next one. */
function splitSource(bytes: Buffer, column: ColumnType): Source {
  const size = sizeOf(column) ?? failCorrupt();
  const count = Math.floor(bytes.length / size);
  const value = Buffer.alloc(size);
  const source = new PlainSource(value, column);
  let index = 0;
  return {
    next: () => {
      if (index === count) failCorrupt();
      for (let part = 0; part < size; part += 1) value[part] = bytes[part * count + index] ?? 0;
      index += 1;
      source.at = 0;
      return source.next();
    },
  };
}
