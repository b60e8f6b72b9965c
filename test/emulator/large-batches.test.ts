/** The largest legal batches on the real database, four at a time: what they leave behind, and that all are stored. */
import type { UpsertProductDto } from '../../shared/domain/dto/product';
import { MAX_BATCH } from '../../shared/domain/limits';
import { getRecord } from '../../shared/operations/records';
import { systemClock } from '../../shared/platform/clock';
import { deadlineIn } from '../../shared/platform/deadline';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { overriding } from '../support/overriding';
import { upsertProducts } from '../support/upserts';

let operator: EmulatorOperator;
beforeAll(() => {
  operator = connectToEmulator();
});
afterAll(() => operator.close());

/** 200 products of 800 variants: nearly 15 MB of JSON, whose variants say which batch wrote them last. */
function fullBatch(stock: number): UpsertProductDto[] {
  return Array.from({ length: MAX_BATCH.products }, (_value, product) => ({
    ProductId: `p${product}`,
    ProductVariants: Array.from({ length: 800 }, (_variant, n) => ({
      VariantId: `v${product}-${n}`,
      Sku: `s${product}-${n}`,
      Name: `Variant ${n} of product ${product}`,
      Stock: stock,
    })),
  }));
}

it('stores four of 15 MB that are sent at once for the same products in turns, not in a race (R-40)', async () => {
  const tenant = await operator.createTenant();
  expect(JSON.stringify(fullBatch(1)).length).toBeGreaterThan(13_000_000);
  let written = 0;
  const store = overriding(operator.store, {
    writeEach: async (writes, deadline) => {
      written += writes.length;
      return operator.store.writeEach(writes, deadline);
    },
  });
  // However slow the machine is: what is late is 503, and sent again.
  const send = (stock: number) =>
    upsertProducts(fullBatch(stock), tenant, deadlineIn(100_000, systemClock), { ...operator, store });
  await Promise.all([1, 2, 3, 4].map(send));
  // A race writes 2.5 times as many. A call whose answer does not come in time is repeated and finds its own writes.
  expect(written).toBeGreaterThanOrEqual(4 * MAX_BATCH.products);
  expect(written).toBeLessThan(1.25 * 4 * MAX_BATCH.products);
  for (const product of [0, 99, 199]) {
    const stored = await getRecord(tenant.tenantId, 'products', { id: `p${product}` }, operator);
    const variants = (stored as { ProductVariants: { Stock: number }[] }).ProductVariants;
    expect(variants).toHaveLength(800);
    expect(new Set(variants.map(({ Stock }) => Stock)).size).toBe(1); // no batch is half in a product
  }
}, 120_000);
