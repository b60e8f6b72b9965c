/** Which way a batch of orders takes into the store, and that both end the same. */
import { deadlineIn } from '../../../shared/platform/deadline';
import { fromTenantDocument, toTenantDocument } from '../../../shared/auth/tenant-documents';
import { recordPath, tenantPath } from '../../../shared/documents/paths';
import type { UpsertOrderDto } from '../../../shared/domain/dto/order';
import { orderRecordId } from '../../../shared/domain/identity';
import { LARGE_RECORD_BYTES, MAX_RECORD_BYTES } from '../../../shared/limits/records';
import type { Tenant } from '../../../shared/domain/tenant';
import { DEFAULT_SETTINGS, parseTenantId } from '../../../shared/domain/tenant';
import { MergeQueue } from '../../../shared/records/merge-queue';
import { PresencePredictor } from '../../../shared/records/presence-predictor';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { SeededRandom } from '../../support/seeded-random';
import { upsertOrders } from '../../support/upserts';

const tenant = {
  ...DEFAULT_SETTINGS,
  tenantId: parseTenantId('11111111-1111-4111-8111-111111111111'),
  organizationId: 'o',
} as Tenant;

const pathOf = (id: string) => recordPath(tenant.tenantId, 'orders', orderRecordId(id));

type Items = NonNullable<UpsertOrderDto['OrderItems']>;

const item = (ProductId: string, Sku: string): Items[number] => ({ ProductId, Sku, Quantity: 1, Price: 1 });
const orderOf = (OrderId: string, OrderItems: Items): UpsertOrderDto => ({ OrderId, Currency: 'EUR', OrderItems });
const order = (id: string, ...skus: string[]) =>
  orderOf(
    id,
    skus.map((sku) => item('p', sku)),
  );
/** Of more than half of the bytes that a record holds. */
const largeOrder = (id: string, products: string) =>
  orderOf(
    id,
    Array.from({ length: 3_500 }, (_, n) => item(`${products}${n}`, 'x'.repeat(100))),
  );

/** An item that makes an order of nearly so many bytes: 500 less at most. */
const fill = (bytes: number): Items => [item('f', 'x'.repeat(bytes - 500))];

/** A database that has the tenant. */
async function newDatabase(): Promise<MemoryDocumentStore> {
  const stored = new MemoryDocumentStore();
  await stored.commit([{ set: tenantPath(tenant.tenantId), data: toTenantDocument(tenant) }]);
  return stored;
}

/** A database and an instance that has seen nothing of it. */
async function open(database?: MemoryDocumentStore) {
  const stored = database ?? (await newDatabase());
  const clock = new FixedClock();
  const store = new ObservedDocumentStore(stored);
  const dependencies = {
    store,
    clock,
    random: new SeededRandom(),
    presencePredictor: new PresencePredictor(),
    mergeQueue: new MergeQueue(),
  };
  return {
    stored,
    calls: () => store.calls,
    send: async (...orders: UpsertOrderDto[]) => {
      store.calls.length = 0;
      const deadline = deadlineIn(1_000, clock);
      const document = await stored.get(tenantPath(tenant.tenantId));
      const admitted = fromTenantDocument(tenant.tenantId, document?.data ?? {});
      await upsertOrders(orders, admitted, deadline, dependencies);
      const records = store.calls.filter(({ paths }) => paths.some((path) => path.includes('/orders/')));
      return records.map(({ method }) => method);
    },
    skusOf: async (id: string) => {
      const document = await stored.get(pathOf(id));
      return (document?.data.OrderItems as { Sku: string }[] | undefined)?.map(({ Sku }) => Sku);
    },
  };
}

it('creates what is taken for new without reading it', async () => {
  const { send, skusOf } = await open();
  expect(await send(order('1', 'a'), order('2'), order('1', 'b'))).toEqual(['writeEach']);
  expect(await send(order('3', 'c'))).toEqual(['writeEach']);
  expect([await skusOf('1'), await skusOf('2'), await skusOf('3')]).toEqual([['a', 'b'], [], ['c']]);
});

