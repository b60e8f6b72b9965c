/** The worst files that the bounds allow, each for whoever waits meanwhile. */
import { MAX_FILE_RECORD_BYTES } from '../../../shared/limits/transfers';
import { avroFile, avroHeader, list, long, SYNC, text } from '../../support/avro-files';
import { crc32 } from '../../../shared/platform/crc32';
import type { Page } from '../../support/parquet-files';
import { bytes, packedLiterals, packedOnes, parquetFile, run, zeroDeltas } from '../../support/parquet-files';
import { file, lines } from './file-inputs';
import { order, product, times, unknownFields, variants } from './records';
import type { Input } from './upsert-inputs';

const MIB = 1024 * 1024;
const FORMATS = ['customers.ndjson', 'customers.json', 'customers.csv'] as const;
const AVRO = { type: 'record', name: 'R', fields: [{ name: 'Email', type: 'string' }, { name: 'More', type: { type: 'array', items: 'int' } }] }; // prettier-ignore
const bySku = { productIdentifier: 'sku' } as const;

const worst = (name: string, object: string, content: () => Buffer | string): Input =>
  file(name, { object, size: 1, content });

/** As many bytes as one record may have, with a little left for what is around. */
const RECORD = MAX_FILE_RECORD_BYTES - 1_000;

/** A Parquet file of records with a list each. */
function ofTexts(rows: number, perRow: number, values: Buffer, codec = 0): Buffer {
  const entries = rows * Math.max(1, perRow);
  const inList = perRow > 1 ? [run(perRow - 1, 1)] : [];
  const repetitions = Buffer.concat(times(rows, () => [run(1, 0), ...inList]).flat());
  const page = { values, entries, repetitions, definitions: run(entries, perRow > 0 ? 1 : 0) };
  return parquetFile([{ name: 'Email', type: 6, repetition: 2 }], [{ rows, columns: [{ codec, pages: [page] }] }]);
}

/** A Parquet file of one column in one row group. Its footer says that it has one row. */
const onePage = (...pages: Page[]) => parquetFile([{ name: 'Email', type: 6 }], [{ rows: 1, columns: [{ pages }] }]);

/** One page whose content a codec makes of a few bytes. */
function onePacked(codec: 1 | 7, pack: typeof packedOnes, length = 31 * MIB): Buffer {
  const page = { values: pack(codec, length), entries: 1, saidBytes: length };
  return parquetFile(
    [{ name: 'Email', type: 6 }],
    [{ rows: 1, columns: [{ codec, saidBytes: length, pages: [page] }] }],
  );
}

