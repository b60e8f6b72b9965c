/** The client against the service as it is, through a network that fails one request in three. */
import type { Customer, IngestionClient as Client } from '../../client/src';
import { IngestionClient, NotFoundError } from '../../client/src';
import { FAULTS_SEED, ofTier, report } from '../faults/tier';
import { SeededRandom } from '../support/seeded-random';
import { useTestService } from '../support/test-service';
import type { FaultyHttp } from './support/faulty-http';
import { HTTP_FAULTS, startFaultyHttp } from './support/faulty-http';
import { hurriedPlatform } from './support/hurried-platform';

const SIZE = ofTier(1, 10);
const SPEED = 50;
/** A minute by the real clock. */
const TIMEOUT_MS = 60_000 * SPEED;

const service = useTestService('customers', 'products', 'orders', 'ingestion');
let proxy: FaultyHttp;
beforeEach(async () => {
  proxy = await startFaultyHttp((name) => service().portOf(name as 'customers'));
});
afterEach(async () => {
  expect(proxy.problems).toEqual([]);
  await proxy.stop();
});

const random = new SeededRandom(`client ${FAULTS_SEED}`);
const draw = (count: number) => Math.floor(random.fraction() * count);
const failsOneInThree = () => (draw(3) === 0 ? HTTP_FAULTS[draw(HTTP_FAULTS.length)] : undefined);

async function start(): Promise<{ readonly client: Client; readonly tenantId: string }> {
  const { tenantId, key } = await service().createCaller({ requestsPerMinute: 1_000_000 });
  const options = { baseUrl: proxy.baseUrl, key, timeoutMs: TIMEOUT_MS, maxRetries: 20 };
  return { client: new IngestionClient(options, hurriedPlatform(SPEED)), tenantId };
}

/** The last value of a field that each record was sent with. */
function lastOf<Row>(rows: readonly Row[], keyOf: (row: Row) => string, valueOf: (row: Row) => unknown) {
  return new Map(rows.map((row) => [keyOf(row), valueOf(row)]));
}

describe('a feed through a faulty network', () => {
  it('stores all customers as if they had been sent one after the other, and rejects the invalid ones (R-135)', async () => {
    const { client, tenantId } = await start();
    proxy.faultOf = failsOneInThree;
    const isBad = (number: number) => number % 97 === 3;
    const rows = Array.from({ length: 6_000 * SIZE }, (_, number): Customer => {
      const email = `c${draw(1_500)}@example.com`;
      return isBad(number)
        ? { Email: 'no address' }
        : { Email: draw(2) === 0 ? email : email.toUpperCase(), Name: `${number}` };
    });
    const result = await client.customers(tenantId).upsertAll(rows, { onInvalid: 'skip' });
    const good = rows.filter((_, number) => !isBad(number));
    const bad = rows.flatMap((_, number) => (isBad(number) ? [number] : []));
    expect(result).toMatchObject({ accepted: good.length, rejectedCount: bad.length, settled: rows.length });
    expect(result.rejected.map(({ index }) => index)).toEqual(bad.slice(0, 1_000));
    expect(result.requests).toBe(proxy.requests);
    expect(result.retries).toBeGreaterThan(0);
    const stored = await service().records(tenantId, 'customers');
    const keyOf = ({ Email }: Customer) => Email!.toLowerCase();
    expect(lastOf(stored as Customer[], keyOf, ({ Name }) => Name)).toEqual(lastOf(good, keyOf, ({ Name }) => Name));
    report('feeds of customers through a faulty network, stored exactly and in order', rows.length, 0);
  });

  it('stores all orders and products, and deletes what it is told to (R-135)', async () => {
    const { client, tenantId } = await start();
    proxy.faultOf = failsOneInThree;
    const orders = Array.from({ length: 4_000 * SIZE }, (_, number) => ({ OrderId: `o${draw(900)}`, Currency: 'EUR', TotalQuantity: number })); // prettier-ignore
    const products = Array.from({ length: 1_000 * SIZE }, (_, number) => ({ ProductId: `p${draw(300)}`, ProductName: `${number}`, ProductVariants: [] })); // prettier-ignore
    const [stored, alsoStored] = await Promise.all([
      client.orders(tenantId).upsertAll(orders),
      client.products(tenantId, { identifier: 'productId' }).upsertAll(products),
    ]);
    expect([stored.accepted, alsoStored.accepted]).toEqual([orders.length, products.length]);
    const gone = Array.from({ length: 300 }, (_, number) => ({ OrderId: `o${number}` }));
    expect(await client.orders(tenantId).deleteAll(gone)).toMatchObject({ accepted: 300, created: 0, updated: 0 });
    await service().deliverDeletions();
    const expected = lastOf(orders, ({ OrderId }) => OrderId, ({ TotalQuantity }) => TotalQuantity); // prettier-ignore
    for (const { OrderId } of gone) expected.delete(OrderId);
    const storedOrders = (await service().records(tenantId, 'orders')) as typeof orders;
    expect(lastOf(storedOrders, ({ OrderId }) => OrderId, ({ TotalQuantity }) => TotalQuantity)).toEqual(expected); // prettier-ignore
    const storedProducts = (await service().records(tenantId, 'products')) as typeof products;
    expect(lastOf(storedProducts, ({ ProductId }) => ProductId, ({ ProductName }) => ProductName)).toEqual(lastOf(products, ({ ProductId }) => ProductId, ({ ProductName }) => ProductName)); // prettier-ignore
    report('feeds of orders and products through a faulty network, stored exactly and in order', orders.length + products.length, 0); // prettier-ignore
  });
});

