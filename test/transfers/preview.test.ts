/** A preview says what a historical run of the same files would do, and stores nothing of it. */
import { gzipSync } from 'node:zlib';
import { idOf, runExamplesPath, runPath, runPreviewedPath } from '../../shared/documents/paths';
import { LARGE_RECORD_BYTES } from '../../shared/limits/records';
import { PREVIEW_SECONDS } from '../../shared/limits/transfers';
import { replayRun, watchRun } from '../../shared/operations/transfers';
import { systemClock } from '../../shared/platform/clock';
import { cancelRun } from '../../shared/transfers/runs/finish-run';
import { fromRunDocument } from '../../shared/transfers/runs/run';
import { snapshotOf } from '../support/database-snapshot';
import { encodeRecords } from '../support/file-formats';
import { overriding } from '../support/overriding';
import type { RunOptions, Shop } from '../support/transfer-lab';
import { changesDto } from '../support/stored-run';
import { item, order, product, useDatedFiles } from './dated-files';
import { KNOWN_BY_ID } from './numbered-customers';
import { customer, S } from './slices-of-customers';

/** So that files are read one after the other, as their messages are delivered, and rows are stale in both or none. */
jest.mock<object>('../../shared/limits/transfers', () => ({
  ...jest.requireActual<object>('../../shared/limits/transfers'),
  UNIT_FILES: 1,
}));

const { lab, hoursAgo, afterwards, api, deleteBy } = useDatedFiles();

/** Previews a shop, and requires that everything else is stored as before. */
async function preview({ tenant, bucket }: Shop, options: RunOptions = {}) {
  const { store, deadline } = lab().operator;
  const before = await snapshotOf(store, deadline);
  const shown = await lab().run(tenant, bucket, { ...options, kind: 'preview' });
  expect(await snapshotOf(store, deadline, shown.runId)).toEqual(before);
  return shown;
}

/** Previews a shop, and requires that a historical run right after it does the same. @returns what both have counted */
async function previewAndRun(shop: Shop, options: RunOptions = {}) {
  const previewed = await preview(shop, options);
  const { status, files, rows, changes, ignoredFields } = await lab().run(shop.tenant, shop.bucket, {
    ...options,
    kind: 'historical',
  });
  const { runId } = previewed;
  expect(previewed).toMatchObject({ status, files, rows, changes, ignoredFields, error: null });
  const { examples } = await watchRun(runId, lab().operator);
  return { runId, rows, changes: changes!, examples: examples! };
}

it('counts rows and changes of new, newer, stale and bad rows as the run does, and changes nothing (R-94)', async () => {
  const shop = await lab().openShop();
  const consents = { EmailOptin: true, SmsOptin: true };
  await api(shop, 'customers', [
    { Email: 'withdrawn@x.com', ...consents },
    { Email: 'erased@x.com', ...consents },
  ]);
  await api(shop, 'customers', [{ Email: 'withdrawn@x.com', EmailOptin: false }]);
  await deleteBy(shop, { type: 'customer', customerId: null, email: 'erased@x.com' }, 'applied');
  await api(shop, 'products', [product('p', ['a'])]);
  await api(shop, 'orders', [order('o', { OrderItems: [item('a')] })]);

  const old = [{ Email: 'withdrawn@x.com', ...consents }, { Email: 'erased@x.com', ...consents }, { Email: 'x' }];
  shop.bucket.put('old/customers.ndjson', encodeRecords(old, 'ndjson'), hoursAgo(1));
  await afterwards();
  const csv = encodeRecords([product('p', ['a', 'b'], { ProductName: 'P' }), product('q', ['c'])], 'csv');
  shop.bucket.put('new/products.csv.gz', gzipSync(csv));
  shop.bucket.put('new/orders.json', encodeRecords([order('o', { TotalRevenue: 5 }), order('n')], 'json'));
  const records = [
    { Email: 'withdrawn@x.com', SmsOptin: false },
    { Email: 'new@x.com', Nmae: 'x', ...consents },
  ];
  shop.bucket.put('new/customers.ndjson', encodeRecords(records, 'ndjson'));

  const { rows, changes } = await previewAndRun(shop);
  expect(rows).toEqual({ read: 9, stored: 6, invalid: 1, stale: 2, deleted: 0 });
  expect(changes.Customers).toMatchObject({ Created: 1, Updated: 1 });
  expect(changes.Customers.Consents.EmailOptin).toMatchObject({ KeptWithdrawn: 1, Erased: 1, Granted: 1 });
  expect(changes.Products).toMatchObject({ Created: 1, Updated: 1 });
  expect(changes.Orders).toMatchObject({ Created: 1, Updated: 1 });
});

