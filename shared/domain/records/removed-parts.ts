/** Removes deleted parts from records: many deletions in one pass over the parts. */
import type { PartTarget } from '../deletion';
import { itemKey } from '../identity';
import type { ProductIdentifier } from '../tenant';
import { toMatchingId } from '../values/text';

/** The fields of a product (variants) or an order (items) from which parts are removed. */
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
 * A product or an order, stored or sent, without the parts that these deletions address. The deletions are applied one
 * after the other, because the items that an item's deletion matches depend on the deletions before it (D-44). When no
 * part is removed, the record itself is returned.
 */
export function withoutParts<R extends RecordWithParts>(
  record: R,
  deleted: readonly PartTarget[],
  preferred: ProductIdentifier,
): R {
  if (deleted.length === 0) return record;
  const remaining = new RemainingParts(record, preferred);
  for (const target of deleted) remaining.remove(target);
  return remaining.toRecord();
}

/** The id by which a deletion addresses parts; `both`: the two ids of an item. */
type Field = 'variant' | 'product' | 'sku' | 'both';

interface Address {
  readonly field: Field;
  readonly key: string;
}

/** The parts of a record with the same key. */
interface Bucket {
  readonly positions: number[];
  /** How many of them are not removed yet. */
  remaining: number;
}

/**
 * The parts of a record while deletions remove them. A part is removed once, however many deletions address it. The
 * index of a field is built when the first deletion addresses parts by it; most records need only one index.
 */
export class RemainingParts<R extends RecordWithParts> {
  private readonly removed = new Set<number>();
  private readonly indexes = new Map<Field, Map<string, Bucket>>();

  constructor(
    private readonly record: R,
    private readonly preferred: ProductIdentifier,
  ) {}

  /**
   * Removes the variants with an id; or the items that match both ids. If no item does, it removes those that match the
   * preferred id; if none does, those that match the other id (D-44).
   * @returns the removed parts
   */
  remove(target: PartTarget): readonly object[] {
    for (const { field, key } of addressesOf(target, this.preferred)) {
      const bucket = this.indexBy(field).get(key);
      if (bucket && bucket.remaining > 0) return bucket.positions.flatMap((position) => this.removeAt(position) ?? []);
    }
    return [];
  }

  /** The record with the remaining parts; the record itself when nothing was removed. */
  toRecord(): R {
    if (this.removed.size === 0) return this.record;
    const kept = this.parts.filter((_, position) => !this.removed.has(position));
    return { ...this.record, [this.record.ProductVariants ? 'ProductVariants' : 'OrderItems']: kept };
  }

  private get parts(): readonly (Variant | ItemIds)[] {
    return this.record.ProductVariants ?? this.record.OrderItems ?? [];
  }

  private indexBy(field: Field): Map<string, Bucket> {
    const known = this.indexes.get(field);
    if (known) return known;
    const index = new Map<string, Bucket>();
    this.parts.forEach((part, position) => {
      const key = keyOf(part, field);
      if (key === undefined || this.removed.has(position)) return;
      const bucket = index.get(key) ?? { positions: [], remaining: 0 };
      bucket.positions.push(position);
      bucket.remaining += 1;
      index.set(key, bucket);
    });
    this.indexes.set(field, index);
    return index;
  }

  private removeAt(position: number): object | undefined {
    const part = this.parts[position];
    if (!part || this.removed.has(position)) return undefined;
    this.removed.add(position);
    for (const [field, index] of this.indexes) {
      const bucket = index.get(keyOf(part, field) ?? '');
      if (bucket) bucket.remaining -= 1;
    }
    return part;
  }
}

/** The key of a part in the index of a field; undefined when the field does not address parts of its type. */
function keyOf(part: Variant | ItemIds, field: Field): string | undefined {
  if ('VariantId' in part) return field === 'variant' ? toMatchingId(part.VariantId) : undefined;
  if (field === 'product') return toMatchingId(part.ProductId);
  if (field === 'sku') return toMatchingId(part.Sku);
  return field === 'both' ? itemKey(part) : undefined;
}

/** The addresses that a deletion tries, one after the other. */
function addressesOf(target: PartTarget, preferred: ProductIdentifier): readonly Address[] {
  if (target.type === 'variant') return [{ field: 'variant', key: toMatchingId(target.variantId) }];
  const { productId, sku } = target;
  const byProduct: Address[] = productId === null ? [] : [{ field: 'product', key: toMatchingId(productId) }];
  const bySku: Address[] = sku === null ? [] : [{ field: 'sku', key: toMatchingId(sku) }];
  const both: Address[] =
    productId === null || sku === null ? [] : [{ field: 'both', key: itemKey({ ProductId: productId, Sku: sku }) }];
  return preferred === 'sku' ? [...both, ...bySku, ...byProduct] : [...both, ...byProduct, ...bySku];
}
