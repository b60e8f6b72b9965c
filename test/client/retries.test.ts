/** How often and when a request is sent again, and how the client keeps to the rate limit. */
import { IngestionClient, NetworkError, RateLimitError, RequestError, ServerError } from '../../client/src';
import type { Service } from './support/fake-platform';
import { answer, BASE_URL, FakePlatform, KEY, refusal, storesAll, success, TENANT } from './support/fake-platform';

function start(service: Service, options: { maxRetries?: number; random?: () => number; timeMs?: number } = {}) {
  const { random, timeMs, maxRetries } = options;
  const platform = new FakePlatform(service, random, timeMs);
  return { platform, client: new IngestionClient({ baseUrl: BASE_URL, key: KEY, maxRetries }, platform) };
}

const one = (client: IngestionClient) => client.customers(TENANT).upsert({ Email: 'ann@example.com' });
const stored = { count: 1, created: 1, updated: 0, processedAt: '2026-03-01T12:00:30.000Z' };

/** Fails so many times, and then stores. */
function failing(times: number, fail: () => Response): Service {
  return (_, index) => (index < times ? fail() : success(stored));
}

describe('a request', () => {
  it.each<[string, () => Response]>([
    ['408', () => refusal(408)],
    ['429', () => refusal(429)],
    ['500', () => refusal(500)],
    ['502 of a gateway', () => answer(502, '<html>')],
    ['503', () => refusal(503)],
    ['504 of a gateway', () => answer(504, '<html>')],
    ['no answer', () => { throw new TypeError('fetch failed'); }], // prettier-ignore
    ['a success that is cut', () => answer(200, '{"success":true,"da')],
    ['a success of something else', () => answer(200, '<html>Sign in</html>')],
    ['another status of something else', () => answer(206, '{}')],
  ])('is sent again after %s', async (_, fail) => {
    const { platform, client } = start(failing(3, fail));
    expect(await one(client)).toEqual(stored);
    expect(platform.requests.length).toBe(4);
    expect(new Set(platform.requests.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it.each([400, 401, 403, 404, 405, 409, 413, 415])('is not sent again after %s', async (status) => {
    const { platform, client } = start(() => refusal(status));
    await expect(one(client)).rejects.toMatchObject({ status });
    expect(platform.requests.length).toBe(1);
  });

  it.each<[string, number, Service, object]>([
    ['a NetworkError', 2, () => { throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }); }, { constructor: NetworkError, message: 'There was no whole answer: fetch failed (ECONNRESET)' }], // prettier-ignore
    ['a RateLimitError', 0, () => refusal(429, 'Slow down.', { 'Retry-After': '7' }), { constructor: RateLimitError, retryAfterSeconds: 7 }], // prettier-ignore
    ['a ServerError', 1, () => refusal(503, 'Full.'), { constructor: ServerError, message: 'Full.' }],
  ])('is %s when all retries failed', async (_, maxRetries, service, expected) => {
    const { platform, client } = start(service, { maxRetries });
    await expect(one(client)).rejects.toMatchObject(expected);
    expect(platform.requests.length).toBe(maxRetries + 1);
  });

  it('waits between nothing and a bound that doubles up to 30 s (R-138)', async () => {
    const most = start(failing(8, () => refusal(500)), { random: () => 0.999_999 }); // prettier-ignore
    await one(most.client);
    expect(most.platform.waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    const least = start(failing(8, () => refusal(500)), { random: () => 0 }); // prettier-ignore
    await one(least.client);
    expect(least.platform.waits).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('waits at least as long as the service asks, but never for hours (R-138)', async () => {
    const { platform, client } = start(failing(1, () => refusal(503, 'Full.', { 'Retry-After': '20' })), { random: () => 0 }); // prettier-ignore
    await one(client);
    const hours = start(failing(1, () => refusal(503, 'Full.', { 'Retry-After': '86400' })), { random: () => 0 }); // prettier-ignore
    await one(hours.client);
    const dated = start(failing(1, () => refusal(503, 'Full.', { 'Retry-After': 'Sun, 01 Mar 2026 12:00:40 GMT' })), { random: () => 0 }); // prettier-ignore
    await one(dated.client);
    expect([platform.waits, hours.platform.waits, dated.platform.waits]).toEqual([[20_000], [120_000], [10_000]]);
  });

  it('is given up and sent again when there is no answer in time', async () => {
    const { platform, client } = start((_, index) => (index === 0 ? new Promise(() => undefined) : success(stored)));
    expect(await one(client)).toEqual(stored);
    expect(platform.waits[0]).toBe(60_000);
  });

  it('follows no redirect, which would give the key away', async () => {
    const { client } = start(() => answer(302, '', { Location: 'https://elsewhere.example.com' }));
    await expect(one(client)).rejects.toThrow(RequestError);
    await expect(one(client)).rejects.toThrow(/redirect/);
  });
});

describe('the rate limit', () => {
  /** As the service counts: `limit` requests in each clock minute. Its clock is ahead of the client's by `skewMs`. */
  function limited(limit: number, skewMs = 0, others = 0) {
    let window = -1;
    let count = 0;
    let refused = 0;
    const service: Service = (request, index) => {
      const nowMs = platform.nowMs() + skewMs;
      if (Math.floor(nowMs / 60_000) !== window) [window, count] = [Math.floor(nowMs / 60_000), others];
      count += 1;
      const headers = {
        Date: new Date(nowMs).toUTCString(),
        'X-RateLimit-Limit': `${limit}`,
        'X-RateLimit-Remaining': `${Math.max(0, limit - count)}`,
        'X-RateLimit-Reset': `${(window + 1) * 60}`,
      };
      if (count > limit) {
        refused += 1;
        const seconds = Math.ceil(60 - (nowMs / 1000) % 60); // prettier-ignore
        return refusal(429, 'Slow down.', { ...headers, 'Retry-After': `${seconds}` });
      }
      const rows = request.body as unknown[];
      return index < 0 ? refusal(500) : success({ count: rows.length, created: 0, updated: rows.length }, headers);
    };
    const { platform, client } = start(service);
    return { platform, client, refused: () => refused };
  }

  const rows = Array.from({ length: 45_000 }, (_, n) => ({ OrderId: `${n}`, Currency: 'EUR' }));

  it.each([
    ['right', 0],
    ['an hour late', 3_600_000],
    ['an hour early', -3_600_000],
  ])('holds requests back before it is reached, where this clock is %s (R-138)', async (_, skewMs) => {
    const { platform, client, refused } = limited(20, skewMs);
    expect(await client.orders(TENANT).upsertAll(rows)).toMatchObject({ accepted: 45_000, requests: 90 });
    expect(refused()).toBe(0);
    expect(platform.waits.filter((ms) => ms > 61_000)).toEqual([]);
  });

  it('is waited out where others use the same key (R-138)', async () => {
    const { client, refused } = limited(20, 0, 18);
    const result = await client.orders(TENANT).upsertAll(rows.slice(0, 5_000));
    expect(result).toMatchObject({ accepted: 5_000, rejectedCount: 0 });
    expect(refused()).toBeLessThanOrEqual(4 * 5); // those under way at once when a window begins
  });

  it('is shared by all that a client does at once', async () => {
    const { client, refused } = limited(10);
    await Promise.all([
      client.orders(TENANT).upsertAll(rows.slice(0, 9_000)),
      client.customers(TENANT).upsertAll(rows.slice(0, 9_000).map(({ OrderId }) => ({ CustomerId: OrderId }))),
    ]);
    expect(refused()).toBe(0);
  });

  it('holds nothing back where answers have no such headers', async () => {
    const { platform, client } = start(storesAll);
    await client.orders(TENANT).upsertAll(rows);
    expect(platform.waits).toEqual([]);
  });
});
