/** What operators see of all tenants when they begin. */
import { raiseFlag } from '../../../shared/deletions/pending-flag';
import { setAsideDeletionPath, TENANTS } from '../../../shared/documents/paths';
import { hashApiKey } from '../../../shared/domain/api-key';
import { UNUSED_DAYS } from '../../../shared/domain/key-marks';
import { MAX_OVERVIEW_RUNS } from '../../../shared/limits/console';
import { USAGE_PART_TENANTS } from '../../../shared/limits/usage';
import type { WaitingDeletions } from '../../../shared/operations/deletions/waiting';
import type { KeysToLookAt } from '../../../shared/operations/keys/marked-keys';
import type { UsagePart } from '../../../shared/operations/usage';
import { ConsoleVisitor } from '../../support/console-visitor';
import { aDeadLetter, MemoryDeadLetters } from '../../support/memory-dead-letters';
import { OperatorVisitor } from '../../support/operator-visitor';
import { aRun, putRun } from '../../support/stored-run';
import { USAGE_QUERY } from '../../support/stored-usage';
import { useRouteService } from '../api';

const service = useRouteService('console', 'orders');

const OVERVIEW = '/console/management/overview';
const ROUTES = ['runs', 'usage', 'deletions', 'dead-letters', 'keys'];

let operator: OperatorVisitor;
afterEach(() => operator.close());

async function ask<Data>(path: string): Promise<Data> {
  const { status, json } = await operator.request('GET', `${OVERVIEW}/${path}`);
  expect(status).toBe(200);
  return (json as { data: Data }).data;
}

describe('the last runs', () => {
  it('are those of all tenants, ten of them, of a status and from a time on where it is named (R-350)', async () => {
    const { store } = service();
    const tenants = [await service().createTenant('a'), await service().createTenant('b')];
    for (let n = 0; n < 12; n += 1) {
      const tenantId = tenants[n % 2]!;
      const status = n % 4 === 0 ? 'failed' : 'succeeded';
      await store.commit(
        [putRun(`202603011200${String(10 + n)}-${tenantId}`, aRun(tenantId, { status }))],
        service().deadline(),
      );
    }
    operator = await OperatorVisitor.opened(service());
    const { runs } = await ask<{ runs: { runId: string; tenantId: string; status: string }[] }>('runs');
    expect(runs).toHaveLength(MAX_OVERVIEW_RUNS);
    expect(runs[0]).toMatchObject({ runId: `20260301120021-${tenants[1]}`, tenantId: tenants[1] });
    expect(runs[0]).toMatchObject({ rows: { read: 2, stored: 1, invalid: 1, stale: 0, deleted: 0 } });
    const failed = await ask<{ runs: { runId: string }[] }>('runs?status=failed&since=2026-03-01T12:00:12Z');
    expect(failed.runs.map(({ runId }) => runId)).toEqual([`20260301120018-${tenants[0]}`, `20260301120014-${tenants[0]}`]); // prettier-ignore
  });
});

