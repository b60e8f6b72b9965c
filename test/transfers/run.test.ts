/** Runs of transfers: which files are read, how they are counted, skipped and reported, and how a run ends. */
import { gzipSync } from 'node:zlib';
import type { ShownFile } from '../../shared/operations/transfers';
import { listFiles } from '../../shared/operations/transfers';
import { MAX_VARIANTS_BY_SKU } from '../../shared/limits/records';
import { upsert } from '../support/api-writes';
import { encodeRecords, FILE_FORMATS } from '../support/file-formats';
import type { RunOptions, Shop, TestBucket } from '../support/transfer-lab';
import { reordered, useTransferLab } from '../support/transfer-lab';
import { zipOf } from '../support/zip-archives';
import { customers, finished, ndjson, noFiles, stored } from './numbered-customers';

const lab = useTransferLab();
const run = ({ tenant, bucket }: Shop, options: RunOptions = {}) => lab().run(tenant, bucket, options);
const customersOf = ({ tenant }: Shop) => lab().records(tenant, 'customers');

describe('formats (D-51)', () => {
  const PACKINGS = ['plain', '.gz', '.zip', 'Content-Encoding: gzip'] as const;
  const cases = FILE_FORMATS.flatMap((format) => PACKINGS.map((packing) => [format, packing] as const));

  it.each(cases)('reads %s, %s, with exact counts (R-364)', async (format, packing) => {
    const shop = await lab().openShop();
    const content = encodeRecords(customers(1, 450), format);
    await putPacked(shop.bucket, `customers.${format}`, content, packing);
    expect(await run(shop)).toMatchObject({
      status: 'succeeded',
      error: null,
      files: finished(1),
      rows: stored(450),
    });
    expect(await customersOf(shop)).toHaveLength(450);
  });

  it('stores from a file of every format exactly what the API stores of the same 200 orders', async () => {
    const orders = Array.from({ length: 200 }, (_, index) => ({
      OrderId: `o${index}`,
      Email: `Customer${index % 30}@x.com`,
      CustomerId: `c${index % 30}`,
      TotalQuantity: (index % 3) + 1,
      TotalRevenue: index * 1.25,
      OrderDate: `2026-01-${String((index % 28) + 1).padStart(2, '0')}T10:00:00+02:00`,
      Currency: index % 2 === 0 ? 'eur' : 'USD',
      IsOrderCancelled: index % 7 === 0,
      OrderItems: Array.from({ length: (index % 3) + 1 }, (_item, at) => ({
        ProductId: `p${index % 10}`,
        Sku: `s${at}`,
        Quantity: at + 1,
        Price: 9.5,
        Size: '3x330 ml',
        Color: 'Rot, "hell"\nund grün',
        IsGift: at === 1,
      })),
    }));
    const byApi = await lab().openShop();
    await upsert(byApi.tenant, 'orders', orders, lab().operator);
    const expected = await lab().records(byApi.tenant, 'orders');
    expect(expected).toHaveLength(200);
    for (const format of FILE_FORMATS) {
      const shop = await lab().openShop();
      shop.bucket.put(`orders.${format}`, encodeRecords(orders, format));
      expect(await run(shop)).toMatchObject({ status: 'succeeded', rows: stored(200) });
      expect(await lab().records(shop.tenant, 'orders')).toEqual(expected);
    }
  });

  async function putPacked(
    bucket: TestBucket,
    name: string,
    content: string,
    packing: (typeof PACKINGS)[number],
  ): Promise<void> {
    if (packing === 'plain') bucket.put(name, content);
    else if (packing === '.gz') bucket.put(`${name}.gz`, gzipSync(content));
    else if (packing === '.zip') bucket.put(`${name}.zip`, zipOf(content));
    else await bucket.upload(name, gzipSync(content), 'gzip');
  }
});

