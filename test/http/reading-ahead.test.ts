/**
 * Of a caller who was admitted to the tenant before, a request is read while it is admitted again: nothing else may
 * come of it.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { MAX_BODY_BYTES, REQUEST_DEADLINE_MS } from '../../shared/domain/limits';
import type { TestService } from '../support/test-service';
import { useTestService } from '../support/test-service';

const service = useTestService('customers', 'deletion-consumer');

/** A connection that is kept goes on carrying the body of a request that was refused. */
const agent = new Agent({ keepAlive: true });
afterEach(() => agent.destroy());

const BODY = JSON.stringify([{ Email: 'ann@x.com', Phone: '1' }]);

/** A caller whose next request is read ahead. */
async function known(options: Parameters<TestService['createCaller']>[0] = {}) {
  const caller = await service().createCaller(options);
  await upsert(caller, '[]');
  service().store.calls.length = 0;
  return caller;
}

type Caller = Awaited<ReturnType<typeof known>>;

function upsert({ tenantId, key }: Caller, raw: string, agent?: Agent) {
  return service().request('POST', `/customers/${tenantId}`, { key, raw, ...(agent && { agent }) });
}

/** Begins an upsert of which the last byte is missing. */
function beginUpload({ tenantId, key }: Caller): { readonly call: ClientRequest; readonly answer: Promise<unknown> } {
  const headers = { 'x-service-auth-key': key, 'content-length': BODY.length };
  const port = service().portOf('customers');
  const call = request({ host: '127.0.0.1', port, method: 'POST', path: `/${tenantId}`, headers, agent });
  const answer = new Promise((resolve, reject) => {
    call.on('error', reject).on('response', (response) => resolve(json(response)));
  });
  call.write(BODY.slice(0, -1));
  return { call, answer };
}

/** Sends an upsert whose last byte comes after `meanwhile`. */
async function upsertSlowly(caller: Caller, meanwhile: () => Promise<unknown>): Promise<unknown> {
  const { call, answer } = beginUpload(caller);
  while (!service().store.calls.some(({ method }) => method === 'increment')) await new Promise(setImmediate);
  await meanwhile();
  call.end(BODY.slice(-1));
  return answer;
}

it('looks for deletions and plans beside the counter, and writes after it', async () => {
  const caller = await known();
  const planning = jest.spyOn(service().presencePredictor, 'predict');
  let admit: () => void = () => undefined;
  const isHeld = new Promise<void>((resolve) => (admit = resolve));
  jest.spyOn(service().admissionStore, 'countRequest').mockImplementation(() => isHeld.then(() => 1));
  const answer = upsert(caller, BODY);
  const isLooking = () => service().store.reads.some(({ paths }) => paths.some((path) => /deletionFlags/.test(path)));
  while (!isLooking()) await new Promise(setImmediate);
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  expect(planning).toHaveBeenCalledTimes(1);
  expect(service().store.writes).toEqual([]);
  admit();
  expect((await answer).status).toBe(200);
  expect(service().store.writes).toHaveLength(1);
  expect(planning).toHaveBeenCalledTimes(1);
});

it.each([
  ['a field that is required now', {}, { requiredFields: ['Name'] }, 400],
  ['a field that is required no more', { requiredFields: ['Name'] }, {}, 200],
  ['the same', { requiredFields: ['Phone'] }, { requiredFields: ['Phone'] }, 200],
])(
  'goes by the settings of now, whatever they were when the caller was admitted last: %s',
  async (_, before, now, status) => {
    const caller = await known(before);
    await service().createTenant(caller.organizationId, now, caller.tenantId);
    expect((await upsert(caller, BODY)).status).toBe(status);
  },
);

it('stores by the settings of now', async () => {
  const caller = await known({ defaultLanguage: 'en' });
  await service().createTenant(caller.organizationId, { defaultLanguage: 'el' }, caller.tenantId);
  await upsert(caller, BODY);
  expect(await service().records(caller.tenantId, 'customers')).toMatchObject([{ Email: 'ann@x.com', Language: 'el' }]);
});

it('gives the work what admission has left of its time, but not the time that the body took', async () => {
  const { tenantId, key } = await service().createCaller();
  const { admissionStore, clock, store } = service();
  const count = admissionStore.countRequest.bind(admissionStore);
  jest.spyOn(admissionStore, 'countRequest').mockImplementation((...call) => {
    clock.advance(15_000);
    return count(...call);
  });
  const remaining: number[] = [];
  jest.spyOn(store, 'writeEach').mockImplementation((_writes, deadline) => {
    remaining.push(deadline.remainingMs());
    return Promise.resolve(['written']);
  });
  const { call, answer } = beginUpload({ tenantId, key } as Caller);
  while (!store.calls.some(({ paths }) => paths.some((path) => path === `tenants/${tenantId}`)))
    await new Promise(setImmediate);
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate); // it waits for the body now
  clock.advance(60_000);
  call.end(BODY.slice(-1));
  expect(await answer).toMatchObject({ data: { count: 1 } });
  expect(remaining).toEqual([REQUEST_DEADLINE_MS - 15_000]);
});

