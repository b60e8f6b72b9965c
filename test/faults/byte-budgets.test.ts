/**
 * Promise: what is read of stored records is bounded in bytes, not in records. However large the records are that a
 * batch or the rows of a file name, a request holds about a window of them at once, and a slice about as many as one
 * commit takes. And the count can fail: a store that ignores its bound is caught.
 */
import { deadlineIn } from '../../shared/platform/deadline';
import type { DocumentStore } from '../../shared/documents/document-store';
import { recordPath, skuPath } from '../../shared/documents/paths';
import type { UpsertOrderDto } from '../../shared/domain/dto/order';
import type { UpsertProductDto } from '../../shared/domain/dto/product';
import { orderRecordId, productRecordId, skuEntryId } from '../../shared/domain/identity';
import { MAX_RECORD_BYTES, MERGE_WINDOW_BYTES, SKU_PLAN_BYTES } from '../../shared/limits/records';
import { SLICE_READ_BYTES } from '../../shared/limits/transfers';
import { MergeQueue } from '../../shared/records/merge-queue';
import { PresencePredictor } from '../../shared/records/presence-predictor';
import { newRevision, toDocument } from '../../shared/workspace/record-documents';
import { FixedClock } from '../support/fixed-clock';
import { MemoryDocumentStore } from '../support/memory-document-store';
import { overriding } from '../support/overriding';
import { SeededRandom } from '../support/seeded-random';
import { upsertOrders, upsertProducts, upsertProductsBySku } from '../support/upserts';
import { aTenant } from '../unit/support/tenant';
import { SlicesInMemory } from '../unit/transfers/slices-in-memory';
import { HeldBytes } from './budgets/held-bytes';
import { FAULTS_SEED, ofTier, report } from './tier';

const CASES = ofTier(20, 1_000);
/** The least and the most bytes of a drawn record. */
const SMALLEST = 1_000;
const LARGEST = 0.98 * MAX_RECORD_BYTES;
const MOST_RECORDS = 16;
const PART_BYTES = 50_000;

/** A window, with the document that fills it; and one of the window before may not be let go yet. */
const OF_REQUEST = MERGE_WINDOW_BYTES + 2 * MAX_RECORD_BYTES;
/** What a slice reads, with the document that fills it; and by `Sku` what its first row needs beyond that. */
const OF_SLICE = SLICE_READ_BYTES + MAX_RECORD_BYTES;
const OF_SLICE_BY_SKU = OF_SLICE + 1.1 * MAX_RECORD_BYTES;

/** By `Sku`, a plan as it is read, with the document that fills it; what is merged, and what comes to it. */
const OF_REQUEST_BY_SKU = SKU_PLAN_BYTES + 4 * MAX_RECORD_BYTES;

type Plant = (store: DocumentStore) => DocumentStore;
const none: Plant = (store) => store;
const ignoringBounds: Plant = (store) =>
  overriding(store, { getSome: (paths, _maxBytes, deadline) => store.getSome(paths, Infinity, deadline) });

/** Sizes of records from small to the largest, small ones as likely as large ones. */
function drawSizes(random: SeededRandom): readonly number[] {
  const count = 1 + Math.floor(random.fraction() * MOST_RECORDS);
  return Array.from({ length: count }, () => SMALLEST * (LARGEST / SMALLEST) ** Math.sqrt(random.fraction()));
}

/** The texts of a record's parts, of about so many bytes together. */
function textsOf(bytes: number): string[] {
  const parts = Math.ceil(bytes / PART_BYTES);
  return Array.from({ length: parts }, () => 'x'.repeat(Math.floor(bytes / parts) - 60));
}

