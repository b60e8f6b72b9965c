/** Records without parts that were deleted: many deletions in one pass over the parts. */
import type { PartTarget } from './deletion';
import { itemKey } from './identity';
import type { ProductIdentifier } from './tenant';
import { toMatchingId } from './text';

/** What deletions of parts look at: a product has variants, an order has items. */
interface Parted {
  readonly ProductVariants?: readonly { readonly VariantId: string }[];
  readonly OrderItems?: readonly ItemIds[] | null | undefined;
}

interface ItemIds {
  readonly ProductId: string;
  readonly Sku: string;
}

/** A record after deletions of its parts. */
export interface PartsRemoved<R> {
  /** The record itself where none of them found a part. */
  readonly record: R;
  /** Of each deletion, whether it found a part. */
  readonly isFound: readonly boolean[];
}

/**
 * A product or order without the parts that these deletions address, applied one after the other: what an item's
 * deletion means depends on the items that the deletions before it left. It removes the items that match both ids; if
 * none does, those that match the tenant's preferred product identifier, then the other (D-44).
 */
export function removeParts<R extends Parted>(
  record: R,
  deleted: readonly PartTarget[],
  preferred: ProductIdentifier,
): PartsRemoved<R> {
  const { ProductVariants, OrderItems } = record;
  if (ProductVariants) {
    const left = new Set(ProductVariants.map(({ VariantId }) => toMatchingId(VariantId)));
    const isFound = deleted.map((target) => target.type === 'variant' && left.delete(toMatchingId(target.variantId)));
    const kept = () => ProductVariants.filter(({ VariantId }) => left.has(toMatchingId(VariantId)));
    return { record: isFound.includes(true) ? { ...record, ProductVariants: kept() } : record, isFound };
  }
  const items = new ItemsLeft(OrderItems ?? []);
  const isFound = deleted.map((target) => target.type === 'orderItem' && items.remove(target, preferred));
  return { record: isFound.includes(true) ? { ...record, OrderItems: items.rest() } : record, isFound };
}

/** The same, of the record alone. */
export function withoutParts<R extends Parted>(
  record: R,
  deleted: readonly PartTarget[],
  preferred: ProductIdentifier,
): R {
  return deleted.length === 0 ? record : removeParts(record, deleted, preferred).record;
}

/** The items of an order that share an id, or both. */
interface Bucket {
  readonly places: number[];
  /** How many of them are left. */
  left: number;
}

/** Items of an order, by each of their ids and by both; each is removed once. */
class ItemsLeft {
  private readonly removed = new Set<number>();
  private readonly byProduct = new Map<string, Bucket>();
  private readonly bySku = new Map<string, Bucket>();
  private readonly byBoth = new Map<string, Bucket>();

  constructor(private readonly items: readonly ItemIds[]) {
    items.forEach((item, place) => {
      for (const [buckets, key] of this.bucketsOf(item)) {
        const bucket = buckets.get(key) ?? { places: [], left: 0 };
        bucket.places.push(place);
        bucket.left += 1;
        buckets.set(key, bucket);
      }
    });
  }

  /**
   * Removes the items that match both ids; if none does, those that match the preferred one, then the other.
   * @returns whether there were any
   */
  remove({ productId, sku }: Address, preferred: ProductIdentifier): boolean {
    const product = productId === null ? undefined : this.byProduct.get(toMatchingId(productId));
    const ofSku = sku === null ? undefined : this.bySku.get(toMatchingId(sku));
    const both =
      productId === null || sku === null ? undefined : this.byBoth.get(itemKey({ ProductId: productId, Sku: sku }));
    const tries = preferred === 'sku' ? [both, ofSku, product] : [both, product, ofSku];
    const addressed = tries.find((bucket) => bucket !== undefined && bucket.left > 0);
    for (const place of addressed?.places ?? []) this.removeAt(place);
    return addressed !== undefined;
  }

  rest(): ItemIds[] {
    return this.items.filter((_, place) => !this.removed.has(place));
  }

  private removeAt(place: number): void {
    const item = this.items[place];
    if (!item || this.removed.has(place)) return;
    this.removed.add(place);
    for (const [buckets, key] of this.bucketsOf(item)) {
      const bucket = buckets.get(key);
      if (bucket) bucket.left -= 1;
    }
  }

  private bucketsOf(item: ItemIds) {
    return [
      [this.byProduct, toMatchingId(item.ProductId)],
      [this.bySku, toMatchingId(item.Sku)],
      [this.byBoth, itemKey(item)],
    ] as const;
  }
}

type Address = Pick<Extract<PartTarget, { readonly type: 'orderItem' }>, 'productId' | 'sku'>;
