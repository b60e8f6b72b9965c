import { StoredAdmission } from '../../../shared/auth/stored-admission';
import { toKeyDocument, toTenantDocument } from '../../../shared/auth/tenant-documents';
import { apiKeyPath, rateCounterPath, tenantPath } from '../../../shared/documents/paths';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { aKey } from '../support/key';
import { aTenant, TENANT_ID } from '../support/tenant';

const deadline = { remainingMs: () => 1_000 };
const key = aKey();

let documents: MemoryDocumentStore;
let admission: StoredAdmission;

beforeEach(() => {
  documents = new MemoryDocumentStore();
  admission = new StoredAdmission(documents);
});

it('finds a key by its hash, as it is stored now', async () => {
  await expect(admission.findKey(key.hash, deadline)).resolves.toBeUndefined();
  for (const stored of [key, aKey({ revokedAtMs: 1 })]) {
    await documents.commit([{ set: apiKeyPath(key.hash), data: toKeyDocument(stored) }]);
    await expect(admission.findKey(key.hash, deadline)).resolves.toStrictEqual(stored);
  }
});

it('finds a tenant by its id, as it is stored now', async () => {
  await expect(admission.findTenant(TENANT_ID, deadline)).resolves.toBeUndefined();
  for (const stored of [aTenant(), aTenant({ requiredFields: ['Phone'] })]) {
    await documents.commit([{ set: tenantPath(TENANT_ID), data: toTenantDocument(stored) }]);
    await expect(admission.findTenant(TENANT_ID, deadline)).resolves.toStrictEqual(stored);
  }
});

it('finds no tenant that is being erased (R-60)', async () => {
  const erasing = { ...aTenant(), erasingSince: new Date('2026-03-01T12:00:00Z') };
  await documents.commit([{ set: tenantPath(TENANT_ID), data: toTenantDocument(erasing) }]);
  await expect(admission.findTenant(TENANT_ID, deadline)).resolves.toBeUndefined();
});

it('counts the requests of each key in each minute apart', async () => {
  const other = aKey({ hash: `${key.hash}x` as typeof key.hash });
  const counts = [];
  for (const [hash, minute] of [[key.hash, 7], [key.hash, 7], [key.hash, 8], [other.hash, 7], [key.hash, 7]] as const) {
    counts.push(await admission.countRequest(hash, minute));
  } // prettier-ignore
  expect(counts).toStrictEqual([1, 2, 1, 1, 3]);
});

it('keeps a counter for an hour after its minute began, then the database may remove it', async () => {
  const minute = Date.parse('2026-03-01T12:00:00Z') / 60_000;
  await admission.countRequest(key.hash, minute);
  const stored = await documents.get(rateCounterPath(key.hash, minute));
  expect(stored?.data).toStrictEqual({ count: 1, expireAt: new Date('2026-03-01T13:00:00Z') });
});

it('reads how many requests of a key were counted, without counting (D-34)', async () => {
  await expect(admission.findCount(key.hash, 7, deadline)).resolves.toBe(0);
  await admission.countRequest(key.hash, 7);
  await admission.countRequest(key.hash, 7);
  await expect(admission.findCount(key.hash, 7, deadline)).resolves.toBe(2);
  await expect(admission.findCount(key.hash, 8, deadline)).resolves.toBe(0);
});

it('counts requests at once for instances that it numbers, in the same counter (R-126)', async () => {
  await expect(admission.countLease(key.hash, 7, 40, true)).resolves.toStrictEqual({ count: 40, instances: 1 });
  await expect(admission.countRequest(key.hash, 7)).resolves.toBe(41);
  await expect(admission.countLease(key.hash, 7, 9, true)).resolves.toStrictEqual({ count: 50, instances: 2 });
  await expect(admission.countLease(key.hash, 7, 1, false)).resolves.toStrictEqual({ count: 51, instances: 2 });
  await expect(admission.findCount(key.hash, 7, deadline)).resolves.toBe(51);
});
