/** Many deletions of parts in one pass: the same as one deletion after the other (D-44). */
import * as fc from 'fast-check';
import type { PartTarget } from '../../../shared/domain/deletion';
import { removeParts, withoutParts } from '../../../shared/domain/removed-parts';
import type { ProductIdentifier } from '../../../shared/domain/tenant';
import { toMatchingId } from '../../../shared/domain/text';

interface ItemIds {
  readonly ProductId: string;
  readonly Sku: string;
}

/** One deletion of items, looked for in all of them. */
function removeItems<O extends { readonly OrderItems?: readonly ItemIds[] | null }>(
  order: O,
  address: { readonly productId: string | null; readonly sku: string | null },
  preferred: ProductIdentifier,
): O | undefined {
  const { productId, sku } = address;
  const items = order.OrderItems ?? [];
  const byProduct = (item: ItemIds) => productId !== null && toMatchingId(item.ProductId) === toMatchingId(productId);
  const bySku = (item: ItemIds) => sku !== null && toMatchingId(item.Sku) === toMatchingId(sku);
  const byBoth = (item: ItemIds) => byProduct(item) && bySku(item);
  const tries = preferred === 'sku' ? [byBoth, bySku, byProduct] : [byBoth, byProduct, bySku];
  const addressed = tries.find((matches) => items.some(matches));
  return addressed && { ...order, OrderItems: items.filter((item) => !addressed(item)) };
}

/** One deletion of a variant, looked for in all of them. */
function removeVariant<P extends { readonly ProductVariants: readonly { readonly VariantId: string }[] }>(
  product: P,
  variantId: string,
): P | undefined {
  const kept = product.ProductVariants.filter((variant) => toMatchingId(variant.VariantId) !== toMatchingId(variantId));
  return kept.length === product.ProductVariants.length ? undefined : { ...product, ProductVariants: kept };
}

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

it('takes from an order what its deletions take one after the other (R-53)', () => {
  fc.assert(
    fc.property(items, itemDeletions, preferred, (OrderItems, deleted, by) => {
      const order = { OrderId: 'o', OrderItems };
      let expected = order;
      const isFound = deleted.map((target) => {
        const after = removeItems(expected, target, by);
        expected = after ?? expected;
        return after !== undefined;
      });
      expect(removeParts(order, deleted, by)).toEqual({ record: expected, isFound });
      expect(withoutParts(order, deleted, by)).toEqual(expected);
    }),
    { numRuns: 5_000 },
  );
});

it('takes from a product what its deletions take one after the other', () => {
  fc.assert(
    fc.property(variants, variantDeletions, preferred, (ProductVariants, deleted, by) => {
      const product = { ProductId: 'p', ProductVariants };
      let expected = product;
      const isFound = deleted.map(({ variantId }) => {
        const after = removeVariant(expected, variantId);
        expected = after ?? expected;
        return after !== undefined;
      });
      expect(removeParts(product, deleted, by)).toEqual({ record: expected, isFound });
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

it('looks at each item a few times, however many deletions are remembered', () => {
  let looks = 0;
  const OrderItems = Array.from({ length: 2_000 }, (_, place) => ({
    get ProductId() {
      looks += 1;
      return `p${place}`;
    },
    Sku: 's',
  }));
  const deleted = Array.from({ length: 500 }, (_, place): PartTarget => {
    return { type: 'orderItem', orderId: 'o', productId: `p${place * 3}`, sku: place % 2 ? 'x' : null };
  });
  expect(withoutParts({ OrderItems }, deleted, 'productid').OrderItems).toHaveLength(1_500);
  expect(looks).toBeLessThan(10 * OrderItems.length);
});
