/** What operators do about dead letters and deletions that were set aside. */
import { setAside } from '../../../shared/deletions/set-aside';
import { deletionsPath, setAsideDeletionsPath } from '../../../shared/documents/paths';
import { listAudit } from '../../../shared/operations/audit';
import { ConsoleVisitor } from '../../support/console-visitor';
import { aDeadLetter, MemoryDeadLetters } from '../../support/memory-dead-letters';
import { operatorOn } from '../../support/memory-operator';
import { OperatorVisitor } from '../../support/operator-visitor';
import { useRouteService } from '../api';

const service = useRouteService('console', 'orders');

const OVERVIEW = '/console/management/overview';
const UNKNOWN = '99999999-9999-4999-8999-999999999999';
const ROUTES = ['dead-letters/replay', 'dead-letters/discard', `deletions/${UNKNOWN}/retry`];

let visitor: OperatorVisitor;
let queue: MemoryDeadLetters;
beforeEach(async () => {
  queue = new MemoryDeadLetters(['1', '2', '3'].map((id) => aDeadLetter(id)));
  visitor = await open(queue);
});
afterEach(() => visitor.close());

function open(deadLetters: MemoryDeadLetters): Promise<OperatorVisitor> {
  return OperatorVisitor.opened(service(), (operator) => Object.assign(operator, { deadLetters }));
}

const act = (path: string, json: unknown = {}) => visitor.request('POST', `${OVERVIEW}/${path}`, { json });

/** The entries of the audit log, the oldest first. */
async function audited(tenant?: string) {
  const { entries } = await listAudit({ tenant }, operatorOn(service().store, service()));
  return entries.map(({ action, outcome, after }) => ({ action, outcome, after })).reverse();
}

describe('dead letters', () => {
  it('are replayed by their ids: one is published and gone, the others stay (R-402)', async () => {
    const answer = await act('dead-letters/replay', { ids: ['2'] });
    expect(answer).toMatchObject({ status: 200, json: { data: { count: 1, problem: null } } });
    expect(queue.published).toEqual([{ topic: 'deletions', data: '{"secret":"value"}' }]);
    expect([...queue.ids].sort()).toEqual(['1', '3']);
    expect(answer.text).not.toContain('secret');
  });

  it('are replayed all (R-402)', async () => {
    const answer = await act('dead-letters/replay', { all: true });
    expect(answer).toMatchObject({ status: 200, json: { data: { count: 3, problem: null } } });
    expect([queue.published.length, queue.ids]).toEqual([3, []]);
    expect(await act('dead-letters/replay', { all: true })).toMatchObject({
      status: 200,
      json: { data: { count: 0 } },
    });
  });

  it('are discarded by their ids, and published nowhere (R-402)', async () => {
    const answer = await act('dead-letters/discard', { ids: ['1', '3'] });
    expect(answer).toMatchObject({ status: 200, json: { data: { count: 2, problem: null } } });
    expect([queue.ids, queue.published]).toEqual([['2'], []]);
    expect(answer.text).not.toContain('secret');
  });

  it('have two entries of the audit log for each act, with how many there were (R-402)', async () => {
    await act('dead-letters/replay', { ids: ['2'] });
    service().clock.advance(1);
    await act('dead-letters/discard', { ids: ['1', '3'] });
    expect(await audited()).toEqual([
      { action: 'dead-letters.replay', outcome: 'begun', after: null },
      { action: 'dead-letters.replay', outcome: 'done', after: { count: 1 } },
      { action: 'dead-letters.discard', outcome: 'begun', after: null },
      { action: 'dead-letters.discard', outcome: 'done', after: { count: 2 } },
    ]);
  });

  it('that cannot be replayed stay, and the answer says why beside the number of the others (R-402)', async () => {
    visitor.close();
    queue = new MemoryDeadLetters([aDeadLetter('1'), aDeadLetter('2', 'somebody')]);
    visitor = await open(queue);
    const problem = '2 cannot be replayed: no function of the service is known for it, or it has no data. It is still there.'; // prettier-ignore
    expect(await act('dead-letters/replay', { all: true })).toMatchObject({
      status: 200,
      json: { data: { count: 1, problem } },
    });
    const answer = await act('dead-letters/replay', { all: true });
    expect(answer.status).toBe(409);
    expect(answer.json).toEqual({ success: false, message: problem, data: {} });
    expect(queue.ids).toEqual(['2']);
  });

  it.each(['replay', 'discard'])('%s changes nothing where one of them is not there (R-402)', async (verb) => {
    const answer = await act(`dead-letters/${verb}`, { ids: ['1', '7'] });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('There is no dead letter 7, so nothing was changed.');
    expect(answer.text).not.toContain('dead-letters list'); // the console has no commands
    expect([...queue.ids].sort()).toEqual(['1', '2', '3']);
    expect(await audited()).toEqual([]);
  });

  it.each([
    [409, {}],
    [409, { ids: [] }],
    [409, []],
    [400, { ids: '1' }],
    [400, { ids: [1] }],
    [400, { all: 'yes' }],
  ])('%d for %j, before the queue is asked (R-402)', async (status, body) => {
    for (const verb of ['replay', 'discard']) expect((await act(`dead-letters/${verb}`, body)).status).toBe(status);
    expect([queue.released, queue.ids]).toEqual([[], ['1', '2', '3']]);
  });

  it('are not discarded without their ids (R-402)', async () => {
    expect((await act('dead-letters/discard', { all: true })).status).toBe(400);
    expect([queue.released, queue.ids]).toEqual([[], ['1', '2', '3']]);
  });

  it('say 500 with a trace id when Pub/Sub fails, and stay (R-402)', async () => {
    queue.publish = () => Promise.reject(new Error('Unavailable.'));
    const answer = await act('dead-letters/replay', { all: true });
    expect(answer.status).toBe(500);
    expect(answer.text).toContain('Failed to replay dead letters.');
    expect([...queue.ids].sort()).toEqual(['1', '2', '3']);
    expect(await audited()).toMatchObject([{ outcome: 'begun' }, { outcome: 'failed', after: { count: 0 } }]);
  });
});

