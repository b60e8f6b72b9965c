/** What the operator sees of usage. */
import { tenantPath, TENANTS } from '../../../shared/documents/paths';
import type { UsageCounts } from '../../../shared/domain/usage';
import { NO_USAGE } from '../../../shared/domain/usage';
import { createTenant } from '../../../shared/operations/tenants';
import { showUsage, sumAllUsage } from '../../../shared/operations/usage';
import { toUsageWrite } from '../../../shared/usage/usage-documents';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { SeededRandom } from '../../support/seeded-random';

function aService() {
  const store = new MemoryDocumentStore();
  const operator = operatorOn(store, { clock: new FixedClock(), random: new SeededRandom() });
  const count = (tenantId: string, time: string, counts: Partial<UsageCounts>, route = 'upsertOrders') => {
    const usage = { hourMs: Date.parse(time), keyId: 'key', route, counts: { ...NO_USAGE, ...counts } };
    return store.writeEach([toUsageWrite(tenantId, `${time} ${route}`, [usage])]);
  };
  return { store, operator, count };
}

describe('the usage of a tenant', () => {
  it('is shown by the hour, key and route (R-185)', async () => {
    const { operator, count } = aService();
    const { tenantId } = await createTenant({ organization: 'acme' }, operator);
    await count(tenantId, '2026-03-01T10:00:00Z', { requests: 2, records: 20 });
    await count(tenantId, '2026-03-01T11:00:00Z', { requests: 1 }, 'getOrder');
    const shown = await showUsage(tenantId, {}, operator);
    expect(shown).toMatchObject({
      tenantId,
      step: 'hour',
      totals: { requests: 3, records: 20 },
      keys: [{ keyId: 'key', requests: 3 }],
      routes: [{ route: 'upsertOrders' }, { route: 'getOrder' }],
    });
    const options = { from: new Date('2026-03-01T11:00:00Z'), to: new Date('2026-03-01T12:00:00Z') };
    expect(await showUsage(tenantId, options, operator)).toMatchObject({ totals: { requests: 1 } });
  });

  it('is none of a tenant that does not exist, and of a time that is none (R-185)', async () => {
    const { operator } = aService();
    const { tenantId } = await createTenant({ organization: 'acme' }, operator);
    await expect(showUsage('11111111-1111-4111-8111-111111111111', {}, operator)).rejects.toThrow('does not exist');
    const [early, late] = [new Date('2026-02-01'), new Date('2026-02-02')];
    await expect(showUsage(tenantId, { from: late, to: early }, operator)).rejects.toThrow(
      'from must be before the end, and before now.',
    );
    await expect(showUsage(tenantId, { from: new Date('2025-01-01') }, operator)).rejects.toThrow(
      'from must be at most 90 days before the end.',
    );
  });
});

describe('the usage of all tenants', () => {
  it('is summed, with the tenants that stand out (R-185)', async () => {
    const { operator, count } = aService();
    const ids: string[] = [];
    for (const organization of ['a', 'b', 'c', 'd'])
      ids.push((await createTenant({ organization }, operator)).tenantId);
    const [a = '', b = '', c = ''] = ids;
    await count(a, '2026-03-01T10:00:00Z', { requests: 5, records: 1 });
    await count(b, '2026-03-01T10:00:00Z', { requests: 3, records: 100, errors: 1 });
    await count(c, '2026-03-01T11:00:00Z', { requests: 4, errors: 4 });
    await count(c, '2026-02-01T11:00:00Z', { requests: 1_000 });
    const all = await sumAllUsage({ top: 2 }, operator);
    expect(all).toMatchObject({ tenants: 3, totals: { requests: 12, records: 101, errors: 5 } });
    expect(all.steps.find(({ time }) => time === '2026-03-01T10:00:00.000Z')).toMatchObject({ requests: 8 });
    const idsOf = (top: readonly { tenantId: string }[]) => top.map(({ tenantId }) => tenantId);
    expect(idsOf(all.top.requests)).toEqual([a, c]);
    expect(idsOf(all.top.records)).toEqual([b, a]);
    expect(idsOf(all.top.errors)).toEqual([c, b]);
    expect(all.top.errors[0]).toEqual({ tenantId: c, organizationId: 'c', ...NO_USAGE, requests: 4, errors: 4 });
  });

  it('is that of thousands of tenants, of which most have none (R-185)', async () => {
    const { store, operator, count } = aService();
    const ids = Array.from({ length: 2_000 }, (_, n) => `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`);
    await store.writeEach(ids.map((id) => ({ set: tenantPath(id), data: { organizationId: 'many' } })));
    for (const id of ids.filter((_, n) => n % 100 === 0)) await count(id, '2026-03-01T10:00:00Z', { requests: 1 });
    const { tenants, totals, top } = await sumAllUsage({}, operator);
    expect({ tenants, totals, listed: top.requests.length }).toMatchObject({ tenants: 20, totals: { requests: 20 }, listed: 10 }); // prettier-ignore
    expect(operator.said.at(-1)).toBe(`${await store.count(TENANTS)} tenants looked at`);
  });

  it.each([0, -1, 1.5, 1_001, NaN])('lists no %s tenants (R-185)', async (top) => {
    await expect(sumAllUsage({ top }, aService().operator)).rejects.toThrow('top must be a whole number, 1 to 1000');
  });
});