const storedOrder = (id: string, bytes: number) => ({
  OrderId: id,
  Currency: 'EUR',
  OrderItems: textsOf(bytes).map((Brand, n) => ({ ProductId: `p${n}`, Sku: 's', Quantity: 1, Price: 1, Brand })),
});
const storedProduct = (id: string, bytes: number) => ({
  ProductId: id,
  ProductVariants: textsOf(bytes).map((Name, n) => ({ VariantId: `${n}`, Sku: `${id}-${n}`, Name })),
});
const touchedOrder = (id: string): UpsertOrderDto => ({ OrderId: id, Currency: 'USD' });
const touchedProduct = (id: string): UpsertProductDto => ({
  ProductId: id,
  ProductName: 'n',
  ProductVariants: [{ VariantId: '0', Sku: `${id}-0` }],
});

const tenantOf = { products: aTenant({}), bySku: aTenant({ productIdentifier: 'sku' }) };

type Put = (path: string, data: object) => Promise<void>;

async function storeOrders(sizes: readonly number[], put: Put): Promise<void> {
  const { tenantId } = tenantOf.products;
  for (const [n, bytes] of sizes.entries())
    await put(recordPath(tenantId, 'orders', orderRecordId(`o${n}`)), storedOrder(`o${n}`, bytes));
}

async function storeProducts(sizes: readonly number[], put: Put): Promise<void> {
  const { tenantId } = tenantOf.products;
  for (const [n, bytes] of sizes.entries()) {
    const id = productRecordId(`p${n}`);
    const product = storedProduct(`p${n}`, bytes);
    await put(recordPath(tenantId, 'products', id), product);
    for (const { Sku } of product.ProductVariants) await put(skuPath(tenantId, skuEntryId(Sku)), { products: [id] });
  }
}

/** Stores records of these sizes and sends a batch that names all of them. @returns the most bytes that it held */
async function mostHeldByRequest(kind: 'orders' | 'products', sizes: readonly number[], plant: Plant): Promise<number> {
  const random = new SeededRandom();
  const clock = new FixedClock();
  const memory = new MemoryDocumentStore(clock);
  const put: Put = async (path, data) => {
    await memory.commit([{ set: path, data: toDocument(data, newRevision(random)) }]);
  };
  await (kind === 'orders' ? storeOrders : storeProducts)(sizes, put);
  const held = new HeldBytes(OF_REQUEST);
  const store = held.watch(plant(memory));
  const dependencies = {
    store,
    clock,
    random,
    presencePredictor: new PresencePredictor(),
    mergeQueue: new MergeQueue(),
  };
  const tenant = { ...tenantOf.products, hasLargeRecords: true };
  const ids = sizes.map((_, n) => n);
  const deadline = deadlineIn(20_000, clock);
  if (kind === 'orders') await upsertOrders(ids.map((n) => touchedOrder(`o${n}`)), tenant, deadline, dependencies); // prettier-ignore
  else await upsertProducts(ids.map((n) => touchedProduct(`p${n}`)), tenant, deadline, dependencies); // prettier-ignore
  return held.most;
}

/**
 * Stores products of these sizes, which are all in their categories, and sends a batch of which each product claims the
 * Sku of the one before: all become one. @returns the most bytes that it held
 */
async function mostHeldByMerging(drawn: readonly number[], plant: Plant): Promise<number> {
  const sizes = [...drawn, ...drawn]; // more than a plan reads
  const random = new SeededRandom();
  const clock = new FixedClock();
  const memory = new MemoryDocumentStore(clock);
  const { tenantId } = tenantOf.bySku;
  for (const [n, bytes] of sizes.entries()) {
    const id = productRecordId(`p${n}`);
    const [Sku, Taxonomy] = [`p${n}`, textsOf(bytes)];
    const data = { ProductId: `p${n}`, Taxonomy, ProductVariants: [{ VariantId: `${n}`, Sku }] };
    await memory.commit([{ set: recordPath(tenantId, 'products', id), data: toDocument(data, newRevision(random)) }]);
    await memory.commit([{ set: skuPath(tenantId, skuEntryId(Sku)), data: { products: [id] } }]);
  }
  const held = new HeldBytes(OF_REQUEST_BY_SKU);
  const store = held.watch(plant(memory));
  const batch = sizes.map((_, n): UpsertProductDto => {
    return { ProductId: `p${n}`, ProductVariants: [{ VariantId: '0', Sku: 'p0' }] };
  });
  await upsertProductsBySku(batch, tenantOf.bySku, deadlineIn(20_000, clock), {
    store,
    clock,
    random,
    mergeQueue: new MergeQueue(),
  });
  const ids = sizes.map((_, n) => recordPath(tenantId, 'products', productRecordId(`p${n}`)));
  if ((await memory.getAll(ids)).length !== 1) throw new Error('The products did not become one.');
  return held.most;
}

