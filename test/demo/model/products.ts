/** What is expected to be stored of products (Spec §2.3, §2.4, §4.4, D-03, D-04, D-06). */
import type { Fields } from '../fields';
import { partsOf } from '../fields';
import { idKey, mergeAll, mergeFields, sameId } from './merge';
import type { Settings } from './settings';
import { withSize } from './sizes';
import { expectedCurrency, expectedLanguage } from './spellings';

const FIELDS = ['ProductId', 'ProductName', 'Taxonomy', 'IsOfflineExclusive'];
const VARIANT_FIELDS = [
  'VariantId', 'Sku', 'Name', 'Image', 'Color', 'Stock', 'OriginalPrice', 'SalePrice', 'Currency', 'IsAvailable', 'Language',
  'BrandName', 'Url',
]; // prettier-ignore

export class ExpectedProducts {
  private readonly stored = new Map<string, Fields>();

  constructor(private readonly settings: Settings) {}

  records(): ReadonlyMap<string, Fields> {
    return this.stored;
  }

  keyOf = (product: Fields): string => idKey(product.ProductId);

  upsert(sent: Fields): void {
    const key = this.keyOf(sent);
    const match = this.settings.productIdentifier === 'sku' ? this.findBySku(sent) : undefined;
    if (match !== undefined && match !== key && this.stored.has(key)) {
      throw new Error(`The decisions do not say what becomes of two products that meet (${match} and ${key}).`);
    }
    const before = this.stored.get(match ?? key) ?? {};
    if (match !== undefined) this.stored.delete(match);
    const variants = mergeAll(variantsOf(before), variantsOf(sent), this.variantKeyOf, mergeVariant);
    this.stored.set(key, { ...mergeFields(before, sent, FIELDS), ProductVariants: variants });
  }

  remove(productId: string): void {
    this.stored.delete(idKey(productId));
  }

  removeVariant(productId: string, variantId: string): void {
    const key = idKey(productId);
    const product = this.stored.get(key);
    if (!product) return;
    const kept = variantsOf(product).filter((variant) => !sameId(variant.VariantId, variantId));
    this.stored.set(key, { ...product, ProductVariants: kept });
  }

  /** The product that holds the first of the sent Skus that any holds. */
  private findBySku(sent: Fields): string | undefined {
    for (const { Sku } of variantsOf(sent)) {
      for (const [key, product] of this.stored) {
        if (variantsOf(product).some((variant) => sameId(variant.Sku, Sku))) return key;
      }
    }
    return undefined;
  }

  private readonly variantKeyOf = (variant: Fields): string =>
    idKey(this.settings.productIdentifier === 'sku' ? variant.Sku : variant.VariantId);
}

function variantsOf(product: Fields): readonly Fields[] {
  return partsOf(product, 'ProductVariants');
}

function mergeVariant(stored: Fields, sent: Fields): Fields {
  return withSize(mergeFields(stored, sent, VARIANT_FIELDS, { toStored }), sent.Size);
}

function toStored(field: string, value: unknown): unknown {
  if (field === 'Currency') return expectedCurrency(String(value));
  return field === 'Language' ? expectedLanguage(String(value)) : value;
}
