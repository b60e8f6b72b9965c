/** Records without parts that were deleted: many deletions in one pass over the parts. */
import type { PartTarget } from '../deletion';
import { itemKey } from '../identity';
import type { ProductIdentifier } from '../tenant';
import { toMatchingId } from '../values/text';

/** What deletions of parts look at: a product has variants, an order has items. */
export interface RecordWithParts {
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
export function withoutParts<R extends RecordWithParts>(
  record: R,
  deleted: readonly PartTarget[],
  preferred: ProductIdentifier,
): R {
  if (deleted.length === 0) return record;
  const left = new RemainingParts(record, preferred);
  for (const target of deleted) left.remove(target);
  return left.toRecord();
}

/** What parts are addressed by; `both`: the two ids of an item. */
type Field = 'variant' | 'product' | 'sku' | 'both';

interface Address {
  readonly field: Field;
  readonly key: string;
}

/** The parts of a record that share an id, or both. */
interface Bucket {
  readonly places: number[];
  /** How many of them are left. */
  left: number;
}

/**
 * The parts of a record while deletions remove them; each is removed once, however many address it. Parts are indexed
 * by what deletions address them by, when the first one does: nearly always by one of three.
 */
export class RemainingParts<R extends RecordWithParts> {
  private readonly removed = new Set<number>();
  private readonly indexes = new Map<Field, Map<string, Bucket>>();

  constructor(
    private readonly record: R,
    private readonly preferred: ProductIdentifier,
  ) {}

  /**
   * Removes the variants of an id; or the items that match both ids and, if none does, those that match the preferred
   * one, then the other (D-44). @returns what it removed
   */
  remove(target: PartTarget): readonly object[] {
    for (const { field, key } of addressesOf(target, this.preferred)) {
      const bucket = this.indexBy(field).get(key);
      if (bucket && bucket.left > 0) return bucket.places.flatMap((at) => this.removeAt(at) ?? []);
    }
    return [];
  }

  /** The record with what is left; the record itself when nothing was removed. */
  toRecord(): R {
    if (this.removed.size === 0) return this.record;
    const kept = this.parts.filter((_, at) => !this.removed.has(at));
    return { ...this.record, [this.record.ProductVariants ? 'ProductVariants' : 'OrderItems']: kept };
  }

  private get parts(): readonly (Variant | ItemIds)[] {
    return this.record.ProductVariants ?? this.record.OrderItems ?? [];
  }

  private indexBy(field: Field): Map<string, Bucket> {
    const known = this.indexes.get(field);
    if (known) return known;
    const index = new Map<string, Bucket>();
    this.parts.forEach((part, at) => {
      const key = keyOf(part, field);
      if (key === undefined || this.removed.has(at)) return;
      const bucket = index.get(key) ?? { places: [], left: 0 };
      bucket.places.push(at);
      bucket.left += 1;
      index.set(key, bucket);
    });
    this.indexes.set(field, index);
    return index;
  }

  private removeAt(at: number): object | undefined {
    const part = this.parts[at];
    if (!part || this.removed.has(at)) return undefined;
    this.removed.add(at);
    for (const [field, index] of this.indexes) {
      const bucket = index.get(keyOf(part, field) ?? '');
      if (bucket) bucket.left -= 1;
    }
    return part;
  }
}

/** Undefined: such parts are not addressed by it. */
function keyOf(part: Variant | ItemIds, field: Field): string | undefined {
  if ('VariantId' in part) return field === 'variant' ? toMatchingId(part.VariantId) : undefined;
  if (field === 'product') return toMatchingId(part.ProductId);
  if (field === 'sku') return toMatchingId(part.Sku);
  return field === 'both' ? itemKey(part) : undefined;
}

/** What a deletion tries, one after the other. */
function addressesOf(target: PartTarget, preferred: ProductIdentifier): readonly Address[] {
  if (target.type === 'variant') return [{ field: 'variant', key: toMatchingId(target.variantId) }];
  const { productId, sku } = target;
  const byProduct: Address[] = productId === null ? [] : [{ field: 'product', key: toMatchingId(productId) }];
  const bySku: Address[] = sku === null ? [] : [{ field: 'sku', key: toMatchingId(sku) }];
  const both: Address[] =
    productId === null || sku === null ? [] : [{ field: 'both', key: itemKey({ ProductId: productId, Sku: sku }) }];
  return preferred === 'sku' ? [...both, ...bySku, ...byProduct] : [...both, ...byProduct, ...bySku];
}
