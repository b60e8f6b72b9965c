/** Recurring runs at the same time: each file is read by one of them (D-53, D-55). */
import { takenFilePath } from '../../shared/documents/paths';
import type { DocumentStore } from '../../shared/documents/document-store';
import type { Tenant } from '../../shared/domain/tenant';
import { FILE_HOLD_SECONDS } from '../../shared/limits/transfers';
import { fileIdOf } from '../../shared/transfers/runs/run';
import { encodeRecords } from '../support/file-formats';
import { overriding } from '../support/overriding';
import type { StartedRun, TestBucket } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';

const lab = useTransferLab();

let tenant: Tenant;
let bucket: TestBucket;
beforeEach(async () => {
  ({ tenant, bucket } = await lab().openShop());
});

const customers = (from: number, to: number) =>
  encodeRecords(
    Array.from({ length: to - from + 1 }, (_, n) => ({ CustomerId: `c${from + n}` })),
    'ndjson',
  );
const run = (kind: 'daily' | 'hourly' | 'historical', overrides = {}) => lab().run(tenant, bucket, { kind, overrides });
const files = (finished: number, skipped: number) => ({ found: finished + skipped, finished, skipped, failed: 0 });
const rows = (count: number) => ({ read: count, stored: count, invalid: 0, stale: 0, deleted: 0 });

/** A run that has planned its files and read the first slice of one. */
async function startReading(overrides = {}): Promise<StartedRun> {
  const started = lab().start(tenant, bucket, { overrides: { stepSeconds: 1e-9, ...overrides } });
  started.waiting.push(started.trigger);
  for (let messages = 0; messages < 3; messages += 1) await started.deliver(started.waiting.shift()!);
  return started;
}

it('leaves what another run is reading to that run, and reads the rest (D-55)', async () => {
  bucket.put('customers-1.ndjson', customers(1, 1_000));
  const first = await startReading();
  bucket.put('customers-2.ndjson', customers(1_001, 1_010));
  expect(await run('hourly')).toMatchObject({ status: 'succeeded', files: files(1, 1), rows: rows(10) });
  await first.deliverAll();
  expect(await first.shown()).toMatchObject({ status: 'succeeded', files: files(1, 0), rows: rows(1_000) });
  expect(await run('hourly')).toMatchObject({ files: files(0, 2) });
});

it('reads each of many files once in two runs whose planning meets (D-53)', async () => {
  for (let n = 0; n < 40; n += 1) bucket.put(`customers-${n}.ndjson`, customers(n, n));
  const both = await Promise.all([run('daily'), run('hourly')]);
  const finished = both.map((ended) => ended.files.finished);
  expect(finished.reduce((sum, count) => sum + count)).toBe(40);
  for (const ended of both) expect(ended).toMatchObject({ status: 'succeeded', files: { found: 40, failed: 0 } });
});

it('reads in a historical run what another run is reading', async () => {
  bucket.put('customers.ndjson', customers(1, 1_000));
  const first = await startReading();
  expect(await run('historical')).toMatchObject({ files: files(1, 0), rows: rows(1_000) });
  await first.deliverAll();
  expect(await first.shown()).toMatchObject({ status: 'succeeded', files: files(1, 0), rows: rows(1_000) });
});

it('takes a file whose run has ended without reading it', async () => {
  bucket.put('customers.ndjson', customers(1, 1_000));
  const first = await startReading();
  bucket.denyAccess();
  await first.deliverAll();
  expect(await first.shown()).not.toMatchObject({ status: 'succeeded' });
  bucket.allowAccess();
  expect(await run('hourly')).toMatchObject({ status: 'succeeded', files: files(1, 0), rows: rows(1_000) });
});

it('takes a file that a run holds for too long, which then reads no further (D-55)', async () => {
  bucket.put('customers.ndjson', customers(1, 1_000));
  const first = await startReading();
  const { clock } = lab().operator;
  const after = (seconds: number) => ({ clock: { ...clock, nowMs: () => clock.nowMs() + seconds * 1000 } });
  expect(await run('hourly', after(FILE_HOLD_SECONDS - 60))).toMatchObject({ files: files(0, 1) });
  expect(await run('hourly', after(FILE_HOLD_SECONDS))).toMatchObject({ files: files(1, 0), rows: rows(1_000) });
  // Its own step came again with the later run, and found the file taken over.
  expect(await first.shown()).toMatchObject({ status: 'partial', files: { finished: 0, failed: 1 } });
  await first.deliverAll();
  expect(await first.shown()).toMatchObject({ status: 'partial', files: { finished: 0, failed: 1 } });
});

it('stops in the middle of a file that another run has taken over', async () => {
  bucket.put('customers.ndjson', customers(1, 1_000));
  const first = await startReading();
  const { clock } = lab().operator;
  const late = { clock: { ...clock, nowMs: () => clock.nowMs() + FILE_HOLD_SECONDS * 1000 } };
  const second = await startReading(late);
  await first.deliverAll();
  expect(await first.shown()).toMatchObject({
    status: 'partial',
    files: { found: 1, finished: 0, skipped: 0, failed: 1 },
    error: 'customers.ndjson: Another run has taken it over, because this one took too long.',
  });
  await second.deliverAll();
  expect(await second.shown()).toMatchObject({ status: 'succeeded', files: files(1, 0), rows: rows(1_000) });
});

it('reads a file whose taking was written twice, because the first answer was lost', async () => {
  bucket.put('customers.ndjson', customers(1, 10));
  const { store } = lab().operator;
  const repeating: DocumentStore = overriding(store, {
    async writeEach(writes, deadline) {
      await store.writeEach(writes, deadline);
      return store.writeEach(writes, deadline);
    },
  });
  expect(await run('daily', { store: repeating })).toMatchObject({ files: files(1, 0), rows: rows(10) });
});

it('leaves a new generation to the run that reads it already', async () => {
  bucket.put('customers.ndjson', customers(1, 1_000));
  const first = await startReading();
  bucket.put('customers.ndjson', customers(2_001, 3_000));
  const second = await startReading();
  await first.deliverAll();
  expect(await first.shown()).toMatchObject({ status: 'succeeded', files: files(0, 0) });
  await second.deliverAll();
  expect(await second.shown()).toMatchObject({ status: 'succeeded', files: files(1, 0), rows: rows(1_000) });
});

it('plans a page again after a crash with the same files and counts', async () => {
  bucket.put('customers-1.ndjson', customers(1, 10));
  bucket.put('customers-2.ndjson', customers(11, 20));
  const { store } = lab().operator;
  const started = lab().start(tenant, bucket);
  await started.deliver(started.trigger);
  const plan = started.waiting.shift()!;
  await started.deliver(plan);
  await started.deliver(plan);
  await started.deliverAll();
  expect(await started.shown()).toMatchObject({ status: 'succeeded', files: files(2, 0), rows: rows(20) });
  const object = (await lab().storage.find(bucket.name, 'customers-1.ndjson'))!;
  const path = takenFilePath(tenant.tenantId, fileIdOf(bucket.name, object.name, object.generation));
  const { runId } = await started.shown();
  expect((await store.get(path, lab().operator.deadline()))?.data).toMatchObject({ runId, isFinished: true });
});
