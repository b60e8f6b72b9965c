/** What a smoke test leaves, and what later ones do about it. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STALE_TENANT_MS } from '../../shared/limits/tenants';
import { listBuckets } from '../../shared/operations/buckets';
import { createKey } from '../../shared/operations/keys';
import { listKeys } from '../../shared/operations/keys/list-keys';
import { createTenant, listTenants } from '../../shared/operations/tenants';
import { recurringJobId } from '../../shared/domain/transfer';
import { USAGE_INTERVAL_MS } from '../../shared/limits/usage';
import { claimBucket } from '../../shared/transfers/runs/bucket-ownership';
import { tenantPath } from '../../shared/documents/paths';
import { folderBucket } from '../demo/bucket';
import { upsert } from '../support/api-writes';
import { FixedClock } from '../support/fixed-clock';
import { eraserOn } from '../support/memory-eraser';
import { MemoryDocumentStore } from '../support/memory-document-store';
import { operatorOn } from '../support/memory-operator';
import { ObservedDocumentStore } from '../support/observed-document-store';
import { overriding } from '../support/overriding';
import { SeededRandom } from '../support/seeded-random';
import { removeAll, removeEarlier } from './removal';
import { bucketNameOf, newName, organizationsOf } from './smoke-names';

const NEVER = Infinity;

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'smoke-removal-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A database with a tenant of somebody else, and what a smoke test makes. */
async function aWorld() {
  const clock = new FixedClock();
  const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
  const written = operatorOn(store, { clock, random: new SeededRandom() });
  const operator = eraserOn(written);
  const bucketOf = (name: string) => folderBucket(root, name);
  const stranger = await createTenant({ organization: 'smoke-shop', displayName: 'smoke-shop' }, operator);
  await createKey({ organization: 'smoke-shop' }, operator);
  const smoke = async () => {
    const name = newName(operator);
    const tenants = [];
    for (const organization of organizationsOf(name)) {
      const tenant = await createTenant({ organization, displayName: organization }, operator);
      await createKey({ organization }, operator);
      await upsert(tenant, 'customers', [{ Email: 'ann@example.com' }], written);
      operator.scheduled.add(recurringJobId('daily', tenant.tenantId));
      tenants.push(tenant);
    }
    const bucket = bucketOf(bucketNameOf(name, operator.config));
    await bucket.create();
    await bucket.put([{ name: 'crm/a.csv', title: '', content: Buffer.from('Email\n') }]);
    await claimBucket(bucket.name, tenants[0]!.organizationId, store, operator.deadline());
    return { name, tenants, bucket };
  };
  const validKeys = async () => {
    const keys = [];
    for await (const key of listKeys({}, operator)) if (key.revokedAt === null) keys.push(key.organizationId);
    return keys;
  };
  return { clock, store, operator, stranger, smoke, validKeys, means: { operator, bucketOf } };
}

async function namesOf<T, U>(elements: AsyncIterable<T>, toName: (element: T) => U): Promise<U[]> {
  const names = [];
  for await (const element of elements) names.push(toName(element));
  return names;
}

it('leaves of a smoke test the marks of its tenants alone, and nothing of anybody else is touched (R-388)', async () => {
  const { store, operator, stranger, smoke, validKeys, means } = await aWorld();
  const { name, tenants, bucket } = await smoke();

  const { problems, erasing } = await removeAll(name, means);
  expect(problems).toEqual([]);
  expect([...erasing].sort()).toEqual(tenants.map(({ tenantId }) => tenantId).sort());
  expect(operator.scheduled).toEqual(new Set());
  expect(existsSync(join(root, bucket.name))).toBe(false);
  expect(await namesOf(listBuckets(operator), ({ bucketName }) => bucketName)).toEqual([]);
  expect(await validKeys()).toEqual(['smoke-shop']);
  const documents = [...(await store.dump()).keys()];
  for (const { tenantId } of tenants) {
    expect(documents.filter((path) => path.startsWith(tenantPath(tenantId)))).toEqual([tenantPath(tenantId)]);
  }
  expect((await listTenants(operator)).filter(({ erasingSince }) => !erasingSince)).toEqual([stranger]);
});

it('ends an erasure only when no request of the smoke test can write any more, and then with what came late (R-388)', async () => {
  const { clock, store, operator, stranger, smoke, means } = await aWorld();
  const { name, tenants } = await smoke();
  await removeAll(name, means);
  // An instance stores what it has counted of requests that were answered long ago.
  clock.advance(USAGE_INTERVAL_MS);
  const late = `${tenantPath(tenants[0]!.tenantId)}/usage/late`;
  await store.commit([{ set: late, data: {} }], operator.deadline());

  clock.advance(STALE_TENANT_MS - USAGE_INTERVAL_MS - 1);
  expect(await removeEarlier(means, NEVER)).toEqual({ problems: [], erasing: [] });
  expect(await listTenants(operator)).toHaveLength(3);

  clock.advance(1_000);
  expect(await removeEarlier(means, NEVER)).toEqual({ problems: [], erasing: [] });
  expect(await listTenants(operator)).toEqual([stranger]);
  expect([...(await store.dump()).keys()]).not.toContain(late);
});

it('removes everything of one that was killed, and nothing of one that may be running (R-388)', async () => {
  const { clock, operator, stranger, smoke, validKeys, means } = await aWorld();
  const killed = await smoke();
  clock.advance(STALE_TENANT_MS + 1_000);
  const running = await smoke();

  const { problems, erasing } = await removeEarlier(means, NEVER);
  expect(problems).toEqual([]);
  expect([...erasing].sort()).toEqual(killed.tenants.map(({ tenantId }) => tenantId).sort());
  expect(existsSync(join(root, killed.bucket.name))).toBe(false);
  expect(existsSync(join(root, running.bucket.name))).toBe(true);
  expect((await validKeys()).sort()).toEqual([...organizationsOf(running.name), 'smoke-shop'].sort());
  const served = (await listTenants(operator)).filter(({ erasingSince }) => !erasingSince);
  const ids = served.map(({ tenantId }) => tenantId);
  expect(ids.sort()).toEqual([stranger, ...running.tenants].map(({ tenantId }) => tenantId).sort());
});

it('begins with no further one when its time is over (R-388)', async () => {
  const { clock, operator, smoke, means } = await aWorld();
  await smoke();
  clock.advance(STALE_TENANT_MS + 1_000);
  expect(await removeEarlier(means, clock.nowMs())).toEqual({ problems: [], erasing: [] });
  expect((await listTenants(operator)).filter(({ erasingSince }) => erasingSince)).toEqual([]);
});

it('says what could not be removed, and removes the rest (R-388)', async () => {
  const { operator, smoke, validKeys, means } = await aWorld();
  const { name, tenants, bucket } = await smoke();
  const refusing = overriding(bucket, { remove: () => Promise.reject(new Error('you may not')) });
  const { problems, erasing } = await removeAll(name, { ...means, bucketOf: () => refusing });
  expect(problems).toEqual([`its bucket ${bucket.name}: you may not`]);
  expect(erasing).toHaveLength(tenants.length);
  expect(await validKeys()).toEqual(['smoke-shop']);
  expect(await namesOf(listBuckets(operator), ({ bucketName }) => bucketName)).toEqual([]);
});