export const WORST_FILES: readonly Input[] = [
  ...FORMATS.flatMap((object) => [
    worst('newlines', object, () => '\n'.repeat(2 * MIB)),
    worst('newlines of gzip', `${object}.gz`, () => '\n'.repeat(2 * MIB)),
    worst('newlines of ZIP', `${object}.zip`, () => '\n'.repeat(2 * MIB)),
    worst('a line as long as may be', object, () => `Email\n"${'x'.repeat(RECORD)}"\n`),
    worst('commas', object, () => `Email\n${','.repeat(2 * MIB)}`),
    worst('quotation marks', object, () => `Email\n${'"'.repeat(2 * MIB)}`),
  ]),
  worst('a row of commas', 'customers.csv', () => `Email\n${','.repeat(RECORD)}\n`),
  worst('a row of doubled quotation marks', 'customers.csv', () => `Email\n"${'""'.repeat(RECORD / 2)}"\n`),
  worst('a row of as many quotation marks as a value may have', 'customers.csv', () => `Email\n"${'""'.repeat(1_000_000)}"\n`),
  worst('a header row of commas', 'customers.csv', () => `${','.repeat(RECORD)}\n`),
  worst('a header row of doubled quotation marks', 'customers.csv', () => `"${'""'.repeat(RECORD / 2)}"\n`),
  worst('a header row of semicolons that cannot be read', 'customers.csv', () => `x"${';'.repeat(RECORD)}\n`),
  worst('a row of as many values as may be', 'customers.ndjson', () => `{"Email":"a@example.com","more":[${'0,'.repeat(120_000)}0]}\n`),
  worst('a row of many distinct unknown fields', 'customers.ndjson', () => `{"Email":"a@example.com",${unknownFields(240_000)}}\n`),
  worst('one element of many small ones', 'customers.json', () => `[${'{"a":0},'.repeat(100_000)}{}]`),
  worst('a record of as many values as may be', 'customers.avro', () =>
    avroFile(AVRO, [[Buffer.concat([text('a@example.com'), long(240_000), Buffer.alloc(240_000, 2), long(0)])]], 'deflate')),
  worst('bad rows', 'customers.avro', () => avroFile(AVRO, [times(20_000, () => Buffer.concat([text('x'), list()]))], 'deflate')),
  worst('a block as long as may be', 'customers.avro', () => avroFile(AVRO, [[Buffer.concat([text('x'.repeat(RECORD)), list()])]], 'deflate')),
  worst('many long blocks in a few bytes', 'customers.avro', () => avroFile(AVRO, times(24, () => [Buffer.concat([text(' '.repeat(RECORD / 2)), list()])]), 'deflate')),
  worst('very many blocks without records', 'customers.avro', () => Buffer.concat([avroHeader(AVRO, 'deflate'), ...times(100_000, () => Buffer.concat([long(0), text(Buffer.of(3, 0)), SYNC]))])),
  worst('a record of as many values as may be', 'customers.parquet', () => ofTexts(1, 240_000, Buffer.concat(times(240_000, () => bytes('x'))))),
  worst('very many records without a value', 'customers.parquet', () => ofTexts(200_000, 0, Buffer.alloc(0))),
  worst('a page as long as may be', 'customers.parquet', () => ofTexts(30, 1, bytes(...times(30, () => 'x'.repeat(MIB))), 2)),
  worst('a page header that says one thing very often', 'customers.parquet', () => onePage({ values: bytes('x'), entries: 1, levelEncodingsMore: 300_000 })),
  worst('a dictionary of very many empty texts', 'customers.parquet', () => onePage({ type: 2, values: Buffer.alloc(31 * MIB), entries: (31 * MIB) / 4 }, { values: Buffer.from([0]), entries: 1, encoding: 8 })),
  worst('very many lengths in a few bytes', 'customers.parquet', () => onePage({ values: zeroDeltas(31_999_872), entries: 31_999_872, encoding: 6 })),
  worst('very many prefixes in a few bytes', 'customers.parquet', () => onePage({ values: zeroDeltas(31_999_872), entries: 31_999_872, encoding: 7 })),
  worst('very many row groups without rows', 'customers.parquet', () => parquetFile([{ name: 'Email', type: 6 }], times(200_000, () => ({ rows: 0, columns: [{ pages: [] }] })))),
  worst('a page as long as may be with its checksum', 'customers.parquet', () => { const values = bytes('x'.repeat(31 * MIB)); return onePage({ values, entries: 1, crc: crc32(values) | 0 }); }),
  worst('a page as long as may be of Snappy', 'customers.parquet', () => onePacked(1, packedOnes)),
  worst('a page as long as may be of LZ4', 'customers.parquet', () => onePacked(7, packedOnes)),
  worst('a page as long as may be of Snappy, byte by byte', 'customers.parquet', () => onePacked(1, packedLiterals, 15 * MIB)),
  worst('a page as long as may be of LZ4, byte by byte', 'customers.parquet', () => onePacked(7, packedLiterals)),
  worst('bad rows', 'customers.ndjson', () => '1\n'.repeat(20_000)),
  worst('bad rows', 'customers.csv', () => `Email\n${',\n'.repeat(20_000)}`),
  worst('one group of many rows', 'orders.csv', () =>
    `OrderId,Currency,OrderItems.ProductId,OrderItems.Sku,OrderItems.Quantity,OrderItems.Price\n${times(15_000, (index) => `x,EUR,p${index},s${index},1,1\n`).join('')}`),
  file('rows of one stored order of 18,000 items', {
    object: 'orders.ndjson',
    size: 1,
    stored: () => [order('x', 18_000)],
    content: () => lines(times(400, () => order('x'))),
  }),
  file('rows of many stored orders of 9,000 items', {
    object: 'orders.ndjson',
    size: 1,
    stored: () => times(40, (index) => order(`o${index}`, 9_000)),
    content: () => lines(times(40, (index) => order(`o${index}`))),
  }),
  worst('a row of 18,000 items', 'orders.ndjson', () => lines([order('x', 18_000)])),
  worst('a row of many wrong variants', 'products.ndjson', () => lines([product('x', times(19_999, () => ({})))])),
  file('by Sku, rows that each claim a Sku of one stored product of 8,000 variants', {
    object: 'products.ndjson',
    size: 1,
    settings: bySku,
    stored: () => [product('x', variants(8_000))],
    content: () => lines(times(80, (index) => product(`p${index}`, [{ VariantId: `v${index}`, Sku: `v${index}` }]))),
  }),
]; // prettier-ignore
