/** Rows that delete, in one commit with others. */
import { recordsPath } from '../../../shared/documents/paths';
import type { DocumentWrite } from '../../../shared/documents/document-store';
import { isChange } from '../../../shared/documents/document-store';
import { documentBytes } from '../../../shared/domain/records/document';
import type { RecordKind } from '../../../shared/domain/identity';
import { COMMIT_BYTES, MAX_RECORD_BYTES } from '../../../shared/limits/records';
import { addRows, NO_ROWS } from '../../../shared/transfers/runs/run';
import { withoutStubs } from '../../../shared/workspace/kept-tombstones';
import { SlicesInMemory } from './slices-in-memory';

const STORED_AT = '2026-01-01T00:00:00Z';
const DELETED_AT = '2026-01-02T00:00:00Z';
const LATER = '2026-01-03T00:00:00Z';
const item = (Sku: string, more: object = {}) => ({ ProductId: 'p', Sku, Quantity: 1, Price: 1, ...more });
const order = (OrderId: string, items: readonly object[]) => ({
  OrderId,
  Currency: 'EUR',
  OrderItems: items,
  UpdatedAt: STORED_AT,
});

async function stored(slices: SlicesInMemory, kind: RecordKind) {
  const documents = await slices.store.list(recordsPath(slices.tenant.tenantId, kind), { limit: 1_000 });
  return withoutStubs(documents).map(({ data }) => data);
}

const bytesOf = (writes: readonly DocumentWrite[]) =>
  writes.filter(isChange).reduce((sum, write) => sum + ('set' in write ? documentBytes(write.data) : 0), 0);

it('keeps what a row before has deleted where a row that stores and deletes does not fit (R-27)', async () => {
  const slices = new SlicesInMemory('orders');
  await slices.applyAll([order('A', [item('x'), item('y')])]);
  const tooLong = { ...order('B', [{ Sku: 'q', DeletedAt: DELETED_AT }]), UpdatedAt: LATER };
  const many = Array.from({ length: 14_000 }, (_, n) => item(`${'s'.repeat(40)}${n}`));
  const outcomes = await slices.applyAll([
    { OrderId: 'A', Sku: 'x', DeletedAt: DELETED_AT },
    { ...tooLong, OrderItems: [...tooLong.OrderItems, ...many] },
  ]);
  const counts = outcomes.reduce((sum, outcome) => addRows(sum, outcome.counts), NO_ROWS);
  expect(counts).toEqual({ read: 2, stored: 0, invalid: 1, stale: 0, deleted: 1 });
  expect(await stored(slices, 'orders')).toMatchObject([{ OrderId: 'A', OrderItems: [{ Sku: 'y' }] }]);
  expect(documentBytes({ many })).toBeGreaterThan(MAX_RECORD_BYTES);
});

it.each(['email', 'customerid'] as const)(
  'does not go on to the customers of the other identifier where a row comes again, by %s (R-28)',
  async (customerIdentifier) => {
    const slices = new SlicesInMemory('customers', { customerIdentifier });
    const [named, other] =
      customerIdentifier === 'email'
        ? [{ Email: 'new@x.com', CustomerId: '1' }, { Email: 'old@x.com', CustomerId: '1' }]
        : [{ Email: 'a@x.com', CustomerId: '1' }, { Email: 'a@x.com', CustomerId: '2' }]; // prettier-ignore
    await slices.applyAll([named, other].map((customer) => ({ ...customer, UpdatedAt: STORED_AT })));
    for (const _ of ['first', 'again']) {
      const [outcome] = await slices.applyAll([{ ...named, DeletedAt: DELETED_AT }]);
      expect(outcome?.counts).toMatchObject({ deleted: 1, stale: 0 });
      expect(await stored(slices, 'customers')).toMatchObject([other]);
    }
  },
);

it('fills no commit beyond its bytes with products by Sku that rows store and delete parts of (R-27)', async () => {
  const slices = new SlicesInMemory('products', { productIdentifier: 'sku' });
  const rows = Array.from({ length: 300 }, (_, n) => ({
    ProductId: `p${n}`,
    UpdatedAt: STORED_AT,
    ProductVariants: [
      { VariantId: 'gone', DeletedAt: DELETED_AT },
      ...Array.from({ length: 100 }, (_variant, index) => ({ VariantId: `${index}`, Sku: `${n}-${index}` })),
    ],
  }));
  const { rowsApplied, writes } = await slices.apply(rows);
  expect(rowsApplied).toBeLessThan(rows.length);
  expect(bytesOf(writes)).toBeLessThan(2 * COMMIT_BYTES);
});

it('ends a commit where rows store and delete parts of one long order in turn (R-27)', async () => {
  const slices = new SlicesInMemory('orders');
  await slices.applyAll([
    order(
      'o',
      Array.from({ length: 4_000 }, (_, n) => item(`${'s'.repeat(40)}${n}`)),
    ),
  ]);
  const rows = Array.from({ length: 100 }, (_, n) =>
    n % 2 === 0
      ? { OrderId: 'o', Sku: `none${n}`, DeletedAt: LATER }
      : { ...order('o', [item(`new${n}`)]), UpdatedAt: LATER },
  );
  const { rowsApplied } = await slices.apply(rows);
  expect(rowsApplied).toBeGreaterThan(1);
  expect(rowsApplied).toBeLessThan(50);
});

it('ends a commit where rows store one long product by Sku and delete others in turn (R-27)', async () => {
  const slices = new SlicesInMemory('products', { productIdentifier: 'sku' });
  const variant = (sku: string) => ({ VariantId: sku, Sku: sku });
  const product = (ProductId: string, skus: readonly string[], UpdatedAt: string) => {
    return { ProductId, ProductVariants: skus.map(variant), UpdatedAt };
  };
  const skus = Array.from({ length: 5_000 }, (_, n) => `${'s'.repeat(60)}${n}`);
  await slices.applyAll([product('long', skus, STORED_AT)]);
  const rows = Array.from({ length: 100 }, (_, n) =>
    n % 2 === 0 ? product('long', [`${n}`], LATER) : { ProductId: `none${n}`, DeletedAt: LATER },
  );
  const { rowsApplied } = await slices.apply(rows);
  expect(rowsApplied).toBeGreaterThan(1);
  expect(rowsApplied).toBeLessThan(50);
});
