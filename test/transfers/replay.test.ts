/** Replays of runs: the rows that were bad are read again from the files as they are now. */
import { updateTenant } from '../../shared/operations/tenants';
import type { DocumentWrite } from '../../shared/documents/document-store';
import { isChange } from '../../shared/documents/document-store';
import { idOf, runFilePath, runFilesPath } from '../../shared/documents/paths';
import { inParallel } from '../../shared/platform/async/in-parallel';
import type { ObjectStorage } from '../../shared/transfers/object-storage';
import { loadReplayedRows } from '../../shared/transfers/runs/replay-documents';
import { writeReport } from '../../shared/transfers/runs/report';
import { fileIdOf, fromFileDocument, toFileDocument } from '../../shared/transfers/runs/run';
import type { FileFormat } from '../support/file-formats';
import { encodeRecords } from '../support/file-formats';
import { overriding } from '../support/overriding';
import type { RunOptions, Shop } from '../support/transfer-lab';
import { newestFirst, reordered, useTransferLab } from '../support/transfer-lab';
import { customers, finished, ndjson, noFiles, stored } from './numbered-customers';
import { positionsOf } from './positions-of-files';

const lab = useTransferLab();
const run = ({ tenant, bucket }: Shop, options: RunOptions = {}) => lab().run(tenant, bucket, options);
const customersOf = ({ tenant }: Shop) => lab().records(tenant, 'customers');

/** The lab's storage with some methods replaced. */
const storageWith = (methods: Partial<ObjectStorage>) => overriding<ObjectStorage>(lab().storage, methods);