it('counts what is pending when the last byte has arrived: an upsert survives a deletion of before (D-41)', async () => {
  const caller = await known();
  await upsert(caller, JSON.stringify([{ Email: 'ann@x.com', GdprOptin: true, Name: 'Before' }]));
  service().store.calls.length = 0;
  await upsertSlowly(caller, () =>
    service().request('DELETE', `/customers/${caller.tenantId}?email=ann@x.com`, { key: caller.key }),
  );
  await service().deliverDeletions();
  const [ann, ...others] = await service().records(caller.tenantId, 'customers');
  expect(others).toEqual([]);
  expect(ann).toMatchObject({ Email: 'ann@x.com', Phone: '1', GdprOptin: false });
  expect(ann).not.toHaveProperty('Name');
});

it.each(['no JSON', '[7]'])('tells of a body of %s only after what comes before it', async (raw) => {
  const spent = await known({ requestsPerMinute: 1 });
  expect((await upsert(spent, raw)).status).toBe(429);
  const caller = await known();
  const foreign = await known();
  expect((await upsert({ ...caller, tenantId: foreign.tenantId }, raw)).status).toBe(403);
  expect((await upsert({ ...caller, tenantId: service().unusedTenantId() }, raw)).status).toBe(404);
  expect((await upsert(caller, raw)).status).toBe(400);
  await service().revokeKey(caller.key);
  expect((await upsert(caller, raw)).status).toBe(401);
});

it('keeps nothing of a body that goes on arriving after its request was refused (R-12)', async () => {
  const caller = await known({ requestsPerMinute: 1 });
  let refuse: () => void = () => undefined;
  const isHeld = new Promise<void>((resolve) => (refuse = resolve));
  const counting = jest.spyOn(service().admissionStore, 'countRequest').mockImplementation(() => isHeld.then(() => 2));
  const whole = 4 * MAX_BODY_BYTES; // as much as one key may have
  const uploads = Array.from({ length: 4 }, () => {
    const headers = { 'x-service-auth-key': caller.key, 'content-length': MAX_BODY_BYTES };
    const to = { host: '127.0.0.1', port: service().portOf('customers'), method: 'POST', path: `/${caller.tenantId}` };
    const sending = request({ ...to, headers, agent });
    const answer = once(sending, 'response');
    sending.write(Buffer.alloc(whole / 4 - 1, ' '));
    return { sending, answer };
  });
  while (counting.mock.calls.length < uploads.length) await new Promise(setImmediate);
  refuse();
  for (const { answer } of uploads) expect(((await answer) as [IncomingMessage])[0].statusCode).toBe(429);
  counting.mockRestore();
  service().clock.advance(60_000);
  expect((await upsert(caller, BODY)).status).toBe(200);
  for (const { sending } of uploads) sending.destroy();
});

it('reads nothing ahead of a tenant that went to another organization, once it has refused the key', async () => {
  const caller = await known();
  await service().createTenant('another', {}, caller.tenantId);
  expect((await upsert(caller, BODY)).status).toBe(403);
  service().store.calls.length = 0;
  expect((await upsert(caller, BODY)).status).toBe(403);
  expect(service().store.calls.flatMap(({ paths }) => paths.filter((path) => /deletionFlags/.test(path)))).toEqual([]);
});

it('leaves nothing behind at a connection that carries many refused requests', async () => {
  const caller = await known({ requestsPerMinute: 1 });
  const connections: Socket[] = [];
  const note = (event: unknown) => void connections.push((event as { socket: Socket }).socket);
  subscribe('http.server.request.start', note);
  const counting = jest.spyOn(service().admissionStore, 'countRequest');
  const listeners: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    counting.mockResolvedValue(2);
    const { call, answer } = beginUpload(caller);
    expect(await answer).toMatchObject({ success: false });
    const isFree = once(agent, 'free');
    call.end(BODY.slice(-1));
    await isFree;
    service().clock.advance(60_000);
    counting.mockResolvedValue(1); // the next one is read ahead again
    expect((await upsert(caller, '[]', agent)).status).toBe(200);
    listeners.push(connections[0]!.listenerCount('close'));
  }
  unsubscribe('http.server.request.start', note);
  counting.mockRestore();
  expect(new Set(connections).size).toBe(1);
  expect(listeners).toEqual([listeners[0], listeners[0], listeners[0]]);
});

it('tells of deletions that cannot be looked for with a 500, once the body is valid', async () => {
  const caller = await known();
  service().store.failing = ({ paths }) => paths.some((path) => /deletionFlags/.test(path));
  expect((await upsert(caller, '[7]')).status).toBe(400);
  expect((await upsert(caller, BODY)).status).toBe(500);
  expect(await service().records(caller.tenantId, 'customers')).toEqual([]);
});