describe('the service', () => {
  it('refuses a request with an invalid element as a whole, and stores the others (R-131)', async () => {
    const { client, tenantId } = await start();
    const rows = Array.from({ length: 2_500 }, (_, n): Customer => ({
      Email: n === 1_417 ? 'none' : `c${n}@example.com`,
    }));
    const result = await client.customers(tenantId).upsertAll(rows);
    expect(result).toMatchObject({ accepted: 1_500, created: 1_500, rejectedCount: 1_000 });
    expect(result.rejected[417]).toMatchObject({ index: 1_417, errors: { Email: [expect.any(String)] } });
    expect(await service().records(tenantId, 'customers')).toHaveLength(1_500);
  });

  it('names every rejected element, also where one answer has no room for them (R-132)', async () => {
    const { client, tenantId } = await start();
    const rows = Array.from({ length: 1_000 }, (_, n) => (n % 2 === 0 ? { CustomerId: `${n}` } : {}));
    const told: number[] = [];
    const onRejected = ({ index }: { readonly index: number }) => void told.push(index);
    await client.customers(tenantId).upsertAll(rows, { onInvalid: 'skip', onRejected });
    expect(told).toEqual(rows.flatMap((_, n) => (n % 2 === 1 ? [n] : [])));
    expect(await service().records(tenantId, 'customers')).toHaveLength(500);
  });

  it('refuses a body for one element that is too deep, which the client finds (R-133)', async () => {
    const { client, tenantId } = await start();
    const deep = JSON.parse('['.repeat(40) + ']'.repeat(40)) as object;
    const rows = Array.from({ length: 20 }, (_, n) => ({ CustomerId: `${n}`, ...(n === 13 && { More: deep }) }));
    const result = await client.customers(tenantId).upsertAll(rows);
    expect(result).toMatchObject({ accepted: 19, rejected: [{ index: 13 }] });
  });

  it('checks a feed and stores nothing of it', async () => {
    const { client, tenantId } = await start();
    const rows = [{ Email: 'ann@example.com', EmailOptIn: true }, { Email: 'none' }];
    const result = await client.customers(tenantId).upsertAll(rows, { validateOnly: true, onInvalid: 'skip' });
    expect(result).toMatchObject({ accepted: 1, created: 1, rejectedCount: 1, ignoredFields: ['EmailOptIn'] });
    expect(result.warnings).toMatchObject([{ code: 'fieldCase', examples: [{ index: 0, expected: 'EmailOptin' }] }]);
    expect(await service().records(tenantId, 'customers')).toEqual([]);
  });

  it('answers single calls', async () => {
    const { client, tenantId } = await start();
    const customers = client.customers(tenantId);
    expect(await customers.upsert({ Email: 'ann+1@example.com', Name: 'Ann' })).toMatchObject({ created: 1 });
    expect(await customers.find({ Email: 'ANN+1@example.com' })).toMatchObject({ records: [{ Name: 'Ann' }] });
    expect(await customers.delete({ Email: 'ann+1@example.com' })).toMatchObject({ customerId: null });
    expect(await customers.find({ Email: 'ann+1@example.com' })).toEqual({
      records: [],
      deletionAcceptedAt: '1970-01-01T00:00:00.000Z', // nobody applies it here
    });
    await client.products(tenantId).upsert({ ProductId: 'a/b', ProductVariants: [{ VariantId: 'v', Sku: 's' }] });
    await client.products(tenantId).deleteVariant('a/b', 'v');
    expect(await client.products(tenantId).get('a/b')).toMatchObject({ ProductVariants: [] });
    await expect(client.orders(tenantId).get('none')).rejects.toThrow(NotFoundError);
    const registered = await client.transfers(tenantId).registerDaily({ BucketName: 'acme-exports' });
    expect(registered.recurringJobId).toBe(`daily-transfer/${tenantId}`);
    const run = [];
    for await (const found of client.transfers(tenantId).runs()) run.push(found);
    expect(await client.run(run[0]!.RunId).get()).toMatchObject({ RunId: run[0]!.RunId });
  });
});
