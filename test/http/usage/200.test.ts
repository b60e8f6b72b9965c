import { NO_USAGE } from '../../../shared/domain/usage';
import { MAX_USAGE_KEYS } from '../../../shared/limits/usage';
import type { ShownUsage } from '../../../shared/usage/usage-sum';
import type { Usage } from '../../../shared/usage/usage-documents';
import { toUsageWrite } from '../../../shared/usage/usage-documents';
import { call, envelopeOf, expectAnswer, rowsOf, useRouteService } from '../api';
import type { Caller } from '../../support/test-service';
import { STORED_USAGE_DTO } from '../../support/stored-usage';

const service = useRouteService('usage');

async function ask({ tenantId, key }: Caller, query = ''): Promise<ShownUsage> {
  const answer = await service().request('GET', `/usage/${tenantId}?${query}`, { key });
  expect(answer.status).toBe(200);
  return (answer.json as { data: ShownUsage }).data;
}

async function store({ tenantId }: Caller, id: string, usage: readonly Usage[]) {
  await service().store.writeEach([toUsageWrite(tenantId, id, usage)], service().deadline());
}

const at = (time: string, requests = 1): Usage => {
  return { hourMs: Date.parse(time), keyId: 'key', route: 'upsertOrders', counts: { ...NO_USAGE, requests } };
};

describe('GET /usage/<tenant_id>', () => {
  it('shows what was counted by the hour, key and route, and writes nothing but the key’s counter (R-183)', async () => {
    const caller = await service().createCaller({ permissions: ['records'] });
    const [[, route] = []] = rowsOf('usage');
    const answer = await call(service(), route!, caller);
    expectAnswer(answer, 200, envelopeOf('usage', true, 'Usage found.', STORED_USAGE_DTO), { remaining: 99 });
    expect(service().store.writes.map(({ method }) => method)).toEqual(['increment']);
  });

  it('is of the last day without a time, and has each hour of it (R-183)', async () => {
    const usage = await ask(await service().createCaller());
    expect(usage).toMatchObject({ from: '2026-02-28T12:00:00.000Z', to: '2026-03-01T13:00:00.000Z', step: 'hour' });
    expect(usage.steps).toHaveLength(25);
    expect(usage.totals).toEqual(STORED_USAGE_DTO.totals);
  });

  it('takes a blank time for none, and an offset as it is written (R-183)', async () => {
    const caller = await service().createCaller();
    expect(await ask(caller, 'from=&to=%20')).toEqual(await ask(caller));
    const { from, to } = await ask(caller, 'from=2026-03-01T12:00:00+02:00&to=2026-03-01T07:00-05:00');
    expect([from, to]).toEqual(['2026-03-01T10:00:00.000Z', '2026-03-01T12:00:00.000Z']);
  });

  it('is by the day where the time is longer than a week (R-183)', async () => {
    const caller = await service().createCaller();
    await store(caller, 'a', [at('2026-02-10T00:00:00Z', 1), at('2026-02-10T23:00:00Z', 2)]);
    await store(caller, 'b', [at('2026-02-10T05:00:00Z', 4)]);
    await store(caller, 'c', [at('2026-02-11T00:00:00Z', 8)]);
    await store(caller, 'd', [at('2026-02-08T23:00:00Z', 16)]);
    await store(caller, 'e', [at('2026-02-19T00:00:00Z', 32)]);
    const usage = await ask(caller, 'from=2026-02-09&to=2026-02-19');
    expect(usage).toMatchObject({ step: 'day', totals: { requests: 15 } });
    expect(usage.steps.map(({ time, requests }) => [time.slice(0, 10), requests])).toEqual(
      [0, 7, 8, 0, 0, 0, 0, 0, 0, 0].map((requests, n) => [`2026-02-${String(9 + n).padStart(2, '0')}`, requests]),
    );
  });

  it('shows nothing of another tenant of the organization (R-183)', async () => {
    const caller = await service().createCaller();
    const other = await service().createTenant(caller.organizationId);
    await store({ ...caller, tenantId: other }, 'a', [at('2026-03-01T10:00:00Z')]);
    expect((await ask(caller)).totals).toEqual(STORED_USAGE_DTO.totals);
  });

  it('shows so many keys, those with the most requests, and the sums of all (R-183)', async () => {
    const caller = await service().createCaller();
    const usage = Array.from({ length: MAX_USAGE_KEYS + 1 }, (_, n) => {
      return { ...at('2026-02-10T00:00:00Z', n + 1), keyId: `key-${n + 1}` };
    });
    await store(caller, 'a', usage);
    const { keys, totals } = await ask(caller, 'from=2026-02-10&to=2026-02-11');
    expect(keys).toHaveLength(MAX_USAGE_KEYS);
    expect(keys[0]).toMatchObject({ keyId: `key-${MAX_USAGE_KEYS + 1}` });
    expect(keys.some(({ keyId }) => keyId === 'key-1')).toBe(false);
    expect(totals.requests).toBe(((MAX_USAGE_KEYS + 1) * (MAX_USAGE_KEYS + 2)) / 2);
  });
});