/** Stores records of these sizes and the rows of a file that name all of them. @returns the most that a slice held */
async function mostHeldBySlices(kind: 'orders' | 'bySku', sizes: readonly number[], plant: Plant): Promise<number> {
  const random = new SeededRandom();
  const held = new HeldBytes(kind === 'orders' ? OF_SLICE : OF_SLICE_BY_SKU);
  const settings = kind === 'bySku' ? { productIdentifier: 'sku' as const } : {};
  const slices = new SlicesInMemory(kind === 'orders' ? 'orders' : 'products', settings, (store) => held.watch(plant(store))); // prettier-ignore
  const put: Put = (path, data) => slices.put(path, toDocument(data, newRevision(random)));
  await (kind === 'orders' ? storeOrders : storeProducts)(sizes, put);
  const rows = sizes.map((_, n) => (kind === 'orders' ? touchedOrder(`o${n}`) : touchedProduct(`p${n}`)));
  for (let rest: readonly object[] = rows; rest.length > 0;) rest = rest.slice(await storeSlice(slices, rest));
  return held.most;
}

/** By itself, so that nothing of a slice is held when it is stored. */
async function storeSlice(slices: SlicesInMemory, rows: readonly object[]): Promise<number> {
  const { rowsApplied, writes } = await slices.apply(rows);
  await slices.store.commit(writes);
  return rowsApplied;
}

const HOLDERS = [
  ['a request of orders', OF_REQUEST, (sizes: readonly number[], plant: Plant) => mostHeldByRequest('orders', sizes, plant)],
  ['a request of products', OF_REQUEST, (sizes: readonly number[], plant: Plant) => mostHeldByRequest('products', sizes, plant)],
  ['a request of products that become one by Sku', OF_REQUEST_BY_SKU, mostHeldByMerging],
  ['a slice of orders', OF_SLICE, (sizes: readonly number[], plant: Plant) => mostHeldBySlices('orders', sizes, plant)],
  ['a slice of products identified by Sku', OF_SLICE_BY_SKU, (sizes: readonly number[], plant: Plant) => mostHeldBySlices('bySku', sizes, plant)],
] as const; // prettier-ignore

describe.each(HOLDERS)('%s', (who, bound, mostHeld) => {
  /** Draws cases until one holds more than it may. */
  const drawUntilOver = async (plant: Plant) => {
    const random = new SeededRandom(`budgets ${who} ${FAULTS_SEED}`);
    let most = 0;
    let done = 0;
    for (; done < CASES && most <= bound; done += 1) most = Math.max(most, await mostHeld(drawSizes(random), plant));
    return { done, most, isOver: most > bound };
  };

  it('holds a bounded number of bytes of what is stored (R-40)', async () => {
    const { done, most, isOver } = await drawUntilOver(none);
    report(`${who} holds a bounded number of bytes`, done, isOver ? 1 : 0, `at most ${Math.round(most / 1_000)} kB`);
    expect(most).toBeLessThanOrEqual(bound);
    expect(most).toBeGreaterThan(bound / 2); // or nothing was counted
  });

  it('is caught when its store ignores the bound of a read', async () => {
    const { done, isOver } = await drawUntilOver(ignoringBounds);
    report(`${who} whose store ignores its bound is caught`, done, isOver ? 0 : 1);
    expect(isOver).toBe(true);
  });
});
