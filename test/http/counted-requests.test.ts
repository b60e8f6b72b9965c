/** What requests leave in the counters of usage and in the log, and that they do not wait for it. */
import { tenantPath, usagePath } from '../../shared/documents/paths';
import type { UsageCounts } from '../../shared/domain/usage';
import { NO_USAGE } from '../../shared/domain/usage';
import { USAGE_INTERVAL_MS } from '../../shared/limits/usage';
import type { ShownUsage } from '../../shared/usage/usage-sum';
import type { Caller } from '../support/test-service';
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';

const service = useTestService(...HTTP_FUNCTIONS);

/** What was counted of a tenant since the caller's key was made, by route. */
async function countedOf({ tenantId, organizationId }: Caller): Promise<Record<string, UsageCounts>> {
  await service().usage.store(service().deadline());
  const key = await service().createKey(organizationId, { permissions: ['records'] });
  const answer = await service().request('GET', `/usage/${tenantId}?from=2026-03-01T12:00Z`, { key });
  const { routes } = (answer.json as { data: ShownUsage }).data;
  return Object.fromEntries(routes.map(({ route, ...counts }) => [route, counts]));
}

const counts = (some: Partial<UsageCounts>) => ({ ...NO_USAGE, ...some });
const customers = (count: number) => Array.from({ length: count }, (_, n) => ({ CustomerId: `C-${n}` }));

describe('a request counts', () => {
  it.each([
    ['the records that it stores', '', customers(3), { records: 3 }],
    ['as invalid what it skips', '?onInvalid=skip', [...customers(2), {}], { records: 2, rejected: 1 }],
    ['as invalid all of a batch that is refused', '', [...customers(2), {}], { rejected: 3, errors: 1 }],
    ['no record of a check', '?validateOnly=true', customers(3), {}],
    ['as invalid what a check skips', '?validateOnly=true&onInvalid=skip', [...customers(2), {}], { rejected: 1 }],
    ['no record of a body that is no batch', '', { CustomerId: 'C-1' }, { errors: 1 }],
  ])('%s (R-180)', async (_, query, json, expected) => {
    const caller = await service().createCaller();
    await service().request('POST', `/customers/${caller.tenantId}${query}`, { key: caller.key, json });
    expect(await countedOf(caller)).toEqual({ upsertCustomers: counts({ requests: 1, ...expected }) });
  });

  it('the deletions that it accepts (R-180)', async () => {
    const caller = await service().createCaller();
    const { tenantId, key } = caller;
    await service().request('DELETE', `/orders/${tenantId}/O-1`, { key });
    await service().request('POST', `/products/${tenantId}/deletions`, { key, json: [{ ProductId: 'P-1' }, { ProductId: 'P-2' }] }); // prettier-ignore
    await service().request('POST', `/products/${tenantId}/deletions?validateOnly=true`, { key, json: [{ ProductId: 'P-1' }] }); // prettier-ignore
    expect(await countedOf(caller)).toEqual({
      deleteOrder: counts({ requests: 1, deletions: 1 }),
      deleteProducts: counts({ requests: 2, deletions: 2 }),
    });
  });

  it('whatever names the tenant: path, body, query or run (R-180)', async () => {
    const caller = await service().createCaller();
    const { tenantId, key } = caller;
    const json = { TenantId: tenantId, BucketName: 'ada-exports' };
    await service().request('POST', '/ingestion/google-cloud-storage/register/daily-transfer', { key, json });
    await service().request('GET', `/ingestion/google-cloud-storage/runs?tenantId=${tenantId}`, { key });
    await service().request('GET', `/ingestion/google-cloud-storage/runs/20260301110000-${tenantId}`, { key });
    await service().request('GET', `/orders/${tenantId}/O-1`, { key });
    expect(await countedOf(caller)).toEqual({
      registerDailyTransfer: counts({ requests: 1 }),
      listRuns: counts({ requests: 1 }),
      getRun: counts({ requests: 1 }),
      getOrder: counts({ requests: 1, errors: 1 }),
    });
  });

  it('as an error when it is refused or fails, with a key that the tenant’s organization has (R-180)', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 2 });
    const { tenantId, key, organizationId } = caller;
    const send = (sent: string) => service().request('POST', `/orders/${tenantId}`, { key: sent, json: [] });
    const weak = await service().createKey(organizationId, { permissions: ['customers'] });
    expect((await send(weak)).status).toBe(403);
    expect((await send(key)).status).toBe(200);
    service().store.failing = ({ paths }) => paths.some((path) => path.includes('/orders/'));
    const failed = await service().request('POST', `/orders/${tenantId}`, { key, json: [{ OrderId: 'O-1', Currency: 'EUR' }] }); // prettier-ignore
    expect(failed.status).toBe(500);
    service().store.failing = () => false;
    for (let n = 0; n < 3; n += 1) expect((await send(key)).status).toBe(429);
    expect(await countedOf(caller)).toEqual({ upsertOrders: counts({ requests: 6, errors: 5, limited: 3 }) });
  });

  it('nothing of a tenant that is gone, also where a 429 comes before the tenant is looked up (R-180)', async () => {
    const { tenantId, key } = await service().createCaller({ requestsPerMinute: 1 });
    const send = () => service().request('POST', `/orders/${tenantId}`, { key, json: [] });
    expect((await send()).status).toBe(200);
    await service().usage.store(service().deadline());
    const stored = await service().store.list(usagePath(tenantId), { limit: 10 }, service().deadline());
    expect(stored.length).toBeGreaterThan(0);
    const erased = [tenantPath(tenantId), ...stored.map(({ path }) => path)].map((path) => ({ delete: path }));
    await service().store.commit(erased, service().deadline());
    expect((await send()).status).toBe(429);
    await service().usage.store(service().deadline());
    expect(await service().store.list(usagePath(tenantId), { limit: 10 }, service().deadline())).toEqual([]);
  });

  it('nothing of a tenant that is not its key’s, and nothing of a key that is not valid (R-180)', async () => {
    const caller = await service().createCaller();
    const stranger = await service().createCaller();
    const revoked = await service().createKey(caller.organizationId);
    const path = `/orders/${caller.tenantId}`;
    expect((await service().request('POST', path, { key: revoked, json: [] })).status).toBe(200);
    await service().revokeKey(revoked);
    for (const [key, status] of [
      [stranger.key, 403],
      [revoked, 401],
      [service().unknownKey(), 401],
    ] as const)
      // prettier-ignore
      expect((await service().request('POST', path, { key, json: [] })).status).toBe(status);
    expect(await countedOf(caller)).toEqual({ upsertOrders: counts({ requests: 1 }) });
    expect(await countedOf(stranger)).toEqual({});
  });
});

