/** What `upsertAll` and `deleteAll` send, and what they make of the answers. */
import { isDeepStrictEqual } from 'node:util';
import { Readable } from 'node:stream';
import type { Customer, FeedProgress, RejectedElement, Rows } from '../../client/src';
import { FeedError, ForbiddenError, IngestionClient, ServerError, UnauthorizedError } from '../../client/src';
import { MAX_BODY_BYTES } from '../../client/src/contract';
import type { Service } from './support/fake-platform';
import { BASE_URL, FakePlatform, invalid, KEY, refusal, storesAll, success, TENANT } from './support/fake-platform';

function start(service: Service = storesAll, options: { readonly concurrency?: number } = {}) {
  const platform = new FakePlatform(service);
  const client = new IngestionClient({ baseUrl: BASE_URL, key: KEY, ...options }, platform);
  return { platform, client, customers: client.customers(TENANT) };
}

const customer = (number: number): Customer => ({ Email: `c${number}@example.com`, Name: `Name ${number}` });
const numbered = (count: number) => Array.from({ length: count }, (_, number) => customer(number));
const sizes = ({ requests }: FakePlatform) => requests.map(({ body }) => (body as unknown[]).length);

function* generated(count: number) {
  for (let number = 0; number < count; number += 1) yield customer(number);
}

async function* slowlyGenerated(count: number) {
  for (const row of generated(count)) yield await Promise.resolve(row);
}

/** As in browsers whose streams cannot be iterated over. */
function plainStream(count: number): ReadableStream<Customer> {
  const stream = ReadableStream.from<Customer>(generated(count));
  return { getReader: () => stream.getReader() } as ReadableStream<Customer>;
}

describe('the chunks of a feed', () => {
  it('have at most as many elements as the contract allows (R-130)', async () => {
    const { platform, client } = start();
    await client.customers(TENANT).upsertAll(numbered(2_500));
    await client
      .orders(TENANT)
      .upsertAll(Array.from({ length: 501 }, (_, n) => ({ OrderId: `${n}`, Currency: 'EUR' })));
    expect(sizes(platform).sort((a, b) => b - a)).toEqual([1_000, 1_000, 500, 500, 1]);
  });

  it('have at most as many bytes as the contract allows, in UTF-8 (R-130)', async () => {
    const { platform, customers } = start();
    const long = '€'.repeat(400_000); // 1.2 MB
    const result = await customers.upsertAll(numbered(40).map((row) => ({ ...row, Surname: long })));
    expect(result.accepted).toBe(40);
    expect(platform.requests.length).toBe(4); // 13 of them fit
    for (const { bytes } of platform.requests) expect(bytes).toBeLessThanOrEqual(MAX_BODY_BYTES);
    expect(Math.max(...platform.requests.map(({ bytes }) => bytes))).toBeGreaterThan(MAX_BODY_BYTES - 1_300_000);
  });

  it('fill a body to its last byte and no further (R-130)', async () => {
    const { platform, customers } = start();
    const overhead = JSON.stringify([{ Email: 'a@b', Name: '' }]).length;
    const exact = { Email: 'a@b', Name: 'x'.repeat(MAX_BODY_BYTES - overhead) };
    const { accepted, rejected } = await customers.upsertAll([exact, { ...exact, Name: `${exact.Name}x` }]);
    expect(accepted).toBe(1);
    expect(platform.requests.map(({ bytes }) => bytes)).toEqual([MAX_BODY_BYTES]);
    expect(rejected).toEqual([{ index: 1, errors: { '': [expect.stringContaining('more than a request may have')] } }]);
  });

  it('are compressed, unless they are small', async () => {
    const { platform, customers } = start();
    await customers.upsertAll(numbered(100));
    await customers.upsertAll(numbered(1));
    expect(platform.requests.map(({ headers }) => headers['Content-Encoding'])).toEqual(['gzip', undefined]);
  });

  it.each<[string, () => Rows<Customer>]>([
    ['an array', () => numbered(1_500)],
    ['an iterable', () => new Set(numbered(1_500))],
    ['a generator', () => generated(1_500)],
    ['an async generator', () => slowlyGenerated(1_500)],
    ['a Node stream', () => Readable.from(generated(1_500)) as AsyncIterable<Customer>],
    ['a web stream', () => ReadableStream.from<Customer>(generated(1_500))],
    ['a web stream that is no iterable', () => plainStream(1_500)],
  ])('are made of %s', async (_, rows) => {
    const { platform, customers } = start(storesAll, { concurrency: 1 });
    expect(await customers.upsertAll(rows())).toMatchObject({ accepted: 1_500, rejectedCount: 0, settled: 1_500 });
    expect(platform.requests.flatMap(({ body }) => body)).toEqual(numbered(1_500));
  });

  it('are none of an empty input', async () => {
    const { platform, customers } = start();
    expect(await customers.upsertAll([])).toMatchObject({ accepted: 0, settled: 0, requests: 0 });
    expect(platform.requests).toEqual([]);
  });

  it('are refused where the rows are none', async () => {
    const { customers } = start();
    await expect(customers.upsertAll(7 as never)).rejects.toThrow(TypeError);
    const undecoded = customers.upsertAll([Buffer.from('{}')] as never);
    await expect(undecoded).rejects.toThrow(/decode them first/);
  });
});