it('shows later rows of a record what earlier ones would have stored, across slices and files (R-94)', async () => {
  const shop = await lab().openShop();
  await api(shop, 'customers', [customer(0), customer(1, { EmailOptin: true })]);
  await afterwards();
  const rows = Array.from({ length: 3 * S }, (_, n) => customer(n % (S - 7), { EmailOptin: n % 2 === 0 }));
  shop.bucket.put('customers-1.ndjson', encodeRecords(rows, 'ndjson'));
  shop.bucket.put('customers-2.csv', encodeRecords([...rows, customer(9_999)], 'csv'));
  const { changes } = await previewAndRun(shop);
  expect(changes.Customers.Created).toBe(S - 7 - 2 + 1);
  expect(changes.Customers.Consents.EmailOptin.Withdrawn).toBeGreaterThan(S);
});

it('deletes by rows and applies pending deletions in its own documents only (R-94)', async () => {
  const shop = await lab().openShop();
  const emails = Array.from({ length: 6 }, (_, n) => ({ Email: `${n}@x.com`, EmailOptin: true }));
  await api(shop, 'customers', emails);
  await api(shop, 'products', [product('p', ['a', 'b']), product('q', ['c'])]);
  await api(shop, 'orders', [order('o', { OrderItems: [item('a'), item('b')] })]);
  await deleteBy(shop, { type: 'customer', customerId: null, email: '3@x.com' }, 'pending');
  const DeletedAt = (await afterwards()).toISOString();
  const put = (name: string, records: readonly object[]) => shop.bucket.put(name, encodeRecords(records, 'ndjson'));
  put('customers.ndjson', [
    { Email: '0@x.com', DeletedAt },
    { Email: '1@x.com', DeletedAt: hoursAgo(1).toISOString() },
    { Email: '3@x.com', SmsOptin: true },
    { Email: '0@x.com', Name: 'again', UpdatedAt: hoursAgo(2).toISOString(), EmailOptin: true },
    { Email: 'nobody@x.com', DeletedAt },
  ]);
  put('products.ndjson', [
    { ProductId: 'q', DeletedAt },
    { ProductId: 'p', ProductVariants: [{ VariantId: 'v-a', DeletedAt }] },
  ]);
  put('orders.ndjson', [{ OrderId: 'o', ProductId: 'p', Sku: 'a', DeletedAt }]);
  const { rows, changes } = await previewAndRun(shop);
  expect(rows).toEqual({ read: 8, stored: 1, invalid: 0, stale: 2, deleted: 5 });
  expect(changes.Customers).toMatchObject({ Created: 1, Deleted: 2 });
});

it('finds customers by their other identifier among those that it would have stored (R-94)', async () => {
  const shop = await lab().openShop({ customerIdentifier: 'customerid' });
  await api(shop, 'customers', [{ CustomerId: 'a', Email: 'a@x.com' }]);
  await afterwards();
  shop.bucket.put('1/customers.ndjson', encodeRecords([{ CustomerId: 'b', Email: 'b@x.com' }, { CustomerId: 'a', Email: 'c@x.com' }], 'ndjson')); // prettier-ignore
  const DeletedAt = (await afterwards()).toISOString();
  const deleted = ['a@x.com', 'b@x.com', 'c@x.com'].map((Email) => ({ Email, DeletedAt }));
  shop.bucket.put('2/customers.ndjson', encodeRecords(deleted, 'ndjson'));
  shop.bucket.put('3/customers.ndjson', encodeRecords([{ CustomerId: 'a' }, { CustomerId: 'b' }], 'ndjson'));
  const { changes } = await previewAndRun(shop, { folders: ['1/', '2/', '3/'] });
  expect(changes.Customers).toMatchObject({ Created: 3, Updated: 1, Deleted: 3 });
});