describe('replays', () => {
  const bad = (id: number) => ({ CustomerId: `c${id}`, EmailOptin: 'yes' });
  const lines = (fix: boolean) =>
    customers(1, 1_000).map((customer, index) =>
      index % 250 === 7 ? (fix ? { ...customer, Name: 'Fixed' } : bad(index + 1)) : customer,
    );

  it.each<FileFormat>(['ndjson', 'json', 'csv'])(
    'reads only the bad rows, from the current %s file',
    async (format) => {
      const shop = await lab().openShop();
      shop.bucket.put(`customers.${format}`, encodeRecords(lines(false), format));
      shop.bucket.put('customers-good.ndjson', ndjson(customers(2_001, 2_002)));
      const first = await run(shop);
      expect(first).toMatchObject({
        status: 'partial',
        rows: { read: 1_002, stored: 998, invalid: 4, stale: 0, deleted: 0 },
      });

      const again = await lab().replay(first.runId);
      expect(again).toMatchObject({ status: 'partial', files: finished(1) });
      expect(again.rows).toEqual({ read: 4, stored: 0, invalid: 4, stale: 0, deleted: 0 });
      expect(await lab().report(again.runId)).toEqual(await lab().report(first.runId));

      shop.bucket.put(`customers.${format}`, encodeRecords(lines(true), format));
      const mended = await lab().replay(again.runId, { overrides: { stepSeconds: 1e-9 } });
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
      const shop = await lab().openShop();
      shop.bucket.put('orders.csv', ordersFile(BROKEN_CUP));
      const first = await run(shop);
      expect(first).toMatchObject({
        status: 'partial',
        rows: { read: 4, stored: 3, invalid: 1, stale: 0, deleted: 0 },
      });
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
      const shop = await lab().openShop();
      shop.bucket.put('orders.csv', ordersFile(BROKEN_CUP, '1001'));
      const first = await run(shop);
      expect(first.rows).toEqual({ read: 5, stored: 3, invalid: 2, stale: 0, deleted: 0 });
      shop.bucket.put('orders.csv', ordersFile(MENDED_CUP));
      expect(await lab().replay(first.runId)).toMatchObject({ status: 'succeeded', rows: stored(1) });
    });
  });

  it.each([
    ['the first chunk', { stepSeconds: 240 }],
    ['every chunk', { stepSeconds: 1e-9 }],
  ])('say how many lines are not there any more, handing over after %s', async (_, overrides) => {
    const shop = await lab().openShop();
    shop.bucket.put('customers.ndjson', encodeRecords(lines(false), 'ndjson'));
    const first = await run(shop);
    shop.bucket.put('customers.ndjson', encodeRecords(lines(true).slice(0, 700), 'ndjson'));
    expect(await lab().replay(first.runId, { overrides })).toMatchObject({
      status: 'partial',
      error: 'customers.ndjson: Number of lines to replay that are not in the file any more: 1.',
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
          const rows = lines.slice(done, done + size).map((line) => JSON.stringify({ line, messages: {} }));
          const slice = { runId, fileId, revision: 'added' };
          const report = { firstLine: lines[done]!, rows };
          writes.push(await writeReport(slice, file, report, { ...config, storage }));
        }
      });
      await operator.store.writeEach(writes.filter(isChange), operator.deadline());
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
      const files = await store.list(runFilesPath(runId), { limit: 1_000 }, deadline());
      const counts = files.map(async (document) => {
        const { object, replaysLines } = fromFileDocument(document);
        const { lines } = await loadReplayedRows({ runId, fileId: idOf(document.path) }, store, deadline);
        return [object, replaysLines ? lines.length : undefined] as const;
      });
      return Object.fromEntries(await Promise.all(counts));
    }

    it('some files each, with all reports of a file and positions behind those before (R-370), and do no harm when they come again', async () => {
      const shop = await lab().openShop();
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
      expect(ended).toMatchObject({
        files: finished(3),
        rows: { read: 312, stored: 311, invalid: 1, stale: 0, deleted: 0 },
      });
      const expected = { 'customers.ndjson': 1, [long]: 310, 'customers-short.ndjson': 1 };
      expect(await linesOfFiles(ended.runId)).toEqual(expected);
      const positions = await positionsOf(ended.runId, lab().operator);
      expect(positions[0]).toEqual([0, long]);
      expect(new Set(positions.map(([position]) => position)).size).toBe(3);
      expect(positions.at(-1)![0]).toBeLessThan(4); // one of four is gone
    });

    it('with no more reports of a file than give the lines that are remembered', async () => {
      const shop = await lab().openShop();
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
      expect(ended).toMatchObject({
        files: finished(2),
        rows: { read: 4, stored: 3, invalid: 1, stale: 0, deleted: 0 },
      });
      expect(await linesOfFiles(ended.runId)).toEqual({ 'customers.ndjson': 1, 'customers-long.ndjson': undefined });
      expect(reports).toBeLessThanOrEqual(301);
    });

    it('without the generations that were replaced while they were read', async () => {
      const shop = await lab().openShop();
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
      const first = await run(shop, { overrides: { storage: replacing, stepSeconds: 1e-9 } });
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
      ['over several steps', { overrides: { stepSeconds: 1e-9 } }],
      ['whose messages come repeated and reordered', { next: reordered('last'), overrides: { stepSeconds: 1e-9 } }],
    ])('when a line is mended, %s', async (_, options) => {
      const shop = await lab().openShop();
      const file = (Name: unknown) =>
        ndjson([ann({ Phone: '1' }), ann({ EmailOptin: true, Name }), ...many, ann({ EmailOptin: false }), ...many]);
      shop.bucket.put('customers.ndjson', file(7));
      const first = await run(shop);
      expect(first.rows).toEqual({ read: 903, stored: 902, invalid: 1, stale: 0, deleted: 0 });
      shop.bucket.put('customers.ndjson', file('Ann'));
      const replay = await lab().replay(first.runId, options);
      expect(replay).toMatchObject({ status: 'succeeded', files: finished(1), rows: stored(2) });
      expect(await consent(shop)).toMatchObject([{ EmailOptin: false, Name: 'Ann', Phone: '1' }]);
    });

    it('when a line of the same file is bad no more', async () => {
      const shop = await lab().openShop({ required: ['Language'] });
      const rows = [ann({ EmailOptin: true }), ann({ EmailOptin: false, Language: 'en' })];
      shop.bucket.put('customers.ndjson', ndjson(rows));
      const first = await run(shop);
      expect(first.rows).toEqual({ read: 2, stored: 1, invalid: 1, stale: 0, deleted: 0 });
      await updateTenant(shop.tenant.tenantId, { required: [] }, lab().operator);
      expect(await lab().replay(first.runId)).toMatchObject({ status: 'succeeded', rows: stored(2) });
      expect(await consent(shop)).toMatchObject([{ EmailOptin: false, Language: 'en' }]);
    });

    it('when products are identified by Sku, whatever they are called', async () => {
      const shop = await lab().openShop({ productIdentifier: 'sku' });
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
      expect(await lab().records(shop.tenant, 'products')).toMatchObject([{ ProductId: 'p2', ProductName: 'Last' }]);
    });
  });

  it('fails, and says why, when the bucket cannot be read any more (D-56)', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('customers.ndjson', ndjson([...customers(1, 2), bad(3)]));
    const first = await run(shop);
    shop.bucket.denyAccess();
    const { status, error } = await lab().replay(first.runId);
    expect(status).toBe('failed');
    expect(error).toContain(shop.bucket.name);
  });

  it('gives the same however often and in whatever order its messages come (D-55)', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('customers.ndjson', encodeRecords(lines(false), 'ndjson'));
    const first = await run(shop);
    for (const seed of ['one', 'two', 'three']) {
      const again = await lab().replay(first.runId, { next: reordered(seed), overrides: { stepSeconds: 1e-9 } });
      expect(again).toMatchObject({ status: 'partial', files: finished(1) });
      expect(again.rows).toEqual({ read: 4, stored: 0, invalid: 4, stale: 0, deleted: 0 });
    }
  });

  it('fails, and says so, when the report is no longer kept', async () => {
    const shop = await lab().openShop();
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
    const shop = await lab().openShop();
    shop.bucket.put('customers.ndjson', ndjson([...customers(1, 2), bad(3)]));
    const first = await run(shop);
    shop.bucket.put('customers.ndjson', ndjson([...customers(11, 12), ...customers(3, 3), ...customers(13, 14)]));
    expect((await lab().replay(first.runId)).rows).toEqual(stored(1));
    expect(await run(shop)).toMatchObject({ files: finished(1), rows: stored(5) });
    expect(await customersOf(shop)).toHaveLength(7);
  });

  it('succeeds with zero files where nothing was bad, or the file is gone', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('customers.ndjson', ndjson([...customers(1, 2), bad(3)]));
    const first = await run(shop);
    shop.bucket.remove('customers.ndjson');
    expect(await lab().replay(first.runId)).toMatchObject({ status: 'succeeded', files: noFiles, rows: stored(0) });
  });
});
