/** The audit log in the console, for operators alone. */
import type { ShownEntry } from '../../../shared/audit/entry';
import { DEFAULT_AUDIT_ENTRIES } from '../../../shared/limits/audit';
import { createTenant, updateTenant } from '../../../shared/operations/tenants';
import { ConsoleVisitor } from '../../support/console-visitor';
import { operatorOn, TEST_ACTOR } from '../../support/memory-operator';
import { OperatorVisitor } from '../../support/operator-visitor';
import { useRouteService } from '../api';

const service = useRouteService('console');
const LOG = '/console/management/audit';

interface LogPage {
  readonly entries: readonly ShownEntry[];
  readonly next: string | null;
}

let operator: OperatorVisitor;
beforeEach(async () => {
  operator = await OperatorVisitor.opened(service());
});
afterEach(() => operator.close());

async function ask(query = ''): Promise<LogPage> {
  const { status, json } = await operator.request('GET', `${LOG}?${query}`);
  expect(status).toBe(200);
  return (json as { data: LogPage }).data;
}

const act = () => operatorOn(service().store, service());

describe('the log', () => {
  it('has the newest entries first, with what was before and after (R-352)', async () => {
    const { tenantId } = await createTenant({ organization: 'acme', defaultLanguage: 'en' }, act());
    service().clock.advance(1_000);
    await updateTenant(tenantId, { defaultLanguage: 'de' }, act());
    const { entries, next } = await ask();
    expect(entries.map(({ action }) => action)).toEqual(['tenants.update', 'tenants.create']);
    expect(entries[0]).toMatchObject({
      actor: 'ada@example.com',
      door: 'command line',
      outcome: 'done',
      tenantId,
      organizationId: 'acme',
      before: { defaultLanguage: 'en' },
      after: { defaultLanguage: 'de' },
    });
    expect(next).toBeNull();
  });

  it('comes page by page, and reads one page for each (R-352)', async () => {
    for (let n = 0; n <= DEFAULT_AUDIT_ENTRIES; n += 1) {
      await createTenant({ organization: 'many' }, act());
      service().clock.advance(1);
    }
    service().store.calls.length = 0;
    const first = await ask();
    expect(service().store.calls.map(({ method }) => method)).toEqual(['list']);
    expect(first.entries).toHaveLength(DEFAULT_AUDIT_ENTRIES);
    const second = await ask(`after=${first.next}`);
    expect(second).toMatchObject({ entries: [{ action: 'tenants.create' }], next: null });
    expect(first.entries.map(({ entryId }) => entryId)).not.toContain(second.entries[0]!.entryId);
  });

  it('is filtered by tenant, actor and time (R-352)', async () => {
    const one = await createTenant({ organization: 'acme' }, act());
    const before = new Date(service().clock.nowMs() + 500);
    service().clock.advance(1_000);
    const other = await createTenant({ organization: 'acme' }, act());
    const idsOf = ({ entries }: LogPage) => entries.map(({ tenantId }) => tenantId);
    expect(idsOf(await ask(`tenant=${one.tenantId.toUpperCase()}`))).toEqual([one.tenantId]);
    expect(idsOf(await ask(`since=${before.toISOString()}`))).toEqual([other.tenantId]);
    expect(idsOf(await ask(`actor=${encodeURIComponent(await TEST_ACTOR.name())}&since=`))).toHaveLength(2);
    expect(idsOf(await ask('actor=nobody'))).toEqual([]);
    expect(idsOf(await ask(`tenant=${one.tenantId}&actor=nobody`))).toEqual([]);
  });
});

it.each([
  ['tenant=nobody', 'tenant'],
  ['tenant=..%2FauditLog', 'tenant'],
  ['since=yesterday', 'since'],
  ['after=x', 'after'],
  ['after=__x__', 'after'],
])('400 for %s, which names the parameter (R-352)', async (query, name) => {
  const { status, text } = await operator.request('GET', `${LOG}?${query}`);
  expect(status).toBe(400);
  expect(text).toContain(name);
});

it('is 401 without the operator’s session, and only read (R-352)', async () => {
  for (const method of ['POST', 'DELETE']) expect((await operator.request(method, LOG)).status).toBe(405);
  await operator.request('DELETE', '/console/session');
  expect((await operator.request('GET', LOG)).status).toBe(401);
});

it('is none at the tenants’ door, whatever the key may do (R-352)', async () => {
  const { key } = await service().createCaller();
  const visitor = await ConsoleVisitor.signedIn(service(), key);
  expect((await visitor.request('GET', LOG)).status).toBe(404);
});
