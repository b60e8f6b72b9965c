/** Files of Parquet, page by page: also such as no program writes. */
import { brotliCompressSync, gzipSync } from 'node:zlib';

type Thrift = readonly [type: number, bytes: Buffer];

function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

export const zigzag = (value: number | bigint) =>
  varint(BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n)));
const int = (value: number): Thrift => [5, zigzag(value)];
const text = (value: string): Thrift => [8, Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value)])];
const truth = (value: boolean): Thrift => [value ? 1 : 2, Buffer.alloc(0)];
const list = (elements: readonly Buffer[], type = 12): Thrift => [
  9,
  Buffer.concat([Buffer.from([0xf0 | type]), varint(elements.length), ...elements]),
];
const struct = (fields: Fields): Thrift => [12, structBytes(fields)];
/** A structure with more fields behind its own. */
const structWith = (more: Buffer, fields: Fields): Thrift => [
  12,
  Buffer.concat([structBytes(fields).subarray(0, -1), more, Buffer.from([0])]),
];

type Fields = Readonly<Record<number, Thrift | undefined>>;

function structBytes(fields: Fields): Buffer {
  const pieces = Object.entries(fields).flatMap(([id, field]) => (field ? [fieldBytes(id, field)] : []));
  return Buffer.concat([...pieces, Buffer.from([0])]);
}

function fieldBytes(id: string, [type, bytes]: Thrift): Buffer {
  return Buffer.concat([Buffer.from([type]), zigzag(Number(id)), bytes]);
}

/** The logical types, by their numbers in the union. */
export const LOGICAL = {
  list: { 3: struct({}) },
  map: { 2: struct({}) },
  date: { 6: struct({}) },
  uuid: { 14: struct({}) },
  float16: { 15: struct({}) },
  decimal: { 5: struct({}) },
  unsigned: { 10: struct({ 2: truth(false) }) },
  timestamp: (unit: 1 | 2 | 3, isUtc: boolean) => ({
    8: struct({ 1: truth(isUtc), 2: struct({ [unit]: struct({}) }) }),
  }),
} as const;

export interface Element {
  readonly name: string;
  /** 0 boolean, 1 int32, 2 int64, 3 int96, 4 float, 5 double, 6 bytes, 7 fixed; absent: a group. */
  readonly type?: number;
  readonly length?: number;
  /** 0 required, 1 optional, 2 repeated. */
  readonly repetition?: number;
  readonly children?: number;
  readonly converted?: number;
  readonly scale?: number;
  readonly logical?: Fields;
}

export interface Page {
  readonly values: Buffer;
  readonly entries: number;
  readonly encoding?: number;
  /** 0 data, 2 dictionary, 3 data of version 2. */
  readonly type?: number;
  readonly repetitions?: Buffer;
  readonly definitions?: Buffer;
  readonly levelEncoding?: number;
  /** How often the header says it once more. */
  readonly levelEncodingsMore?: number;
  readonly crc?: number;
  /** What the header says of the bytes; absent: the truth. */
  readonly saidBytes?: number;
}

export interface Column {
  readonly pages: readonly Page[];
  readonly codec?: number;
  /** What the footer says; absent: the truth. */
  readonly saidBytes?: number;
  readonly saidValues?: number;
  readonly saidStart?: number;
  readonly saidPackedBytes?: number;
  readonly isElsewhere?: boolean;
  readonly isEncrypted?: boolean;
}

export interface Group {
  readonly rows: number;
  readonly columns: readonly Column[];
}

export const bytes = (...values: (string | Buffer)[]) =>
  Buffer.concat(values.flatMap((value) => [uint32(Buffer.byteLength(value)), Buffer.from(value)]));

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** So many zeros as differences, in blocks of a byte for each 32 of them. @param count a multiple of 128 */
export const zeroDeltas = (count: number) =>
  Buffer.concat([varint(count), varint(count / 32), varint(count), zigzag(0), zigzag(0), Buffer.alloc(count / 32)]);

/** So many bytes as Snappy and as LZ4 have them: one as it is, and copies of it. */
export function packedOnes(codec: 1 | 7, length: number): Buffer {
  if (codec === 1) {
    const copies = Buffer.alloc(3 * Math.floor((length - 1) / 64), Buffer.from([(63 << 2) | 2, 1, 0]));
    const rest = (length - 1) % 64;
    const last = rest > 0 ? Buffer.from([((rest - 1) << 2) | 2, 1, 0]) : Buffer.alloc(0);
    return Buffer.concat([varint(length), Buffer.from([0, 1]), copies, last]);
  }
  const rest = length - 1 - 19;
  return Buffer.concat([
    Buffer.from([0x1f, 1, 1, 0]),
    Buffer.alloc(Math.floor(rest / 255), 255),
    Buffer.from([rest % 255]),
  ]);
}

/** So many ones as Snappy and as LZ4 have them, with a literal of one byte wherever they can have it. */
export function packedLiterals(codec: 1 | 7, length: number): Buffer {
  if (codec === 1) return Buffer.concat([varint(length), Buffer.alloc(2 * length, Buffer.from([0, 1]))]);
  const sequences = Math.floor((length - 1) / 5); // of a literal, and the shortest copy
  const rest = length - 5 * sequences;
  return Buffer.concat([Buffer.alloc(4 * sequences, Buffer.from([0x10, 1, 1, 0])), Buffer.from([rest << 4]), Buffer.alloc(rest, 1)]); // prettier-ignore
}