it('matches products by Sku among those that it would have stored (R-94)', async () => {
  const shop = await lab().openShop({ productIdentifier: 'sku' });
  await api(shop, 'products', [product('p', ['a']), product('q', ['b'])]);
  await afterwards();
  const records = [product('r', ['a', 'x']), product('s', ['x']), product('t', ['b', 'a'])];
  shop.bucket.put('products-1.ndjson', encodeRecords(records, 'ndjson'));
  shop.bucket.put('products-2.csv', encodeRecords([product('u', ['x']), product('v', ['new'])], 'csv'));
  const { rows, changes } = await previewAndRun(shop);
  expect(rows.stored).toBe(5);
  expect(changes.Products).toMatchObject({ Created: 1, Updated: 4 });
});

it('reads the files that a historical run reads, and takes none of them (R-94)', async () => {
  const shop = await lab().openShop();
  shop.bucket.put('customers.ndjson', encodeRecords([customer(1), customer(2)], 'ndjson'));
  await preview(shop);
  const daily = await lab().run(shop.tenant, shop.bucket);
  expect(daily).toMatchObject({ files: { found: 1, finished: 1, skipped: 0 }, rows: { stored: 2 } });
  const { rows, changes } = await previewAndRun(shop);
  expect(rows.read).toBe(2);
  expect(changes).toEqual(changesDto({ Unchanged: 2 }));
});

it.each([
  ['ndjson', 1],
  ['csv', S + 3],
  ['json', 5 * S],
] as const)(
  'reads only the first rows of each %s file where it is told how many: %d (R-97)',
  async (format, sample) => {
    const shop = await lab().openShop();
    const names = ['customers-1', 'customers-2'];
    for (const [index, name] of names.entries()) {
      const rows = Array.from({ length: 4 * S }, (_, n) => customer(index * 4 * S + n));
      shop.bucket.put(`${name}.${format}`, encodeRecords(rows, format));
    }
    const { status, files, rows, changes } = await preview(shop, { sampleRowsPerFile: sample });
    const read = 2 * Math.min(sample, 4 * S);
    expect({ status, files: files.finished, rows: rows.read }).toEqual({ status: 'succeeded', files: 2, rows: read });
    expect(changes).toEqual(changesDto({ Created: read }));
  },
);

it('goes on at its row when a preview of some rows of a file takes several steps (R-97)', async () => {
  const shop = await lab().openShop(KNOWN_BY_ID);
  let deliveries = 0;
  const inOrder = () => {
    deliveries += 1;
    return { index: 0, comesAgain: false };
  };
  const rows = Array.from({ length: 8 * S }, (_, n) => customer(n));
  shop.bucket.put('customers.ndjson', encodeRecords(rows, 'ndjson'));
  const options = { sampleRowsPerFile: 6 * S + 5, overrides: { stepSeconds: 0 }, next: inOrder };
  const shown = await preview(shop, options);
  expect(shown.rows.read).toBe(6 * S + 5);
  expect(deliveries).toBeGreaterThan(4); // the run's start, its plan, and more than two steps of the file
});

