import type { Received } from '../support/http-exchange';
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';

const CANARY = 'canary7f3a';
const EMAIL = `${CANARY}@example.com`;

const service = useTestService(...HTTP_FUNCTIONS, 'deletion-consumer');

/** Everything that the process says while the test runs. */
let spoken: string[] = [];
beforeEach(() => {
  spoken = [];
  const listen = (chunk: unknown) => spoken.push(String(chunk)) > 0;
  jest.spyOn(process.stdout, 'write').mockImplementation(listen);
  jest.spyOn(process.stderr, 'write').mockImplementation(listen);
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    jest.spyOn(console, method).mockImplementation((...words: unknown[]) => listen(words.join(' ')));
  }
});
afterEach(() => jest.restoreAllMocks());

const BODIES: Readonly<Record<string, unknown>> = {
  customers: [{ Email: EMAIL, CustomerId: CANARY, Name: CANARY, Phone: CANARY, [CANARY]: CANARY }],
  products: [{ ProductId: CANARY, ProductName: CANARY, ProductVariants: [{ VariantId: CANARY, Sku: CANARY }] }],
  orders: [
    {
      OrderId: CANARY,
      Currency: 'EUR',
      Email: EMAIL,
      OrderItems: [{ ProductId: CANARY, Sku: CANARY, Quantity: 1, Price: 1 }],
    },
  ],
};
const HEADERS = { cookie: CANARY, authorization: `Bearer ${CANARY}`, referer: EMAIL, 'x-canary': CANARY };
/** The headers that the service reads, each with a canary in a place that it may fail on. */
const READ_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'content-type': `text/${CANARY}` },
  { 'content-type': `application/json; charset=${CANARY}` },
  { 'content-encoding': CANARY },
  { traceparent: `00-${CANARY}-${CANARY}-01`, 'x-cloud-trace-context': `${CANARY}/1;o=1` },
  { 'x-service-auth-key': CANARY },
];

/** Sends requests of every kind, all with canaries in whatever a caller controls. */
async function sendEverything(tenantId: string, key: string): Promise<Received[]> {
  const answers: Received[] = [];
  const send = async (method: string, path: string, body?: { json?: unknown; raw?: string }, more = {}) => {
    answers.push(await service().request(method, path, { key, headers: { ...HEADERS, ...more }, ...body }));
  };
  for (const [name, json] of Object.entries(BODIES)) {
    await send('POST', `/${name}/${tenantId}?${CANARY}=${EMAIL}`, { json });
    await send('POST', `/${name}/${tenantId}`, { raw: `[{"Email":"${EMAIL}` });
    await send('POST', `/${name}/${tenantId}`, {
      json: [{ Email: CANARY, CustomerId: CANARY.repeat(30), ProductId: 7 }],
    });
    for (const headers of READ_HEADERS) await send('POST', `/${name}/${tenantId}`, { json }, headers);
    await send('POST', `/${name}/${CANARY}`, { json });
    await send('PUT', `/${name}/${tenantId}?email=${EMAIL}`);
    await send('GET', `/${name}/${CANARY}/${EMAIL}/x/y/z`);
  }
  await send('GET', `/customers/${tenantId}?email=${EMAIL}&customerId=${CANARY}`);
  await send('GET', `/customers/${tenantId}?email=${EMAIL}`);
  await send('GET', `/customers/${tenantId}?email=${EMAIL}&email=${CANARY}`);
  await send('GET', `/products/${tenantId}/${CANARY}`);
  await send('GET', `/orders/${tenantId}/${CANARY}`);
  await send('GET', `/orders/${tenantId}/${CANARY}%E0%A4%A`);
  await send('DELETE', `/customers/${tenantId}?email=${EMAIL}&customerId=${CANARY}`);
  await send('DELETE', `/customers/${tenantId}?email=${EMAIL}&email=${CANARY}`);
  await send('DELETE', `/products/${tenantId}/${CANARY}`);
  await send('DELETE', `/products/${tenantId}/${CANARY}%E0%A4%A`);
  await send('DELETE', `/products/${tenantId}/${CANARY}/variants/${CANARY}`);
  await send('DELETE', `/orders/${tenantId}/${CANARY}`);
  await send('DELETE', `/orders/${tenantId}/${CANARY}/items?productId=${CANARY}&sku=${CANARY}`);
  for (const kind of ['historical', 'daily', 'hourly', 'live']) {
    const json = { TenantId: tenantId, BucketName: `${CANARY}-bucket`, DataFolderPaths: [CANARY] };
    await send('POST', `/ingestion/google-cloud-storage/register/${kind}-transfer`, { json });
    await send('POST', `/ingestion/google-cloud-storage/register/${kind}-transfer`, {
      json: { ...json, TenantId: CANARY },
    });
  }
  await send('DELETE', `/ingestion/google-cloud-storage/unregister?jobId=${CANARY}`);
  return answers;
}