/** A run of one number that is repeated. */
export const run = (count: number, value: number) => Buffer.concat([varint(2 * count), Buffer.from([value])]);
export const runs = (...values: number[]) => Buffer.concat(values.map((value) => run(1, value)));

const PACK: Readonly<Record<number, (data: Buffer) => Buffer>> = {
  0: (data) => data,
  2: (data) => gzipSync(data),
  4: (data) => brotliCompressSync(data),
};

function pageBytes(page: Page, codec: number) {
  const { values, entries, encoding = 0, type = 0, repetitions, definitions, levelEncoding = 3, crc, saidBytes } = page;
  const pack = PACK[codec] ?? ((data: Buffer) => data);
  const levels = [repetitions, definitions].filter((one) => one !== undefined);
  const isV2 = type === 3;
  const data = isV2 ? values : Buffer.concat([...levels.flatMap((one) => [uint32(one.length), one]), values]);
  const packed = Buffer.concat([...(isV2 ? levels : []), pack(data)]);
  const length = data.length + (isV2 ? levels.reduce((sum, one) => sum + one.length, 0) : 0);
  const header = structBytes({
    1: int(type),
    2: int(saidBytes ?? length),
    3: int(packed.length),
    ...(crc !== undefined && { 4: int(crc) }),
    ...(type === 0 && {
      5: structWith(
        Buffer.concat(Array.from({ length: page.levelEncodingsMore ?? 0 }, () => fieldBytes('4', int(levelEncoding)))),
        {
          1: int(entries),
          2: int(encoding),
          3: int(levelEncoding),
          4: int(levelEncoding),
        },
      ),
    }),
    ...(type === 2 && { 7: struct({ 1: int(entries), 2: int(encoding) }) }),
    ...(isV2 && {
      8: struct({
        1: int(entries),
        2: int(0),
        3: int(entries),
        4: int(encoding),
        5: int(definitions?.length ?? 0),
        6: int(repetitions?.length ?? 0),
      }),
    }),
  });
  return { bytes: Buffer.concat([header, packed]), length: header.length + length };
}

export function elementBytes({ name, type, length, repetition = 0, children, converted, scale, logical }: Element): Buffer {
  const optional = (value: number | undefined) => (value === undefined ? undefined : int(value));
  return structBytes({
    1: optional(type), 2: optional(length), 3: int(repetition), 4: text(name), 5: optional(children), 6: optional(converted), 7: optional(scale),
    10: logical && struct(logical),
  });
} // prettier-ignore

/** A file. @param schema without its root, in the order of a walk through it */
export function parquetFile(schema: readonly Element[], groups: readonly Group[], padding = 0): Buffer {
  const pieces = [Buffer.from('PAR1'), Buffer.alloc(padding)];
  let at = 4 + padding;
  const rowGroups = groups.map(({ rows, columns }) => {
    const chunks = columns.map(({ pages, codec = 0, isElsewhere, isEncrypted, ...said }) => {
      const written = pages.map((page) => pageBytes(page, codec));
      const packed = Buffer.concat(written.map((page) => page.bytes));
      const start = at;
      pieces.push(packed);
      at += packed.length;
      const values = pages.reduce((sum, { entries, type }) => (type === 2 ? sum : sum + entries), 0);
      const length = written.reduce((sum, page) => sum + page.length, 0);
      const metadata = {
        4: int(codec),
        5: int(said.saidValues ?? values),
        6: int(said.saidBytes ?? length),
        7: int(said.saidPackedBytes ?? packed.length),
        9: int(said.saidStart ?? start),
      };
      return structBytes({
        ...(isElsewhere && { 1: text('other.parquet') }),
        2: int(0),
        ...(!isEncrypted && { 3: struct(metadata) }),
      });
    });
    return structBytes({ 1: list(chunks), 2: int(0), 3: int(rows) });
  });
  let top = 0;
  for (let index = 0; index < schema.length; top += 1) index = afterElement(schema, index);
  const elements = [elementBytes({ name: 'schema', children: top }), ...schema.map(elementBytes)];
  const footer = structBytes({ 1: int(2), 2: list(elements), 3: int(0), 4: list(rowGroups), 5: list([]) });
  return Buffer.concat([...pieces, footer, uint32(footer.length), Buffer.from('PAR1')]);
}

function afterElement(schema: readonly Element[], index: number): number {
  let next = index + 1;
  for (let left = schema[index]?.children ?? 0; left > 0; left -= 1) next = afterElement(schema, next);
  return next;
}

/** A file of rows with one text each, in row groups. */
export function textsFile(name: string, groups: readonly (readonly (string | Buffer)[])[], padding?: number): Buffer {
  return parquetFile(
    [{ name, type: 6 }],
    groups.map((values) => ({
      rows: values.length,
      columns: [{ pages: [{ values: bytes(...values), entries: values.length }] }],
    })),
    padding,
  );
}