describe('the result of a feed', () => {
  it('adds up what the answers say, with indexes in the whole input (R-132)', async () => {
    const { customers } = start(({ body }) => {
      const count = (body as unknown[]).length;
      const example = { index: 7 };
      const warnings = [{ code: 'emailMissing', message: 'No e-mail.', count: 1, examples: [example] }];
      return success({ count: count - 1, created: 10, updated: count - 11, rejectedCount: 1, rejected: [{ index: 3, errors: { Email: ['Wrong.'] } }], ignoredFields: ['EmailOptIn'], warnings }); // prettier-ignore
    });
    expect(await customers.upsertAll(numbered(3_000), { onInvalid: 'skip' })).toEqual({
      accepted: 2_997,
      created: 30,
      updated: 2_967,
      rejectedCount: 3,
      rejected: [3, 1_003, 2_003].map((index) => ({ index, errors: { Email: ['Wrong.'] } })),
      ignoredFields: ['EmailOptIn'],
      warnings: [{ code: 'emailMissing', message: 'No e-mail.', count: 3, examples: expect.arrayContaining([7, 1_007, 2_007].map((index) => ({ index }))) as unknown }], // prettier-ignore
      settled: 3_000,
      requests: 3,
      retries: 0,
    });
  });

  it('names the elements of a refused request, and says of its others that they are not stored (R-131)', async () => {
    const { platform, customers } = start(({ body }) =>
      (body as Customer[]).some(({ Email }) => Email === 'c1417@example.com')
        ? invalid({ '[417].Email': ['Wrong.'], '': ['Element [418]: at least one.'] }, { omittedErrors: 3 })
        : storesAll({ body } as never, 0),
    );
    const result = await customers.upsertAll(numbered(3_000));
    expect(platform.requests[0]!.path).toBe(`/customers/${TENANT}`);
    expect(result).toMatchObject({ accepted: 2_000, rejectedCount: 1_000, settled: 3_000 });
    expect(result.rejected[417]).toEqual({ index: 1_417, errors: { Email: ['Wrong.'] } });
    expect(result.rejected[418]).toEqual({ index: 1_418, errors: { '': ['At least one.'] } });
    expect(result.rejected[0]).toEqual({ index: 1_000, errors: { '': [expect.stringContaining('other elements')] } });
  });

  it('names all elements of a request in which all are invalid', async () => {
    const { customers } = start(() => invalid({ '[0].Email': ['Wrong.'], '[1]': ['Too large.'] }));
    const { rejected, rejectedCount } = await customers.upsertAll(numbered(3), { onInvalid: 'skip' });
    expect(rejectedCount).toBe(3);
    expect(rejected.map(({ errors }) => errors)).toEqual([
      { Email: ['Wrong.'] },
      { '': ['Too large.'] },
      { '': [expect.stringContaining('no room for its messages')] },
    ]);
  });

  it('finds out which elements are rejected where an answer has no room for all (R-132)', async () => {
    const isBad = ({ Name }: Customer) => Number(Name!.slice(5)) % 3 === 0;
    const { platform, customers } = start(({ body }) => {
      const rows = body as Customer[];
      const bad = rows.flatMap((row, index) => (isBad(row) ? [{ index, errors: { Name: ['Bad.'] } }] : []));
      return success({ count: rows.length - bad.length, created: 0, updated: 0, rejectedCount: bad.length, rejected: bad.slice(0, 100) }); // prettier-ignore
    });
    const told: [number, string][] = [];
    const onRejected = ({ index }: RejectedElement, { Name }: Customer) => void told.push([index, Name!]);
    const result = await customers.upsertAll(numbered(1_000), { onInvalid: 'skip', onRejected });
    expect(result).toMatchObject({ accepted: 666, rejectedCount: 334 });
    const expected = numbered(1_000).flatMap((row, index) => (isBad(row) ? [[index, row.Name]] : []));
    expect(told).toEqual(expected);
    expect(platform.requests.map(({ path }) => path.includes('validateOnly=true'))).toEqual([false, true, true, true]);
  });

  it('keeps 1,000 rejections, counts all, and tells all to onRejected (R-132)', async () => {
    const { customers } = start(() => invalid({ '[0].Email': ['Wrong.'] }));
    let told = 0;
    const result = await customers.upsertAll(numbered(5_000), {
      onInvalid: 'skip',
      onRejected: () => void (told += 1),
    });
    expect([result.rejectedCount, result.rejected.length, told]).toEqual([5_000, 1_000, 5_000]);
  });

  it('rejects what cannot be written as JSON, and sends the others', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const { platform, customers } = start();
    const rows = [customer(0), circular, undefined, { Email: 1n }, customer(4)] as Customer[];
    const result = await customers.upsertAll(rows);
    expect(result).toMatchObject({ accepted: 2, rejectedCount: 3, settled: 5 });
    expect(result.rejected.map(({ index }) => index)).toEqual([1, 2, 3]);
    expect(platform.requests.map(({ body }) => body)).toEqual([[customer(0), customer(4)]]);
  });

  it('halves a body that is too large until the element that is too large stands alone (R-133)', async () => {
    const { platform, customers } = start(({ body }) =>
      (body as Customer[]).some(({ Name }) => Name === 'Name 3')
        ? refusal(413, 'Too large.')
        : storesAll({ body } as never, 0),
    );
    const result = await customers.upsertAll(numbered(8));
    expect(result).toMatchObject({ accepted: 7, rejectedCount: 1 });
    expect(result.rejected).toEqual([{ index: 3, errors: { '': ['Too large.'] } }]);
    expect(sizes(platform)).toEqual([8, 4, 2, 2, 1, 1, 4]);
  });

  it('halves a body that is refused as a whole, too (R-133)', async () => {
    const { customers } = start(({ body }) =>
      (body as Customer[]).some(({ Name }) => Name === 'Name 5')
        ? invalid({ '': ['Too deep.'] })
        : storesAll({ body } as never, 0),
    );
    const { accepted, rejected } = await customers.upsertAll(numbered(8), { onInvalid: 'skip' });
    expect([accepted, rejected]).toEqual([7, [{ index: 5, errors: { '': ['Too deep.'] } }]]);
  });

  it('is of a check with validateOnly', async () => {
    const { platform, customers } = start(() => success({ count: 2, wouldCreate: 1, wouldUpdate: 1 }));
    const result = await customers.upsertAll(numbered(2), { validateOnly: true });
    expect(result).toMatchObject({ accepted: 2, created: 1, updated: 1 });
    expect(platform.requests[0]!.path).toBe(`/customers/${TENANT}?validateOnly=true`);
  });

  it('counts in onProgress only what was acknowledged', async () => {
    const seen: FeedProgress[] = [];
    const acknowledged: number[] = [];
    const { customers } = start(async (request, index) => {
      const response = await storesAll(request, index);
      acknowledged.push((request.body as unknown[]).length);
      return response;
    });
    await customers.upsertAll(numbered(3_500), {
      onProgress: (progress) => {
        expect(progress.accepted).toBeLessThanOrEqual(acknowledged.reduce((sum, count) => sum + count, 0));
        seen.push(progress);
      },
    });
    expect(seen.at(-1)).toMatchObject({ accepted: 3_500, settled: 3_500 });
    expect(seen.length).toBe(4);
  });
});

