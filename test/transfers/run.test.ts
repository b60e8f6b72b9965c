/** Runs of transfers: which files are read, how they are counted, skipped and reported, and how a run ends. */
import { gzipSync } from 'node:zlib';
import type { ShownFile } from '../../functions/admin/transfers';
import { listFiles } from '../../functions/admin/transfers';
import { MAX_VARIANTS_BY_SKU } from '../../shared/domain/limits';
import { claimBucket, releaseBucket } from '../../shared/transfers/bucket-ownership';
import type { ObjectStorage } from '../../shared/transfers/object-storage';
import { RequestRefused } from '../../shared/transfers/object-storage';
import { upsert } from '../support/api-writes';
import { encodeRecords, FILE_FORMATS } from '../support/file-formats';
import { overriding } from '../support/overriding';
import type { RunOptions, Shop, TestBucket } from '../support/transfer-lab';
import { reordered, useTransferLab } from '../support/transfer-lab';
import { BAD_LINE, customers, finished, ndjson, noFiles, stored } from './numbered-customers';

const lab = useTransferLab();
const run = ({ tenant, bucket }: Shop, options: RunOptions = {}) => lab().run(tenant, bucket, options);
const customersOf = ({ tenant }: Shop) => lab().records(tenant, 'customers');

/** The lab's storage with some methods replaced. */
const storageWith = (methods: Partial<ObjectStorage>) => overriding<ObjectStorage>(lab().storage, methods);

