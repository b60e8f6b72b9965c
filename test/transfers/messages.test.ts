/** The messages of runs: in any order, any number of times, after a crash, and lost (D-55). */
import { gzipSync } from 'node:zlib';
import { listRuns } from '../../shared/operations/transfers';
import type { DocumentWrite } from '../../shared/documents/document-store';
import { runFilesPath, runPath } from '../../shared/documents/paths';
import { RedeliverLater } from '../../shared/events/event-handler';
import type { EventPublisher } from '../../shared/events/event-publisher';
import { recurringJobId } from '../../shared/domain/transfer';
import { releaseWrite } from '../../shared/transfers/runs/bucket-ownership';
import { findRun } from '../../shared/transfers/runs/view/find-runs';
import { requestRun } from '../../shared/transfers/runs/request-run';
import { upsert } from '../support/api-writes';
import { encodeRecords } from '../support/file-formats';
import type { StoreCall } from '../support/observed-document-store';
import { ObservedDocumentStore } from '../support/observed-document-store';
import { overriding } from '../support/overriding';
import type { Message, RunOptions, Shop, StartedRun } from '../support/transfer-lab';
import { newestFirst, reordered, useTransferLab } from '../support/transfer-lab';
import { BAD_LINE, customers, finished, KNOWN_BY_ID, ndjson, noFiles, ofOwnUnit, stored } from './numbered-customers';

const lab = useTransferLab();
const run = ({ tenant, bucket }: Shop, options: RunOptions = {}) => lab().run(tenant, bucket, options);
const customersOf = ({ tenant }: Shop) => lab().records(tenant, 'customers');

