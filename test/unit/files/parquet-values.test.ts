/** Values and nested fields of Parquet, written byte by byte. */
import type { RecordKind } from '../../../shared/domain/identity';
import type { Column, Element, Page } from '../../support/parquet-files';
import { bytes, LOGICAL, parquetFile, run, runs, textsFile, uint32, zigzag } from '../../support/parquet-files';
import { read, stored } from './reading';

const options = (kind: RecordKind) => ({ kind, format: 'parquet' }) as const;

/** The only field's value in a file of one record. */
async function valueOf(element: Omit<Element, 'name'>, values: Buffer, page: Partial<Page> = {}): Promise<unknown> {
  const content = parquetFile(
    [
      { name: 'OrderId', type: 6 },
      { name: 'V', ...element },
    ],
    [
      {
        rows: 1,
        columns: [{ pages: [{ values: bytes('o'), entries: 1 }] }, { pages: [{ values, entries: 1, ...page }] }],
      },
    ],
  );
  const { rows, damage } = await read(stored(content), options('orders'));
  expect(damage).toBeUndefined();
  expect(rows).toHaveLength(1);
  const [row] = rows;
  return row && 'record' in row ? (row.record as { readonly V?: unknown }).V : row?.messages;
}

describe('values (R-368)', () => {
  const i32 = (value: number) => uint32(value >>> 0);
  const i64 = (value: bigint) => {
    const buffer = Buffer.alloc(8);
    buffer.writeBigInt64LE(value);
    return buffer;
  };
  const timestamp = (unit: 1 | 2 | 3, isUtc = true) => ({ type: 2, logical: LOGICAL.timestamp(unit, isUtc) });

  it.each<[string, Omit<Element, 'name'>, Buffer, unknown]>([
    ['true', { type: 0 }, Buffer.from([1]), true],
    ['false', { type: 0 }, Buffer.from([0]), false],
    ['an int32', { type: 1 }, i32(-5), -5],
    ['an unsigned int32', { type: 1, logical: LOGICAL.unsigned }, i32(-1), 2 ** 32 - 1],
    ['an unsigned int32 by its older name', { type: 1, converted: 13 }, i32(-1), 2 ** 32 - 1],
    ['an int64 of 2^53 - 1', { type: 2 }, i64(2n ** 53n - 1n), 2 ** 53 - 1],
    ['an int64 of 2^53, which is no number', { type: 2 }, i64(2n ** 53n), '9007199254740992'],
    ['the largest unsigned int64', { type: 2, converted: 14 }, i64(-1n), '18446744073709551615'],
    ['a float', { type: 4 }, Buffer.from([0, 0, 0x24, 0x41]), 10.25],
    ['a double that is no number', { type: 5 }, Buffer.from([0, 0, 0, 0, 0, 0, 0xf8, 0x7f]), 'NaN'],
    ['half a float', { type: 7, length: 2, logical: LOGICAL.float16 }, Buffer.from([0x20, 0x49]), 10.25],
    ['half a float that is small', { type: 7, length: 2, logical: LOGICAL.float16 }, Buffer.from([0x01, 0x80]), -(2 ** -24)],
    ['half a float without end', { type: 7, length: 2, logical: LOGICAL.float16 }, Buffer.from([0x00, 0xfc]), '-Infinity'],
    ['a text', { type: 6 }, bytes('Zoë'), 'Zoë'],
    ['a text of JSON', { type: 6, converted: 19 }, bytes('{"a":1}'), '{"a":1}'],
    ['an enum', { type: 6, converted: 4 }, bytes('EUR'), 'EUR'],
    ['a decimal in an int32', { type: 1, converted: 5, scale: 2 }, i32(725), 7.25],
    ['a decimal in an int64', { type: 2, logical: LOGICAL.decimal, scale: 18 }, i64(-7_250_000_000_000_000_000n), -7.25],
    ['a decimal in bytes', { type: 6, converted: 5, scale: 2 }, bytes(Buffer.from([0x02, 0xd5])), 7.25],
    ['a fixed decimal', { type: 7, length: 3, converted: 5, scale: 5 }, Buffer.from([0x0b, 0x10, 0x08]), 7.25],
    ['a uuid', { type: 7, length: 16, logical: LOGICAL.uuid }, Buffer.from('00112233445566778899aabbccddeeff', 'hex'), '00112233-4455-6677-8899-aabbccddeeff'],
    ['a date', { type: 1, logical: LOGICAL.date }, i32(20_513), '2026-03-01'],
    ['a date by its older name', { type: 1, converted: 6 }, i32(-1), '1969-12-31'],
    ['milliseconds', timestamp(1), i64(1_772_368_215_123n), '2026-03-01T12:30:15.123Z'],
    ['milliseconds by their older name', { type: 2, converted: 9 }, i64(1_772_368_215_123n), '2026-03-01T12:30:15.123Z'],
    ['microseconds', timestamp(2), i64(1_772_368_215_123_456n), '2026-03-01T12:30:15.123456Z'],
    ['nanoseconds', timestamp(3), i64(1_772_368_215_123_456_789n), '2026-03-01T12:30:15.123456789Z'],
    ['microseconds without a zone', timestamp(2, false), i64(1_772_368_215_123_456n), '2026-03-01T12:30:15.123456'],
    ['a time of no year', timestamp(1), i64(2n ** 62n), '4611686018427387904'],
    ['an int96', { type: 3 }, Buffer.concat([i64(45_015_123_456_789n), i32(2_461_101)]), '2026-03-01T12:30:15.123456789Z'],
  ])('of %s', async (_, element, values, expected) => {
    expect(await valueOf(element, values)).toStrictEqual(expected);
  }); // prettier-ignore

  it('that are no UTF-8 refuse their row alone', async () => {
    const content = textsFile('Email', [['a', Buffer.from([0xe9]), 'b']]);
    expect((await read(stored(content), options('customers'))).rows).toStrictEqual([
      { line: 1, record: { Email: 'a' } },
      { line: 2, messages: { '': ['The record is not valid UTF-8.'] } },
      { line: 3, record: { Email: 'b' } },
    ]);
  });

  it.each<[string, Omit<Element, 'name'>, number, Buffer, unknown]>([
    ['truth values in runs', { type: 0 }, 3, Buffer.concat([uint32(2), run(1, 1)]), true],
    ['differences of 64 bits', { type: 2 }, 5, Buffer.concat([Buffer.from([128, 1, 4, 1]), zigzag(-(2n ** 63n))]), String(-(2n ** 63n))],
    ['numbers whose bytes are apart', { type: 4 }, 9, Buffer.from([0, 0, 0x24, 0x41]), 10.25],
  ])('in %s', async (_, element, encoding, values, expected) => {
    expect(await valueOf(element, values, { encoding })).toStrictEqual(expected);
  }); // prettier-ignore

  it('in pages of both versions, with a dictionary and without, in each codec that is here', async () => {
    for (const codec of [0, 2, 4]) {
      const column: Column = {
        codec,
        pages: [
          { type: 2, values: bytes('a', 'b'), entries: 2 },
          { values: Buffer.from([1, ...runs(0, 1)]), entries: 3, encoding: 8, definitions: runs(1, 1, 0) },
          { values: bytes('c'), entries: 2, type: 3, definitions: runs(0, 1) },
          { values: Buffer.alloc(0), entries: 1, type: 3, definitions: runs(0) },
        ],
      };
      const content = parquetFile([{ name: 'Email', type: 6, repetition: 1 }], [{ rows: 6, columns: [column] }]);
      const { rows, damage } = await read(stored(content), options('customers'));
      expect(damage).toBeUndefined();
      expect(rows.map((row) => 'record' in row && row.record)).toEqual([{ Email: 'a' }, { Email: 'b' }, {}, {}, { Email: 'c' }, {}]);
    }
  }); // prettier-ignore

  it.each([6, 7])('of a page of nulls alone may be missing, in encoding %s', async (encoding) => {
    const page = { values: Buffer.alloc(0), entries: 1, encoding, definitions: runs(0) };
    const column = { pages: [{ values: bytes('a'), entries: 1, definitions: runs(1) }, page] };
    const content = parquetFile([{ name: 'Email', type: 6, repetition: 1 }], [{ rows: 2, columns: [column] }]);
    const { rows, damage } = await read(stored(content), options('customers'));
    expect(damage).toBeUndefined();
    expect(rows.map((row) => 'record' in row && row.record)).toEqual([{ Email: 'a' }, {}]);
  });

  it('of the older LZ4 are read in frames and without', async () => {
    const values = bytes('a@x.com');
    const block = Buffer.concat([Buffer.from([values.length << 4]), values]);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(values.length);
    head.writeUInt32BE(block.length, 4);
    for (const packed of [block, Buffer.concat([head, block])]) {
      const page = { values: packed, entries: 1, saidBytes: values.length };
      const content = parquetFile([{ name: 'Email', type: 6 }], [{ rows: 1, columns: [{ codec: 5, pages: [page] }] }]);
      expect((await read(stored(content), options('customers'))).rows).toEqual([{ line: 1, record: { Email: 'a@x.com' } }]);
    }
  }); // prettier-ignore
});