describe('formats (D-51)', () => {
  const PACKINGS = ['plain', '.gz', 'Content-Encoding: gzip'] as const;
  const cases = FILE_FORMATS.flatMap((format) => PACKINGS.map((packing) => [format, packing] as const));

  it.each(cases)('reads %s, %s, with exact counts', async (format, packing) => {
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
      OrderItems: Array.from({ length: (index % 3) + 1 }, (_item, place) => ({
        ProductId: `p${index % 10}`,
        Sku: `s${place}`,
        Quantity: place + 1,
        Price: 9.5,
        Size: '3x330 ml',
        Color: 'Rot, "hell"\nund grün',
        IsGift: place === 1,
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
    else await bucket.upload(name, gzipSync(content), 'gzip');
  }
});

describe('which files are read (D-50, D-38)', () => {
  it('skips and counts the files whose names tell no kind or no format', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('exports/Customers-2026/part-1.ndjson', ndjson(customers(1, 2)));
    shop.bucket.put('exports/notes.txt', 'Hello');
    shop.bucket.put('exports/unknown.ndjson', ndjson(customers(3, 4)));
    shop.bucket.put('exports/customers.parquet', 'PAR1');
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
    for (const place of ['0000', '0301', '0649']) {
      shop.bucket.put(`in/notes-${place}.customers/customers.ndjson`, ndjson(customers(Number(place), Number(place))));
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

describe('a bucket that cannot be read (D-56, D-57)', () => {
  it('fails where the bucket does not exist, and names it', async () => {
    const tenant = await lab().createTenant();
    const name = `gone-${tenant.tenantId}`;
    const { store, deadline } = lab().operator;
    await claimBucket(name, tenant.organizationId, store, deadline());
    const failed = await lab().run(tenant, name);
    expect(failed).toMatchObject({ status: 'failed', files: noFiles });
    expect(failed.error).toContain(name);
    expect(failed.finishedAt).not.toBeNull();
  });

  it('fails where access is denied, and names the bucket and the role to grant', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('customers.ndjson', ndjson(customers(1, 2)));
    shop.bucket.denyAccess();
    const failed = await run(shop);
    expect(failed).toMatchObject({ status: 'failed', files: noFiles, rows: stored(0) });
    expect(failed.error).toContain(shop.bucket.name);
    expect(failed.error).toContain('roles/storage.objectViewer');
    expect(await customersOf(shop)).toEqual([]);
  });

  it('reads no bucket of another organization, and none that nobody has registered', async () => {
    const owner = await lab().openShop();
    owner.bucket.put('customers.ndjson', ndjson(customers(1, 2)));
    const stranger = await lab().createTenant();
    const foreign = await lab().run(stranger, owner.bucket);
    expect(foreign).toMatchObject({ status: 'failed', files: noFiles });
    expect(foreign.error).toBe(`The bucket ${owner.bucket.name} is registered by another organization.`);

    const unregistered = await lab().createBucket();
    unregistered.put('customers.ndjson', ndjson(customers(1, 2)));
    const failed = await lab().run(stranger, unregistered);
    expect(failed).toMatchObject({ status: 'failed', files: noFiles });
    expect(failed.error).toContain(unregistered.name);
    expect(await lab().records(stranger, 'customers')).toEqual([]);
  });

  it('lets two tenants of one organization read its bucket', async () => {
    const { tenant, bucket } = await lab().openShop();
    const sister = await lab().createTenant({ organization: tenant.organizationId });
    bucket.put('customers.ndjson', ndjson(customers(1, 2)));
    expect(await lab().run(tenant, bucket)).toMatchObject({ status: 'succeeded', rows: stored(2) });
    expect(await lab().run(sister, bucket)).toMatchObject({ status: 'succeeded', rows: stored(2) });
  });

  it('reads nothing more of a bucket that goes to another organization while the run is under way', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('customers.ndjson', ndjson(customers(1, 2)));
    const started = lab().start(shop.tenant, shop.bucket);
    await started.deliver(started.trigger);
    await started.deliver(started.waiting.shift()!);
    const { store, deadline } = lab().operator;
    await releaseBucket(shop.bucket.name, store, deadline());
    expect(await claimBucket(shop.bucket.name, 'another organization', store, deadline())).toBe(true);
    await started.deliverAll();
    const ended = await started.shown();
    expect(ended).toMatchObject({ status: 'failed', rows: stored(0) });
    expect(ended.error).toBe(`The bucket ${shop.bucket.name} is no longer registered.`);
    expect(await customersOf(shop)).toEqual([]);
  });

  describe('that Cloud Storage refuses for a reason of its own', () => {
    const refusal = new RequestRefused('The bucket acme cannot be read (400): Bucket is requester pays bucket.');
    const refuse = () => Promise.reject(refusal);
    const refused = { [Symbol.asyncIterator]: () => ({ next: refuse }) };

    it('fails with that reason where it cannot be listed', async () => {
      const shop = await lab().openShop();
      const storage = storageWith({ list: refuse });
      const expected = { status: 'failed', error: refusal.message, files: noFiles };
      expect(await run(shop, { overrides: { storage } })).toMatchObject(expected);
    });

    it('fails the file with that reason that cannot be read, and reads the others', async () => {
      const shop = await lab().openShop();
      shop.bucket.put('customers-1.ndjson', ndjson(customers(1, 2)));
      shop.bucket.put('customers-2.ndjson', ndjson(customers(3, 4)));
      const { storage } = lab();
      const refusing = storageWith({
        read: (...call) => (call[1].name === 'customers-1.ndjson' ? refused : storage.read(...call)),
      });
      expect(await run(shop, { overrides: { storage: refusing } })).toMatchObject({
        status: 'partial',
        error: `customers-1.ndjson: ${refusal.message}`,
        files: { found: 2, finished: 1, skipped: 0, failed: 1 },
      });
    });

    it('fails a replay with that reason', async () => {
      const shop = await lab().openShop();
      shop.bucket.put('customers.ndjson', BAD_LINE);
      const first = await run(shop);
      const storage = storageWith({ find: refuse });
      const expected = { status: 'failed', error: refusal.message };
      expect(await lab().replay(first.runId, { overrides: { storage } })).toMatchObject(expected);
    });
  });

  /** A run whose three files are known, and of which the first one is read. */
  async function startedRun(shop: Shop) {
    for (const file of [1, 2, 3]) shop.bucket.put(`customers-${file}.ndjson`, ndjson(customers(file, file)));
    const started = lab().start(shop.tenant, shop.bucket);
    started.waiting.push(started.trigger);
    for (let delivered = 0; delivered < 3; delivered += 1) await started.deliver(started.waiting.shift()!);
    expect(await started.shown()).toMatchObject({ status: 'running', rows: stored(1) });
    return started;
  }

  it('fails where access is denied while its files are read, and reads no more of them', async () => {
    const shop = await lab().openShop();
    const started = await startedRun(shop);
    shop.bucket.denyAccess();
    await started.deliver(started.waiting.shift()!);
    const failed = await started.shown();
    expect(failed).toMatchObject({ status: 'failed', files: { found: 3, finished: 1, failed: 0 }, rows: stored(1) });
    expect(failed.error).toContain(shop.bucket.name);
    expect(failed.error).toContain('roles/storage.objectViewer');

    shop.bucket.allowAccess();
    await started.deliverAll();
    expect(await started.shown()).toEqual(failed);
    expect(await customersOf(shop)).toHaveLength(1);
    expect(await run(shop)).toMatchObject({ status: 'succeeded', files: { finished: 2, skipped: 1 }, rows: stored(2) });
  });

  it('fails where the bucket disappears while its files are read', async () => {
    const shop = await lab().openShop();
    const started = await startedRun(shop);
    shop.bucket.destroy();
    await started.deliverAll();
    expect(await started.shown()).toMatchObject({
      status: 'failed',
      error: `The bucket ${shop.bucket.name} does not exist.`,
      files: { found: 3, finished: 1, failed: 0 },
    });
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

  it('ends the generation that is replaced while it is read, and reads the new one', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('customers.ndjson', ndjson(customers(1, 1_000)));
    const storage = replacingAfter(1, () => shop.bucket.put('customers.ndjson', ndjson(customers(2_001, 2_500))));
    const ended = await run(shop, { overrides: { storage, unitSeconds: 1e-9 } });
    expect(ended).toMatchObject({ status: 'succeeded', files: finished(1) });
    const kept = (await customersOf(shop)) as { CustomerId: string }[];
    expect(kept.filter(({ CustomerId }) => Number(CustomerId.slice(1)) > 2_000)).toHaveLength(500);
    expect(ended.rows).toEqual(stored(kept.length));
    expect(kept.length).toBeLessThan(1_500);
    expect(await run(shop)).toMatchObject({ files: { found: 1, finished: 0, skipped: 1, failed: 0 } });
  });

  it('fails a file that is removed while it is read, and reads the others', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('customers-1.ndjson', ndjson(customers(1, 1_000)));
    shop.bucket.put('customers-2.ndjson', ndjson(customers(2_001, 2_002)));
    const storage = replacingAfter(1, () => shop.bucket.remove('customers-1.ndjson'));
    expect(await run(shop, { overrides: { storage, unitSeconds: 1e-9 } })).toMatchObject({
      status: 'partial',
      files: { found: 2, finished: 1, skipped: 0, failed: 1 },
    });
  });

  /** Calls `replace` before any read after so many. */
  function replacingAfter(reads: number, replace: () => void): ObjectStorage {
    const { storage } = lab();
    let done = 0;
    return storageWith({
      read: (...call) => {
        done += 1;
        if (done === reads + 1) replace();
        return storage.read(...call);
      },
    });
  }
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
      rows: { read: 11, stored: 4, invalid: 7, stale: 0 },
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
    const rows = [product('a', 8_000), product('b', MAX_VARIANTS_BY_SKU + 1), product('c', 8_000), product('d', 8_000)];
    shop.bucket.put('products.ndjson', ndjson(rows));
    const ended = await run(shop);
    expect(ended).toMatchObject({ status: 'partial', rows: { read: 4, stored: 3, invalid: 1, stale: 0 } });
    expect(await lab().report(ended.runId)).toMatchObject([
      { line: 2, messages: { ProductVariants: [expect.stringContaining('too large to store')] } },
    ]);
  });
});
