/** How much the keys of an organization are used today. */
import { tenantPath } from '../../../shared/documents/paths';
import type { ApiKey } from '../../../shared/domain/api-key';
import { NO_USAGE } from '../../../shared/domain/usage';
import { MAX_KEY_USAGE_TENANTS } from '../../../shared/limits/usage';
import { sumKeyRequests } from '../../../shared/operations/keys/key-requests';
import { NotAllowed } from '../../../shared/operations/operator-error';
import { createTenant } from '../../../shared/operations/tenants';
import { toUsageWrite } from '../../../shared/usage/usage-documents';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { SeededRandom } from '../../support/seeded-random';

function open() {
  const clock = new FixedClock();
  const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
  const operator = operatorOn(store, { clock, random: new SeededRandom() });
  const midnight = Math.floor(clock.nowMs() / 86_400_000) * 86_400_000;
  const tenant = async (organization: string) => (await createTenant({ organization }, operator)).tenantId;
  /** Counts requests of a key in an hour from midnight on. */
  const use = (tenantId: string, keyId: string | null, hour: number, requests: number, id = 'instance') => {
    const usage = {
      hourMs: midnight + hour * 3_600_000,
      keyId,
      route: 'upsertOrders',
      counts: { ...NO_USAGE, requests },
    };
    return store.commit([toUsageWrite(tenantId, `${id}${hour}`, [usage])], operator.deadline());
  };
  return { store, operator, midnight, tenant, use };
}

it('sums the requests of all tenants of the organization since midnight in UTC, by key (R-331)', async () => {
  const { operator, midnight, tenant, use } = open();
  const [first, second, foreign] = [await tenant('acme'), await tenant('acme'), await tenant('other')];
  await use(first, 'key_a', 0, 3);
  await use(first, 'key_b', 1, 10);
  await use(second, 'key_a', 11, 4);
  await use(second, 'key_a', -1, 100);
  await use(second, null, 2, 100);
  await use(foreign, 'key_a', 3, 100);
  expect(await sumKeyRequests('acme', operator)).toEqual({
    since: new Date(midnight).toISOString(),
    keys: [
      { keyId: 'key_b', requests: 10 },
      { keyId: 'key_a', requests: 7 },
    ],
    tenants: 2,
    isWhole: true,
  });
});

it('looks at no more tenants than its bound, and says so (R-331)', async () => {
  const { operator, store, tenant, use } = open();
  const ids: string[] = [];
  for (let count = 0; count < MAX_KEY_USAGE_TENANTS + 2; count += 1) ids.push(await tenant('acme'));
  for (const id of ids) await use(id, 'key_a', 1, 1);
  store.calls.length = 0;
  const sum = await sumKeyRequests('acme', operator);
  expect(sum).toMatchObject({
    keys: [{ keyId: 'key_a', requests: MAX_KEY_USAGE_TENANTS }],
    tenants: MAX_KEY_USAGE_TENANTS,
    isWhole: false,
  });
  expect(store.calls).toHaveLength(1 + MAX_KEY_USAGE_TENANTS);
});

it('leaves out a tenant with too many counters, and says so (R-331)', async () => {
  const { operator, tenant, store, use } = open();
  const ids: string[] = [];
  for (let count = 0; count < MAX_KEY_USAGE_TENANTS; count += 1) ids.push(await tenant('acme'));
  await use(ids[0]!, 'key_a', 1, 1);
  const writes = Array.from({ length: 101 }, (_, index) => {
    const hourMs = Date.parse('2026-03-01T01:00:00Z');
    return toUsageWrite(ids[1]!, `i${index}`, [{ hourMs, keyId: 'key_a', route: 'r', counts: { ...NO_USAGE, requests: 1 } }]); // prettier-ignore
  });
  await store.commit(writes, operator.deadline());
  expect(await sumKeyRequests('acme', operator)).toMatchObject({ keys: [{ keyId: 'key_a', requests: 1 }], isWhole: false }); // prettier-ignore
});

it('leaves out a tenant that is being erased, and an organization without tenants has no requests (R-331)', async () => {
  const { operator, store, tenant, use } = open();
  const tenantId = await tenant('acme');
  await use(tenantId, 'key_a', 1, 1);
  const data = { erasingSince: new Date() };
  await store.commit([{ set: tenantPath(tenantId), data, fields: ['erasingSince'] }], operator.deadline());
  expect(await sumKeyRequests('acme', operator)).toMatchObject({ keys: [], tenants: 0, isWhole: true });
  expect(await sumKeyRequests('nobody', operator)).toMatchObject({ keys: [], tenants: 0, isWhole: true });
});

it('tells a key of its own organization alone, and wants an operator to name one (R-331)', async () => {
  const { operator, tenant, use } = open();
  await use(await tenant('acme'), 'key_a', 1, 1);
  const authority = { organizationId: 'other', permissions: ['settings'] } as unknown as ApiKey;
  await expect(sumKeyRequests('acme', { ...operator, authority })).rejects.toThrow(NotAllowed);
  expect(await sumKeyRequests(undefined, { ...operator, authority })).toMatchObject({ keys: [] });
  await expect(sumKeyRequests(undefined, operator)).rejects.toThrow('organization must be given');
});