describe('counting', () => {
  const upsert = ({ tenantId, key }: Caller) =>
    service().request('POST', `/customers/${tenantId}`, { key, json: [{ CustomerId: 'C-1' }] });

  it('costs a request no call of the database, but for one write each interval (R-180)', async () => {
    const caller = await service().createCaller();
    await upsert(caller);
    await upsert(caller);
    service().store.calls.length = 0;
    await upsert(caller);
    const calls = service().store.calls.length;
    service().clock.advance(USAGE_INTERVAL_MS - 1);
    service().store.calls.length = 0;
    await upsert(caller);
    expect(service().store.calls).toHaveLength(calls);
    service().clock.advance(1);
    service().store.calls.length = 0;
    await upsert(caller);
    await new Promise(setImmediate);
    const ofUsage = service().store.calls.filter(({ paths }) => paths.some((path) => path.includes('/usage/')));
    expect(ofUsage.map(({ method }) => method)).toEqual(['writeEach']);
  });

  it('keeps no answer waiting, and changes none when it fails (R-180)', async () => {
    const caller = await service().createCaller();
    await upsert(caller);
    let end: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => (end = resolve));
    const writeEach = service().store.writeEach.bind(service().store);
    jest.spyOn(service().store, 'writeEach').mockImplementation(async (writes, deadline) => {
      const isUsage = writes.some((write) => 'set' in write && write.set.includes('/usage/'));
      if (isUsage) await isHeld.then(() => Promise.reject(new Error('The database cannot be reached.')));
      return writeEach(writes, deadline);
    });
    service().clock.advance(USAGE_INTERVAL_MS);
    expect((await upsert(caller)).status).toBe(200);
    end();
    expect((await upsert(caller)).status).toBe(200);
  });

  it('notes the hour in which the key was used (R-182)', async () => {
    const caller = await service().createCaller();
    await upsert(caller);
    await service().usage.store(service().deadline());
    const keys = [...(await service().store.dump())].filter(([path]) => path.startsWith('apiKeys/'));
    expect(keys.map(([, { data }]) => data.lastUsedAt)).toEqual([new Date('2026-03-01T12:00:00Z')]);
  });
});