describe('messages in any order, any number of times (D-55)', () => {
  async function openFilledShop(): Promise<Shop> {
    const shop = await lab().openShop(KNOWN_BY_ID);
    const { bucket } = shop;
    bucket.put('customers-1.ndjson', ndjson(customers(1, 850))); // two chunks, like the next one
    bucket.put('customers-2.json.gz', gzipSync(encodeRecords(customers(851, 1_750), 'json')));
    bucket.put('customers-3.csv', encodeRecords(customers(1_751, 1_900), 'csv'));
    bucket.put('customers-4.ndjson', ndjson(customers(1_901, 1_950)) + BAD_LINE + ndjson(customers(1_951, 2_000)));
    await bucket.upload('customers-5.ndjson', gzipSync(ndjson(customers(2_001, 2_100)) + BAD_LINE), 'gzip');
    return shop;
  }
  const expected = {
    status: 'partial',
    files: finished(5),
    rows: { read: 2_102, stored: 2_100, invalid: 2, stale: 0, deleted: 0 },
  };

  it.each<[string, RunOptions]>([
    ['once and in order', {}],
    ['the newest first', { next: newestFirst }],
    ['repeated and reordered, one way', { next: reordered('one') }],
    ['repeated and reordered, another way', { next: reordered('another') }],
    ['with a hand-over after every chunk', { overrides: { stepSeconds: 1e-9 } }],
    [
      'repeated and reordered, with a hand-over after every chunk',
      { next: reordered('third'), overrides: { stepSeconds: 1e-9 } },
    ],
  ])('ends the same: %s', async (_, options) => {
    const shop = await openFilledShop();
    const ended = await run(shop, options);
    expect(ended).toMatchObject(expected);
    expect(await customersOf(shop)).toHaveLength(2_100);
    expect((await lab().report(ended.runId)).map(({ object, line }) => [object, line]).sort()).toEqual([
      ['customers-4.ndjson', 51],
      ['customers-5.ndjson', 101],
    ]);
  });

  it('changes nothing when the trigger comes again after the run', async () => {
    const shop = await openFilledShop();
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
    const shop = await openFilledShop();
    const started = lab().start(shop.tenant, shop.bucket, { kind });
    started.publish(started.trigger.event);
    started.publish(started.trigger.event);
    await started.deliverAll();
    expect(await listRuns(shop.tenant.tenantId, lab().operator)).toHaveLength(runs);
  });

  it('counts once what two workers read at the same time', async () => {
    const shop = await openFilledShop();
    const started = lab().start(shop.tenant, shop.bucket);
    /** The delivery that finds the other one ending the run comes again. */
    const deliver = (message: Message) =>
      started.deliver(message).catch((error: unknown) => {
        if (!(error instanceof RedeliverLater)) throw error;
        started.waiting.push(message);
      });
    await Promise.all([started.deliver(started.trigger), started.deliver(started.trigger)]);
    while (started.waiting.length > 0) {
      const messages = started.waiting.splice(0, 3);
      await Promise.all([...messages, ...messages].map(deliver));
    }
    expect(await started.shown()).toMatchObject(expected);
    expect(await customersOf(shop)).toHaveLength(2_100);
  });

  it('counts in each of two runs at once all that it has read', async () => {
    const shop = await openFilledShop();
    const both = await Promise.all([run(shop, { kind: 'historical' }), run(shop, { kind: 'historical' })]);
    for (const ended of both) expect(ended).toMatchObject(expected);
    expect(await customersOf(shop)).toHaveLength(2_100);
  });

  it('keeps at most one progress document a file, however often its messages come', async () => {
    const shop = await openFilledShop();
    const { runId } = await run(shop, { next: reordered('documents'), overrides: { stepSeconds: 1e-9 } });
    expect(await lab().operator.store.count(runFilesPath(runId), lab().operator.deadline())).toBe(5);
  });

  it('ends a run of no files that crashed between the end of its planning and its own end', async () => {
    const shop = await lab().openShop();
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
    const shop = await lab().openShop();
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
describe('a slice that is read again after a crash (D-52, D-55)', () => {
  it('judges a row as it did before, though its time has come meanwhile, and reports it once', async () => {
    const shop = await lab().openShop();
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
    expect(ended).toMatchObject({ status: 'partial', rows: { read: 1, stored: 0, invalid: 1, stale: 0, deleted: 0 } });
    expect(await lab().report(ended.runId)).toHaveLength(1);
  });

  it('reports a row once, though the slice ends elsewhere the second time because records grew', async () => {
    const shop = await lab().openShop();
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
    expect(ended).toMatchObject({ status: 'partial', rows: { read: 3, stored: 2, invalid: 1, stale: 0, deleted: 0 } });
    expect(await lab().report(ended.runId)).toMatchObject([{ object: 'products.ndjson', line: 3 }]);
  });
});

describe('a run whose messages are lost', () => {
  it.each([
    ['before its folders are listed', 1],
    ['before its files are read', 2],
    ['while its files are read', 4],
  ])('goes on when it is resumed: %s', async (_, delivered) => {
    const shop = await lab().openShop();
    for (const file of [1, 2, 3])
      shop.bucket.put(`customers-${file}.ndjson`, ofOwnUnit(customers(file * 1_000, file * 1_000 + 9)));
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
    const shop = await lab().openShop();
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

describe('a message that cannot be published', () => {
  /** A run whose messages fail to be published while `isAway` says so. */
  function startFailing(shop: Shop, isAway: (event: object) => boolean, options: RunOptions = {}): StartedRun {
    const publisher: EventPublisher = {
      publish: (_topic, event) => {
        if (isAway(event)) return Promise.reject(new Error('Pub/Sub is away.'));
        started.publish(event);
        return Promise.resolve();
      },
    };
    const started = lab().start(shop.tenant, shop.bucket, { ...options, overrides: { publisher } });
    return started;
  }
  const put = ({ bucket }: Shop, id: number, minutesAgo: number) => {
    const at = new Date(lab().operator.clock.nowMs() - minutesAgo * 60_000);
    bucket.put('customers.ndjson', ndjson(customers(id, id)), at);
  };
  const isFileStep = (event: object) => 'unitId' in event;

  it.each<[string, (shop: Shop) => void, object]>([
    ['is replaced', (shop) => put(shop, 2, 5), { status: 'succeeded', files: finished(1), rows: stored(1) }],
    [
      'is removed',
      ({ bucket }) => bucket.remove('customers.ndjson'),
      { status: 'partial', files: { ...noFiles, found: 1, failed: 1 }, rows: stored(0) },
    ],
  ])('leaves no run without an end when the file that it tells of %s meanwhile', async (_, change, end) => {
    for (const kind of ['daily', 'historical'] as const) {
      const shop = await lab().openShop();
      put(shop, 1, 10);
      let isAway = true;
      const started = startFailing(shop, (event) => isAway && isFileStep(event), { kind });
      await started.deliver(started.trigger);
      const plan = started.waiting.shift()!;
      await expect(started.deliver(plan)).rejects.toThrow('away');
      change(shop);
      isAway = false;
      await started.deliver(plan);
      await started.deliverAll();
      expect(await started.shown()).toMatchObject(end);
    }
  });

  it('leaves no run without an end when a file is replaced, and its new generation, too, meanwhile', async () => {
    const shop = await lab().openShop();
    put(shop, 1, 10);
    let dies = true;
    const { store } = lab().operator;
    const dying = overriding(store, {
      commit: (writes, deadline) => {
        const isEnd = writes.some((write) => 'data' in write && write.data.status === 'replaced');
        return isEnd && dies ? Promise.reject(new Error('The process dies.')) : store.commit(writes, deadline);
      },
    });
    const started = lab().start(shop.tenant, shop.bucket, { overrides: { store: dying } });
    await started.deliver(started.trigger);
    await started.deliver(started.waiting.shift()!);
    put(shop, 2, 5);
    const file = started.waiting.shift()!;
    await expect(started.deliver(file)).rejects.toThrow('dies');
    put(shop, 3, 1);
    dies = false;
    await started.deliver(file);
    await started.deliverAll();
    expect(await started.shown()).toMatchObject({ status: 'succeeded', files: finished(1), rows: stored(1) });
    expect(await customersOf(shop)).toMatchObject([{ CustomerId: 'c3' }]);
  });

  it.each([
    ['the answer to noting what takes its place is lost', 'lost answer'],
    ['its planning, which comes again, knows already what takes its place', 'planned again'],
  ])('counts a replaced file once and reads the new one once when %s', async (_, trouble) => {
    const shop = await lab().openShop();
    put(shop, 1, 10);
    let lost = 0;
    const { store } = lab().operator;
    const losing = overriding(store, {
      commit: async (writes, deadline) => {
        const outcome = await store.commit(writes, deadline);
        const isNote = writes.some((write) => 'data' in write && write.data.replacedBy !== undefined);
        if (trouble !== 'lost answer' || !isNote || lost > 0) return outcome;
        lost += 1;
        return store.commit(writes, deadline); // as the adapter does
      },
    });
    const started = lab().start(shop.tenant, shop.bucket, { overrides: { store: losing } });
    await started.deliver(started.trigger);
    const plan = started.waiting.shift()!;
    await started.deliver(plan);
    put(shop, 2, 5);
    if (trouble === 'planned again')
      await lab().operator.store.commit([await asUnplanned(started)], lab().operator.deadline());
    if (trouble === 'planned again') await started.deliver(plan);
    await started.deliverAll();
    expect(lost).toBe(trouble === 'lost answer' ? 1 : 0);
    expect(await started.shown()).toMatchObject({ status: 'succeeded', files: finished(1), rows: stored(1) });
    expect(await customersOf(shop)).toMatchObject([{ CustomerId: 'c2' }]);
  });

  /** The write that makes a run as it is before its planning has ended. */
  async function asUnplanned(started: StartedRun): Promise<DocumentWrite> {
    const path = runPath((await started.shown()).runId);
    const run = await lab().operator.store.get(path, lab().operator.deadline());
    return { set: path, data: { ...run!.data, isPlanned: false } };
  }

  it('ends a run as failed whose bucket is released before its first step is published', async () => {
    const shop = await lab().openShop();
    let isAway = true;
    const started = startFailing(shop, () => isAway);
    await expect(started.deliver(started.trigger)).rejects.toThrow('away');
    await lab().operator.store.commit([releaseWrite(shop.bucket.name)], lab().operator.deadline());
    isAway = false;
    await started.deliver(started.trigger);
    await started.deliverAll();
    const { status, error } = await started.shown();
    expect([status, error]).toEqual(['failed', expect.stringContaining('is not registered')]);
  });
});

it('that start a run outside the schedule start it once, under the id that they name, and it takes files like any run of the job (R-79)', async () => {
  const shop = await lab().openShop();
  shop.bucket.put('customers-1.ndjson', ndjson(customers(1, 3)));
  await run(shop);
  shop.bucket.put('customers-2.ndjson', ndjson(customers(4, 5)));
  const { operator, config } = lab();
  const started = lab().start(shop.tenant, shop.bucket);
  const publisher: EventPublisher = {
    publish: (_topic, event) => {
      started.publish(event);
      return Promise.resolve();
    },
  };
  const { tenantId } = shop.tenant;
  const job = { jobId: recurringJobId('daily', tenantId), kind: 'daily', tenantId, bucketName: shop.bucket.name, folderPaths: [] } as const; // prettier-ignore
  const dependencies = { ...operator, publisher, transfersTopic: config.topics.transfers };
  const runId = await requestRun(job, operator.deadline(), dependencies);
  expect(await findRun(runId, operator.store, operator.deadline())).toMatchObject({
    status: 'running',
    isManual: true,
  });
  started.waiting.push(...started.waiting); // the trigger comes twice
  await started.deliverAll();
  const files = { ...noFiles, found: 2, finished: 1, skipped: 1 };
  const ended = await findRun(runId, operator.store, operator.deadline());
  expect(ended).toMatchObject({ status: 'succeeded', isManual: true, files, rows: stored(2) });
  expect(await listRuns(tenantId, operator)).toHaveLength(2);
});