describe('which files are read (D-50, D-38)', () => {
  it('skips and counts the files whose names tell no kind or no format', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('exports/Customers-2026/part-1.ndjson', ndjson(customers(1, 2)));
    shop.bucket.put('exports/notes.txt', 'Hello');
    shop.bucket.put('exports/unknown.ndjson', ndjson(customers(3, 4)));
    shop.bucket.put('exports/customers.xlsx', 'PK');
    expect(await run(shop)).toMatchObject({
      status: 'succeeded',
      files: { found: 4, finished: 1, skipped: 3, failed: 0 },
      rows: stored(2),
    });
  });

  it('succeeds with zero files where a folder is empty (D-56)', async () => {
    const shop = await lab().openShop();
    expect(await run(shop)).toMatchObject({ status: 'succeeded', files: noFiles, rows: stored(0) });
    shop.bucket.put('other/customers.ndjson', ndjson(customers(1, 2)));
    const nothing = { status: 'succeeded', files: noFiles, rows: stored(0), error: null };
    expect(await run(shop, { folders: ['daily/', 'weekly/'] })).toMatchObject(nothing);
  });

  it('reads a file of 0 bytes', async () => {
    const shop = await lab().openShop();
    for (const format of ['ndjson', 'csv'] as const) shop.bucket.put(`customers.${format}`, '');
    const { files } = await run(shop);
    expect(files.found).toBe(2);
    expect(files.finished + files.failed).toBe(2);
  });

  it('plans more than 300 objects page by page, in any order of messages (D-55)', async () => {
    const shop = await lab().openShop();
    for (let index = 0; index < 650; index += 1) shop.bucket.put(`in/notes-${String(index).padStart(4, '0')}.txt`, '');
    for (const at of ['0000', '0301', '0649']) {
      shop.bucket.put(`in/notes-${at}.customers/customers.ndjson`, ndjson(customers(Number(at), Number(at))));
    }
    const { status, files, rows } = await run(shop, { folders: ['in/'], next: reordered('pages') });
    expect({ status, files, rows }).toEqual({
      status: 'succeeded',
      files: { found: 653, finished: 3, skipped: 650, failed: 0 },
      rows: stored(3),
    });
  });

  it('reads a file once that several folders cover', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('a/b/customers.ndjson', ndjson(customers(1, 3)));
    shop.bucket.put('a/customers.ndjson', ndjson(customers(4, 5)));
    shop.bucket.put('z/customers.ndjson', ndjson(customers(6, 6)));
    const folders = ['z/', 'a/b/', 'a/', '/a/', 'a/b/customers', 'a/'];
    expect(await run(shop, { folders })).toMatchObject({ files: finished(3), rows: stored(6) });
  });
});

