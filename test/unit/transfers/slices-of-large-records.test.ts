/** Slices whose rows name large records: what they read and what they commit is bounded in bytes, not in rows. */
import { recordPath, skuPath } from '../../../shared/documents/paths';
import type { DocumentData } from '../../../shared/domain/records/document';
import { orderRecordId, productRecordId, skuEntryId } from '../../../shared/domain/identity';
import { COMMIT_BYTES, MAX_RECORD_BYTES } from '../../../shared/limits/records';
import { SLICE_READ_BYTES } from '../../../shared/limits/transfers';
import { joinDocument } from '../../../shared/workspace/kept-tombstones';
import { bytesOf, SlicesInMemory } from './slices-in-memory';

const LARGE = 'x'.repeat(1_000_000);
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

const order = (number: number, Brand: string): DocumentData => ({
  OrderId: `o${number}`,
  Customer: null,
  TotalQuantity: 1,
  TotalRevenue: 1,
  OrderDate: new Date(0),
  Currency: 'EUR',
  UniqueQuantity: 1,
  IsOrderCancelled: false,
  OrderItems: [{ ProductId: 'stored', Sku: 's', Quantity: 1, Price: 1, Brand }],
});
const row = (number: number, more: object = {}) => ({ OrderId: `o${number}`, Currency: 'EUR', ...more });

async function storeOrders(slices: SlicesInMemory, count: number, text: string): Promise<void> {
  for (const number of numbers(count)) {
    const path = recordPath(slices.tenant.tenantId, 'orders', orderRecordId(`o${number}`));
    await slices.put(path, { ...order(number, text), revision: 's' });
  }
}

it('reads no more of 40 records of 1 MB than a commit takes, and stores all rows in later slices', async () => {
  const slices = new SlicesInMemory('orders');
  await storeOrders(slices, 40, LARGE);
  const outcomes = await slices.applyAll(numbers(40).map((number) => row(number)));
  expect(outcomes.reduce((sum, { counts }) => sum + counts.stored, 0)).toBe(40);
  for (const { readBytes, writes } of outcomes) {
    expect(readBytes).toBeLessThan(SLICE_READ_BYTES + 1.1 * MAX_RECORD_BYTES);
    expect(bytesOf(writes)).toBeLessThan(COMMIT_BYTES + 1.1 * MAX_RECORD_BYTES);
  }
});

it('commits no record that it does not change: 400 bad rows of 40 large records take a few bytes each', async () => {
  const slices = new SlicesInMemory('orders');
  await storeOrders(slices, 40, LARGE);
  const item = (number: number) => ({
    ProductId: `p${number}`,
    Sku: 's',
    Quantity: 1,
    Price: 1,
    Brand: 'x'.repeat(60_000),
  });
  const bad = numbers(400).map((number) => row(number % 40, { OrderItems: [item(number)] }));
  const outcomes = await slices.applyAll(bad);
  expect(outcomes.reduce((sum, { counts }) => sum + counts.invalid, 0)).toBe(400);
  for (const { writes } of outcomes) expect(bytesOf(writes)).toBeLessThan(100_000);
});

it('counts the checks of bad rows as what they take', async () => {
  const slices = new SlicesInMemory('orders');
  await storeOrders(slices, 400, 'x'.repeat(1_000));
  const item = (number: number) => ({ ProductId: `p${number}`, Sku: 's', Quantity: 1, Price: 1, Brand: LARGE });
  const { writes, counts } = await slices.apply(
    numbers(400).map((number) => row(number, { OrderItems: [item(1), item(2)] })),
  );
  expect(counts.invalid).toBe(400);
  expect(writes).toHaveLength(401); // with the flag of deletions
  expect(bytesOf(writes)).toBeLessThan(COMMIT_BYTES / 2);
});

it('reads tombstones up to a bound, too: each may remember many deletions of parts', async () => {
  const slices = new SlicesInMemory('orders');
  await slices.noteDeletion();
  const partDeletions = numbers(500).map((number) => ({
    target: { type: 'orderItem', orderId: 'o', productId: 'x'.repeat(90), sku: `${'y'.repeat(90)}${number}` },
    deletedAt: new Date(0),
  }));
  for (const number of numbers(60)) {
    const path = recordPath(slices.tenant.tenantId, 'orders', orderRecordId(`o${number}`));
    await slices.put(path, joinDocument({ record: undefined, tombstone: { partDeletions } })!);
  }
  const outcomes = await slices.applyAll(
    numbers(60).map((number) => row(number)),
    1_000,
  );
  expect(outcomes.reduce((sum, { counts }) => sum + counts.stored, 0)).toBe(60);
  for (const { readBytes } of outcomes) expect(readBytes).toBeLessThan(SLICE_READ_BYTES + MAX_RECORD_BYTES);
});

