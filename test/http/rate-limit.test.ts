import { apiKeyPath } from '../../shared/documents/paths';
import { hashApiKey } from '../../shared/domain/api-key';
import { call, envelopeOf, expectAnswer, expectHeaders, hasBody, RESET, ROUTES, rowsOf, useRouteService } from './api';
import { HTTP_FUNCTIONS } from '../support/test-service';

const service = useRouteService(...HTTP_FUNCTIONS);

describe('the rate limit (Spec §8, D-36)', () => {
  it('admits exactly 100 requests of a key in a minute, over all functions and however many at once', async () => {
    const caller = await service().createCaller();
    // The functions in turn, each with its routes in turn: no instance gets more than it takes of one key.
    const routesOf = HTTP_FUNCTIONS.map((to) => ROUTES.filter((route) => route.to === to));
    const attempts = Array.from({ length: 130 }, (_, index) => {
      const routes = routesOf[index % routesOf.length]!;
      return routes[Math.floor(index / routesOf.length) % routes.length]!;
    });
    const answers = await Promise.all(attempts.map((route) => call(service(), route, caller)));
    // What one of them has deleted or unregistered, another one does not find: that is 404, and counts, too.
    expect(answers.filter(({ status }) => status === 200 || status === 404)).toHaveLength(100);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
    const remaining = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => b - a);
    expect(remaining).toEqual(Array.from({ length: 130 }, (_, index) => Math.max(0, 99 - index)));
  });

  it('is shared by the instances of a function', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 2 });
    const route = ROUTES[0]!;
    await call(service(), route, caller);
    await service().start(['customers']);
    expect((await call(service(), route, caller)).headers['x-ratelimit-remaining']).toBe('0');
    expect((await call(service(), route, caller)).status).toBe(429);
  });

  it('is counted for each key on its own, also within one organization', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 1 });
    const other = { tenantId: caller.tenantId, key: await service().createKey(caller.organizationId) };
    await call(service(), ROUTES[0]!, caller);
    expect((await call(service(), ROUTES[0]!, caller)).status).toBe(429);
    expect((await call(service(), ROUTES[0]!, other)).headers['x-ratelimit-remaining']).toBe('99');
  });

  it('counts failed requests of every kind, refused ones too (Spec §8)', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 5 });
    const path = `/customers/${caller.tenantId}`;
    await service().request('POST', path, { key: caller.key, raw: 'no JSON' });
    await service().request('POST', path, { key: caller.key, json: [{}] });
    await service().request('POST', '/customers/no-guid', { key: caller.key, json: [] });
    service().store.failing = ({ method }) => method === 'writeEach';
    await service().request('POST', path, { key: caller.key, json: [{ CustomerId: 'C-1' }] });
    service().store.failing = () => false;
    const last = await service().request('POST', path, { key: caller.key, json: [] });
    expect(last.headers['x-ratelimit-remaining']).toBe('0');
    expect((await service().request('POST', path, { key: caller.key, json: [] })).status).toBe(429);
    expect((await service().request('POST', path, { key: caller.key, json: [] })).status).toBe(429);
  });

  it('names the next clock minute as the reset, whole seconds of Unix time', async () => {
    const caller = await service().createCaller();
    service().clock.advance(29_999);
    expectHeaders(await call(service(), ROUTES[0]!, caller), { remaining: 99, reset: RESET });
    service().clock.advance(1);
    expectHeaders(await call(service(), ROUTES[0]!, caller), { remaining: 99, reset: RESET + 60 });
  });

  it.each(rowsOf())(
    '%s is let through when the counter cannot be reached, as often as its key may send, and that is logged (D-36)',
    async (_, route) => {
      const caller = await service().createCaller({ requestsPerMinute: 3 });
      service().store.failing = ({ method }) => method === 'increment';
      for (const remaining of [2, 1, 0]) {
        const answer = await call(service(), route, caller);
        const body = envelopeOf(route.to, true, route.message, route.data(caller.tenantId));
        expectAnswer(answer, 200, body, { limit: 3, remaining });
      }
      const entry = { severity: 'WARNING', message: expect.stringContaining('rate counter') as unknown };
      const warnings = service().logger.entries.filter(({ severity }) => severity === 'WARNING');
      expect(warnings).toMatchObject([entry, entry, entry]);
      expect((await call(service(), route, caller)).status).toBe(429);
    },
  );

  it('stays closed for a key that it has refused in this minute, also when the counter cannot be reached (D-36)', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 1 });
    await call(service(), ROUTES[0]!, caller);
    expect((await call(service(), ROUTES[0]!, caller)).status).toBe(429);
    service().store.failing = ({ method }) => method === 'increment';
    const refused = await call(service(), ROUTES[0]!, caller);
    expect(refused.status).toBe(429);
    expectHeaders(refused, { limit: 1, remaining: 0 });
    service().clock.advance(30_000);
    expect((await call(service(), ROUTES[0]!, caller)).status).toBe(200);
  });

  it('writes nothing for a key that it has refused in this minute: a flood must not keep its counter hot', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 1 });
    await call(service(), ROUTES[0]!, caller);
    await call(service(), ROUTES[0]!, caller);
    service().store.calls.length = 0;
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const refused = await call(service(), ROUTES[0]!, caller);
      expect(refused.status).toBe(429);
      expectHeaders(refused, { limit: 1, remaining: 0 });
    }
    expect(service().store.writes).toEqual([]);
  });

  it('opens at once for a key that it has refused when its limit is raised (D-36)', async () => {
    const { tenantId, key } = await service().createCaller({ requestsPerMinute: 1 });
    for (const status of [200, 429, 429]) {
      expect((await call(service(), ROUTES[0]!, { tenantId, key })).status).toBe(status);
    }
    const data = { requestsPerMinute: 10 };
    const write = { set: apiKeyPath(hashApiKey(key)!), data, fields: ['requestsPerMinute'] };
    await service().store.commit([write], service().deadline());
    expectHeaders(await call(service(), ROUTES[0]!, { tenantId, key }), { limit: 10, remaining: 6 });
  });

  it('uses a limit that was changed since the last request (D-36)', async () => {
    const { tenantId, key } = await service().createCaller({ requestsPerMinute: 1 });
    await call(service(), ROUTES[0]!, { tenantId, key });
    const [path] = [...(await service().store.dump()).keys()].filter((stored) => stored.startsWith('apiKeys/'));
    await service().store.commit(
      [{ set: path!, data: { requestsPerMinute: 3 }, fields: ['requestsPerMinute'] }],
      service().deadline(),
    );
    expectHeaders(await call(service(), ROUTES[0]!, { tenantId, key }), { limit: 3, remaining: 1 });
  });

  it('makes one write for an admitted request that changes nothing: the counter (D-36)', async () => {
    const { tenantId, key } = await service().createCaller();
    await service().request('POST', `/customers/${tenantId}`, { key, json: [] });
    expect(service().store.writes.map(({ method }) => method)).toEqual(['increment']);
  });

  it.each(rowsOf())(
    '%s says to a lone caller with a high limit one less each time, also where the counter is not written (R-127)',
    async (_, route) => {
      const caller = await service().createCaller({ requestsPerMinute: 1_000 });
      for (let remaining = 999; remaining > 989; remaining -= 1) {
        expectHeaders(await call(service(), route, caller), { limit: 1_000, remaining });
      }
    },
  );

  it('writes the counter of a key with a high limit far less than once for each request, and admits as many (R-126)', async () => {
    const { tenantId, key } = await service().createCaller({ requestsPerMinute: 300 });
    const send = () => service().request('POST', `/customers/${tenantId}`, { key, json: [] });
    const statuses: number[] = [];
    for (let request = 0; request < 310; request += 1) statuses.push((await send()).status);
    expect(statuses).toEqual([...Array<number>(300).fill(200), ...Array<number>(10).fill(429)]);
    expect(service().store.writes.length).toBeLessThan(60);
    service().store.calls.length = 0;
    expect((await send()).status).toBe(429);
    expect(service().store.calls.map(({ paths }) => paths)).toEqual([[apiKeyPath(hashApiKey(key)!)]]);
  });

  it('of a key with a high limit is shared by the instances, and none says more than there is (R-126, R-127)', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 200 });
    let admitted = 0;
    for (let status = 200; status === 200;) {
      await service().start(['customers']); // a new instance each time: it knows nothing of the others
      for (let request = 0; request < 9 && status === 200; request += 1) {
        const answer = await call(service(), ROUTES[0]!, caller);
        ({ status } = answer);
        if (status === 200) admitted += 1;
        expect(Number(answer.headers['x-ratelimit-remaining'])).toBeLessThanOrEqual(200 - admitted);
      }
    }
    expect(admitted).toBeLessThanOrEqual(200);
    expect(admitted).toBeGreaterThanOrEqual(180);
  });

  it.each(rowsOf(undefined, hasBody))(
    '%s counts a request whose body is not JSON (Spec §8, D-34)',
    async (_, route) => {
      const caller = await service().createCaller();
      const answer = await call(service(), route, caller, { raw: '<html>' });
      expect(answer.status).toBe(400);
      expectHeaders(answer, { remaining: 99 });
    },
  );
});