describe('nested fields (R-368)', () => {
  /** Rows of one column below these elements, and an identifier beside it. */
  async function nested(schema: readonly Element[], rows: number, ...columns: Page[]): Promise<unknown[]> {
    const ids: Page = { values: bytes(...Array.from({ length: rows }, (_, index) => `p${index}`)), entries: rows };
    const content = parquetFile(
      [{ name: 'ProductId', type: 6 }, ...schema],
      [{ rows, columns: [ids, ...columns].map((page) => ({ pages: [page] })) }],
    );
    const { rows: found, damage } = await read(stored(content), options('products'));
    expect(damage).toBeUndefined();
    return found.map((row) => 'record' in row && (row.record as { readonly L?: unknown }).L);
  }
  const outer = { name: 'L', repetition: 1, children: 1, logical: LOGICAL.list };

  it('are lists: missing, empty, with a missing element', async () => {
    const schema = [outer, { name: 'list', repetition: 2, children: 1 }, { name: 'element', type: 6, repetition: 1 }];
    const page = {
      values: bytes('a', 'b'),
      entries: 5,
      definitions: runs(0, 1, 3, 2, 3),
      repetitions: runs(0, 0, 0, 1, 1),
    };
    expect(await nested(schema, 3, page)).toEqual([undefined, [], ['a', null, 'b']]);
  });

  it('are lists as older programs write them', async () => {
    const page = { values: bytes('a', 'b'), entries: 2, definitions: runs(1, 1), repetitions: runs(0, 1) };
    const inner = { name: 'array', repetition: 2 };
    expect(
      await nested(
        [
          { ...outer, repetition: 0 },
          { ...inner, type: 6 },
        ],
        1,
        page,
      ),
    ).toEqual([['a', 'b']]);
    expect(await nested([{ name: 'L', repetition: 2, type: 6 }], 1, page)).toEqual([['a', 'b']]);
    const objects = [
      { ...outer, repetition: 0 },
      { ...inner, children: 1 },
      { name: 'Sku', type: 6 },
    ];
    expect(await nested(objects, 1, page)).toEqual([[{ Sku: 'a' }, { Sku: 'b' }]]);
    const converted = [{ ...outer, logical: {}, converted: 3, repetition: 0 }, { name: 'list', repetition: 2, children: 1 }, { name: 'element', type: 6 }]; // prettier-ignore
    expect(await nested(converted, 1, page)).toEqual([['a', 'b']]);
  });

  it('are lists in lists', async () => {
    const list = { name: 'list', repetition: 2, children: 1 };
    const schema = [outer, list, { ...outer, name: 'element' }, list, { name: 'element', type: 6 }];
    const page = {
      values: bytes('a', 'b', 'c'),
      entries: 5,
      definitions: runs(4, 4, 3, 2, 4),
      repetitions: runs(0, 2, 1, 1, 1),
    };
    expect(await nested(schema, 1, page)).toEqual([[['a', 'b'], [], null, ['c']]]);
  });

  it('are maps and objects, without what is missing', async () => {
    const map = [{ name: 'L', repetition: 1, children: 1, logical: LOGICAL.map }, { name: 'key_value', repetition: 2, children: 2 }, { name: 'key', type: 6 }, { name: 'value', type: 6, repetition: 1 }]; // prettier-ignore
    const keys = {
      values: bytes('a', '__proto__', 'c'),
      entries: 4,
      definitions: runs(0, 2, 2, 2),
      repetitions: runs(0, 0, 1, 1),
    };
    const values = {
      values: bytes('x', 'y'),
      entries: 4,
      definitions: runs(0, 3, 3, 2),
      repetitions: runs(0, 0, 1, 1),
    };
    expect(await nested(map, 2, keys, values)).toEqual([undefined, { a: 'x' }]);
    const object = [
      { name: 'L', repetition: 1, children: 2 },
      { name: 'A', type: 6, repetition: 1 },
      { name: 'B', type: 6 },
    ];
    const a = { values: bytes(), entries: 2, definitions: runs(0, 1) };
    const b = { values: bytes('b'), entries: 2, definitions: runs(0, 1) };
    expect(await nested(object, 2, a, b)).toEqual([undefined, { B: 'b' }]);
  });
});
