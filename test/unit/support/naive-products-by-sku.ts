/** What products identified by Sku become, in the plainest way: every element looks at all products (D-03, D-07). */
import type { UpsertProductDto } from '../../../shared/domain/dto/product';
import type { ProductRecord } from '../../../shared/domain/records/product';
import { mergeProduct, uniteProducts } from '../../../shared/domain/records/product';
import type { UpsertedCounts } from '../../../shared/records/planned-upsert';

export class NaiveProductsBySku {
  readonly products = new Map<string, ProductRecord>();
  /** The ids that hold a Sku, in the order in which their products took it. */
  readonly holders = new Map<string, string[]>();
  /** The products that were upserted since the copy, by their ids now: whether anything of them was there before. */
  private readonly upserted = new Map<string, boolean>();

  copy(): NaiveProductsBySku {
    const copy = new NaiveProductsBySku();
    for (const [id, product] of this.products) copy.products.set(id, product);
    for (const [sku, ids] of this.holders) copy.holders.set(sku, ids);
    return copy;
  }

  /** @returns the product after the upsert */
  upsert(sent: UpsertProductDto): ProductRecord {
    const id = sent.ProductId;
    const match = this.find(sent);
    const named = this.products.get(id);
    const moved = match !== undefined && match !== id ? match : undefined;
    const matched = moved === undefined ? undefined : this.products.get(moved);
    const before = matched ? (named ? uniteProducts(matched, named, 'sku') : matched) : named;
    const after = mergeProduct(before, sent, 'sku');
    const wasThere = (each: string) => this.upserted.get(each) ?? this.products.has(each);
    this.upserted.set(id, wasThere(id) || (moved !== undefined && wasThere(moved)));
    if (moved !== undefined) {
      this.upserted.delete(moved);
      this.products.delete(moved);
      for (const [sku, ids] of this.holders) {
        this.holders.set(sku, [...new Set(ids.map((each) => (each === moved ? id : each)))]);
      }
    }
    this.products.set(id, after);
    for (const { Sku } of after.ProductVariants) {
      const ids = this.holders.get(Sku) ?? [];
      if (!ids.includes(id)) this.holders.set(Sku, [...ids, id]);
    }
    return after;
  }

  /** The products that were created and updated since the copy. */
  counts(): UpsertedCounts {
    const updated = [...this.upserted.values()].filter(Boolean).length;
    return { created: this.upserted.size - updated, updated };
  }

  private find({ ProductVariants }: UpsertProductDto): string | undefined {
    for (const { Sku } of ProductVariants) {
      const [first] = this.holders.get(Sku) ?? [];
      if (first !== undefined) return first;
    }
    return undefined;
  }
}
