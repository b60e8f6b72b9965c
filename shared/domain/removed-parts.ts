/** Records without parts that were deleted: many deletions in one pass over the parts. */
import type { PartTarget } from './deletion';
import { itemKey } from './identity';
import type { ProductIdentifier } from './tenant';
import { toMatchingId } from './text';

/** What deletions of parts look at: a product has variants, an order has items. */
export interface Parted {
  readonly ProductVariants?: readonly Variant[];
  readonly OrderItems?: readonly ItemIds[] | null | undefined;
}

interface Variant {
  readonly VariantId: string;
}

interface ItemIds {
  readonly ProductId: string;
  readonly Sku: string;
}

/**
 * A product or an order, stored or sent, without the parts that these deletions address, applied one after the other:
 * what an item's deletion means depends on the items that the deletions before it left (D-44). The record itself where
 * none is addressed.
 */
export function withoutParts<R extends Parted>(
  record: R,
  deleted: readonly PartTarget[],
  preferred: ProductIdentifier,
): R {
  if (deleted.length === 0) return record;
  const left = new PartsLeft(record, preferred);
  for (const target of deleted) left.remove(target);
  return left.rest();
}

/** The parts of a record that share an id, or both. */
interface Bucket {
  readonly places: number[];
  /** How many of them are left. */
  left: number;
}

/** The parts of a record while deletions remove them; each is removed once, however many address it. */
export class PartsLeft<R extends Parted> {
  private readonly removed = new Set<number>();
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly record: R,
    private readonly preferred: ProductIdentifier,
  ) {
    this.parts.forEach((part, place) => {
      for (const key of keysOf(part)) {
        const bucket = this.buckets.get(key) ?? { places: [], left: 0 };
        bucket.places.push(place);
        bucket.left += 1;
        this.buckets.set(key, bucket);
      }
    });
  }

  /**
   * Removes the variants of an id; or the items that match both ids and, if none does, those that match the preferred
   * one, then the other (D-44). @returns what it removed
   */
  remove(target: PartTarget): readonly object[] {
    const buckets = addressesOf(target, this.preferred).map((key) => this.buckets.get(key));
    const addressed = buckets.find((bucket) => bucket !== undefined && bucket.left > 0);
    return (addressed?.places ?? []).flatMap((place) => this.removeAt(place) ?? []);
  }

  /** The record with what is left; the record itself when nothing was removed. */
  rest(): R {
    if (this.removed.size === 0) return this.record;
    const kept = this.parts.filter((_, place) => !this.removed.has(place));
    return { ...this.record, [this.record.ProductVariants ? 'ProductVariants' : 'OrderItems']: kept };
  }

  private get parts(): readonly (Variant | ItemIds)[] {
    return this.record.ProductVariants ?? this.record.OrderItems ?? [];
  }

  private removeAt(place: number): object | undefined {
    const part = this.parts[place];
    if (!part || this.removed.has(place)) return undefined;
    this.removed.add(place);
    for (const key of keysOf(part)) {
      const bucket = this.buckets.get(key);
      if (bucket) bucket.left -= 1;
    }
    return part;
  }
}

const variantAddress = (variantId: string) => `variant ${toMatchingId(variantId)}`;
const productAddress = (productId: string) => `product ${toMatchingId(productId)}`;
const skuAddress = (sku: string) => `sku ${toMatchingId(sku)}`;
const bothAddress = (item: ItemIds) => `both ${itemKey(item)}`;

function keysOf(part: Variant | ItemIds): readonly string[] {
  return 'VariantId' in part
    ? [variantAddress(part.VariantId)]
    : [productAddress(part.ProductId), skuAddress(part.Sku), bothAddress(part)];
}

/** What a deletion tries, one after the other. */
function addressesOf(target: PartTarget, preferred: ProductIdentifier): readonly string[] {
  if (target.type === 'variant') return [variantAddress(target.variantId)];
  const { productId, sku } = target;
  const byProduct = productId === null ? [] : [productAddress(productId)];
  const bySku = sku === null ? [] : [skuAddress(sku)];
  const both = productId === null || sku === null ? [] : [bothAddress({ ProductId: productId, Sku: sku })];
  return preferred === 'sku' ? [...both, ...bySku, ...byProduct] : [...both, ...byProduct, ...bySku];
}
