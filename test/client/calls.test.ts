/** Single calls: what they send, what they give, and the errors that they throw. */
import { inspect } from 'node:util';
import {
  ConflictError,
  ForbiddenError,
  IngestionClient,
  IngestionError,
  NetworkError,
  NotFoundError,
  RateLimitError,
  RequestError,
  ServerError,
  UnauthorizedError,
  ValidationError,
} from '../../client/src';
import type { Service } from './support/fake-platform';
import { answer, BASE_URL, FakePlatform, invalid, KEY, refusal, success, TENANT } from './support/fake-platform';

function start(service: Service) {
  const platform = new FakePlatform(service);
  return { platform, client: new IngestionClient({ baseUrl: `${BASE_URL}/`, key: KEY, maxRetries: 0 }, platform) };
}

const GCS = '/ingestion/google-cloud-storage';
const id = 'a/b c';

/** Every method: what it sends. */
const CALLS: readonly [string, (client: IngestionClient) => Promise<unknown>, string, unknown?][] = [
  ['customers.upsert', (c) => c.customers(TENANT).upsert({ Email: 'a@b' }), `POST /customers/${TENANT}`, [{ Email: 'a@b' }]],
  ['customers.delete', (c) => c.customers(TENANT).delete({ Email: 'a+c@b', CustomerId: null }), `DELETE /customers/${TENANT}?email=a%2Bc%40b`],
  ['customers.find', (c) => c.customers(TENANT).find({ CustomerId: '1', Email: 'a@b' }), `GET /customers/${TENANT}?customerId=1&email=a%40b`],
  ['products.upsert', (c) => c.products(TENANT).upsert({ ProductId: 'p', ProductVariants: [] }), `POST /products/${TENANT}`, [{ ProductId: 'p', ProductVariants: [] }]],
  ['products.delete', (c) => c.products(TENANT).delete(id), `DELETE /products/${TENANT}/a%2Fb%20c`],
  ['products.deleteVariant', (c) => c.products(TENANT).deleteVariant('p', id), `DELETE /products/${TENANT}/p/variants/a%2Fb%20c`],
  ['products.get', (c) => c.products(TENANT).get(id), `GET /products/${TENANT}/a%2Fb%20c`],
  ['products.find', (c) => c.products(TENANT).find(id), `GET /products/${TENANT}/a%2Fb%20c`],
  ['orders.upsert', (c) => c.orders(TENANT).upsert({ OrderId: 'o', Currency: 'EUR' }), `POST /orders/${TENANT}`, [{ OrderId: 'o', Currency: 'EUR' }]],
  ['orders.delete', (c) => c.orders(TENANT).delete(id), `DELETE /orders/${TENANT}/a%2Fb%20c`],
  ['orders.deleteItems', (c) => c.orders(TENANT).deleteItems('o', { ProductId: 'p', Sku: 's' }), `DELETE /orders/${TENANT}/o/items?productId=p&sku=s`],
  ['orders.get', (c) => c.orders(TENANT).get('o'), `GET /orders/${TENANT}/o`],
  ['orders.find', (c) => c.orders(TENANT).find('o'), `GET /orders/${TENANT}/o`],
  ['registerHistorical', (c) => c.transfers(TENANT).registerHistorical({ BucketName: 'bucket' }), `POST ${GCS}/register/historical-transfer`, { BucketName: 'bucket', TenantId: TENANT }],
  ['registerDaily', (c) => c.transfers(TENANT).registerDaily({ BucketName: 'bucket', DailyJobStartingHourUTC: 3 }), `POST ${GCS}/register/daily-transfer`, { BucketName: 'bucket', DailyJobStartingHourUTC: 3, TenantId: TENANT }],
  ['registerHourly', (c) => c.transfers(TENANT).registerHourly({ BucketName: 'bucket' }), `POST ${GCS}/register/hourly-transfer`, { BucketName: 'bucket', TenantId: TENANT }],
  ['registerLive', (c) => c.transfers(TENANT).registerLive({ BucketName: 'bucket' }), `POST ${GCS}/register/live-transfer`, { BucketName: 'bucket', TenantId: TENANT }],
  ['unregister', (c) => c.transfers(TENANT).unregister('daily-transfer/t'), `DELETE ${GCS}/unregister?jobId=daily-transfer%2Ft`],
  ['list', (c) => c.transfers(TENANT).list(), `GET ${GCS}/transfers?tenantId=${TENANT}`],
  ['start', (c) => c.transfers(TENANT).start('daily-transfer/t'), `POST ${GCS}/transfers/run?jobId=daily-transfer%2Ft`],
  ['preview', (c) => c.transfers(TENANT).preview({ BucketName: 'bucket', SampleRowsPerFile: 5 }), `POST ${GCS}/preview`, { BucketName: 'bucket', SampleRowsPerFile: 5, TenantId: TENANT }],
  ['usage', (c) => c.usage(TENANT, { from: new Date('2026-03-01T10:00:00Z'), to: '2026-03-02' }), `GET /usage/${TENANT}?from=2026-03-01T10%3A00%3A00.000Z&to=2026-03-02`],
  ['run.get', (c) => c.run(id).get(), `GET ${GCS}/runs/a%2Fb%20c`],
  ['run.replay', (c) => c.run('r').replay(), `POST ${GCS}/runs/r/replay`],
  ['run.cancel', (c) => c.run('r').cancel(), `POST ${GCS}/runs/r/cancel`],
]; // prettier-ignore

