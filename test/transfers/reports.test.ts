/** The report of bad rows, and files of which nothing can be read, from bucket to run. */
import { listFiles } from '../../shared/operations/transfers';
import { runFilePath, runFilesPath } from '../../shared/documents/paths';
import { idOf } from '../../shared/documents/paths';
import { fromFileDocument, toFileDocument } from '../../shared/transfers/runs/run';
import type { ObjectStorage } from '../../shared/transfers/object-storage';
import { overriding } from '../support/overriding';
import { useTransferLab } from '../support/transfer-lab';
import { customers, finished, ndjson, noFiles, stored } from './numbered-customers';

const lab = useTransferLab();
const bad = { CustomerId: 'c0', EmailOptin: 'yes' };

it('keeps the report of the worker that wins, whatever an overtaken one writes after it (D-52)', async () => {
  const { tenant, bucket } = await lab().openShop();
  bucket.put('customers.ndjson', ndjson([...customers(1, 2), bad]));
  const { storage, config } = lab();
  let isFirst = true;
  const late = overriding<ObjectStorage>(storage, {
    write: async (...call) => {
      if (call[0] === config.reportsBucket && isFirst) {
        isFirst = false;
        await started.deliver(step); // another worker reads the whole file meanwhile
      }
      return storage.write(...call);
    },
  });
  const started = lab().start(tenant, bucket, { overrides: { storage: late } });
  await started.deliver(started.trigger);
  await started.deliver(started.waiting.shift()!);
  const step = started.waiting.shift()!;
  await started.deliver(step);
  await started.deliverAll();
  const ended = await started.shown();
  expect(ended.rows).toEqual({ read: 3, stored: 2, invalid: 1, stale: 0, deleted: 0 });
  expect(await lab().report(ended.runId)).toMatchObject([{ object: 'customers.ndjson', line: 3 }]);
});

it('names a file once for all rows of a report, however long its name is', async () => {
  const { tenant, bucket } = await lab().openShop();
  const object = `customers/${'n'.repeat(200)}.ndjson`;
  bucket.put(object, ndjson(Array.from({ length: 300 }, () => bad)));
  let written = '';
  const { storage } = lab();
  const seeing = overriding<ObjectStorage>(storage, {
    write: (...call) => {
      written += call[2];
      return storage.write(...call);
    },
  });
  const { runId } = await lab().run(tenant, bucket, { overrides: { storage: seeing } });
  expect(written.split(object)).toHaveLength(2);
  const rows = await lab().report(runId);
  expect(rows).toHaveLength(300);
  expect(rows.every((row) => row.object === object)).toBe(true);
});

it('says of a row with more than 100 messages how many are left out (D-52)', async () => {
  const { tenant, bucket } = await lab().openShop();
  const items = (count: number) => ({ OrderItems: Array.from({ length: count }, () => ({})) });
  const order = { OrderId: 'o', Currency: 'EUR' };
  bucket.put(
    'orders.ndjson',
    ndjson([
      { ...order, ...items(300) },
      { ...order, ...items(1) },
    ]),
  );
  const { runId } = await lab().run(tenant, bucket);
  const [many, few] = await lab().report(runId);
  expect(Object.values(many!.messages).flat()).toHaveLength(100);
  expect(many).toMatchObject({ line: 1, omittedErrors: 1_100 });
  expect(few).not.toHaveProperty('omittedErrors');
});

it('shows how many rows are not reported, and replays the whole of such a file (R-25)', async () => {
  const { tenant, bucket } = await lab().openShop();
  bucket.put('customers.ndjson', ndjson([...customers(1, 5), bad]));
  const { runId } = await lab().run(tenant, bucket);
  const { store, deadline } = lab().operator;
  const [document] = await store.list(runFilesPath(runId), { limit: 1 }, deadline());
  const data = toFileDocument({ ...fromFileDocument(document!), unreported: 3 });
  await store.commit([{ set: runFilePath(runId, idOf(document!.path)), data }], deadline());
  const shown: object[] = [];
  for await (const file of listFiles(runId, lab().operator)) shown.push(file);
  expect(shown).toMatchObject([{ object: 'customers.ndjson', unreported: 3 }]);
  bucket.put('customers.ndjson', ndjson(customers(1, 6)));
  expect(await lab().replay(runId)).toMatchObject({ files: finished(1), rows: stored(6) });
});

it('writes no line of a replay into the progress of its file', async () => {
  const { tenant, bucket } = await lab().openShop();
  bucket.put('customers.ndjson', ndjson(Array.from({ length: 900 }, () => bad)));
  const { runId } = await lab().run(tenant, bucket);
  bucket.put('customers.ndjson', ndjson(customers(1, 900)));
  const replay = await lab().replay(runId, { overrides: { stepSeconds: 1e-9 } });
  expect(replay).toMatchObject({ status: 'succeeded', rows: stored(900) });
  const { store, deadline } = lab().operator;
  const [document] = await store.list(runFilesPath(replay.runId), { limit: 1 }, deadline());
  expect(JSON.stringify(document!.data).length).toBeLessThan(1_000);
});

it.each([
  ['CSV with CR', 'customers.csv', 'CustomerId,Name\rc1,Ann\rc2,Bob\r'],
  ['NDJSON with CR', 'customers.ndjson', '{"CustomerId":"c1"}\r{"CustomerId":"c2"}'],
])('stores every row of a file whose lines end in CR alone (R-26): %s', async (_, object, content) => {
  const { tenant, bucket } = await lab().openShop();
  bucket.put(object, content);
  expect(await lab().run(tenant, bucket)).toMatchObject({ status: 'succeeded', files: finished(1), rows: stored(2) });
});

it('fails a file of which nothing can be read, reports no row of it, and reads it again (R-24)', async () => {
  const { tenant, bucket } = await lab().openShop();
  bucket.put('customers.csv', 'Email|Name|Surname\na@b.c|Ann|Lee\n');
  bucket.put('customers.ndjson', 'Email,Name\n'.repeat(5_000));
  for (const _ of [1, 2]) {
    const ended = await lab().run(tenant, bucket, { overrides: { stepSeconds: 1e-9 } });
    expect(ended).toMatchObject({ status: 'partial', files: { ...noFiles, found: 2, failed: 2 }, rows: stored(0) });
    expect(await lab().report(ended.runId)).toEqual([]);
    const errors: (string | null)[] = [];
    for await (const { error } of listFiles(ended.runId, lab().operator)) errors.push(error);
    expect(errors.sort()).toEqual([
      expect.stringMatching(/^None of the first 500 rows of the file can be read/),
      'The header names none of the fields of customers: "Email|Name|Surname". Are the columns separated by vertical bars?',
    ]);
  }
});