function expectNothingPrivate(key: string): void {
  const logged = [JSON.stringify(service().logger.entries), ...spoken].join('\n');
  expect(logged).not.toContain(CANARY);
  expect(logged).not.toContain(key);
  expect(logged).not.toContain(key.slice(0, 12));
}

describe('what callers send stays out of the logs', () => {
  it('when requests succeed and when they are refused', async () => {
    const { tenantId, key } = await service().createCaller();
    const answers = await sendEverything(tenantId, key);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400, 401, 404, 405, 415]));
    expectNothingPrivate(key);
  });

  it('when the key is unknown, another organization’s, or over its limit', async () => {
    const { tenantId } = await service().createCaller();
    const stranger = await service().createCaller();
    const spent = (await service().createCaller({ requestsPerMinute: 1 })).key;
    for (const key of [service().unknownKey(), stranger.key, spent]) {
      await sendEverything(tenantId, key);
      expectNothingPrivate(key);
    }
  });

  it.each(['increment', 'get', 'getAll', 'getSome', 'listRefs', 'commit', 'writeEach'] as const)(
    'when %s of the database fails',
    async (method) => {
      const { tenantId, key } = await service().createCaller();
      await sendEverything(tenantId, key); // leaves deletions pending, so that the next upserts look for them
      service().store.failing = (made) => made.method === method;
      await sendEverything(tenantId, key);
      expect(service().logger.entries).not.toEqual([]);
      expectNothingPrivate(key);
    },
  );

  it('when publishing and scheduling fail', async () => {
    const { tenantId, key } = await service().createCaller();
    service().publisher.failure = new Error('Unavailable.');
    service().scheduler.failure = new Error('Unavailable.');
    const answers = await sendEverything(tenantId, key);
    expect(answers.map(({ status }) => status)).toContain(500);
    expect(service().logger.entries).not.toEqual([]);
    expectNothingPrivate(key);
  });

  it('when an event is malformed', async () => {
    const data = Buffer.from(`{"tenantId":"${CANARY}","email":"${EMAIL}"}`).toString('base64');
    const json = { message: { messageId: '1', data, attributes: { email: EMAIL } }, subscription: 's' };
    await service().request('POST', '/', { to: 'deletion-consumer', json });
    expect(service().logger.entries).not.toEqual([]);
    expectNothingPrivate('no key here');
  });

  it('and out of events, document names and the answers’ headers', async () => {
    const { tenantId, key } = await service().createCaller();
    const answers = await sendEverything(tenantId, key);
    const deletions = service().publisher.published.filter(({ topic }) => topic === 'deletions');
    expect(deletions.length).toBeGreaterThan(4);
    expect(JSON.stringify(deletions)).not.toContain(CANARY);
    const names = service()
      .store.calls.flatMap(({ paths }) => paths)
      .join('\n');
    expect(names).not.toContain(CANARY);
    expect(names).not.toContain(key);
    expect(JSON.stringify(answers.map(({ headers }) => headers))).not.toContain(CANARY);
  });
});

describe('what an answer to a failure tells', () => {
  it('is no more than its message: no stack, no text of the error', async () => {
    const { tenantId, key } = await service().createCaller();
    service().store.failing = () => true;
    const { text } = await service().request('POST', `/customers/${tenantId}`, { key, json: [] });
    expect(text).toBe('{"success":false,"message":"An unexpected error occurred. Please try again.","data":{}}');
  });
});