it.each(CALLS)('%s sends what the contract says', async (_, call, target, ...body) => {
  const { platform, client } = start(() => success({ record: {}, Run: {}, Transfers: [] }));
  await call(client);
  const [sent] = platform.requests;
  expect(`${sent!.method} ${sent!.path}`).toBe(target);
  expect(sent!.body).toEqual(body[0]);
  expect(sent!.headers['x-service-auth-key']).toBe(KEY);
});

it('gives the record, the run and the transfers themselves', async () => {
  const { client } = start(() =>
    success({ record: { OrderId: 'o' }, Run: { RunId: 'r' }, Transfers: [{ JobId: 'j' }] }),
  );
  expect(await client.orders(TENANT).get('o')).toEqual({ OrderId: 'o' });
  expect(await client.run('r').get()).toEqual({ RunId: 'r' });
  expect(await client.transfers(TENANT).list()).toEqual([{ JobId: 'j' }]);
});

it('says of a record that is not found which deletion is not applied yet (R-355)', async () => {
  const data = { deletionAcceptedAt: '2026-03-01T12:00:00.000Z' };
  const { client } = start(() => answer(404, { success: false, message: 'Order not found.', data }));
  const found = client.orders(TENANT).get('o');
  await expect(found).rejects.toBeInstanceOf(NotFoundError);
  await expect(found).rejects.toMatchObject({ message: 'Order not found.', ...data });
});

it('reads lists to their end, page by page', async () => {
  const { platform, client } = start(
    ({ path }) =>
    path.includes('pageToken=two')
      ? answer(200, { Success: true, Message: 'Runs found.', Data: { Runs: [{ RunId: '3' }], NextPageToken: null } })
      : answer(200, { Success: true, Message: 'Runs found.', Data: { Runs: [{ RunId: '1' }, { RunId: '2' }], NextPageToken: 'two' } }), // prettier-ignore
  );
  const found: string[] = [];
  for await (const { RunId } of client.transfers(TENANT).runs({ status: 'partial' })) found.push(RunId);
  expect(found).toEqual(['1', '2', '3']);
  expect(platform.requests.map(({ path }) => path)).toEqual([
    `${GCS}/runs?tenantId=${TENANT}&status=partial&limit=100`,
    `${GCS}/runs?tenantId=${TENANT}&status=partial&limit=100&pageToken=two`,
  ]);
});

it('asks for no page that nobody reads', async () => {
  const { platform, client } = start(() => success({ Files: [{ Object: 'a' }], NextPageToken: 'more' }));
  for await (const file of client.run('r').files()) {
    expect(file).toEqual({ Object: 'a' });
    break;
  }
  expect(platform.requests.length).toBe(1);
});

describe('a stream of bad rows', () => {
  const pieces = (...texts: readonly Uint8Array[]) =>
    new Response(ReadableStream.from<Uint8Array>(texts), { status: 200 });
  const bytes = new TextEncoder().encode('{"Object":"é.csv","Line":1}\n{"Object":"b.csv","Line":2}\n');

  it('is cut into rows, wherever its pieces end', async () => {
    for (let at = 0; at < bytes.length; at += 1) {
      const { platform, client } = start(() => pieces(bytes.slice(0, at), bytes.slice(at)));
      const rows = [];
      for await (const row of client.run('r').allErrors({ object: 'é.csv' })) rows.push(row);
      expect(rows).toEqual([{ Object: 'é.csv', Line: 1 }, { Object: 'b.csv', Line: 2 }]); // prettier-ignore
      expect(platform.requests[0]).toMatchObject({
        path: `${GCS}/runs/r/errors?object=%C3%A9.csv`,
        headers: { Accept: 'application/x-ndjson' },
      });
    }
  });

  it('is CSV for people', async () => {
    const { platform, client } = start(() => pieces(new TextEncoder().encode('object,line\n')));
    let text = '';
    for await (const piece of client.run('r').errorsAsCsv()) text += piece;
    expect(text).toBe('object,line\n');
    expect(platform.requests[0]!.headers.Accept).toBe('text/csv');
  });

  it('is a NetworkError where it is cut, and an error of the service before it begins', async () => {
    async function* cut() {
      yield bytes.slice(0, 40);
      await Promise.reject(new TypeError('terminated'));
    }
    const rows: unknown[] = [];
    const read = async ({ client }: ReturnType<typeof start>) => {
      for await (const row of client.run('r').allErrors()) rows.push(row);
    };
    await expect(read(start(() => new Response(ReadableStream.from(cut()) as ReadableStream<Uint8Array>)))).rejects.toThrow(NetworkError); // prettier-ignore
    expect(rows.length).toBe(1);
    await expect(read(start(() => refusal(404, 'Run not found.')))).rejects.toThrow(NotFoundError);
  });
});

