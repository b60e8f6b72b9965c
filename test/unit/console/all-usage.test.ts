/** The usage of all tenants, added up in the page from parts: as the service would sum it at once. */
import { addParts } from '../../../functions/console/app/pages/overview/all-usage';
import type { UsagePart } from '../../../functions/console/app/api/management-answers';
import { USAGE_PART_TENANTS } from '../../../shared/limits/usage';
import { tenantPath } from '../../../shared/documents/paths';
import { NO_USAGE } from '../../../shared/domain/usage';
import { sumAllUsage, sumUsagePart } from '../../../shared/operations/usage';
import { toUsageWrite } from '../../../shared/usage/usage-documents';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { SeededRandom } from '../../support/seeded-random';

it('parts come to the same as one sum, with the same tenants that stand out (R-351)', async () => {
  const store = new MemoryDocumentStore();
  const random = new SeededRandom();
  const operator = operatorOn(store, { clock: new FixedClock(), random });
  const ids = Array.from({ length: 2 * USAGE_PART_TENANTS + 7 }, (_, n) => `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`); // prettier-ignore
  await store.writeEach(ids.map((id) => ({ set: tenantPath(id), data: { organizationId: `org ${id.slice(0, 8)}` } })));
  for (const id of ids.filter((_, n) => n % 3 === 0)) {
    const [requests = 0, records = 0, errors = 0, hour = 0] = random.bytes(4);
    const counts = { ...NO_USAGE, requests, records: records % 4, errors: errors % 2, limited: errors % 2 };
    const usage = { hourMs: Date.parse('2026-03-01T00:00:00Z') + (hour % 12) * 3_600_000, keyId: 'k', route: 'r', counts }; // prettier-ignore
    await store.writeEach([toUsageWrite(id, 'a', [usage])]);
  }
  let sum: UsagePart | undefined;
  let count = 0;
  do {
    sum = addParts(sum, await sumUsagePart({ after: sum?.next ?? undefined }, operator));
    count += 1;
  } while (sum.next !== null);
  const { looked, ofTenants, next: _next, routes: _routes, ...shown } = sum as UsagePart & { routes?: unknown };
  const { routes: _all, ...expected } = await sumAllUsage({}, operator);
  expect(shown).toEqual(expected);
  expect({ count, looked, ofTenants }).toEqual({ count: 3, looked: ids.length, ofTenants: ids.length });
});