describe('a feed that ends early', () => {
  it.each([
    [401, UnauthorizedError],
    [403, ForbiddenError],
  ])('stops on %s, with what was acknowledged', async (status, type) => {
    const { platform, customers } = start((request, index) =>
      index < 3 ? storesAll(request, index) : refusal(status, 'Not you.'), { concurrency: 1 }); // prettier-ignore
    const failure = await customers.upsertAll(numbered(10_000)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(type);
    expect(failure).toMatchObject({
      status,
      message: 'Not you.',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      result: { accepted: 3_000, rejectedCount: 0, settled: 3_000 },
    });
    expect(platform.requests.length).toBe(4);
  });

  it('keeps the account of the requests that were under way (R-134)', async () => {
    const { platform, customers } = start(async (request, index) => {
      // Batches may arrive in another order: the first elements are refused, whenever they come.
      if (isDeepStrictEqual((request.body as unknown[])[0], customer(0))) return refusal(403);
      await platform.sleep(1_000);
      return storesAll(request, index);
    });
    const failure = await customers.upsertAll(numbered(10_000)).catch((error: unknown) => error);
    // Three others were under way. The first 1,000 elements are not accounted for, so it is continued at 0.
    expect(failure).toMatchObject({ result: { accepted: 3_000, settled: 0, requests: 4 } });
  });

  it('gives up when all retries failed', async () => {
    const { platform, customers } = start(() => refusal(500, 'Broken.'));
    const failure = await customers.upsertAll(numbered(1)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServerError);
    expect(failure).toMatchObject({ message: 'Broken.', result: { accepted: 0, requests: 11, retries: 10 } });
    expect(platform.requests.length).toBe(11);
  });

  it('says why its rows could not be read, and closes their source', async () => {
    const { customers } = start(storesAll, { concurrency: 1 });
    let isClosed = false;
    function* rows() {
      try {
        yield* numbered(2_500);
        throw new Error('Disk on fire.');
      } finally {
        isClosed = true;
      }
    }
    const failure = await customers.upsertAll(rows()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FeedError);
    expect(failure).toMatchObject({
      message: 'The feed ended: Disk on fire.',
      cause: { message: 'Disk on fire.' },
      result: { accepted: 2_000, settled: 2_000 },
    });
    expect(isClosed).toBe(true);
  });

  it('says that a callback threw', async () => {
    const { customers } = start();
    const onProgress = () => {
      throw new Error('My bug.');
    };
    await expect(customers.upsertAll(numbered(1), { onProgress })).rejects.toThrow('The feed ended: My bug.');
  });

  it('closes its source when the service refuses', async () => {
    const { customers } = start(() => refusal(401));
    const source = Readable.from(generated(100_000));
    await expect(customers.upsertAll(source as AsyncIterable<Customer>)).rejects.toThrow(UnauthorizedError);
    expect(source.destroyed).toBe(true);
  });
});
