/** Runs say what they have found and could not use, and what they stored that was probably not meant. */
import type { Tenant } from '../../shared/domain/tenant';
import type { ShownRun } from '../../shared/operations/transfers';
import { listFiles } from '../../shared/operations/transfers';
import { changingCommits } from '../support/overriding';
import type { TestBucket } from '../support/transfer-lab';
import { reordered, useTransferLab } from '../support/transfer-lab';

/** So that a few files are several pages, and more than are named. */
jest.mock<object>('../../shared/limits/transfers', () => ({
  ...jest.requireActual<object>('../../shared/limits/transfers'),
  PLAN_PAGE_OBJECTS: 3,
  MAX_NAMED_SKIPPED_FILES: 7,
}));

const lab = useTransferLab();

let tenant: Tenant;
let bucket: TestBucket;
beforeEach(async () => {
  ({ tenant, bucket } = await lab().openShop());
});

const codesOf = ({ warnings }: ShownRun) => warnings.map(({ code, count }) => [code, count]);
const examplesOf = ({ warnings }: ShownRun, code: string) =>
  warnings.find((warning) => warning.code === code)?.examples;

/** The files that the run does not read, as they are named. */
async function skippedOf({ runId }: ShownRun) {
  const skipped = [];
  for await (const { object, reason } of listFiles(runId, lab().operator)) if (reason) skipped.push([object, reason]);
  return skipped;
}

const LOWER_CASE = '{"CustomerId":"a","email":"a@x.com"}\n';

const ITEM_COLUMNS = ['ProductId', 'Sku', 'Quantity', 'Price'].map((field) => `OrderItems.${field}`).join();

it('are none where all is as it should be', async () => {
  bucket.put('customers.csv', 'Email,EmailOptin\na@x.com,true\n');
  bucket.put('orders.csv', `OrderId,Currency,${ITEM_COLUMNS}\no,EUR,p,s,1,2\n`);
  expect(await lab().run(tenant, bucket)).toMatchObject({ rows: { stored: 2 }, warnings: [] });
});