describe('the usage', () => {
  it('is summed in parts, each of so many tenants, with those who stand out (R-351)', async () => {
    const ids = Array.from({ length: USAGE_PART_TENANTS }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`); // prettier-ignore
    await service().store.writeEach(
      ids.map((id) => ({ set: `${TENANTS}/${id}`, data: { organizationId: 'many' } })),
      service().deadline(),
    );
    const { tenantId, organizationId } = await service().createCaller(); // has usage
    operator = await OperatorVisitor.opened(service());
    const parts: UsagePart[] = [];
    for (let after: string | null = ''; after !== null; after = parts.at(-1)!.next)
      parts.push(await ask<UsagePart>(`usage?${USAGE_QUERY}&after=${after}`));
    expect(parts.map(({ looked }) => looked)).toEqual([USAGE_PART_TENANTS, 1]);
    expect(parts.map(({ ofTenants }) => ofTenants)).toEqual([USAGE_PART_TENANTS + 1, null]);
    expect(parts.map(({ tenants }) => tenants)).toEqual([0, 1]);
    expect(parts[1]!.top.records).toMatchObject([{ tenantId, organizationId, records: 1120 }]);
    expect(parts.map(({ steps }) => steps.map(({ records }) => records))).toEqual([[0, 0], [1000, 120]]); // prettier-ignore
  });

  it('reads of a part what one page of tenants has (R-351)', async () => {
    await service().createCaller();
    operator = await OperatorVisitor.opened(service());
    service().store.calls.length = 0;
    await ask(`usage?${USAGE_QUERY}`);
    expect(
      service()
        .store.calls.map(({ method }) => method)
        .sort(),
    ).toEqual(['count', 'list', 'list']);
  });
});

describe('deletions that wait', () => {
  it('are told by tenant and kind, with how long; and those that were set aside (R-350)', async () => {
    const { store } = service();
    const caller = await service().createCaller();
    const { tenantId, key } = caller;
    const other = await service().createTenant('other');
    await service().request('DELETE', `/orders/${tenantId}/O-1`, { to: 'orders', key });
    await service().request('DELETE', `/orders/${tenantId}/O-2`, { to: 'orders', key });
    await raiseFlag(other, 'customers', {}, service().deadline(), service()); // nothing is pending of it
    const setAside = { set: setAsideDeletionPath(other, 'orders-x.1'), data: { reason: 'Error: broken' } };
    await store.writeEach([setAside], service().deadline());
    operator = await OperatorVisitor.opened(service());
    const all = await ask<WaitingDeletions>('deletions');
    expect(all).toEqual({
      pending: [{ tenantId, kind: 'orders', count: 2, isMore: false, oldestAt: expect.stringMatching(/Z$/) as string }],
      setAside: [{ tenantId: other, deletionId: 'orders-x.1', reason: 'Error: broken' }],
      isMore: false,
    });
    expect(await ask<WaitingDeletions>(`deletions?tenant=${other}`)).toEqual({ ...all, pending: [] });
    expect(await ask<WaitingDeletions>(`deletions?tenant=${tenantId}`)).toEqual({ ...all, setAside: [] });
  });
});

describe('dead letters', () => {
  it('are counted and given back, and what they hold is not told (R-350)', async () => {
    const deadLetters = new MemoryDeadLetters([aDeadLetter('1'), aDeadLetter('2')]);
    operator = await OperatorVisitor.opened(service(), (without) => Object.assign(without, { deadLetters }));
    const found = await ask<{ count: number; isMore: boolean; letters: unknown[] }>('dead-letters');
    expect(found).toMatchObject({ count: 2, isMore: false });
    expect(found.letters[0]).toMatchObject({ id: '1', publishedAt: '2026-03-01T10:00:00.000Z' });
    expect(JSON.stringify(found)).not.toContain('secret');
    expect(deadLetters.released).toEqual(['1', '2']);
  });
});

it('keys that need attention are those of all organizations, without their secrets (R-400)', async () => {
  const { key, organizationId } = await service().createCaller();
  await service().createKey('other');
  service().clock.advance(UNUSED_DAYS * 86_400_000);
  operator = await OperatorVisitor.opened(service());
  const found = await ask<KeysToLookAt>('keys');
  expect(found).toMatchObject({ unused: { count: 2 }, endsSoon: { count: 0, keys: [] }, looked: 2, isMore: false });
  expect(found.unused.keys.map((one) => one.organizationId).sort()).toEqual([organizationId, 'other'].sort());
  const text = JSON.stringify(found);
  expect([text.includes(key), text.includes(hashApiKey(key)!)]).toEqual([false, false]);
});

it.each([
  ['runs?status=lost', 'status'],
  ['runs?since=yesterday', 'since'],
  ['usage?from=x', 'from'],
  ['usage?from=2026-03-01&to=2026-02-01', 'from'],
  ['usage?from=2025-01-01', 'from'],
  ['usage?after=x', 'after'],
  ['usage?after=..%2F..%2FapiKeys', 'after'],
  ['deletions?tenant=nobody', 'tenant'],
])('400 for %s, which names the parameter (R-350)', async (path, name) => {
  operator = await OperatorVisitor.opened(service());
  const { status, text } = await operator.request('GET', `${OVERVIEW}/${path}`);
  expect(status).toBe(400);
  expect(text).toContain(name);
});

it.each(ROUTES)('%s is 401 without the operator’s session, and only read (R-350)', async (route) => {
  operator = await OperatorVisitor.opened(service());
  const path = `${OVERVIEW}/${route}`;
  for (const method of ['POST', 'DELETE']) expect((await operator.request(method, path)).status).toBe(405);
  await operator.request('DELETE', '/console/session');
  expect((await operator.request('GET', path)).status).toBe(401);
});

it.each(ROUTES)('there is no %s at the tenants’ door, whatever the key may do (R-350)', async (route) => {
  operator = await OperatorVisitor.opened(service());
  const { key } = await service().createCaller();
  const visitor = await ConsoleVisitor.signedIn(service(), key);
  expect((await visitor.request('GET', `${OVERVIEW}/${route}`)).status).toBe(404);
});
