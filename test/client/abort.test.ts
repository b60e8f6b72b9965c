import type { Customer } from '../../client/src';
import { AbortedError, IngestionClient } from '../../client/src';
import type { Service } from './support/fake-platform';
import { BASE_URL, FakePlatform, KEY, refusal, storesAll, TENANT } from './support/fake-platform';

function start(service: Service) {
  const platform = new FakePlatform(service);
  return { platform, client: new IngestionClient({ baseUrl: BASE_URL, key: KEY, concurrency: 2 }, platform) };
}

const never = () => new Promise<never>(() => undefined);
const rows = (count: number) => Array.from({ length: count }, (_, n): Customer => ({ Email: `c${n}@example.com` }));

describe('the signal of a feed', () => {
  it('ends requests that are under way, with what was acknowledged (R-134)', async () => {
    const controller = new AbortController();
    const { client } = start((request, index) => {
      if (index < 2) return storesAll(request, index);
      controller.abort(new Error('Enough.'));
      return never();
    });
    const failure = await client
      .customers(TENANT)
      .upsertAll(rows(9_000), { signal: controller.signal })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AbortedError);
    expect(failure).toMatchObject({ name: 'AbortError', cause: { message: 'Enough.' }, result: { accepted: 2_000, settled: 2_000 } }); // prettier-ignore
  });

  it('ends a feed whose source gives nothing', async () => {
    const controller = new AbortController();
    const { client } = start(storesAll);
    const source = { [Symbol.asyncIterator]: () => ({ next: never }) };
    const feed = client.customers(TENANT).upsertAll(source, { signal: controller.signal });
    controller.abort();
    await expect(feed).rejects.toThrow(AbortedError);
  });

  it('ends the wait for a retry', async () => {
    const controller = new AbortController();
    const { platform, client } = start(() => {
      queueMicrotask(() => controller.abort());
      return refusal(503, 'Full.', { 'Retry-After': '100' });
    });
    await expect(client.customers(TENANT).upsertAll(rows(1), { signal: controller.signal })).rejects.toThrow(
      AbortedError,
    );
    expect(platform.requests.length).toBe(1);
  });

  it('sends nothing when it is aborted before', async () => {
    const { platform, client } = start(storesAll);
    const feed = client.customers(TENANT).upsertAll(rows(1), { signal: AbortSignal.abort() });
    await expect(feed).rejects.toThrow(AbortedError);
    expect(platform.requests).toEqual([]);
  });

  it('keeps no listener of a feed that has ended', async () => {
    const { client } = start(storesAll);
    const listeners = new Set<unknown>();
    const signal = new AbortController().signal;
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = (type: string, listener: never) => {
      listeners.add(listener);
      add(type, listener);
    };
    signal.removeEventListener = (_: string, listener: never) => void listeners.delete(listener);
    await client.customers(TENANT).upsertAll(rows(3_000), { signal });
    await client
      .customers(TENANT)
      .upsert({ Email: 'a@b' }, { signal })
      .catch(() => undefined);
    expect(listeners.size).toBe(0);
  });
});

it('ends a single call', async () => {
  const controller = new AbortController();
  const { client } = start(never);
  const call = client.orders(TENANT).get('1001', { signal: controller.signal });
  setImmediate(() => controller.abort());
  await expect(call).rejects.toThrow(AbortedError);
});
