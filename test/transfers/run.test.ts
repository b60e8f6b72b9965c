/** Runs of transfers, step by step: what is read, counted, skipped and reported, in whatever order messages come. */
import { gzipSync } from 'node:zlib';
import { updateTenant } from '../../functions/admin/tenants';
import { listRuns } from '../../functions/admin/transfers';
import type { DocumentWrite } from '../../shared/documents/document-store';
import { idOf, runFilePath, runFilesPath } from '../../shared/documents/paths';
import type { Tenant } from '../../shared/domain/tenant';
import { claimBucket, releaseBucket } from '../../shared/transfers/bucket-ownership';
import { inParallel } from '../../shared/in-parallel';
import type { ObjectStorage } from '../../shared/transfers/object-storage';
import { RequestRefused } from '../../shared/transfers/object-storage';
import { writeReport } from '../../shared/transfers/report';
import { fileIdOf, fromFileDocument, toFileDocument } from '../../shared/transfers/run';
import { upsert } from '../support/api-writes';
import type { FileFormat } from '../support/file-formats';
import { encodeRecords, FILE_FORMATS } from '../support/file-formats';
import type { StoreCall } from '../support/observed-document-store';
import { ObservedDocumentStore } from '../support/observed-document-store';
import type { RunOptions, TestBucket } from '../support/transfer-lab';
import { newestFirst, reordered, useTransferLab } from '../support/transfer-lab';

const lab = useTransferLab();

interface Shop {
  readonly tenant: Tenant;
  readonly bucket: TestBucket;
}

async function openShop(): Promise<Shop> {
  const tenant = await lab().createTenant();
  return { tenant, bucket: await lab().createBucket(tenant) };
}

const run = ({ tenant, bucket }: Shop, options: RunOptions = {}) => lab().run(tenant, bucket, options);
const customersOf = ({ tenant }: Shop) => lab().records(tenant, 'customers');

/** Customers `from` to `to`, each told by its number. */
const customers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    CustomerId: `c${from + index}`,
    Name: `Name, "${from + index}" é`,
    EmailOptin: (from + index) % 2 === 0,
  }));
const ndjson = (records: readonly object[]) => encodeRecords(records, 'ndjson');

/** The lab's storage with some methods replaced. */
function storageWith(methods: Partial<ObjectStorage>): ObjectStorage {
  const { storage } = lab();
  return {
    list: (...call) => storage.list(...call),
    find: (...call) => storage.find(...call),
    read: (...call) => storage.read(...call),
    write: (...call) => storage.write(...call),
    ...methods,
  };
}

/** A line that no validation accepts. */
const BAD_LINE = '{"CustomerId":"bad","EmailOptin":"yes"}\n';

const noFiles = { found: 0, finished: 0, skipped: 0, failed: 0 };
const finished = (count: number) => ({ found: count, finished: count, skipped: 0, failed: 0 });
const stored = (count: number) => ({ read: count, stored: count, invalid: 0, stale: 0 });