describe('deletions that were set aside', () => {
  /** Has the deletions of a tenant's orders set aside that are pending. */
  async function setPendingAside(tenantId: string, change: object = {}): Promise<void> {
    const { store } = service();
    for (const pending of await store.list(deletionsPath(tenantId), { limit: 10 }, service().deadline())) {
      const failed = { ...pending, data: { ...pending.data, ...change } };
      await setAside(tenantId, failed, new Error('broken'), service().deadline(), service());
    }
  }

  const left = async (tenantId: string) =>
    (await service().store.list(setAsideDeletionsPath(tenantId), { limit: 10 }, service().deadline())).length;

  it('are retried, of one tenant; its entries in the audit log say how many (R-402)', async () => {
    const [own, other] = [await service().createCaller(), await service().createCaller()];
    for (const { tenantId, key } of [own, other]) {
      for (const id of ['O-1', 'O-2']) await service().request('DELETE', `/orders/${tenantId}/${id}`, { to: 'orders', key }); // prettier-ignore
      await setPendingAside(tenantId);
      expect(await left(tenantId)).toBe(2);
    }
    const counts = { retried: 2, setAside: 0 };
    expect(await act(`deletions/${own.tenantId}/retry`)).toMatchObject({ status: 200, json: { data: counts } });
    expect([await left(own.tenantId), await left(other.tenantId)]).toEqual([0, 2]);
    expect(await audited(own.tenantId)).toEqual([
      { action: 'deletions.retry', outcome: 'begun', after: null },
      { action: 'deletions.retry', outcome: 'done', after: counts },
    ]);
  });

  it('are counted where they cannot be applied this time either (R-402)', async () => {
    const { tenantId, key } = await service().createCaller();
    await service().request('DELETE', `/orders/${tenantId}/O-1`, { to: 'orders', key });
    await setPendingAside(tenantId, { targets: 'none' });
    const data = { retried: 1, setAside: 1 };
    expect(await act(`deletions/${tenantId}/retry`)).toMatchObject({ status: 200, json: { data } });
    expect(await left(tenantId)).toBe(1);
  });

  it('409 for a tenant that does not exist, 400 for what is no tenant (R-402)', async () => {
    const answer = await act(`deletions/${UNKNOWN}/retry`);
    expect(answer.status).toBe(409);
    expect(answer.json).toMatchObject({ success: false, message: `Tenant ${UNKNOWN} does not exist.` });
    expect((await act('deletions/nobody/retry')).status).toBe(400);
  });
});

it.each(ROUTES)('%s takes POST alone, and asks for a session and its token (R-402)', async (route) => {
  for (const method of ['GET', 'DELETE']) expect((await visitor.request(method, `${OVERVIEW}/${route}`)).status).toBe(405); // prettier-ignore
  const json = { all: true };
  const forged = await visitor.request('POST', `${OVERVIEW}/${route}`, { json, headers: { 'x-csrf-token': '' } });
  expect(forged.status).toBe(403);
  await visitor.request('DELETE', '/console/session');
  expect((await act(route, json)).status).toBe(401);
  expect([queue.ids, await audited()]).toEqual([['1', '2', '3'], []]);
});

it.each(ROUTES)('there is no %s at the tenants’ door, whatever the key may do (R-402)', async (route) => {
  const { key } = await service().createCaller();
  const tenant = await ConsoleVisitor.signedIn(service(), key);
  expect((await tenant.request('POST', `${OVERVIEW}/${route}`, { json: { all: true } })).status).toBe(404);
});
