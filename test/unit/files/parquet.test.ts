/** Files of Parquet: the samples of pyarrow and DuckDB, checkpoints, and what is no good file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordKind } from '../../../shared/domain/identity';
import { parseDateTime } from '../../../shared/domain/values/date-time';
import { findStarts } from '../../../shared/files/parquet/sources';
import type { Checkpoint, Row } from '../../../shared/files/row';
import {
  MAX_FILE_RECORD_VALUES,
  MAX_INFLATED_BYTES,
  MAX_PARQUET_COLUMNS,
  MAX_PARQUET_FOOTER_BYTES,
  MAX_PARQUET_GROUP_BYTES,
  MAX_PARQUET_GROUP_PAGES,
  PARQUET_TAIL_BYTES,
} from '../../../shared/limits/transfers';
import { EventLoopShare } from '../../../shared/platform/async/event-loop-share';
import type { Column, Element, Page } from '../../support/parquet-files';
import { bytes, parquetFile, run, runs, textsFile, uint32, zeroDeltas } from '../../support/parquet-files';
import { SeededRandom } from '../../support/seeded-random';
import { CountedShare } from './counted-share';
import { read, stored } from './reading';

const FOLDER = join(__dirname, 'parquet');

const options = (kind: RecordKind) => ({ kind, format: 'parquet' }) as const;
const CORRUPT = 'The Parquet file is corrupt.';
const kindOf = (name: string) => name.split('-')[0] as RecordKind;

/** The records of rows, in the order of their lines. Times are moments: writers choose how many digits they have. */
function recordsOf(rows: readonly Row[]): unknown[] {
  return rows.map((row, index) => {
    expect(row.line).toBe(index + 1);
    return 'record' in row ? withMoments(row.record) : row.messages;
  });
}

function withMoments(record: unknown): unknown {
  const { OrderDate, ...rest } = record as { readonly OrderDate?: string };
  return OrderDate === undefined ? rest : { ...rest, OrderDate: parseDateTime(OrderDate) };
}

const sample = (name: string) => readFileSync(join(FOLDER, name));

describe('a sample (R-367, R-368)', () => {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.parquet'));
  const UNKNOWN = new Set(['Loyalty', 'Tags']);
  const known = (record: unknown) =>
    Object.fromEntries(Object.entries(record as object).filter(([name]) => !UNKNOWN.has(name)));

  /** What JSON cannot say, or says of more than the reader: these two columns, of these samples. */
  const special = (record: Record<string, unknown>, index: number) => {
    if (record['TotalRevenue'] === 'as float32') return { ...record, TotalRevenue: 10.25 * index - 3 };
    if (record['TotalQuantity'] === 'invalid')
      return { ...record, TotalQuantity: index === 1 ? 2 ** 31 : '1152921504606846976' };
    return record;
  };

  function expectedOf(name: string): unknown[] {
    const stem = name
      .replace('.parquet', '')
      .replace(/^orders-(none|snappy|gzip|zstd|lz4|brotli)$/, 'orders-each-codec');
    if (stem === 'customers-many')
      return Array.from({ length: 20_000 }, (_, index) => ({ Email: `m${index}@example.com` }));
    const lines = sample(`${stem}.expected.ndjson`).toString().split('\n').filter(Boolean);
    return lines.map((line, index) => withMoments(special(JSON.parse(line) as Record<string, unknown>, index)));
  }

  it.each(names)('has the records that it must become, without null cells (D-59): %s', async (name) => {
    const { rows, damage } = await read(stored(sample(name)), options(kindOf(name)));
    expect(damage).toBeUndefined();
    expect(recordsOf(rows).map(known)).toEqual(expectedOf(name));
  });

  it.each(['orders-snappy.parquet', 'products-nested.parquet'])('goes on from each checkpoint: %s', async (name) => {
    const file = stored(sample(name));
    const whole = await read(file, { ...options(kindOf(name)), maxRows: 6 });
    let done = 0;
    for (const { rows, checkpoint } of whole.chunks) {
      done += rows.length;
      const from = JSON.parse(JSON.stringify(checkpoint)) as Checkpoint;
      const rest = await read(file, { ...options(kindOf(name)), from, maxRows: 6 });
      expect(rest.rows).toStrictEqual(whole.rows.slice(done));
      expect(rest.chunks.at(-1)?.checkpoint ?? checkpoint).toStrictEqual(whole.chunks.at(-1)?.checkpoint);
    }
    const skips = whole.chunks.map(({ checkpoint: { form } }) => form.of === 'parquet' && form.skip);
    expect([skips.includes(0), skips.some((skip) => skip !== 0)]).toEqual([true, true]);
  });

  it.each(['orders-gzip', 'orders-zstd', 'orders-lz4', 'orders-brotli', 'orders-snappy', 'customers-nulls'])(
    'with a flipped bit has rows or is damaged, and nothing else: %s',
    async (name) => {
      const content = sample(`${name}.parquet`);
      const random = new SeededRandom(name);
      for (let turn = 0; turn < 60; turn += 1) {
        const damaged = Buffer.from(content);
        damaged[Math.floor(random.fraction() * content.length)]! ^= 1 << Math.floor(random.fraction() * 8);
        const { rows } = await read(stored(damaged), options(kindOf(name)));
        expect(rows.length).toBeLessThanOrEqual(90);
      }
    },
  );

  it('that is cut off anywhere is no file', async () => {
    const content = sample('orders-none.parquet');
    for (let length = 1; length < content.length; length += 97) {
      const { rows, damage } = await read(stored(content.subarray(0, length)), options('orders'));
      expect([rows, damage]).toEqual([[], 'The file is no Parquet file, or is cut off.']);
    }
  });
});

