/** What the routes that read show while deletions are pending, and that they change nothing. */
import { RECORD_READS_AT_ONCE } from '../../shared/limits/records';
import type { TestService } from '../support/test-service';
import { useTestService } from '../support/test-service';

const service = useTestService('customers', 'products', 'orders', 'deletion-consumer');

const BATCHES = {
  customers: [
    { CustomerId: 'C-1', Email: 'ada@example.com' },
    { CustomerId: 'C-1', Email: 'bob@example.com' },
    { CustomerId: 'C-2', Email: 'eve@example.com' },
  ],
  products: [
    { ProductId: 'P-1', ProductVariants: ['V-1', 'V-2'].map((id) => ({ VariantId: id, Sku: id })) },
    { ProductId: 'P-2', ProductVariants: [] },
  ],
  orders: [
    {
      OrderId: 'O-1',
      Currency: 'EUR',
      OrderItems: ['P-1', 'P-2'].map((ProductId) => ({ ProductId, Sku: 'S', Quantity: 1, Price: 1 })),
    },
    { OrderId: 'O-2', Currency: 'EUR' },
  ],
};

const READS = [
  '/customers/<tenant>?customerId=C-1',
  '/customers/<tenant>?email=ada@example.com',
  '/customers/<tenant>?email=eve@example.com&customerId=C-2',
  '/products/<tenant>/P-1',
  '/products/<tenant>/P-2',
  '/orders/<tenant>/O-1',
  '/orders/<tenant>/O-2',
];

async function aShop(settings: Parameters<TestService['createCaller']>[0] = {}) {
  const { tenantId, key } = await service().createCaller(settings);
  const send = (method: string, path: string, json?: unknown) =>
    service().request(method, path.replace('<tenant>', tenantId), { key, json });
  for (const [kind, json] of Object.entries(BATCHES))
    expect((await send('POST', `/${kind}/<tenant>`, json)).status).toBe(200);
  const shown = async () => Promise.all(READS.map(async (path) => withoutTimes((await send('GET', path)).text)));
  return { tenantId, send, shown };
}

/** A record that is written anew by a deletion of a part has new times. */
function withoutTimes(text: string): string {
  return text.replace(/,"updatedAt":"[^"]*","asOf":"[^"]*"/g, '').replace(/,?"deletionAcceptedAt":"[^"]*"/g, '');
}

it.each([
  ['nobody', '/customers/<tenant>?email=nobody@example.com'],
  ['a customer', '/customers/<tenant>?email=ada@example.com'],
  ['customers who share an id', '/customers/<tenant>?customerId=C-1'],
  ['a customer by the other identifier', '/customers/<tenant>?customerId=C-2'],
  ['a product', '/products/<tenant>/P-2'],
  ['a variant', '/products/<tenant>/P-1/variants/V-2'],
  ['a variant that is not there', '/products/<tenant>/P-1/variants/V-3'],
  ['an order', '/orders/<tenant>/O-1'],
  ['an item', '/orders/<tenant>/O-1/items?productId=P-1'],
  ['items by what all have', '/orders/<tenant>/O-1/items?sku=S'],
  ['an item of an order without any', '/orders/<tenant>/O-2/items?sku=S'],
])('once a deletion of %s is accepted, shows what is left of it, applied or not (R-69)', async (_, path) => {
  const changed: boolean[] = [];
  for (const settings of [{}, { customerIdentifier: 'customerid', productIdentifier: 'sku' } as const]) {
    const { tenantId, send, shown } = await aShop(settings);
    const before = await shown();
    expect((await send('DELETE', path)).status).toBe(200);
    const pending = await shown();
    await service().deliverDeletions();
    expect(await service().pendingDeletions(tenantId)).toEqual([]);
    expect(pending).toEqual(await shown());
    changed.push(pending.join() !== before.join());
  }
  expect(changed).toContain(!/nobody|V-3|O-2\/items/.test(path));
});

it.each([
  ['a customer', '/customers/<tenant>?email=ada@example.com', '/customers/<tenant>?customerId=C-1', 200],
  ['a product', '/products/<tenant>/P-2', '/products/<tenant>/P-2', 404],
  ['a variant', '/products/<tenant>/P-1/variants/V-2', '/products/<tenant>/P-1', 200],
  ['an order', '/orders/<tenant>/O-2', '/orders/<tenant>/O-2', 404],
  ['an item', '/orders/<tenant>/O-1/items?productId=P-1', '/orders/<tenant>/O-1', 200],
])('says when a deletion of %s was accepted, until it is applied (R-355)', async (_, deleted, read, status) => {
  const { send } = await aShop();
  const dataOf = async () => {
    const answer = await send('GET', read);
    expect(answer.status).toBe(status);
    return (answer.json as { data: object }).data;
  };
  if (status === 200) expect(await dataOf()).not.toHaveProperty('deletionAcceptedAt');
  await send('DELETE', deleted);
  const first = await dataOf();
  expect(first).toHaveProperty('deletionAcceptedAt', expect.stringMatching(/^\d{4}-.*Z$/));
  await send('DELETE', '/products/<tenant>/P-404'); // of another record
  expect(await dataOf()).toEqual(first);
  await service().deliverDeletions();
  expect(await dataOf()).not.toHaveProperty('deletionAcceptedAt');
});