describe('errors', () => {
  it.each([
    [400, RequestError],
    [401, UnauthorizedError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [405, RequestError],
    [408, ServerError],
    [409, ConflictError],
    [413, RequestError],
    [415, RequestError],
    [429, RateLimitError],
    [500, ServerError],
    [503, ServerError],
  ])('of the status %s have a class, the message and the trace id', async (status, type) => {
    for (const body of [{ message: 'So it is.' }, { Message: 'So it is.' }]) {
      const { client } = start(() => answer(status, body));
      const error = await client.run('r').cancel().catch((caught: unknown) => caught); // prettier-ignore
      expect(error).toBeInstanceOf(type);
      expect(error).toBeInstanceOf(IngestionError);
      expect(error).toMatchObject({ status, message: 'So it is.', traceId: '0af7651916cd43dd8448eb211c80319c', name: type.name }); // prettier-ignore
    }
  });

  it('of a record have the messages by the paths of its fields', async () => {
    const { client } = start(
      () =>
      invalid({ '[0].OrderItems[1].Sku': ['The Sku field is required.'], '': ['Element [0]: at least one.'] }, { omittedErrors: 2, ignoredFields: ['sku'] }), // prettier-ignore
    );
    const error = await client.orders(TENANT).upsert({ OrderId: 'o', Currency: 'EUR' }).catch((caught: unknown) => caught); // prettier-ignore
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({
      status: 400,
      message: 'One or more validation errors occurred. [0].OrderItems[1].Sku: The Sku field is required.',
      errors: { 'OrderItems[1].Sku': ['The Sku field is required.'], '': ['At least one.'] },
      omittedErrors: 2,
      ignoredFields: ['sku'],
    });
  });

  it('are plain where the answer is none of the service', async () => {
    const { client } = start(() => answer(403, '<html>'));
    await expect(client.run('r').get()).rejects.toThrow('The service answered with the status 403.');
  });
});

describe('the key (R-139)', () => {
  it('is in no error, also where fetch repeats it', async () => {
    const { client } = start(() => {
      throw Object.assign(new TypeError(`Invalid header value: ${KEY}`), { headers: { 'x-service-auth-key': KEY } });
    });
    const error = await client.run('r').get().catch((caught: unknown) => caught); // prettier-ignore
    expect(error).toBeInstanceOf(NetworkError);
    // A stack is shown by inspect, too.
    expect(inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error)).not.toContain(KEY);
    expect((error as Error).message).toContain('[key]');
  });

  it('is in no client that is logged', () => {
    const { client } = start(() => refusal(500));
    const parts = [client, client.customers(TENANT), client.products(TENANT), client.orders(TENANT), client.transfers(TENANT), client.run('r')]; // prettier-ignore
    for (const part of parts) {
      expect(inspect(part, { depth: 20, showHidden: true }) + JSON.stringify(part)).not.toContain(KEY);
    }
  });

  it.each(['', 'two\nlines', 'schlüssel', undefined])(
    'is refused where it cannot be one (%j), without repeating it',
    (key) => {
      expect(() => new IngestionClient({ baseUrl: BASE_URL, key: key as string })).toThrow(
        'key is none of the service.',
      );
    },
  );
});

describe('options', () => {
  it.each([
    [{ baseUrl: 'data.example.com' }, 'baseUrl'],
    [{ baseUrl: 'ftp://data.example.com' }, 'baseUrl'],
    [{ concurrency: 0 }, 'concurrency'],
    [{ concurrency: 1.5 }, 'concurrency'],
    [{ maxRetries: -1 }, 'maxRetries'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs'],
  ])('are refused where they mean nothing: %j', (options, name) => {
    expect(() => new IngestionClient({ baseUrl: BASE_URL, key: KEY, ...options })).toThrow(new RegExp(`^${name} must`));
  });

  it('take another fetch', async () => {
    const fetched: unknown[] = [];
    const fetch: typeof globalThis.fetch = (url) => {
      fetched.push(url);
      return Promise.resolve(success({ RunId: 'r' }));
    };
    await new IngestionClient({ baseUrl: BASE_URL, key: KEY, fetch }).run('r').cancel();
    expect(fetched).toEqual([`${BASE_URL}${GCS}/runs/r/cancel`]);
  });
});

it('sends no id that an address cannot hold: it would mean another record', async () => {
  const { platform, client } = start(() => success({}));
  await expect(client.products(TENANT).deleteVariant('p', '..')).rejects.toThrow(TypeError);
  await expect(client.orders(TENANT).delete('.')).rejects.toThrow(TypeError);
  expect(platform.requests).toEqual([]);
});
