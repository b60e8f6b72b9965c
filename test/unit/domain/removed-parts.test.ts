/** Many deletions of parts in one pass: the same as one deletion after the other (D-44). */
import * as fc from 'fast-check';
import type { PartTarget } from '../../../shared/domain/deletion';
import { RemainingParts, withoutParts } from '../../../shared/domain/records/removed-parts';

const id = fc.constantFrom('a', 'b', 'c', ' a', 'b ');
const items = fc.array(fc.record({ ProductId: id, Sku: id }), { maxLength: 8 });
const itemDeletions = fc.array(
  fc.record({
    type: fc.constant('orderItem' as const),
    orderId: fc.constant('o'),
    productId: fc.option(id),
    sku: fc.option(id),
  }),
  { maxLength: 5 },
);
const variants = fc.array(fc.record({ VariantId: id, Sku: id }), { maxLength: 8 });
const variantDeletions = fc.array(
  fc.record({ type: fc.constant('variant' as const), productId: fc.constant('p'), variantId: id }),
  { maxLength: 5 },
);
const preferred = fc.constantFrom('sku' as const, 'productid' as const);

/** One deletion by itself. */
function removeItems(order: { OrderItems: Item[] }, { productId, sku }: Address, by: 'sku' | 'productid') {
  const same = (one: string, other: string | null) => other !== null && one.trim() === other.trim();
  const byProduct = (item: Item) => same(item.ProductId, productId);
  const bySku = (item: Item) => same(item.Sku, sku);
  const byBoth = (item: Item) => byProduct(item) && bySku(item);
  const tries = by === 'sku' ? [byBoth, bySku, byProduct] : [byBoth, byProduct, bySku];
  const addressed = tries.find((matches) => order.OrderItems.some(matches));
  return { ...order, OrderItems: order.OrderItems.filter((item) => !addressed?.(item)) };
}

interface Item {
  ProductId: string;
  Sku: string;
}

interface Address {
  productId: string | null;
  sku: string | null;
}

it('takes from an order what its deletions take one after the other (R-53)', () => {
  fc.assert(
    fc.property(items, itemDeletions, preferred, (OrderItems, deleted, by) => {
      const order: { OrderId: string; OrderItems: Item[] } = { OrderId: 'o', OrderItems };
      const expected = deleted.reduce<typeof order>(
        (kept, target) => ({ ...kept, ...removeItems(kept, target, by) }),
        order,
      );
      expect(withoutParts(order, deleted, by)).toEqual(expected);
    }),
    { numRuns: 5_000 },
  );
});

it('takes from a product what its deletions take one after the other', () => {
  fc.assert(
    fc.property(variants, variantDeletions, preferred, (ProductVariants, deleted, by) => {
      const product = { ProductId: 'p', ProductVariants };
      const ids = deleted.map(({ variantId }) => variantId.trim());
      const expected = {
        ...product,
        ProductVariants: ProductVariants.filter((v) => !ids.includes(v.VariantId.trim())),
      };
      expect(withoutParts(product, deleted, by)).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

it.each([undefined, null, []])('leaves an order as it is whose OrderItems are %j', (OrderItems) => {
  const order = { OrderId: 'o', ...(OrderItems !== undefined && { OrderItems }) };
  const deleted: PartTarget[] = [{ type: 'orderItem', orderId: 'o', productId: 'a', sku: null }];
  expect(withoutParts(order, deleted, 'sku')).toBe(order);
});

it('says of each deletion which parts it has removed, each part once (D-44)', () => {
  const [a, b, c] = [
    { ProductId: 'p', Sku: '1' },
    { ProductId: 'p', Sku: '2' },
    { ProductId: 'q', Sku: '2' },
  ];
  const remaining = new RemainingParts({ OrderItems: [a, b, c] }, 'productid');
  const remove = (productId: string | null, sku: string | null) =>
    remaining.remove({ type: 'orderItem', orderId: 'o', productId, sku });
  expect(remove('q', '1')).toEqual([c]); // no item has both, and the preferred id comes first
  expect(remove(null, '2')).toEqual([b]);
  expect(remove('p', null)).toEqual([a]);
  expect(remove('p', '1')).toEqual([]);
  expect(remaining.toRecord()).toEqual({ OrderItems: [] });
});

it('leaves a record as it is that has no such part, or loses none', () => {
  const order = { OrderItems: [{ ProductId: 'p', Sku: '1' }] };
  expect(withoutParts(order, [{ type: 'orderItem', orderId: 'o', productId: 'x', sku: 'y' }], 'sku')).toBe(order);
  expect(withoutParts(order, [{ type: 'variant', productId: 'p', variantId: 'p' }], 'sku')).toBe(order);
  expect(withoutParts(order, [], 'sku')).toBe(order);
  const product = { ProductVariants: [{ VariantId: 'v' }] };
  expect(withoutParts(product, [{ type: 'orderItem', orderId: 'o', productId: 'v', sku: 'v' }], 'sku')).toBe(product);
});

it('looks at each item a few times, however many deletions are remembered', () => {
  let looks = 0;
  const OrderItems = Array.from({ length: 2_000 }, (_, index) => ({
    get ProductId() {
      looks += 1;
      return `p${index}`;
    },
    Sku: 's',
  }));
  const deleted = Array.from({ length: 500 }, (_, index): PartTarget => {
    return { type: 'orderItem', orderId: 'o', productId: `p${index * 3}`, sku: index % 2 ? 'x' : null };
  });
  expect(withoutParts({ OrderItems }, deleted, 'productid').OrderItems).toHaveLength(1_500);
  expect(looks).toBeLessThan(10 * OrderItems.length);
});
