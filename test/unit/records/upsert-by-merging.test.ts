/** Which way a batch of orders takes into the store, and that both end the same. */
import { deadlineIn } from '../../../shared/deadline';
import { recordPath } from '../../../shared/documents/paths';
import type { UpsertOrderDto } from '../../../shared/domain/dto/order';
import { orderRecordId } from '../../../shared/domain/identity';
import type { Tenant } from '../../../shared/domain/tenant';
import { DEFAULT_SETTINGS, parseTenantId } from '../../../shared/domain/tenant';
import { PresenceGuess } from '../../../shared/records/presence-guess';
import { upsertOrders } from '../../../shared/records/upsert-orders';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { SeededRandom } from '../../support/seeded-random';

const tenant = {
  ...DEFAULT_SETTINGS,
  tenantId: parseTenantId('11111111-1111-4111-8111-111111111111'),
  organizationId: 'o',
} as Tenant;

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

/** A database and an instance that has seen nothing of it. */
function open(stored = new MemoryDocumentStore()) {
  const clock = new FixedClock();
  const store = new ObservedDocumentStore(stored);
  const dependencies = { store, clock, random: new SeededRandom(), presence: new PresenceGuess() };
  return {
    stored,
    calls: () => store.calls,
    send: async (...orders: UpsertOrderDto[]) => {
      store.calls.length = 0;
      await upsertOrders(orders, tenant, deadlineIn(1_000, clock), dependencies);
      const records = store.calls.filter(({ paths }) => paths.some((path) => path.includes('/orders/')));
      return records.map(({ method }) => method);
    },
    skusOf: async (id: string) => {
      const document = await stored.get(recordPath(tenant.tenantId, 'orders', orderRecordId(id)));
      return (document?.data.OrderItems as { Sku: string }[] | undefined)?.map(({ Sku }) => Sku);
    },
  };
}

it('creates what is taken for new in one commit, without reading it', async () => {
  const { send, skusOf } = open();
  expect(await send(order('1', 'a'), order('2'), order('1', 'b'))).toEqual(['commit']);
  expect(await send(order('3', 'c'))).toEqual(['commit']);
  expect([await skusOf('1'), await skusOf('2'), await skusOf('3')]).toEqual([['a', 'b'], [], ['c']]);
});

it('writes nothing for an empty batch', async () => {
  const { send, calls } = open();
  await send();
  expect(calls().filter(({ method }) => method === 'commit' || method === 'writeEach')).toEqual([]);
});

it('reads what it has written itself, and merges', async () => {
  const { send, skusOf } = open();
  await send(order('1', 'a'));
  expect(await send(order('1', 'b'), order('2'))).toEqual(['getAll', 'writeEach']);
  expect(await skusOf('1')).toEqual(['a', 'b']);
});

it('merges where another instance has stored one, and reads first until none was there', async () => {
  const { stored } = open();
  await open(stored).send(order('1', 'a'), order('2', 'a'));
  const { send, skusOf } = open(stored);
  expect(await send(order('1', 'b'), order('3', 'b'))).toEqual(['commit', 'getAll', 'writeEach']);
  expect(await send(order('2', 'b'), order('4'))).toEqual(['getAll', 'writeEach']);
  expect([await skusOf('1'), await skusOf('2'), await skusOf('3')]).toEqual([['a', 'b'], ['a', 'b'], ['b']]);
  expect(await send(order('5'))).toEqual(['getAll', 'writeEach']);
  expect(await send(order('6'))).toEqual(['commit']);
});

it('writes nothing of a batch of which a record would outgrow its document by what another instance has stored', async () => {
  const { stored } = open();
  await open(stored).send(largeOrder('large', 'a'));
  const { send, skusOf } = open(stored);
  await expect(send(order('small', 's'), largeOrder('large', 'b'))).rejects.toMatchObject({
    errors: { '[1].OrderItems': [expect.stringMatching(/too large to store/)] },
  });
  expect(await skusOf('small')).toBeUndefined();
});

it('reads before it writes a batch that is too large for one commit', async () => {
  const { send, skusOf } = open();
  expect(await send(largeOrder('1', 'a'), largeOrder('2', 'a'), largeOrder('3', 'a'))).toEqual(['getAll', 'writeEach']);
  expect(await skusOf('3')).toHaveLength(3_500);
});
