/** `tenants erase` on the database, with transfers that really ran, and one that runs. */
import { eraseTenant } from '../../shared/operations/erasure/erase';
import type { StoredDocument } from '../../shared/documents/document-store';
import { pagesBelow } from '../../shared/documents/pages';
import { AUDIT_LOG, collectionIdOf, runFilesPath, tenantPath } from '../../shared/documents/paths';
import type { Tenant } from '../../shared/domain/tenant';
import { recurringJobId } from '../../shared/domain/transfer';
import { remove, upsert } from '../support/api-writes';
import type { Operator, OperatorMeans } from '../../shared/operations/operator';
import { eraserOn } from '../support/memory-eraser';
import { withMethods } from '../support/overriding';
import { SkippingClock } from '../support/skipping-clock';
import { useTransferLab } from '../support/transfer-lab';

const lab = useTransferLab();
const YES = { yes: true };
const customers = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `{"Email":"${name}${n}@example.com"}\n`).join('');

/**
 * Every document of the project with its version, whatever collection it is in, but entries of the audit log, which
 * stay; and every report object.
 */
async function everything(): Promise<{ documents: StoredDocument[]; reports: string[] }> {
  const { config, operator, storage } = lab();
  const { store, deadline } = operator;
  const documents: StoredDocument[] = [];
  for await (const page of pagesBelow(store, '', deadline)) {
    const paths = page.map(({ path }) => path).filter((path) => !path.startsWith(`${AUDIT_LOG}/`));
    documents.push(...(await store.getAll(paths, deadline())).sort(byPath));
  }
  const { objects } = await storage.list(config.reportsBucket, '', 1_000);
  return { documents, reports: objects.map(({ name, generation }) => `${name}#${generation}`) };
}

const byPath = (a: StoredDocument, b: StoredDocument) => (a.path < b.path ? -1 : 1);

function anEraser(): Operator & OperatorMeans {
  const { operator, storage } = lab();
  return { ...eraserOn(operator), storage, clock: new SkippingClock() };
}

/** A tenant with records, deletions in all states but set aside, runs with bad rows, and a replay. */
async function aTenantWithEverything(organization: string, name: string): Promise<Tenant> {
  const { operator } = lab();
  const tenant = await lab().createTenant({ organization, productIdentifier: 'sku' });
  const bucket = await lab().createBucket(tenant);
  await upsert(tenant, 'products', [{ ProductId: 'p', ProductVariants: [{ VariantId: 'v', Sku: 's' }] }], operator);
  await upsert(tenant, 'orders', [{ OrderId: '1', Currency: 'EUR' }, { OrderId: '2', Currency: 'EUR' }], operator); // prettier-ignore
  await remove(tenant, { type: 'order', orderId: '1' }, 'applied', operator);
  await remove(tenant, { type: 'product', productId: 'none' }, 'pending', operator);
  bucket.put('customers.ndjson', customers(name, 900) + '{"Email":"no"}\n');
  const { runId } = await lab().run(tenant, bucket);
  await lab().replay(runId);
  return tenant;
}

it('leaves nothing of the tenant in the whole database, and every other tenant byte for byte as it was (R-60)', async () => {
  const others = [await aTenantWithEverything('acme', 'sibling'), await aTenantWithEverything('else', 'stranger')];
  const before = await everything();
  const leaver = await aTenantWithEverything('acme', 'leaver');
  const known = new Set(before.documents.map(({ path }) => path));
  const full = await everything();
  const added = full.documents.filter(({ path }) => !known.has(path));
  const counts: Record<string, number> = {};
  for (const { path } of added) counts[collectionIdOf(path)] = (counts[collectionIdOf(path)] ?? 0) + 1;
  const { buckets: bucketDocuments, leases, ...counted } = counts;
  expect(counted).toMatchObject({
    customers: 900,
    files: 2,
    replay: 1,
    reports: 2,
    pages: 1,
    transferRuns: 2,
  });
  expect(leases).toBeGreaterThan(0); // how many, depends on the time that its files take

  const reported = await eraseTenant(leaver.tenantId, {}, anEraser());
  expect(reported).toMatchObject({
    state: 'stored',
    documents: counted,
    reportObjects: full.reports.length - before.reports.length,
  });
  expect(await everything()).toEqual(full);

  const erased = await eraseTenant(leaver.tenantId, YES, anEraser());
  expect(erased).toMatchObject({ state: 'erased', documents: counted, reportObjects: reported.reportObjects });
  expect(bucketDocuments).toBe(1); // the organization has another tenant, and keeps its buckets
  const after = await everything();
  const isBucket = ({ path }: StoredDocument) => path.startsWith('buckets/');
  expect(after.documents.filter((document) => !isBucket(document))).toEqual(before.documents.filter((document) => !isBucket(document))); // prettier-ignore
  expect(after.documents.filter(isBucket)).toEqual(full.documents.filter(isBucket));
  expect(after.reports).toEqual(before.reports);

  for (const { tenantId } of others) await eraseTenant(tenantId, YES, anEraser());
  expect(await everything()).toEqual({ documents: [], reports: [] });
});