describe('what is read of a file (R-367)', () => {
  it('is its end, and then a row group at a time', async () => {
    const reads: number[] = [];
    const content = textsFile('Email', [['a@x.com'], ['b@x.com']], 2 * PARQUET_TAIL_BYTES);
    const { rows } = await read(
      stored(content, (from) => reads.push(from)),
      options('customers'),
    );
    expect(rows).toHaveLength(2);
    expect(reads).toHaveLength(3);
    expect(reads[0]).toBe(content.length - PARQUET_TAIL_BYTES);
    expect(reads[1]).toBe(4 + 2 * PARQUET_TAIL_BYTES);
  });

  it('is no row group beyond the bounds, which its footer tells; those before it are read', async () => {
    const reads: number[] = [];
    const column = (email: string, said: Partial<Column> = {}): Column => ({
      pages: [{ values: bytes(email), entries: 1 }],
      ...said,
    });
    const refused = async (said: Partial<Column>) => {
      const groups = [column('a@x.com'), column('b@x.com', said)].map((one) => ({ rows: 1, columns: [one] }));
      reads.length = 0;
      const file = stored(parquetFile([{ name: 'Email', type: 6 }], groups), (from) => reads.push(from));
      const { rows, damage } = await read(file, options('customers'));
      expect(rows).toEqual([{ line: 1, record: { Email: 'a@x.com' } }]);
      expect(reads).toHaveLength(2);
      return damage;
    };
    const advice = 'Write smaller ones, such as of 50000 rows (row_group_size, ROW_GROUP_SIZE, parquet.block.size).';
    expect(await refused({ saidBytes: MAX_PARQUET_GROUP_BYTES + 1 })).toBe(
      `Row group 2 of the Parquet file has 33554433 bytes, and may have 33554432. ${advice}`,
    );
    expect(await refused({ saidValues: 32_000_001 })).toBe(
      `Row group 2 of the Parquet file has 32000001 values, and may have 32000000. ${advice}`,
    );
  });

  it('is a footer that is longer than what is read first', async () => {
    const schema = Array.from({ length: 900 }, (_, index) => ({ name: index === 0 ? 'Email' : `c${index}`.padEnd(100, 'x'), type: 6, repetition: 1 })); // prettier-ignore
    const columns = schema.map((_, index) => ({ pages: [{ values: bytes(...(index === 0 ? ['a@x.com'] : [])), entries: 1, definitions: runs(index === 0 ? 1 : 0) }] })); // prettier-ignore
    const content = parquetFile(schema, [{ rows: 1, columns }]);
    expect(content.readUInt32LE(content.length - 8)).toBeGreaterThan(PARQUET_TAIL_BYTES);
    const { rows } = await read(stored(content), options('customers'));
    expect(rows).toEqual([{ line: 1, record: { Email: 'a@x.com' } }]);
  });
});