it('shows examples, those whose consents would change first (R-96)', async () => {
  const shop = await lab().openShop();
  await api(shop, 'customers', [{ Email: 'c@x.com', Name: 'C', EmailOptin: true }, { Email: 'same@x.com' }]);
  await api(shop, 'products', [product('p', ['a', 'b'])]);
  await afterwards();
  const rows = [
    { Email: 'same@x.com' },
    ...Array.from({ length: 30 }, (_, n) => ({ Email: `new-${n}@x.com`, Name: `${n}` })),
    { Email: 'c@x.com', Name: 'D', EmailOptin: false },
  ];
  shop.bucket.put('customers.csv', encodeRecords(rows, 'csv'));
  const { runId, examples } = await previewAndRun(shop, { folders: ['customers'] });
  expect(examples).toHaveLength(20);
  expect(examples[0]).toEqual({
    Object: 'customers.csv',
    Line: 33,
    Identifiers: { Email: 'c@x.com' },
    Fields: { Name: { from: 'C', to: 'D' }, EmailOptin: { from: true, to: false } },
  });
  expect(examples[1]).toMatchObject({
    Line: 3,
    Identifiers: { Email: 'new-0@x.com' },
    Fields: { Name: { from: null, to: '0' }, EmailOptin: { from: null, to: false } },
  });
  shop.bucket.put(
    'products.ndjson',
    encodeRecords([product('p', ['b', 'c'], { ProductName: 'x'.repeat(200) })], 'ndjson'),
  );
  const products = await previewAndRun(shop, { folders: ['products'] });
  expect(products.runId).not.toBe(runId);
  expect(products.examples).toMatchObject([
    {
      Identifiers: { ProductId: 'p' },
      Fields: {
        ProductName: { from: null },
        ProductVariants: { from: [], to: [{ VariantId: 'v-c', Sku: 'c' }] },
      },
    },
  ]);
});

it('goes on exactly where a step ended in the middle, before or after any of its commits (R-94)', async () => {
  const shop = await lab().openShop();
  await api(shop, 'customers', [customer(0, { EmailOptin: true }), customer(1)]);
  await afterwards();
  const rows = [0, 1, 2, 0, 1].map((n, index) => customer(n, { EmailOptin: index > 2 }));
  const DeletedAt = (await afterwards()).toISOString();
  const removal = [{ CustomerId: 'c2', DeletedAt }, customer(2), { CustomerId: 'c3', EmailOptin: 'bad' }, customer(0)];
  shop.bucket.put('customers-1.ndjson', encodeRecords([...rows, ...removal], 'ndjson'));
  shop.bucket.put('customers-2.csv', encodeRecords([customer(0, { EmailOptin: false }), customer(4)], 'csv'));
  const { store } = lab().operator;

  /** Previews with a store that fails once: right before, or right after, its commit with this number. */
  const previewFailing = async (failing: number, isBefore: boolean) => {
    let commits = 0;
    const commit: typeof store.commit = async (writes, deadline) => {
      commits += 1;
      const fails = commits === failing;
      if (fails && isBefore) throw new Error('The process ends.');
      const outcome = await store.commit(writes, deadline);
      if (fails) throw new Error('The process ends.');
      return outcome;
    };
    const overrides = { store: overriding(store, { commit }) };
    const started = lab().start(shop.tenant, shop.bucket, { kind: 'preview', overrides });
    started.waiting.push(started.trigger);
    for (let message = started.waiting.shift(); message; message = started.waiting.shift()) {
      const delivered = message;
      await started.deliver(delivered).catch(() => started.waiting.unshift(delivered));
    }
    const { status, files, changes, rows: counts, runId } = await started.shown();
    return { commits, shown: { status, files, changes, counts, report: await lab().report(runId) } };
  };
  const undisturbed = await previewFailing(0, true);
  expect(undisturbed.shown).toMatchObject({ status: 'partial', counts: { read: 11, invalid: 1 } });
  for (let failing = 1; failing <= undisturbed.commits; failing += 1) {
    for (const isBefore of [true, false]) {
      const { shown } = await previewFailing(failing, isBefore);
      expect({ failing, isBefore, ...shown }).toEqual({ failing, isBefore, ...undisturbed.shown });
    }
  }
  const { rows: counts, changes } = await previewAndRun(shop);
  expect({ counts, changes }).toEqual({ counts: undisturbed.shown.counts, changes: undisturbed.shown.changes });
});

it('counts each record once where files with the same records are read at once (R-94)', async () => {
  const shop = await lab().openShop();
  const rows = Array.from({ length: 3 * S }, (_, n) => customer(n));
  const at = hoursAgo(1);
  for (const n of [1, 2, 3]) shop.bucket.put(`customers-${n}.ndjson`, encodeRecords(rows, 'ndjson'), at);
  const started = lab().start(shop.tenant, shop.bucket, { kind: 'preview' });
  started.waiting.push(started.trigger);
  while (!started.waiting.some(({ event }) => 'unitId' in event)) await started.deliver(started.waiting.shift()!);
  await Promise.all(started.waiting.splice(0).map((message) => started.deliver(message)));
  await started.deliverAll();
  const { rows: counts, changes } = await started.shown();
  expect(counts).toMatchObject({ read: 9 * S, stored: 9 * S });
  expect(changes).toEqual(changesDto({ Created: 3 * S, Unchanged: 6 * S }));
});