describe('rows', () => {
  it('are told that lack the priority identifier, and whose consent was not applied (R-101)', async () => {
    bucket.put('customers-1.csv', 'Email,CustomerId,EmailOptin\na@x.com,a,true\n');
    await lab().run(tenant, bucket);
    const rows = [
      { CustomerId: 'a', EmailOptin: false },
      { CustomerId: 'b', EmailOptin: false },
      { CustomerId: 'a', Name: 'Ann' },
    ];
    const object = 'customers-2.ndjson';
    bucket.put(object, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const run = await lab().run(tenant, bucket);
    expect(codesOf(run)).toEqual([
      ['emailMissing', 2],
      ['consentNotApplied', 1],
    ]);
    expect(examplesOf(run, 'consentNotApplied')).toEqual([{ object, line: 1 }]);
    expect(examplesOf(run, 'emailMissing')).toEqual([2, 3].map((line) => ({ object, line })));
  });

  it('are told whose fields differ in case only, bad ones too (R-102)', async () => {
    bucket.put('customers.ndjson', `{"email":"a@x.com","Name":"Ann"}\n${LOWER_CASE}`);
    const run = await lab().run(tenant, bucket);
    expect(codesOf(run)).toContainEqual(['fieldCase', 2]);
    expect(examplesOf(run, 'fieldCase')).toEqual([
      { object: 'customers.ndjson', line: 1, field: 'email', expected: 'Email' },
    ]);
    expect(run.rows).toMatchObject({ stored: 1, invalid: 1 });
  });

  it('are told whose items or variants were dropped (R-103)', async () => {
    bucket.put('orders.csv', 'OrderId,Currency,ProductId\no,EUR,p\n');
    bucket.put('products.csv', 'ProductId,VariantId\np,v\n');
    const run = await lab().run(tenant, bucket);
    expect(codesOf(run)).toEqual([
      ['itemsDropped', 1],
      ['variantsDropped', 1],
    ]);
  });

  it('that delete may have any fields of the part that they delete (R-103)', async () => {
    bucket.put('orders.csv', 'OrderId,ProductId,Sku,Quantity,Price,DeletedAt\no,p,s,1,2,2026-01-01\n');
    bucket.put('products.csv', 'ProductId,VariantId,Sku,DeletedAt\np,v,s,2026-01-01\n');
    const run = await lab().run(tenant, bucket);
    expect(run.rows).toMatchObject({ read: 2, deleted: 2 });
    expect(codesOf(run)).toEqual([]);
  });

  it('are told of a preview, too', async () => {
    bucket.put('customers.ndjson', LOWER_CASE);
    expect(codesOf(await lab().run(tenant, bucket, { kind: 'preview' }))).toEqual([
      ['emailMissing', 1],
      ['fieldCase', 1],
    ]);
  });

  it.each(['__proto__', 'constructor', 'x'.repeat(10_000)])('say nothing of a hostile name: %.20s', async (name) => {
    bucket.put('customers.ndjson', `{"Email":"a@x.com",${JSON.stringify(name)}:{"email":1}}\n`);
    expect((await lab().run(tenant, bucket)).warnings).toEqual([]);
  });

  it('are found behind very many ignored fields, and five are named', async () => {
    const others = Array.from({ length: 900 }, (_, n) => `"Other${n}":1`).join();
    const misnamed = ['NAME', 'SURNAME', 'PHONE', 'USERNAME', 'SMSOPTIN', 'GDPROPTIN'];
    bucket.put('customers.ndjson', `{"Email":"a@x.com",${others},${misnamed.map((name) => `"${name}":1`).join()}}\n`);
    const run = await lab().run(tenant, bucket);
    expect(codesOf(run)).toEqual([['fieldCase', 1]]);
    expect(examplesOf(run, 'fieldCase')).toHaveLength(5);
  });
});

describe('files', () => {
  it('are told that cannot be read, have no row, or are not there, and that none was used (R-104)', async () => {
    bucket.put('in/customer.csv', 'Email\na@x.com\n');
    bucket.put('in/orders.xlsx', 'x');
    const none = await lab().run(tenant, bucket, { folders: ['in/', 'typo/'] });
    expect(codesOf(none)).toEqual([
      ['folderEmpty', 1],
      ['unknownKind', 1],
      ['unknownFormat', 1],
      ['noFileUsed', 2],
    ]);
    expect(examplesOf(none, 'folderEmpty')).toEqual([{ folder: 'typo/' }]);
    expect(examplesOf(none, 'unknownKind')).toEqual([{ object: 'in/customer.csv' }]);
    bucket.put('customers-1.csv', '');
    bucket.put('customers-2.csv', 'Email\n');
    const some = await lab().run(tenant, bucket);
    expect(examplesOf(some, 'fileEmpty')).toEqual([{ object: 'customers-1.csv' }]);
    expect(examplesOf(some, 'fileWithoutRows')).toEqual([{ object: 'customers-2.csv' }]);
    expect(examplesOf(some, 'noFileUsed')).toBeUndefined();
  });

  it('that are skipped are listed with their reasons; beyond the bound they are counted (R-105)', async () => {
    bucket.put('customers.ndjson', '{"Email":"a@x.com"}\n');
    await lab().run(tenant, bucket);
    for (let n = 0; n < 8; n += 1) bucket.put(`file-${n}.txt`, 'x');
    const run = await lab().run(tenant, bucket);
    const skipped = await skippedOf(run);
    expect(skipped).toHaveLength(7);
    expect(skipped.slice(0, 2)).toEqual([
      ['customers.ndjson', 'read before'],
      ['file-0.txt', 'unknown format'],
    ]);
    expect(run.files).toMatchObject({ found: 9, skipped: 9 });
    expect(codesOf(run)).toEqual([['unknownFormat', 8]]);
  });
});

describe('of a run whose steps are repeated', () => {
  beforeEach(() => {
    for (let n = 0; n < 4; n += 1) {
      const rows = Array.from({ length: 20 }, (_, row) => `{"CustomerId":"${n}-${row}","email":"a@x.com"}\n`);
      bucket.put(`customers-${n}.ndjson`, rows.join(''));
    }
    for (let n = 0; n < 5; n += 1) bucket.put(`file-${n}.csv`, 'x\n');
  });

  async function expectCountedOnce(run: ShownRun): Promise<void> {
    expect(run.files).toMatchObject({ found: 9, finished: 4, skipped: 5 });
    expect(codesOf(run)).toEqual([
      ['emailMissing', 80],
      ['fieldCase', 80],
      ['unknownKind', 5],
    ]);
    expect(await skippedOf(run)).toHaveLength(5);
  }

  it.each([1, 2, 3])('are counted once, in any order of steps (R-104, seed %d)', async (seed) => {
    const next = reordered(`warnings-${seed}`);
    await expectCountedOnce(await lab().run(tenant, bucket, { overrides: { stepSeconds: 1e-9 }, next }));
  });

  it.each([2, 3, 4])('are counted once where processes die right after commits (R-104, every %d)', async (every) => {
    let commits = 0;
    let kills = 0;
    const store = changingCommits(lab().operator.store, async (commit) => {
      const outcome = await commit();
      commits += 1;
      if (commits % every !== 0 || kills >= 10) return outcome;
      kills += 1;
      throw new Error('The process was killed.');
    });
    const started = lab().start(tenant, bucket, { overrides: { store } });
    started.waiting.push(started.trigger);
    for (let message = started.waiting.shift(); message; message = started.waiting.shift()) {
      const again = message;
      await started.deliver(again).catch(() => started.waiting.push(again));
    }
    expect(kills).toBeGreaterThan(1);
    await expectCountedOnce(await started.shown());
  });
});