it('writes nothing for an empty batch', async () => {
  const { send, calls } = await open();
  await send();
  expect(calls().filter(({ method }) => method === 'commit' || method === 'writeEach')).toEqual([]);
});

it('reads what it has written itself, and nothing else, and merges', async () => {
  const { send, calls, skusOf } = await open();
  await send(order('1', 'a'));
  expect(await send(order('1', 'b'), order('2'))).toEqual(['getSome', 'writeEach']);
  expect(calls().find(({ method }) => method === 'getSome')?.paths).toEqual([pathOf('1')]);
  expect(await skusOf('1')).toEqual(['a', 'b']);
});

it('merges what another instance has stored, and takes others for what most of a batch were', async () => {
  const { stored } = await open();
  await (await open(stored)).send(order('1', 'a'), order('2', 'a'), order('5', 'a'));
  const { send, skusOf } = await open(stored);
  expect(await send(order('1', 'b'), order('3', 'b'), order('4', 'b'))).toEqual(['writeEach', 'getSome', 'writeEach']);
  expect(await send(order('6', 'b'))).toEqual(['writeEach']);
  expect(await send(order('2', 'b'))).toEqual(['writeEach', 'getSome', 'writeEach']);
  expect(await send(order('5', 'b'))).toEqual(['getSome', 'writeEach']);
  expect(await send(order('7'))).toEqual(['getSome', 'writeEach']);
  expect(await send(order('8'))).toEqual(['writeEach']);
  const skus = await Promise.all(['1', '2', '3', '5'].map(skusOf));
  expect(skus).toEqual([['a', 'b'], ['a', 'b'], ['b'], ['a', 'b']]);
});

describe('a batch of which a record would outgrow its document stores nothing (D-30, R-04, R-17)', () => {
  const tooLarge = { errors: { '[1].OrderItems': [expect.stringMatching(/too large to store/)] } };

  it('by what another instance has stored', async () => {
    const { stored } = await open();
    await (await open(stored)).send(largeOrder('large', 'a'));
    const { send, skusOf } = await open(stored);
    await expect(send(order('small', 's'), largeOrder('large', 'b'))).rejects.toMatchObject(tooLarge);
    expect(await skusOf('small')).toBeUndefined();
  });

  it('by what another instance has stored, nearly full, and little that is sent', async () => {
    const { stored } = await open();
    await (await open(stored)).send(orderOf('full', fill(MAX_RECORD_BYTES - 1_000)));
    const { send, skusOf } = await open(stored);
    const more = orderOf('full', [item('p', 'x'.repeat(2_000))]);
    await expect(send(order('small', 's'), more)).rejects.toMatchObject(tooLarge);
    expect(await skusOf('small')).toBeUndefined();
  });

  it('by what it sends alone', async () => {
    const { send, skusOf } = await open();
    await expect(send(order('small', 's'), orderOf('full', fill(MAX_RECORD_BYTES + 500)))).rejects.toMatchObject(
      tooLarge,
    );
    expect(await skusOf('small')).toBeUndefined();
  });
});

it('flags a tenant before it stores its first large record, once (R-17)', async () => {
  const { send, calls } = await open();
  const flagWrites = () =>
    calls().filter(({ method, paths }) => method === 'commit' && paths.includes(tenantPath(tenant.tenantId)));
  const half = fill(LARGE_RECORD_BYTES - 1_000);
  await send(orderOf('1', half));
  expect(flagWrites()).toEqual([]);
  await send(orderOf('1', [item('p', 'x'.repeat(2_000))]));
  expect(calls().map(({ method }) => method)).toEqual(['get', 'get', 'getSome', 'commit', 'writeEach']);
  expect(flagWrites()).toHaveLength(1);
});

it('reads large records before it writes them (R-17)', async () => {
  const { send, skusOf } = await open();
  expect(await send(largeOrder('1', 'a'), order('2', 'a'))).toEqual(['getSome', 'writeEach']);
  expect(await skusOf('1')).toHaveLength(3_500);
});