describe('formats (D-51)', () => {
  const PACKINGS = ['plain', '.gz', 'Content-Encoding: gzip'] as const;
  const cases = FILE_FORMATS.flatMap((format) => PACKINGS.map((packing) => [format, packing] as const));

  it.each(cases)('reads %s, %s, with exact counts', async (format, packing) => {
    const shop = await openShop();
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
    const byApi = await openShop();
    await upsert(byApi.tenant, 'orders', orders, lab().operator);
    const expected = await lab().records(byApi.tenant, 'orders');
    expect(expected).toHaveLength(200);
    for (const format of FILE_FORMATS) {
      const shop = await openShop();
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
    const shop = await openShop();
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
    const shop = await openShop();
    expect(await run(shop)).toMatchObject({ status: 'succeeded', files: noFiles, rows: stored(0) });
    shop.bucket.put('other/customers.ndjson', ndjson(customers(1, 2)));
    const nothing = { status: 'succeeded', files: noFiles, rows: stored(0), error: null };
    expect(await run(shop, { folders: ['daily/', 'weekly/'] })).toMatchObject(nothing);
  });

  it('reads a file of 0 bytes', async () => {
    const shop = await openShop();
    for (const format of ['ndjson', 'csv'] as const) shop.bucket.put(`customers.${format}`, '');
    const { files } = await run(shop);
    expect(files.found).toBe(2);
    expect(files.finished + files.failed).toBe(2);
  });

  it('plans more than 300 objects page by page, in any order of messages (D-55)', async () => {
    const shop = await openShop();
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
    const shop = await openShop();
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
    const shop = await openShop();
    shop.bucket.put('customers.ndjson', ndjson(customers(1, 2)));
    shop.bucket.denyAccess();
    const failed = await run(shop);
    expect(failed).toMatchObject({ status: 'failed', files: noFiles, rows: stored(0) });
    expect(failed.error).toContain(shop.bucket.name);
    expect(failed.error).toContain('roles/storage.objectViewer');
    expect(await customersOf(shop)).toEqual([]);
  });

  it('reads no bucket of another organization, and none that nobody has registered', async () => {
    const owner = await openShop();
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
    const { tenant, bucket } = await openShop();
    const sister = await lab().createTenant({ organization: tenant.organizationId });
    bucket.put('customers.ndjson', ndjson(customers(1, 2)));
    expect(await lab().run(tenant, bucket)).toMatchObject({ status: 'succeeded', rows: stored(2) });
    expect(await lab().run(sister, bucket)).toMatchObject({ status: 'succeeded', rows: stored(2) });
  });

  it('reads nothing more of a bucket that goes to another organization while the run is under way', async () => {
    const shop = await openShop();
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
      const shop = await openShop();
      const storage = storageWith({ list: refuse });
      const expected = { status: 'failed', error: refusal.message, files: noFiles };
      expect(await run(shop, { overrides: { storage } })).toMatchObject(expected);
    });

    it('fails the file with that reason that cannot be read, and reads the others', async () => {
      const shop = await openShop();
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
      const shop = await openShop();
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
    const shop = await openShop();
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
    const shop = await openShop();
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
    const shop = await openShop();
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
    const shop = await openShop();
    shop.bucket.put('customers.ndjson', ndjson(customers(1, 2)));
    for (let times = 0; times < 2; times += 1) {
      expect(await run(shop, { kind: 'historical' })).toMatchObject({ files: finished(1), rows: stored(2) });
    }
    expect(await run(shop)).toMatchObject({ files: { found: 1, finished: 0, skipped: 1, failed: 0 } });
  });

  it('ends the generation that is replaced while it is read, and reads the new one', async () => {
    const shop = await openShop();
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
    const shop = await openShop();
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

describe('messages in any order, any number of times (D-55)', () => {
  async function fill({ bucket }: Shop): Promise<void> {
    bucket.put('customers-1.ndjson', ndjson(customers(1, 850))); // two chunks, like the next one
    bucket.put('customers-2.json.gz', gzipSync(encodeRecords(customers(851, 1_750), 'json')));
    bucket.put('customers-3.csv', encodeRecords(customers(1_751, 1_900), 'csv'));
    bucket.put('customers-4.ndjson', ndjson(customers(1_901, 1_950)) + BAD_LINE + ndjson(customers(1_951, 2_000)));
    await bucket.upload('customers-5.ndjson', gzipSync(ndjson(customers(2_001, 2_100)) + BAD_LINE), 'gzip');
  }
  const expected = {
    status: 'partial',
    files: finished(5),
    rows: { read: 2_102, stored: 2_100, invalid: 2, stale: 0 },
  };

  it.each<[string, RunOptions]>([
    ['once and in order', {}],
    ['the newest first', { next: newestFirst }],
    ['repeated and reordered, one way', { next: reordered('one') }],
    ['repeated and reordered, another way', { next: reordered('another') }],
    ['with a hand-over after every chunk', { overrides: { unitSeconds: 1e-9 } }],
    [
      'repeated and reordered, with a hand-over after every chunk',
      { next: reordered('third'), overrides: { unitSeconds: 1e-9 } },
    ],
  ])('ends the same: %s', async (_, options) => {
    const shop = await openShop();
    await fill(shop);
    const ended = await run(shop, options);
    expect(ended).toMatchObject(expected);
    expect(await customersOf(shop)).toHaveLength(2_100);
    expect((await lab().report(ended.runId)).map(({ object, line }) => [object, line]).sort()).toEqual([
      ['customers-4.ndjson', 51],
      ['customers-5.ndjson', 101],
    ]);
  });

  it('changes nothing when the trigger comes again after the run', async () => {
    const shop = await openShop();
    await fill(shop);
    const started = lab().start(shop.tenant, shop.bucket);
    started.waiting.push(started.trigger);
    await started.deliverAll();
    const ended = await started.shown();
    started.waiting.push(started.trigger, started.trigger);
    await started.deliverAll(reordered('late'));
    expect(await started.shown()).toEqual(ended);
  });

  it.each([
    { kind: 'historical', runs: 1 },
    { kind: 'daily', runs: 2 },
  ] as const)('starts $runs when a $kind trigger is published twice (R-16)', async ({ kind, runs }) => {
    const shop = await openShop();
    await fill(shop);
    const started = lab().start(shop.tenant, shop.bucket, { kind });
    started.publish(started.trigger.event);
    started.publish(started.trigger.event);
    await started.deliverAll();
    expect(await listRuns(shop.tenant.tenantId, lab().operator)).toHaveLength(runs);
  });

  it('counts once what two workers read at the same time', async () => {
    const shop = await openShop();
    await fill(shop);
    const started = lab().start(shop.tenant, shop.bucket);
    await Promise.all([started.deliver(started.trigger), started.deliver(started.trigger)]);
    while (started.waiting.length > 0) {
      const messages = started.waiting.splice(0, 3);
      await Promise.all([...messages, ...messages].map((message) => started.deliver(message)));
    }
    expect(await started.shown()).toMatchObject(expected);
    expect(await customersOf(shop)).toHaveLength(2_100);
  });

  it('counts in each of two runs at once all that it has read', async () => {
    const shop = await openShop();
    await fill(shop);
    const both = await Promise.all([run(shop, { kind: 'historical' }), run(shop, { kind: 'historical' })]);
    for (const ended of both) expect(ended).toMatchObject(expected);
    expect(await customersOf(shop)).toHaveLength(2_100);
  });

  it('keeps at most one progress document a file, however often its messages come', async () => {
    const shop = await openShop();
    await fill(shop);
    const { runId } = await run(shop, { next: reordered('documents'), overrides: { unitSeconds: 1e-9 } });
    expect(await lab().operator.store.count(runFilesPath(runId), lab().operator.deadline())).toBe(5);
  });

  it('ends a run of no files that crashed between the end of its planning and its own end', async () => {
    const shop = await openShop();
    const store = new ObservedDocumentStore(lab().operator.store);
    const started = lab().start(shop.tenant, shop.bucket, { overrides: { store } });
    await started.deliver(started.trigger);
    const plan = started.waiting.shift()!;
    store.failing = ({ method }) => method === 'findWhere'; // looks for files that are still to be read
    await expect(started.deliver(plan)).rejects.toThrow('cannot be reached');
    store.failing = () => false;
    await started.deliver(plan);
    expect(await started.shown()).toMatchObject({ status: 'succeeded', files: noFiles });
  });

  it('ends a run whose files were all read before its planning ended, when that crashed at its end', async () => {
    const shop = await openShop();
    shop.bucket.put('customers.ndjson', ndjson(customers(1, 2)));
    const store = new ObservedDocumentStore(lab().operator.store);
    const started = lab().start(shop.tenant, shop.bucket, { overrides: { store } });
    await started.deliver(started.trigger);
    const plan = started.waiting.shift()!;
    store.failing = ({ method, paths }) => method === 'commit' && /^transferRuns\/[^/]+$/.test(paths[0] ?? '');
    await expect(started.deliver(plan)).rejects.toThrow('cannot be reached');
    store.failing = () => false;
    await started.deliverAll();
    expect(await started.shown()).toMatchObject({ status: 'running' });
    store.failing = ({ method }) => method === 'findWhere';
    await expect(started.deliver(plan)).rejects.toThrow('cannot be reached');
    store.failing = () => false;
    await started.deliver(plan);
    expect(await started.shown()).toMatchObject({ status: 'succeeded', files: finished(1), rows: stored(2) });
  });
});

describe('damaged files and bad rows (D-52)', () => {
  it('fails the damaged files alone, keeps what came before, and reads them again in the next run', async () => {
    const shop = await openShop();
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
    const shop = await openShop();
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
});

describe('a slice that is read again after a crash (D-52, D-55)', () => {
  it('judges a row as it did before, though its time has come meanwhile, and reports it once', async () => {
    const shop = await openShop();
    const { clock, store } = lab().operator;
    const UpdatedAt = new Date(clock.nowMs() + 600_000).toISOString(); // in the future, until the clock moves on
    shop.bucket.put('customers.ndjson', ndjson([{ CustomerId: 'c1', UpdatedAt }]));
    let movedMs = 0;
    const movingClock = { nowMs: () => clock.nowMs() + movedMs, sleep: (ms: number) => clock.sleep(ms) };
    const crashing = new ObservedDocumentStore(store);
    const started = lab().start(shop.tenant, shop.bucket, { overrides: { clock: movingClock, store: crashing } });
    await started.deliver(started.trigger);
    await started.deliver(started.waiting.shift()!);
    crashing.failing = ({ method }) => method === 'commit';
    await expect(started.deliver(started.waiting[0]!)).rejects.toThrow('cannot be reached');
    crashing.failing = () => false;
    movedMs = 900_000;
    await started.deliverAll();
    const ended = await started.shown();
    expect(ended).toMatchObject({ status: 'partial', rows: { read: 1, stored: 0, invalid: 1, stale: 0 } });
    expect(await lab().report(ended.runId)).toHaveLength(1);
  });

  it('reports a row once, though the slice ends elsewhere the second time because records grew', async () => {
    const shop = await openShop();
    const { clock, store } = lab().operator;
    const crashing = new ObservedDocumentStore(store);
    const isOfSlice = ({ method, paths }: StoreCall) =>
      method === 'commit' && paths.some((path) => /products/.test(path));
    crashing.failing = isOfSlice;
    const ids = ['p1', 'p2', 'p3'];
    const rows = ids.map((ProductId) => ({
      ProductId,
      ProductVariants: [],
      ProductName: ProductId === 'p3' ? 7 : 'Tea',
    }));
    shop.bucket.put('products.ndjson', encodeRecords(rows, 'ndjson'), new Date(clock.nowMs() + 60_000));
    const started = lab().start(shop.tenant, shop.bucket, { overrides: { store: crashing } });
    await started.deliver(started.trigger);
    await started.deliver(started.waiting.shift()!);
    await expect(started.deliver(started.waiting[0]!)).rejects.toThrow('cannot be reached');
    const variants = Array.from({ length: 450 }, (_, index) => ({
      VariantId: `v${index}`,
      Sku: `s${index}`,
      Url: `https://shop.example/${'x'.repeat(1_900)}`,
    }));
    const large = ids.slice(0, 2).map((ProductId) => ({ ProductId, ProductVariants: variants }));
    await upsert(shop.tenant, 'products', large, lab().operator);
    crashing.failing = () => false;
    await started.deliverAll();
    expect(crashing.writes.filter(isOfSlice)).toHaveLength(2); // the failed one, and one that ends before the bad row
    const ended = await started.shown();
    expect(ended).toMatchObject({ status: 'partial', rows: { read: 3, stored: 2, invalid: 1, stale: 0 } });
    expect(await lab().report(ended.runId)).toMatchObject([{ object: 'products.ndjson', line: 3 }]);
  });
});

describe('a run whose messages are lost', () => {
  it.each([
    ['before its folders are listed', 1],
    ['before its files are read', 2],
    ['while its files are read', 4],
  ])('goes on when it is resumed: %s', async (_, delivered) => {
    const shop = await openShop();
    for (const file of [1, 2, 3])
      shop.bucket.put(`customers-${file}.ndjson`, ndjson(customers(file * 1_000, file * 1_000 + 9)));
    const started = lab().start(shop.tenant, shop.bucket);
    started.waiting.push(started.trigger);
    for (let done = 0; done < delivered; done += 1) await started.deliver(started.waiting.shift()!);
    const lost = started.waiting.splice(0).length;
    expect((await started.shown()).status).toBe('running');
    expect(await started.resume()).toBe(lost);
    expect(await started.resume()).toBe(lost); // twice does no harm
    await started.deliverAll();
    expect(await started.shown()).toMatchObject({ status: 'succeeded', files: finished(3), rows: stored(30) });
  });

  it('ends when it is resumed and only its end was lost', async () => {
    const shop = await openShop();
    const crashing = new ObservedDocumentStore(lab().operator.store);
    shop.bucket.put('customers.ndjson', ndjson(customers(1, 10)));
    const started = lab().start(shop.tenant, shop.bucket, { overrides: { store: crashing } });
    await started.deliver(started.trigger);
    await started.deliver(started.waiting.shift()!);
    crashing.failing = ({ method }) => method === 'findWhere'; // the look for files that are still to be read
    await expect(started.deliver(started.waiting.shift()!)).rejects.toThrow('cannot be reached');
    crashing.failing = () => false;
    expect(await started.resume()).toBe(1);
    await started.deliverAll();
    expect(await started.shown()).toMatchObject({ status: 'succeeded', rows: stored(10) });
  });
});

describe('replays', () => {
  const bad = (id: number) => ({ CustomerId: `c${id}`, EmailOptin: 'yes' });
  const lines = (fix: boolean) =>
    customers(1, 1_000).map((customer, index) =>
      index % 250 === 7 ? (fix ? { ...customer, Name: 'Fixed' } : bad(index + 1)) : customer,
    );

  it.each<FileFormat>(['ndjson', 'json', 'csv'])(
    'reads only the bad rows, from the current %s file',
    async (format) => {
      const shop = await openShop();
      shop.bucket.put(`customers.${format}`, encodeRecords(lines(false), format));
      shop.bucket.put('customers-good.ndjson', ndjson(customers(2_001, 2_002)));
      const first = await run(shop);
      expect(first).toMatchObject({ status: 'partial', rows: { read: 1_002, stored: 998, invalid: 4, stale: 0 } });

      const again = await lab().replay(first.runId);
      expect(again).toMatchObject({ status: 'partial', files: finished(1) });
      expect(again.rows).toEqual({ read: 4, stored: 0, invalid: 4, stale: 0 });
      expect(await lab().report(again.runId)).toEqual(await lab().report(first.runId));

      shop.bucket.put(`customers.${format}`, encodeRecords(lines(true), format));
      const mended = await lab().replay(again.runId, { overrides: { unitSeconds: 1e-9 } });
      expect(mended).toMatchObject({ status: 'succeeded', files: finished(1), rows: stored(4) });
      const kept = (await customersOf(shop)) as { Name: string }[];
      expect(kept).toHaveLength(1_002);
      expect(kept.filter(({ Name }) => Name === 'Fixed')).toHaveLength(4);
    },
  );

  describe('of a CSV group', () => {
    const HEADER =
      'OrderId,Email,Currency,OrderItems.ProductId,OrderItems.Sku,OrderItems.Quantity,OrderItems.Price,OrderItems.Color';
    const BROKEN_CUP = '1001,,,cup,5" cup,1,9,';
    const MENDED_CUP = '1001,,,cup,"5"" cup",1,9,';
    const ordersFile = (cup: string, pot = '1001,,,pot,pot-1,1,30,') =>
      [
        HEADER,
        '1001,ann@x.com,EUR,tea,tea-500,2,21.25,',
        cup,
        pot,
        '1001,,,jug,jug-1,1,12,"red',
        'or blue"',
        '1002,,EUR,hat,hat-1,1,5,',
      ].join('\n');
    const skus = async ({ tenant }: Shop) =>
      ((await lab().records(tenant, 'orders')) as { OrderId: string; OrderItems: { Sku: string }[] }[]).map(
        ({ OrderId, OrderItems }) => [OrderId, ...OrderItems.map(({ Sku }) => Sku).sort()],
      );

    it('loses only the bad line, and reads the whole group when the line is mended', async () => {
      const shop = await openShop();
      shop.bucket.put('orders.csv', ordersFile(BROKEN_CUP));
      const first = await run(shop);
      expect(first).toMatchObject({ status: 'partial', rows: { read: 4, stored: 3, invalid: 1, stale: 0 } });
      expect(await skus(shop)).toEqual([
        ['1001', 'jug-1', 'pot-1', 'tea-500'],
        ['1002', 'hat-1'],
      ]);
      shop.bucket.put('orders.csv', ordersFile(MENDED_CUP));
      const replay = await lab().replay(first.runId);
      expect(replay).toMatchObject({ status: 'succeeded', files: finished(1), rows: stored(1) });
      expect(await skus(shop)).toEqual([
        ['1001', '5" cup', 'jug-1', 'pot-1', 'tea-500'],
        ['1002', 'hat-1'],
      ]);
    });

    it('meets several of its lines with the one row that they become', async () => {
      const shop = await openShop();
      shop.bucket.put('orders.csv', ordersFile(BROKEN_CUP, '1001'));
      const first = await run(shop);
      expect(first.rows).toEqual({ read: 5, stored: 3, invalid: 2, stale: 0 });
      shop.bucket.put('orders.csv', ordersFile(MENDED_CUP));
      expect(await lab().replay(first.runId)).toMatchObject({ status: 'succeeded', rows: stored(1) });
    });
  });

  it.each([
    ['the first chunk', { unitSeconds: 240 }],
    ['every chunk', { unitSeconds: 1e-9 }],
  ])('say how many lines are not there any more, handing over after %s', async (_, overrides) => {
    const shop = await openShop();
    shop.bucket.put('customers.ndjson', encodeRecords(lines(false), 'ndjson'));
    const first = await run(shop);
    shop.bucket.put('customers.ndjson', encodeRecords(lines(true).slice(0, 700), 'ndjson'));
    expect(await lab().replay(first.runId, { overrides })).toMatchObject({
      status: 'partial',
      error: 'customers.ndjson: Lines to replay that are not in the file any more: 1.',
      files: { found: 1, finished: 0, skipped: 0, failed: 1 },
      rows: stored(3),
    });
  });

  describe('of many bad rows are planned step by step (D-55)', () => {
    const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

    /** A run with one bad row in `customers.ndjson`. */
    async function runWithBadRow(shop: Shop): Promise<string> {
      shop.bucket.put('customers.ndjson', ndjson([bad(1)]));
      return (await run(shop)).runId;
    }

    /** Adds bad lines of further objects to the report of a run, so many in each report. */
    async function addBadLines(runId: string, { bucket }: Shop, linesOf: Record<string, number[]>, size: number) {
      const { operator, storage, config } = lab();
      const [known] = await operator.store.list(runFilesPath(runId), { limit: 1 }, operator.deadline());
      const writes: DocumentWrite[] = [];
      await inParallel(Object.entries(linesOf), 16, async ([object, lines]) => {
        const generation = '1';
        const fileId = fileIdOf(bucket.name, object, generation);
        const file = { ...fromFileDocument(known!), object, generation };
        writes.push({ set: runFilePath(runId, fileId), data: toFileDocument(file) });
        for (let done = 0; done < lines.length; done += size) {
          const rows = lines.slice(done, done + size).map((line) => ({ object, generation, line, messages: {} }));
          const slice = { runId, fileId, stamp: 'added' };
          writes.push(await writeReport(slice, [rows[0]!, ...rows.slice(1)], { ...config, storage }));
        }
      });
      await operator.store.writeEach(writes, operator.deadline());
    }

    /** The name of an object whose reports come before those of others and of the run's own file. */
    async function firstFileOf(runId: string, { bucket }: Shop, others: string[]): Promise<string> {
      const { store, deadline } = lab().operator;
      const known = (await store.list(runFilesPath(runId), { limit: 1 }, deadline())).map(({ path }) => idOf(path));
      const toId = (object: string) => fileIdOf(bucket.name, object, '1');
      const [first = ''] = [...known, ...others.map(toId)].sort();
      for (let name = 1; ; name += 1) {
        const object = `customers-long-${name}.ndjson`;
        if (toId(object) < first) return object;
      }
    }

    async function linesOfFiles(runId: string): Promise<Record<string, number | undefined>> {
      const { store, deadline } = lab().operator;
      const files = (await store.list(runFilesPath(runId), { limit: 1_000 }, deadline())).map(fromFileDocument);
      return Object.fromEntries(files.map(({ object, onlyLines }) => [object, onlyLines?.length]));
    }

    it('some files each, with all reports of a file, and do no harm when they come again', async () => {
      const shop = await openShop();
      const runId = await runWithBadRow(shop);
      const long = await firstFileOf(runId, shop, ['customers-short.ndjson', 'customers-gone.ndjson']);
      shop.bucket.put(long, ndjson(customers(1, 310)));
      shop.bucket.put('customers-short.ndjson', ndjson(customers(1_001, 1_010)));
      const added = { [long]: numbers(310), 'customers-short.ndjson': [7], 'customers-gone.ndjson': [1] };
      await addBadLines(runId, shop, added, 1);
      const replay = await lab().startReplay(runId);
      await replay.deliver(replay.trigger);
      expect(replay.waiting).toMatchObject([{ event: { step: 'replay', after: expect.any(String) as unknown } }]);
      replay.waiting.push(replay.trigger);
      await replay.deliverAll(newestFirst);
      const ended = await replay.shown();
      expect(ended).toMatchObject({ files: finished(3), rows: { read: 312, stored: 311, invalid: 1, stale: 0 } });
      const expected = { 'customers.ndjson': 1, [long]: 310, 'customers-short.ndjson': 1 };
      expect(await linesOfFiles(ended.runId)).toEqual(expected);
    });

    it('with no more reports of a file than give the lines that are remembered', async () => {
      const shop = await openShop();
      const runId = await runWithBadRow(shop);
      shop.bucket.put('customers-long.ndjson', ndjson(customers(1, 3)));
      await addBadLines(runId, shop, { 'customers-long.ndjson': numbers(40_000) }, 100);
      const { storage, config } = lab();
      let reports = 0;
      const counting = storageWith({
        read: (...call) => {
          if (call[0] === config.reportsBucket) reports += 1;
          return storage.read(...call);
        },
      });
      const ended = await lab().replay(runId, { overrides: { storage: counting } });
      expect(ended).toMatchObject({ files: finished(2), rows: { read: 4, stored: 3, invalid: 1, stale: 0 } });
      expect(await linesOfFiles(ended.runId)).toEqual({ 'customers.ndjson': 1, 'customers-long.ndjson': undefined });
      expect(reports).toBeLessThanOrEqual(301);
    });

    it('without the generations that were replaced while they were read', async () => {
      const shop = await openShop();
      shop.bucket.put('customers.ndjson', ndjson([...customers(1, 500), bad(501), ...customers(502, 1_000)]));
      const { storage } = lab();
      let reads = 0;
      const replacing = storageWith({
        read: (...call) => {
          reads += 1;
          if (reads === 3) shop.bucket.put('customers.ndjson', ndjson([bad(1), ...customers(2, 3)]));
          return storage.read(...call);
        },
      });
      const first = await run(shop, { overrides: { storage: replacing, unitSeconds: 1e-9 } });
      expect(await lab().report(first.runId)).toHaveLength(2);
      shop.bucket.put('customers.ndjson', ndjson(customers(1, 3)));
      expect(await lab().replay(first.runId)).toMatchObject({ status: 'succeeded', rows: stored(1) });
    });
  });

  describe('leave the last word on a record to the last row of the file (R-14)', () => {
    const ann = (more: object) => ({ CustomerId: 'ann', ...more });
    const many = customers(1, 450); // more than a slice
    const consent = async (shop: Shop) =>
      (await customersOf(shop)).filter((customer) => (customer as { CustomerId: string }).CustomerId === 'ann');

    it.each<[string, RunOptions]>([
      ['in one unit', {}],
      ['over several units', { overrides: { unitSeconds: 1e-9 } }],
      ['whose messages come repeated and reordered', { next: reordered('last'), overrides: { unitSeconds: 1e-9 } }],
    ])('when a line is mended, %s', async (_, options) => {
      const shop = await openShop();
      const file = (Name: unknown) =>
        ndjson([ann({ Phone: '1' }), ann({ EmailOptin: true, Name }), ...many, ann({ EmailOptin: false }), ...many]);
      shop.bucket.put('customers.ndjson', file(7));
      const first = await run(shop);
      expect(first.rows).toEqual({ read: 903, stored: 902, invalid: 1, stale: 0 });
      shop.bucket.put('customers.ndjson', file('Ann'));
      const replay = await lab().replay(first.runId, options);
      expect(replay).toMatchObject({ status: 'succeeded', files: finished(1), rows: stored(2) });
      expect(await consent(shop)).toMatchObject([{ EmailOptin: false, Name: 'Ann', Phone: '1' }]);
    });

    it('when a line of the same file is bad no more', async () => {
      const tenant = await lab().createTenant({ required: 'Language' });
      const shop = { tenant, bucket: await lab().createBucket(tenant) };
      const rows = [ann({ EmailOptin: true }), ann({ EmailOptin: false, Language: 'en' })];
      shop.bucket.put('customers.ndjson', ndjson(rows));
      const first = await run(shop);
      expect(first.rows).toEqual({ read: 2, stored: 1, invalid: 1, stale: 0 });
      await updateTenant(tenant.tenantId, { required: '' }, lab().operator);
      expect(await lab().replay(first.runId)).toMatchObject({ status: 'succeeded', rows: stored(2) });
      expect(await consent(shop)).toMatchObject([{ EmailOptin: false, Language: 'en' }]);
    });

    it('when products are told by Sku, whatever they are called', async () => {
      const tenant = await lab().createTenant({ productIdentifier: 'sku' });
      const shop = { tenant, bucket: await lab().createBucket(tenant) };
      const product = (ProductId: string, ProductName: unknown) => ({
        ProductId,
        ProductName,
        ProductVariants: [{ VariantId: 'v', Sku: 's' }],
      });
      const file = (name: unknown) => ndjson([product('p0', 'First'), product('p1', name), product('p2', 'Last')]);
      shop.bucket.put('products.ndjson', file(7));
      const first = await run(shop);
      shop.bucket.put('products.ndjson', file('Mended'));
      expect(await lab().replay(first.runId)).toMatchObject({ status: 'succeeded', rows: stored(2) });
      expect(await lab().records(tenant, 'products')).toMatchObject([{ ProductId: 'p2', ProductName: 'Last' }]);
    });
  });

  it('fails, and says why, when the bucket cannot be read any more (D-56)', async () => {
    const shop = await openShop();
    shop.bucket.put('customers.ndjson', ndjson([...customers(1, 2), bad(3)]));
    const first = await run(shop);
    shop.bucket.denyAccess();
    const { status, error } = await lab().replay(first.runId);
    expect(status).toBe('failed');
    expect(error).toContain(shop.bucket.name);
  });

  it('gives the same however often and in whatever order its messages come (D-55)', async () => {
    const shop = await openShop();
    shop.bucket.put('customers.ndjson', encodeRecords(lines(false), 'ndjson'));
    const first = await run(shop);
    for (const seed of ['one', 'two', 'three']) {
      const again = await lab().replay(first.runId, { next: reordered(seed), overrides: { unitSeconds: 1e-9 } });
      expect(again).toMatchObject({ status: 'partial', files: finished(1) });
      expect(again.rows).toEqual({ read: 4, stored: 0, invalid: 4, stale: 0 });
    }
  });

  it('fails, and says so, when the report is no longer kept', async () => {
    const shop = await openShop();
    shop.bucket.put('customers.ndjson', ndjson([...customers(1, 2), bad(3)]));
    const first = await run(shop);
    const { storage } = lab();
    const expired = storageWith({
      read: (bucket, object, offset) => storage.read(bucket, { ...object, generation: '1' }, offset),
    });
    expect(await lab().replay(first.runId, { overrides: { storage: expired } })).toMatchObject({
      status: 'failed',
      error: `The report of the run ${first.runId} is no longer kept.`,
    });
  });

  it('leaves a replaced file for the next run, which reads all of its rows (D-53)', async () => {
    const shop = await openShop();
    shop.bucket.put('customers.ndjson', ndjson([...customers(1, 2), bad(3)]));
    const first = await run(shop);
    shop.bucket.put('customers.ndjson', ndjson([...customers(11, 12), ...customers(3, 3), ...customers(13, 14)]));
    expect((await lab().replay(first.runId)).rows).toEqual(stored(1));
    expect(await run(shop)).toMatchObject({ files: finished(1), rows: stored(5) });
    expect(await customersOf(shop)).toHaveLength(7);
  });

  it('succeeds with zero files where nothing was bad, or the file is gone', async () => {
    const shop = await openShop();
    shop.bucket.put('customers.ndjson', ndjson([...customers(1, 2), bad(3)]));
    const first = await run(shop);
    shop.bucket.remove('customers.ndjson');
    expect(await lab().replay(first.runId)).toMatchObject({ status: 'succeeded', files: noFiles, rows: stored(0) });
  });
});
