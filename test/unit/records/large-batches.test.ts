/**
 * Batches whose records take megabytes: what is in memory at once, what is refused, and what happens when other writers
 * come in between. Counted are calls and bytes, never time.
 */
import type { Deadline } from '../../../shared/platform/deadline';
import { deadlineIn } from '../../../shared/platform/deadline';
import type { DocumentChange, SomeDocuments, WriteOutcome } from '../../../shared/documents/document-store';
import { recordPath, tenantPath } from '../../../shared/documents/paths';
import { fromTenantDocument, toTenantDocument } from '../../../shared/auth/tenant-documents';
import { documentBytes } from '../../../shared/domain/records/document';
import type { UpsertOrderDto } from '../../../shared/domain/dto/order';
import type { UpsertProductDto } from '../../../shared/domain/dto/product';
import { orderRecordId } from '../../../shared/domain/identity';
import { LARGE_RECORD_BYTES, MAX_RECORD_BYTES, MERGE_WINDOW_BYTES } from '../../../shared/limits/records';
import type { Tenant } from '../../../shared/domain/tenant';
import { DEFAULT_SETTINGS, parseTenantId } from '../../../shared/domain/tenant';
import { EventLoopShare } from '../../../shared/platform/async/event-loop-share';
import { MergeQueue } from '../../../shared/records/merge-queue';
import { PresencePredictor } from '../../../shared/records/presence-predictor';
import { ContentionTimeout } from '../../../shared/workspace/retry-conflicts';
import { RetryLater } from '../../../shared/platform/retry-later';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { SeededRandom } from '../../support/seeded-random';
import { upsertOrders, upsertProducts } from '../../support/upserts';

const tenant = {
  ...DEFAULT_SETTINGS,
  tenantId: parseTenantId('11111111-1111-4111-8111-111111111111'),
  organizationId: 'o',
} as Tenant;

const pathOf = (id: string) => recordPath(tenant.tenantId, 'orders', orderRecordId(id));
const turn = () => new Promise(setImmediate);

/** An order whose one item takes about so many bytes. */
const orderOf = (OrderId: string, sku: string, bytes: number): UpsertOrderDto => ({
  OrderId,
  Currency: 'EUR',
  OrderItems: [{ ProductId: 'p', Sku: sku, Quantity: 1, Price: 1, Brand: 'x'.repeat(bytes) }],
});
const ordersOf = (count: number, sku: string, bytes: number) =>
  Array.from({ length: count }, (_, n) => orderOf(`order ${n}`, sku, bytes));
/** A change of an order that adds nothing. */
const touch = (OrderId: string): UpsertOrderDto => ({ OrderId, Currency: 'USD' });

/** A database that is as slow as a turn of the event loop, and says what it gave and took at once. */
class SlowStore extends MemoryDocumentStore {
  readonly readBytes: number[] = [];
  readonly readCounts: number[] = [];
  readonly writtenBytes: number[] = [];
  readonly outcomes: WriteOutcome[] = [];
  /** Done before the next batch of writes. */
  before: () => Promise<void> = () => Promise.resolve();

  override async getSome(paths: readonly string[], maxBytes: number): Promise<SomeDocuments> {
    await turn();
    const some = await super.getSome(paths, maxBytes);
    this.readBytes.push(some.documents.reduce((sum, { data }) => sum + documentBytes(data), 0));
    this.readCounts.push(some.documents.length);
    return some;
  }

  override async writeEach(writes: readonly DocumentChange[]): Promise<WriteOutcome[]> {
    const before = this.before;
    this.before = () => Promise.resolve();
    await before();
    await turn();
    const outcomes = await super.writeEach(writes);
    this.writtenBytes.push(writes.reduce((sum, write) => sum + ('data' in write ? documentBytes(write.data) : 0), 0));
    this.outcomes.push(...outcomes);
    return outcomes;
  }

  forgetCalls(): void {
    for (const list of [this.readBytes, this.readCounts, this.writtenBytes, this.outcomes]) list.length = 0;
  }
}

async function newDatabase(): Promise<SlowStore> {
  const store = new SlowStore();
  await store.commit([{ set: tenantPath(tenant.tenantId), data: toTenantDocument(tenant) }]);
  return store;
}