it('does not write the tenant’s document for large records, which it does not store (R-94)', async () => {
  const shop = await lab().openShop();
  const long = { VariantId: 'v', Sku: 's', Name: 'x'.repeat(500) };
  const ProductVariants = Array.from({ length: LARGE_RECORD_BYTES / 500 }, (_, n) => ({ ...long, VariantId: `${n}` }));
  shop.bucket.put('products.ndjson', encodeRecords([{ ProductId: 'large', ProductVariants }], 'ndjson'));
  const { runId, rows } = await previewAndRun(shop);
  expect(rows.stored).toBe(1);
  const { store, deadline } = lab().operator;
  const kept = await store.list(runPreviewedPath(runId), { limit: 10 }, deadline());
  expect(kept.map(({ path }) => idOf(path).split('.')[0])).toEqual(['products']);
});

it('is cancelled like any run (R-80, R-94)', async () => {
  const shop = await lab().openShop();
  shop.bucket.put('customers.ndjson', encodeRecords([customer(1)], 'ndjson'));
  const started = lab().start(shop.tenant, shop.bucket, { kind: 'preview' });
  await started.deliver(started.trigger);
  const { runId } = await started.shown();
  const { operator } = lab();
  expect(await cancelRun(runId, operator.deadline(), operator)).toBe(true);
  await started.deliverAll();
  expect(await started.shown()).toMatchObject({ status: 'cancelled', rows: { read: 0 } });
});

it('fails when it takes more than 24 hours, because what it keeps expires then (R-95)', async () => {
  const shop = await lab().openShop();
  shop.bucket.put('customers.ndjson', encodeRecords([customer(1)], 'ndjson'));
  let jumpMs = 0;
  const clock = overriding(systemClock, { nowMs: () => systemClock.nowMs() + jumpMs });
  const started = lab().start(shop.tenant, shop.bucket, { kind: 'preview', overrides: { clock } });
  await started.deliver(started.trigger);
  jumpMs = PREVIEW_SECONDS * 1000;
  await started.deliverAll();
  const error = 'The preview takes more than 24 hours.';
  expect(await started.shown()).toMatchObject({ status: 'failed', error, rows: { read: 0 } });
});

it('lets what it keeps of records expire 24 hours after its start (R-95)', async () => {
  const shop = await lab().openShop();
  shop.bucket.put('customers.ndjson', encodeRecords([customer(1)], 'ndjson'));
  const { runId } = await preview(shop);
  const { store, deadline } = lab().operator;
  const run = fromRunDocument((await store.get(runPath(runId), deadline()))!);
  const expireAt = new Date(run.startedAt.getTime() + PREVIEW_SECONDS * 1000);
  const kept = await Promise.all(
    [runPreviewedPath(runId), runExamplesPath(runId)].map((path) => store.list(path, { limit: 10 }, deadline())),
  );
  expect(kept.map((documents) => documents.length)).toEqual([1, 1]);
  expect(kept.flat().map(({ data }) => data.expireAt)).toEqual([expireAt, expireAt]);
});

it('cannot be replayed by the operator, and is no run of a job (R-98)', async () => {
  const shop = await lab().openShop();
  shop.bucket.put('customers.ndjson', encodeRecords([{ Email: 'bad' }], 'ndjson'));
  const { runId, jobId, rows } = await preview(shop);
  expect(rows.invalid).toBe(1);
  expect(await lab().report(runId)).toMatchObject([{ line: 1 }]);
  await expect(replayRun(runId, lab().operator)).rejects.toThrow('is a preview');
  expect(jobId).toBe(`preview-transfer/${shop.tenant.tenantId}/${runId}`);
});