it('takes all rows of one record in one slice, with the right answer for each, and sends it once', async () => {
  const slices = new SlicesInMemory('orders');
  await storeOrders(slices, 1, 'x');
  const item = (number: number, Brand: string) => ({ ProductId: `p${number}`, Sku: 's', Quantity: 1, Price: 1, Brand });
  const rows = numbers(400).map((number) => row(0, { OrderItems: [item(number, 'x'.repeat(4_000))] }));
  const { rowsApplied, counts, writes } = await slices.apply(rows);
  expect(rowsApplied).toBe(400);
  expect(counts.stored + counts.invalid).toBe(400);
  expect(counts.stored).toBeGreaterThan(250);
  expect(counts.invalid).toBeGreaterThan(130);
  const [stored] = writes.flatMap((write) => ('set' in write && write.data.OrderItems ? [write.data.OrderItems] : []));
  expect(stored).toHaveLength(1 + counts.stored);
  expect(bytesOf(writes)).toBeLessThan(MAX_RECORD_BYTES + 2_000);
});

describe('products identified by Sku', () => {
  const variants = (number: number, count: number, Name: string) =>
    numbers(count).map((variant) => ({ VariantId: `${variant}`, Sku: `s${number}-${variant}`, Name }));

  async function storeProducts(slices: SlicesInMemory, count: number, parts: number, Name: string): Promise<void> {
    const { tenantId } = slices.tenant;
    for (const number of numbers(count)) {
      const id = productRecordId(`p${number}`);
      const ProductVariants = variants(number, parts, Name);
      await slices.put(recordPath(tenantId, 'products', id), {
        ProductId: `p${number}`,
        ProductVariants,
        revision: 's',
      });
      for (const { Sku } of ProductVariants) await slices.put(skuPath(tenantId, skuEntryId(Sku)), { products: [id] });
    }
  }

  it('reads no more of 20 products of 1 MB that rows take over than a commit takes', async () => {
    const slices = new SlicesInMemory('products', { productIdentifier: 'sku' });
    await storeProducts(slices, 20, 2, LARGE.slice(0, 500_000));
    const rows = numbers(20).map((number) => ({
      ProductId: `q${number}`,
      ProductVariants: [{ VariantId: 'v', Sku: `s${number}-0` }],
    }));
    const outcomes = await slices.applyAll(rows);
    expect(outcomes.reduce((sum, { counts }) => sum + counts.stored, 0)).toBe(20);
    for (const { readBytes, writes } of outcomes) {
      expect(readBytes).toBeLessThan(SLICE_READ_BYTES + 1.2 * MAX_RECORD_BYTES);
      expect(bytesOf(writes)).toBeLessThan(COMMIT_BYTES + 1.2 * MAX_RECORD_BYTES);
    }
    expect(await slices.store.count(`tenants/${slices.tenant.tenantId}/products`)).toBe(20);
  });

  it('moves a product that many rows claim once, with its index entries', async () => {
    const slices = new SlicesInMemory('products', { productIdentifier: 'sku' });
    await storeProducts(slices, 1, 500, 'x');
    const rows = numbers(200).map((number) => ({
      ProductId: `q${number}`,
      ProductVariants: [{ VariantId: 'v', Sku: `s0-${number}` }],
    }));
    const outcomes = await slices.applyAll(rows);
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0]?.writes.length).toBe(500 + 2 + 1); // entries; the product at its old and new id; the flag
  });

  it('moves a product once that takes more than a commit with its entries, also between rows of small ones', async () => {
    const slices = new SlicesInMemory('products', { productIdentifier: 'sku' });
    await storeProducts(slices, 1, 5_000, 'x');
    const rows = numbers(20).flatMap((number) => [
      { ProductId: `q${number}`, ProductVariants: [{ VariantId: 'v', Sku: `s0-${number}` }] },
      { ProductId: `r${number}`, ProductVariants: [{ VariantId: 'v', Sku: `t${number}` }] },
    ]);
    const outcomes = await slices.applyAll(rows);
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0]?.writes.length).toBe(5_000 + 2 + 20 * 2 + 1);
  });

  it('moves two products that take more than a commit each in a commit each', async () => {
    const slices = new SlicesInMemory('products', { productIdentifier: 'sku' });
    await storeProducts(slices, 2, 5_000, 'x');
    const rows = numbers(2).flatMap((number) =>
      numbers(5).map((claimed) => ({
        ProductId: `q${number}-${claimed}`,
        ProductVariants: [{ VariantId: 'v', Sku: `s${number}-${claimed}` }],
      })),
    );
    const outcomes = await slices.applyAll(rows);
    expect(outcomes.map(({ rowsApplied }) => rowsApplied)).toEqual([5, 5]);
    for (const { writes } of outcomes) expect(writes.length).toBe(5_000 + 2 + 1);
  });
});