describe('each file once (D-53)', () => {
  it('skips in the second run what the first has read, and reads a replaced file again', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('customers-1.ndjson', ndjson(customers(1, 2)));
    shop.bucket.put('customers-2.ndjson', ndjson(customers(3, 4)));
    expect(await run(shop)).toMatchObject({ files: finished(2), rows: stored(4) });
    const skipped = { found: 2, finished: 0, skipped: 2, failed: 0 };
    expect(await run(shop)).toMatchObject({ status: 'succeeded', files: skipped, rows: stored(0) });
    shop.bucket.put('customers-2.ndjson', ndjson(customers(5, 9)));
    const one = { found: 2, finished: 1, skipped: 1, failed: 0 };
    expect(await run(shop, { kind: 'hourly' })).toMatchObject({ files: one, rows: stored(5) });
    expect(await customersOf(shop)).toHaveLength(9);
  });

  it('reads everything in a historical run, whatever was read before', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('customers.ndjson', ndjson(customers(1, 2)));
    for (let times = 0; times < 2; times += 1) {
      expect(await run(shop, { kind: 'historical' })).toMatchObject({ files: finished(1), rows: stored(2) });
    }
    expect(await run(shop)).toMatchObject({ files: { found: 1, finished: 0, skipped: 1, failed: 0 } });
  });
});
describe('damaged files and bad rows (D-52)', () => {
  it('fails the damaged files alone, keeps what came before, and reads them again in the next run', async () => {
    const shop = await lab().openShop();
    const whole = gzipSync(ndjson(customers(1, 900)), { level: 0 });
    shop.bucket.put('customers-gzip.ndjson.gz', whole.subarray(0, whole.length - 2_000));
    const array = encodeRecords(customers(2_001, 2_300), 'json');
    shop.bucket.put('customers-array.json', array.slice(0, -20));
    shop.bucket.put('customers-good.ndjson', ndjson(customers(3_001, 3_100)));
    const ended = await run(shop);
    expect(ended).toMatchObject({
      status: 'partial',
      files: { found: 3, finished: 1, skipped: 0, failed: 2 },
    });
    const kept = (await customersOf(shop)) as { CustomerId: string }[];
    expect(ended.rows.stored).toBe(kept.length);
    expect(kept.filter(({ CustomerId }) => Number(CustomerId.slice(1)) > 3_000)).toHaveLength(100);
    expect(kept.length).toBeGreaterThan(700 + 290 + 100);
    const files: ShownFile[] = [];
    for await (const file of listFiles(ended.runId, lab().operator)) files.push(file);
    expect(files.map(({ object, status, error }) => [object, status, error]).sort()).toEqual([
      ['customers-array.json', 'failed', expect.stringContaining('array')],
      ['customers-good.ndjson', 'finished', null],
      ['customers-gzip.ndjson.gz', 'failed', expect.stringContaining('gzip')],
    ]);

    shop.bucket.put('customers-array.json', array);
    expect(await run(shop)).toMatchObject({
      status: 'partial',
      files: { found: 3, finished: 1, skipped: 1, failed: 1 },
    });
    shop.bucket.put('customers-gzip.ndjson.gz', whole);
    expect(await run(shop)).toMatchObject({
      status: 'succeeded',
      files: { found: 3, finished: 1, skipped: 2, failed: 0 },
    });
    expect(await customersOf(shop)).toHaveLength(1_300);
  });

  it('reports each bad row with its object, generation, line and messages, and stores the good ones', async () => {
    const shop = await lab().openShop();
    shop.bucket.put(
      'in/customers.ndjson',
      [
        '{"CustomerId":"a"}',
        '',
        '{"CustomerId":"b","EmailOptin":"yes","Name":7}',
        'no JSON',
        '{"Name":"nobody"}',
        '["array"]',
        '{"CustomerId":"z"}',
      ].join('\n'),
    );
    shop.bucket.put('in/customers.json', '[{"CustomerId":"j1"},{"CustomerId":"j2","GdprOptin":3}]');
    shop.bucket.put('in/orders.csv', 'OrderId,Currency\r\no1,EUR\r\no2,Taler\r\no3\r\n');
    const ended = await run(shop);
    expect(ended).toMatchObject({
      status: 'partial',
      files: finished(3),
      rows: { read: 11, stored: 4, invalid: 7, stale: 0, deleted: 0 },
    });
    const report = await lab().report(ended.runId);
    expect(report.map(({ object, line }) => `${object}:${line}`).sort()).toEqual([
      'in/customers.json:2',
      'in/customers.ndjson:3',
      'in/customers.ndjson:4',
      'in/customers.ndjson:5',
      'in/customers.ndjson:6',
      'in/orders.csv:3',
      'in/orders.csv:4',
    ]);
    const messagesAt = (object: string, line: number) =>
      report.find((row) => row.object === object && row.line === line)?.messages;
    expect(messagesAt('in/customers.ndjson', 3)).toEqual({
      EmailOptin: ['The field EmailOptin must be a boolean.'],
      Name: ['The field Name must be a string.'],
    });
    expect(messagesAt('in/customers.json', 2)).toEqual({ GdprOptin: ['The field GdprOptin must be a boolean.'] });
    expect(Object.keys(messagesAt('in/customers.ndjson', 4) ?? {})).toEqual(['']);
    expect(Object.keys(messagesAt('in/orders.csv', 3) ?? {})).toEqual(['Currency']);
    for (const row of report) {
      expect(Object.keys(row).sort()).toEqual(['generation', 'line', 'messages', 'object']);
      expect(row.generation).toMatch(/^\d+$/);
      expect(Object.values(row.messages).flat()).not.toHaveLength(0);
    }
  });

  it('reports a product of more variants than a commit indexes, and stores large ones beside it (R-04)', async () => {
    const shop = await lab().openShop({ productIdentifier: 'sku' });
    const product = (ProductId: string, count: number) => ({
      ProductId,
      ProductVariants: Array.from({ length: count }, (_, n) => ({ VariantId: `${n}`, Sku: `${ProductId}-${n}` })),
    });
    const rows = [product('a', 4_000), product('b', MAX_VARIANTS_BY_SKU + 1), product('c', 4_000), product('d', 4_000)];
    shop.bucket.put('products.ndjson', ndjson(rows));
    const ended = await run(shop);
    expect(ended).toMatchObject({ status: 'partial', rows: { read: 4, stored: 3, invalid: 1, stale: 0, deleted: 0 } });
    expect(await lab().report(ended.runId)).toMatchObject([
      { line: 2, messages: { ProductVariants: [expect.stringContaining('too large to store')] } },
    ]);
  });
});