describe('what the row groups of a file come to (R-404)', () => {
  const EMAIL = [{ name: 'Email', type: 6 }];
  const ofGroups = (columns: readonly Column[]) =>
    parquetFile(
      EMAIL,
      columns.map((column) => ({ rows: column.saidValues ?? 1, columns: [column] })),
    );

  it('is no more than the file has: pages are of one row group each', async () => {
    const text = 'x'.repeat(1_000);
    const whole = ofGroups([{ pages: [{ values: bytes(text), entries: 1 }] }]);
    const packedBytes = whole.indexOf(text) + text.length - 4;
    const shared = { pages: [], saidStart: 4, saidPackedBytes: packedBytes, saidBytes: packedBytes, saidValues: 1 };
    const content = ofGroups([{ pages: [{ values: bytes(text), entries: 1 }] }, shared, shared]);
    const reads: number[] = [];
    const { rows, damage } = await read(
      stored(content, (from) => reads.push(from)),
      options('customers'),
    );
    expect(damage).toBe(
      'Row groups of the Parquet file share their pages. Write the file again, each row group with pages of its own.',
    );
    expect([rows.length, reads.length]).toEqual([1, 2]);
    const from: Checkpoint = { offset: 0, line: 3, form: { of: 'parquet', group: 2, skip: 0 } };
    expect(await read(stored(content), { ...options('customers'), from })).toEqual({ rows: [], chunks: [], damage });
  });

  it('leaves out row groups without values, of which writers say anything', async () => {
    const empty = { pages: [], saidStart: 10 ** 9, saidPackedBytes: 10 ** 9, saidValues: 0 };
    const content = ofGroups([empty, { pages: [{ values: bytes('a@x.com'), entries: 1 }] }, empty]);
    const reads: number[] = [];
    const { rows, damage } = await read(
      stored(content, (from) => reads.push(from)),
      options('customers'),
    );
    expect([rows.length, damage, reads.length]).toEqual([1, undefined, 2]);
  });

  it('counts pages that no record takes, also where it is read on', async () => {
    const dictionary = { type: 2, values: bytes('x'.repeat(100_000)), entries: 1 };
    const content = ofGroups(
      ['a@x.com', 'b@x.com'].map((text) => ({ pages: [dictionary, { values: bytes(text), entries: 1 }] })),
    );
    const { chunks } = await read(stored(content), { ...options('customers'), maxRows: 1 });
    const [first, second] = chunks.map(({ checkpoint }) => checkpoint);
    expect(first!.offset).toBeGreaterThan(100_000);
    expect(second!.offset).toBe(2 * first!.offset);
    const from = { ...first!, offset: MAX_INFLATED_BYTES - 50_000 };
    const { rows, damage } = await read(stored(content), { ...options('customers'), from });
    expect([rows, damage]).toEqual([[], `The file inflates to more than ${MAX_INFLATED_BYTES} bytes.`]);
  });
});

describe('what may take long lets others have the event loop (R-367)', () => {
  it('between row groups, also those that are passed over to a checkpoint', async () => {
    jest.spyOn(EventLoopShare.prototype, 'isUsedUp', 'get').mockReturnValue(true);
    const renew = jest.spyOn(EventLoopShare.prototype, 'renew').mockResolvedValue();
    const groups = Array.from({ length: 100 }, () => ({ rows: 0, columns: [{ pages: [] }] }));
    const content = parquetFile([{ name: 'Email', type: 6 }], groups);
    for (const group of [0, 100]) {
      renew.mockClear();
      const from: Checkpoint = { offset: 0, line: 1, form: { of: 'parquet', group, skip: 0 } };
      await read(stored(content), { ...options('customers'), from });
      expect(renew).toHaveBeenCalledTimes(100);
    }
    jest.restoreAllMocks();
  });

  it.each([
    ['lengths', 6, 1],
    ['prefixes and lengths', 7, 2],
  ])('between blocks of %s', async (_, encoding, parts) => {
    const entries = 960_000;
    const deltas = zeroDeltas(entries);
    const share = new CountedShare();
    const values = Buffer.concat(Array<Buffer>(parts).fill(deltas));
    const starts = await findStarts({ values, encoding, entries }, share);
    expect(starts).toEqual([deltas.length, 2 * deltas.length].slice(0, parts));
    expect(share.renewals).toBe(3 * parts);
  });
});