describe('a refused request is logged (R-184)', () => {
  const lines = () => service().logger.entries.filter(({ message }) => message === 'A request was refused.');

  it('with the paths of what is wrong, and no value', async () => {
    const { tenantId, key } = await service().createCaller();
    const json = [{ Email: 'secret-mail' }, { Email: 'a@x.com', 'ann@secret.com': 1, Name: 7 }];
    const { headers } = await service().request('POST', `/customers/${tenantId}`, { key, json });
    expect(lines()).toEqual([
      {
        severity: 'INFO',
        message: 'A request was refused.',
        details: {
          function: 'customers',
          status: 400,
          route: 'POST /:tenantId',
          traceId: headers['x-trace-id'],
          spanId: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
          isSampled: false,
          keyId: expect.stringMatching(/^key_/) as string,
          tenantId,
          paths: '[0].Email [1].Name',
        },
      },
    ]);
    expect(JSON.stringify(service().logger.entries)).not.toContain('secret');
  });

  it('whatever it is refused for', async () => {
    const { tenantId, key, organizationId } = await service().createCaller();
    const stranger = await service().createCaller();
    const weak = await service().createKey(organizationId, { permissions: ['customers'] });
    const send = (to: string, sent: string | undefined, more: object = { json: [] }) =>
      service().request('POST', to, { ...(sent !== undefined && { key: sent }), ...more });
    await send(`/orders/${tenantId}`, undefined);
    await send(`/orders/${tenantId}`, stranger.key);
    await send(`/orders/${tenantId}`, weak);
    await send(`/orders/${service().unusedTenantId()}`, key);
    await send('/orders/no-guid', key);
    await send(`/orders/${tenantId}`, key, { raw: 'x', headers: { 'content-type': 'text/plain' } });
    await send(`/orders/${tenantId}/O-1/unknown/path`, key);
    expect(
      lines().map(({ details: { status, route, tenantId: named } }) => [status, route, named === tenantId]),
    ).toEqual([
      [401, 'POST /:tenantId', true],
      [403, 'POST /:tenantId', true],
      [403, 'POST /:tenantId', true],
      [404, 'POST /:tenantId', false],
      [400, 'POST /:tenantId', false],
      [415, 'POST /:tenantId', true],
      [404, undefined, false],
    ]);
  });

  it.each([
    ['is revoked', {}, (key: string) => service().revokeKey(key)],
    ['has ended', { expiresAtMs: Date.parse('2026-03-01T12:00:31Z') }, () => { service().clock.advance(1_000); return Promise.resolve(); }], // prettier-ignore
  ])('each time with the name of a key that %s, which is read once (R-184)', async (_, options, end) => {
    const { tenantId, organizationId } = await service().createCaller();
    const key = await service().createKey(organizationId, options);
    await end(key);
    for (let n = 0; n < 3; n += 1) await service().request('GET', `/orders/${tenantId}/O-1`, { key });
    const line = { details: { status: 401, keyId: expect.stringMatching(/^key_/) as string } };
    expect(lines()).toMatchObject([line, line, line]);
    expect(service().store.calls.flatMap(({ paths }) => paths).filter((path) => path.startsWith('apiKeys/'))).toHaveLength(1); // prettier-ignore
  });

  it('not when it succeeds', async () => {
    const { tenantId, key } = await service().createCaller();
    await service().request('POST', `/orders/${tenantId}`, { key, json: [] });
    expect(service().logger.entries).toEqual([]);
  });
});