it('shows what is sent after a deletion, however late that is applied (R-69, D-41)', async () => {
  const { send, shown } = await aShop();
  await send('DELETE', '/customers/<tenant>?email=ada@example.com');
  await send('DELETE', '/products/<tenant>/P-1');
  await send('POST', '/customers/<tenant>', [{ Email: 'ada@example.com', Name: 'New' }]);
  await send('POST', '/products/<tenant>', [{ ProductId: 'P-1', ProductName: 'New', ProductVariants: [] }]);
  const pending = await shown();
  expect(pending.join()).toMatch(/"Name":"New".*"ProductName":"New"/);
  await service().deliverDeletions();
  expect(await shown()).toEqual(pending);
});

it('writes nothing but the counter, and applies nothing, while deletions are pending or not (R-69)', async () => {
  const { tenantId, send, shown } = await aShop();
  const expectUnchanged = async () => {
    const before = await service().store.dump();
    service().store.calls.length = 0;
    await shown();
    expect(new Set(service().store.writes.map(({ method }) => method))).toEqual(new Set(['increment']));
    expect(await service().store.dump()).toEqual(before);
  };
  await expectUnchanged();
  for (const path of ['/customers/<tenant>?customerId=C-1', '/products/<tenant>/P-1', '/orders/<tenant>/O-1']) {
    await send('DELETE', path);
  }
  const pending = await service().pendingDeletions(tenantId);
  expect(pending.length).toBeGreaterThanOrEqual(4);
  service().publisher.published.length = 0;
  await expectUnchanged();
  expect(await service().pendingDeletions(tenantId)).toEqual(pending);
  expect(service().publisher.published).toEqual([]);
});

it('reads as many documents of a large tenant as of a small one, whether or not deletions are pending (R-69)', async () => {
  const { send, shown } = await aShop();
  const callsOf = async () => {
    service().store.calls.length = 0;
    await shown();
    return service()
      .store.reads.map(({ method, paths }) => `${method} ${paths.length}`)
      .sort();
  };
  const more = async (from: number) => {
    const numbers = Array.from({ length: 100 }, (_, n) => from + n);
    await send('POST', '/customers/<tenant>', numbers.map((n) => ({ Email: `c${n}@example.com`, CustomerId: `N-${n}` }))); // prettier-ignore
    await send(
      'POST',
      '/orders/<tenant>',
      numbers.map((n) => ({ OrderId: `N-${n}`, Currency: 'EUR' })),
    );
  };
  const few = await callsOf();
  await more(0);
  expect(await callsOf()).toEqual(few);
  await send('DELETE', '/customers/<tenant>?email=c0@example.com');
  await send('DELETE', '/orders/<tenant>/N-0');
  const pending = await callsOf();
  await more(100);
  for (let n = 1; n < 50; n += 1) await send('DELETE', `/orders/<tenant>/N-${n}`);
  expect(await callsOf()).toEqual(pending);
});

it('makes a bounded number of answers at once: records may be large', async () => {
  const { send } = await aShop();
  const { store } = service();
  const get = store.get.bind(store);
  const inWork = { now: 0, most: 0 };
  let noteEnough: () => void;
  const areEnough = new Promise<void>((resolve) => (noteEnough = resolve)); // however long their requests take
  jest.spyOn(store, 'get').mockImplementation(async (path, deadline) => {
    if (!path.includes('deletionFlags')) return get(path, deadline);
    inWork.most = Math.max(inWork.most, (inWork.now += 1));
    if (inWork.now === RECORD_READS_AT_ONCE) noteEnough();
    await areEnough;
    await new Promise((resolve) => setTimeout(resolve, 20));
    inWork.now -= 1;
    return get(path, deadline);
  });
  const answers = await Promise.all(
    Array.from({ length: 3 * RECORD_READS_AT_ONCE }, () => send('GET', '/orders/<tenant>/O-1')),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(inWork.most).toBe(RECORD_READS_AT_ONCE);
});