describe('what is no good file (R-367)', () => {
  const EMAIL = { name: 'Email', type: 6 };
  const one = (page: Partial<Page>, column: Partial<Column> = {}, element: Partial<Element> = {}) =>
    parquetFile([{ ...EMAIL, ...element }], [{ rows: 1, columns: [{ pages: [{ values: bytes('a'), entries: 1, ...page }], ...column }] }]); // prettier-ignore
  const withEnd = (length: number, magic = 'PAR1') => Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(length), uint32(length), Buffer.from(magic)]); // prettier-ignore
  const dictionaryOf = (value: string, entries: number): Column => ({
    pages: [
      { type: 2, values: bytes(value), entries: 1 },
      { values: Buffer.concat([Buffer.from([1]), run(entries, 0)]), entries, encoding: 8, definitions: run(entries, 1), repetitions: Buffer.concat([run(1, 0), run(entries - 1, 1)]) },
    ],
  }); // prettier-ignore
  const repeated = { ...EMAIL, repetition: 2 };
  const deep = Array.from({ length: 40 }, (_, index) => ({ name: `d${index}`, children: 1 }));

  it.each<[string, Buffer, string | RegExp]>([
    ['text', Buffer.from('Email\na@x.com\n'), 'The file is no Parquet file, or is cut off.'],
    ['a magic alone', Buffer.from('PAR1'), 'The file is no Parquet file, or is cut off.'],
    ['an encrypted footer', withEnd(20, 'PARE'), 'The Parquet file is encrypted. Write it without encryption.'],
    ['an encrypted column', one({}, { isEncrypted: true }), 'The Parquet file is encrypted. Write it without encryption.'],
    ['a footer longer than the file', Buffer.concat([Buffer.from('PAR1'), uint32(1000), Buffer.from('PAR1')]), CORRUPT],
    ['a footer longer than the bound', withEnd(MAX_PARQUET_FOOTER_BYTES + 1), /^The footer of the Parquet file has more than 8388608 bytes/],
    ['a footer of nothing', withEnd(20), CORRUPT],
    ['columns in other files', one({}, { isElsewhere: true }), 'The Parquet file keeps its columns in other files.'],
    ['another codec', one({}, { codec: 3 }), 'The Parquet file must be compressed by snappy, gzip, zstd, lz4 or brotli, or not at all.'],
    ['another encoding of values', one({ encoding: 77 }), 'The Parquet file has an encoding of values that is not read. Write the file again with a current version of pyarrow, DuckDB or Spark, with their usual encodings.'],
    ['another encoding of levels', one({ levelEncoding: 4, definitions: run(1, 1) }, {}, { repetition: 1 }), 'The Parquet file has an encoding of levels that is not read. Write the file again with a current version of pyarrow, DuckDB or Spark, with their usual encodings.'],
    ['too many columns', parquetFile(Array.from({ length: MAX_PARQUET_COLUMNS + 1 }, () => EMAIL), []), `The Parquet file must have at most ${MAX_PARQUET_COLUMNS} columns.`],
    ['very many elements of the schema', parquetFile(Array.from({ length: 3 * MAX_PARQUET_COLUMNS }, () => ({ name: '', children: 1 })), []), `The Parquet file must have at most ${MAX_PARQUET_COLUMNS} columns.`],
    ['very many pages', parquetFile([EMAIL], [{ rows: 1, columns: [{ saidValues: 1, pages: Array.from({ length: MAX_PARQUET_GROUP_PAGES + 1 }, () => ({ values: Buffer.alloc(0), entries: 0 })) }] }]), /^A row group of the Parquet file has more than 32768 pages/],
    ['a page header with a field twice', one({ levelEncodingsMore: 1 }), CORRUPT],
    ['a page header that goes on and on', one({ levelEncodingsMore: 400_000 }), CORRUPT],
    ['very many blocks of the older LZ4', one({ values: Buffer.alloc(80_000), saidBytes: 5 }, { codec: 5, saidBytes: 5 }), CORRUPT],
    ['more differences than entries', one({ values: zeroDeltas(128), encoding: 6 }), CORRUPT],
    ['too many levels', parquetFile([...deep, EMAIL], []), 'The records of the Parquet file are nested more than 32 levels deep.'],
    ['a group without columns', parquetFile([{ name: 'Email', children: 0 }], []), CORRUPT],
    ['another number of columns', parquetFile([EMAIL, { ...EMAIL, name: 'Name' }], [{ rows: 1, columns: [{ pages: [] }] }]), CORRUPT],
    ['a wrong checksum', one({ crc: 1 }), CORRUPT],
    ['snappy that is none', one({}, { codec: 1 }), CORRUPT],
    ['LZ4 that is none', one({}, { codec: 7 }), CORRUPT],
    ['more bytes than said', one({ saidBytes: 3 }, { codec: 4 }), CORRUPT],
    ['pages of more bytes than may be', one({ saidBytes: MAX_PARQUET_GROUP_BYTES + 1 }, { saidBytes: 5 }), CORRUPT],
    ['zstd that is none', one({}, { codec: 6 }), CORRUPT],
    ['an index that the dictionary does not have', one({ values: Buffer.from([1, ...runs(1)]), encoding: 8 }), CORRUPT],
    ['fewer values than rows', parquetFile([EMAIL], [{ rows: 2, columns: [{ pages: [{ values: bytes('a'), entries: 1 }] }] }]), CORRUPT],
    ['values without rows', parquetFile([EMAIL], [{ rows: 0, columns: [{ pages: [{ values: bytes('a'), entries: 1 }] }] }]), CORRUPT],
    ['a value longer than its page', one({ values: uint32(2 ** 31) }), CORRUPT],
    ['very many values in a few bytes', parquetFile([repeated], [{ rows: 1, columns: [dictionaryOf('a', MAX_FILE_RECORD_VALUES + 1)] }]), `A record of the Parquet file has more than ${MAX_FILE_RECORD_VALUES} values.`],
    ['very many bytes in a few', parquetFile([repeated], [{ rows: 1, columns: [dictionaryOf('a'.repeat(100_000), 1000)] }]), 'A record of the Parquet file has more than 8388608 bytes.'],
  ])('as of %s is damage', async (_, content, damage) => {
    const { rows, damage: found } = await read(stored(content), options('customers'));
    if (!found?.startsWith(CORRUPT)) expect(rows).toEqual([]);
    expect(found).toEqual(typeof damage === 'string' ? damage : expect.stringMatching(damage));
  }); // prettier-ignore

  it('has no rows where it has no bytes, and none where its row groups have none', async () => {
    expect(await read(stored(Buffer.alloc(0)), options('customers'))).toEqual({ rows: [], chunks: [] });
    const empty = parquetFile([EMAIL], [{ rows: 0, columns: [{ pages: [] }] }]);
    expect(await read(stored(empty), options('customers'))).toEqual({ rows: [], chunks: [] });
  });

  it('ends a chunk by what its records take in memory, however few bytes they have in the file', async () => {
    const content = parquetFile([repeated], [{ rows: 3, columns: [{ pages: [dictionaryOf('a'.repeat(1000), 3000)].flatMap(({ pages: [dictionary, data] }) => [dictionary!, { ...data!, repetitions: Buffer.concat([0, 1, 2].flatMap(() => [run(1, 0), run(999, 1)])) }]) }] }]); // prettier-ignore
    const { chunks } = await read(stored(content), { ...options('customers'), maxBytes: 900_000 });
    expect(chunks.map(({ rows }) => rows.length)).toEqual([1, 1, 1]);
  });
});