it('stores no further slice of a file that is being read, and its steps do nothing after that (R-60, R-403)', async () => {
  const { operator } = lab();
  const { tenant, bucket } = await lab().openShop();
  bucket.put('customers.ndjson', customers('ann', 5_000));
  let isErased = false;
  const store = withMethods(operator.store, (method, name) => async (...call) => {
    const writes = name === 'commit' ? (call[0] as readonly object[]) : [];
    // A slice in the middle of the file, which was read and is to be written.
    const isSlice = writes.length > 300 && (await operator.store.count(`${tenantPath(tenant.tenantId)}/customers`, operator.deadline())) > 800; // prettier-ignore
    if (isSlice && !isErased) {
      isErased = true;
      await eraseTenant(tenant.tenantId, YES, anEraser());
    }
    return method(...call);
  });
  const started = lab().start(tenant, bucket, { overrides: { store } });
  await started.deliver(started.trigger);
  await started.deliverAll();
  expect(isErased).toBe(true);
  expect(await everything()).toEqual({ documents: [], reports: [] });
});

it.each([
  ['the trigger', 0],
  ['planning', 1],
  ['a file', 2],
])('a step that comes while the tenant is being erased writes nothing for it: %s', async (_, steps) => {
  const { operator } = lab();
  const { tenant, bucket } = await lab().openShop();
  bucket.put('customers.ndjson', customers('ann', 5));
  const started = lab().start(tenant, bucket);
  started.waiting.push(started.trigger);
  for (let step = 0; step < steps; step += 1) await started.deliver(started.waiting.shift()!);
  const data = { erasingSince: new Date() };
  const startErasing = { set: tenantPath(tenant.tenantId), data, fields: Object.keys(data) };
  await operator.store.commit([startErasing], operator.deadline());
  const before = await everything();
  const next = started.deliver(started.waiting.shift()!);
  if (steps === 0) await expect(next).rejects.toThrow('The tenant of the transfer does not exist.');
  else await next;
  const isRun = ({ path }: StoredDocument) => collectionIdOf(path) === 'transferRuns';
  const after = await everything();
  expect(after.documents.filter((document) => !isRun(document))).toEqual(before.documents.filter((document) => !isRun(document))); // prettier-ignore
  expect(after.documents.filter(isRun).map(({ data: run }) => run.status)).toEqual(steps === 0 ? [] : ['failed']);
});

it('starts no replay of a run whose tenant is being erased', async () => {
  const { operator } = lab();
  const { tenant, bucket } = await lab().openShop();
  bucket.put('customers.ndjson', '{"Email":"no"}\n');
  const { runId } = await lab().run(tenant, bucket);
  const data = { erasingSince: new Date() };
  await operator.store.commit([{ set: tenantPath(tenant.tenantId), data, fields: Object.keys(data) }], operator.deadline()); // prettier-ignore
  const before = await everything();
  const replayId = '20260101000000-replay1';
  const started = lab().start(tenant, bucket);
  await started.deliver({
    ...started.trigger,
    event: { step: 'replay', runId: replayId, replayOf: runId, after: null },
  });
  expect(await everything()).toEqual(before);
  expect(await operator.store.list(runFilesPath(replayId), { limit: 1 }, operator.deadline())).toEqual([]);
});

it('removes the jobs of the tenant, and no other ones', async () => {
  const tenants = [await lab().createTenant(), await lab().createTenant()] as const;
  const eraser = { ...eraserOn(lab().operator), clock: new SkippingClock() };
  for (const { tenantId } of tenants) eraser.scheduled.add(recurringJobId('daily', tenantId)).add(recurringJobId('hourly', tenantId)); // prettier-ignore
  await eraseTenant(tenants[0].tenantId, YES, eraser);
  expect([...eraser.scheduled].every((job) => job.includes(tenants[1].tenantId))).toBe(true);
  expect(eraser.scheduled.size).toBe(2);
});
