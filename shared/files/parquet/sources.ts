/** The values of a page by their encodings, one after the other, so that no page takes more memory than its bytes. */
import { MAX_FILE_RECORD_BYTES } from '../../limits/transfers';
import { DamagedFile } from '../damaged-file';
import type { Physical } from './footer';
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

/** @throws DamagedFile when the encoding is not read, or not of the type */
export function openSource(
  bytes: Buffer,
  encoding: number,
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
      return new DeltaSource(bytes, column.type === 'int64' ? 64 : 32);
    case ENCODING.deltaLength:
      return lengthSource(bytes, 0);
    case ENCODING.deltaBytes:
      return prefixSource(bytes);
    case ENCODING.split:
      return new PlainSource(joined(bytes, sizeOf(column) ?? failCorrupt()), column);
    default:
      throw new DamagedFile('The Parquet file has an encoding of values that is not read.');
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

/** The values that indexes in data pages stand for. They stay bytes: texts would take several times as much. */
export class Dictionary {
  private readonly values: PlainSource;
  private readonly size: number | undefined;
  /** Where each value begins, of a type without a fixed size. */
  private readonly starts: Uint32Array | undefined;

  constructor(
    bytes: Buffer,
    column: ColumnType,
    private readonly count: number,
  ) {
    this.values = new PlainSource(bytes, column);
    this.size = sizeOf(column);
    if (column.type !== 'bytes') return;
    if (count < 0 || 4 * count > bytes.length) failCorrupt();
    this.starts = new Uint32Array(count);
    for (let index = 0; index < count; index += 1) {
      this.starts[index] = this.values.at;
      this.values.next();
    }
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
    private readonly bits: 32 | 64,
    at = 0,
  ) {
    const cursor = new ThriftCursor(bytes, at);
    this.cursor = cursor;
    const size = cursor.varint();
    this.blocks = cursor.varint();
    this.perBlock = size / this.blocks;
    if (!Number.isInteger(this.perBlock) || this.perBlock === 0 || this.perBlock % 8 !== 0) failCorrupt();
    this.count = cursor.varint();
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

  /** Passes over the values that are left. @returns where their bytes end */
  end(): number {
    for (; this.done < this.count; this.done += this.done === 0 ? 1 : Math.min(this.perBlock, this.count - this.done)) {
      if (this.done > 0) this.startBlock();
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
function lengthSource(bytes: Buffer, at: number): { next(): Buffer } {
  const lengths = new DeltaSource(bytes, 32, at);
  const content = new ThriftCursor(bytes, new DeltaSource(bytes, 32, at).end());
  return { next: () => content.take(Number(lengths.next())) };
}

/** Bytes that begin as those before them do. */
function prefixSource(bytes: Buffer): Source {
  const prefixes = new DeltaSource(bytes, 32);
  const suffixes = lengthSource(bytes, new DeltaSource(bytes, 32).end());
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

/** The values whose first bytes are side by side, then their second ones, and so on. */
function joined(bytes: Buffer, size: number): Buffer {
  const count = Math.floor(bytes.length / size);
  const values = Buffer.alloc(count * size);
  for (let part = 0; part < size; part += 1) {
    for (let index = 0; index < count; index += 1) values[index * size + part] = bytes[part * count + index] ?? 0;
  }
  return values;
}