/** An instance; what it takes the tenant for can be old. */
function startInstance(store: SlowStore) {
  const clock = new FixedClock();
  const dependencies = { store, clock, random: new SeededRandom(), presencePredictor: new PresencePredictor(), mergeQueue: new MergeQueue() }; // prettier-ignore
  const admitted = async () => {
    const document = await store.get(tenantPath(tenant.tenantId));
    return fromTenantDocument(tenant.tenantId, document?.data ?? {});
  };
  return {
    clock,
    send: async (orders: readonly UpsertOrderDto[], as?: Tenant, deadline: Deadline = deadlineIn(20_000, clock)) =>
      upsertOrders(orders, as ?? (await admitted()), deadline, dependencies),
    sendProducts: async (products: readonly UpsertProductDto[]) =>
      upsertProducts(products, await admitted(), deadlineIn(20_000, clock), dependencies),
  };
}

const currencyOf = async (store: SlowStore, id: string) => (await store.get(pathOf(id)))?.data.Currency;
const tooLargeAt = (path: string) => ({ errors: { [path]: [expect.stringMatching(/too large to store/)] } });

describe('a small batch about records that take far more than a window', () => {
  it.each([
    ['that are nearly full', 0.95 * MAX_RECORD_BYTES],
    ['of a tenant that is not flagged, each just below the size that raises the flag', LARGE_RECORD_BYTES - 1_000],
  ])('reads and writes a few megabytes at a time, %s (R-40)', async (_, bytes) => {
    const store = await newDatabase();
    await startInstance(store).send(ordersOf(16, 'a', bytes));
    store.forgetCalls();
    const ids = ordersOf(16, 'a', 0).map(({ OrderId }) => OrderId);
    await startInstance(store).send(ids.map(touch));
    expect(Math.max(...store.readBytes)).toBeLessThan(MERGE_WINDOW_BYTES + MAX_RECORD_BYTES);
    expect(Math.max(...store.writtenBytes)).toBeLessThan(MERGE_WINDOW_BYTES + MAX_RECORD_BYTES);
    expect(await Promise.all(ids.map((id) => currencyOf(store, id)))).toEqual(ids.map(() => 'USD'));
  });

  it('stores nothing where the last record would outgrow its document (D-30)', async () => {
    const store = await newDatabase();
    await startInstance(store).send(ordersOf(8, 'a', 0.95 * MAX_RECORD_BYTES));
    store.forgetCalls();
    const batch = [...ordersOf(7, 'a', 1).map(({ OrderId }) => touch(OrderId)), orderOf('order 7', 'b', 60_000)];
    await expect(startInstance(store).send(batch)).rejects.toMatchObject(tooLargeAt('[7].OrderItems'));
    expect(store.outcomes).toEqual([]);
    expect(store.readCounts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(8 + 4);
    expect(await currencyOf(store, 'order 0')).toBe('EUR');
  });

  it('names every record that does not fit, in whatever window it is (D-22)', async () => {
    const store = await newDatabase();
    await startInstance(store).send(ordersOf(8, 'a', 0.95 * MAX_RECORD_BYTES));
    const batch = ordersOf(8, 'b', 60_000);
    const errors = Object.fromEntries(batch.map((_, n) => [`[${n}].OrderItems`, [expect.stringMatching(/too large/)]]));
    await expect(startInstance(store).send(batch)).rejects.toMatchObject({ errors });
  });
});

it('a batch of new records that is larger than a window is stored without reading, where none is large', async () => {
  const store = await newDatabase();
  await startInstance(store).send(ordersOf(20, 'a', 300_000));
  expect(store.readCounts).toEqual([]);
  expect(Math.max(...store.writtenBytes)).toBeLessThan(MERGE_WINDOW_BYTES + MAX_RECORD_BYTES);
  expect(store.outcomes).toEqual(Array(20).fill('written'));
});

describe('an order that comes again and again in a batch', () => {
  it('is refused at the element that makes it too large, not at the last one (D-07, R-04, R-41)', async () => {
    const store = await newDatabase();
    const batch = ['a', 'b', 'c', 'd', 'e'].map((sku) => orderOf('1', sku, 300_000));
    await expect(startInstance(store).send(batch)).rejects.toMatchObject(tooLargeAt('[3].OrderItems'));
    expect(store.outcomes).toEqual([]);
  });

  it('is refused so where it outgrows its document only in between (D-07, R-41)', async () => {
    const store = await newDatabase();
    const cleared = orderOf('1', 'a', 0);
    const batch = [orderOf('1', 'a', 600_000), orderOf('1', 'b', 600_000), cleared, orderOf('2', 'a', 1)];
    await expect(startInstance(store).send(batch)).rejects.toMatchObject(tooLargeAt('[1].OrderItems'));
    expect(store.outcomes).toEqual([]);
  });
});

describe('a 400 says that nothing of the batch is stored (D-30)', () => {
  const small = orderOf('small', 's', 10);
  const half = orderOf('contended', 'b', 0.4 * MAX_RECORD_BYTES);
  const large = orderOf('contended', 'a', 0.9 * MAX_RECORD_BYTES);

  it('where a record became large after the tenant was read, and before the batch had arrived', async () => {
    const store = await newDatabase();
    await startInstance(store).send([large]);
    const asItWas = tenant; // not flagged
    await expect(startInstance(store).send([small, half], asItWas)).rejects.toMatchObject(tooLargeAt('[1].OrderItems'));
    expect(await currencyOf(store, 'small')).toBeUndefined();
  });

  it('so that it is none where a record grew meanwhile and a part is stored: the repeat gets it (R-42)', async () => {
    const store = await newDatabase();
    const instance = startInstance(store);
    store.before = () => startInstance(store).send([large]);
    await expect(instance.send([small, half])).rejects.toBeInstanceOf(RetryLater);
    expect(await currencyOf(store, 'small')).toBe('EUR');
    store.forgetCalls();
    await expect(instance.send([small, half])).rejects.toMatchObject(tooLargeAt('[1].OrderItems'));
    expect(store.outcomes).toEqual([]);
  });

  it('also where a record grew meanwhile and nothing else was sent', async () => {
    const store = await newDatabase();
    store.before = () => startInstance(store).send([large]);
    await expect(startInstance(store).send([half])).rejects.toMatchObject(tooLargeAt('[0].OrderItems'));
  });

  it('in a large batch, too: a record that grows between two windows is no 400 any more', async () => {
    const store = await newDatabase();
    const batch = ordersOf(10, 'a', 450_000);
    await startInstance(store).send(batch);
    const last = batch.at(-1)!.OrderId;
    store.before = () => startInstance(store).send([orderOf(last, 'b', 0.5 * MAX_RECORD_BYTES)]);
    const sent = [...batch.slice(0, -1).map(({ OrderId }) => touch(OrderId)), orderOf(last, 'c', 100_000)];
    await expect(startInstance(store).send(sent)).rejects.toBeInstanceOf(RetryLater);
  });
});

describe('large batches about the same records, at once in one instance', () => {
  it('take turns: none is in conflict with another, and all are stored', async () => {
    const store = await newDatabase();
    const { send } = startInstance(store);
    const skus = ['a', 'b', 'c', 'd'];
    await Promise.all(skus.map((sku) => send(ordersOf(12, sku, 240_000))));
    expect(store.outcomes.filter((outcome) => outcome === 'conflict')).toEqual([]);
    for (const { OrderId } of ordersOf(12, 'a', 0)) {
      const items = (await store.get(pathOf(OrderId)))?.data.OrderItems as { Sku: string }[];
      expect(items.map(({ Sku }) => Sku).sort()).toEqual(skus);
    }
  });

  it('of two instances all are stored, too: conditions decide', async () => {
    const store = await newDatabase();
    const instances = [startInstance(store), startInstance(store)];
    await Promise.all(instances.map(({ send }, n) => send(ordersOf(12, `sku${n}`, 240_000))));
    for (const { OrderId } of ordersOf(12, 'a', 0)) {
      expect((await store.get(pathOf(OrderId)))?.data.OrderItems).toHaveLength(2);
    }
  });

  it('are answered with a retry when their time is over before it is their turn', async () => {
    const store = await newDatabase();
    const { send, clock } = startInstance(store);
    store.before = () => {
      clock.advance(20_000);
      return Promise.resolve();
    };
    const ends = await Promise.allSettled([1, 2].map(() => send(ordersOf(12, 'a', 240_000))));
    // Which of the two has its turn first depends on how fast each was planned.
    const refused = ends.filter((end) => end.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(ContentionTimeout);
  });
});

it('lets others have the event loop within one long record', async () => {
  const store = await newDatabase();
  const { sendProducts } = startInstance(store);
  const variants = Array.from({ length: 20_000 }, (_, n) => ({ VariantId: `v${n}`, Sku: 's' }));
  const isUsedUp = jest.spyOn(EventLoopShare.prototype, 'isUsedUp', 'get').mockReturnValue(true);
  const renewals = jest.spyOn(EventLoopShare.prototype, 'renew');
  await sendProducts([{ ProductId: 'p', ProductVariants: variants }]);
  expect(renewals.mock.calls.length).toBeGreaterThan(100); // merging and measuring, 250 parts at a time
  isUsedUp.mockRestore();
  renewals.mockRestore();
});
