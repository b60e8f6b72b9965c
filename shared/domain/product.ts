/** Products and their variants: merge rules (Spec §2.3 and §2.4, D-04, D-06, D-12). */
import { canonicalCurrency } from './currency';
import type { UpsertProductDto, UpsertProductVariantDto } from './dto/product';
import { variantKey } from './identity';
import { canonicalLanguage } from './language';
import { mergeParts } from './parts';
import { applySent } from './sent-fields';
import type { Sized } from './sized';
import { withSize } from './sized';
import type { ProductIdentifier } from './tenant';
import { isPresent, toMatchingId } from './text';

/** A stored variant; optional fields are there only with a value. */
export interface VariantRecord extends Sized {
  readonly VariantId: string;
  readonly Sku: string;
  readonly Name?: string;
  readonly Image?: string;
  readonly Color?: string;
  readonly Stock?: number;
  readonly OriginalPrice?: number;
  readonly SalePrice?: number;
  readonly Currency?: string;
  readonly IsAvailable?: boolean;
  readonly Language?: string;
  readonly BrandName?: string;
  readonly Url?: string;
}

/** A stored product; its variants are in the order in which they were first sent. */
export interface ProductRecord {
  readonly ProductId: string;
  readonly ProductName?: string;
  readonly Taxonomy?: readonly string[];
  readonly IsOfflineExclusive?: boolean;
  readonly ProductVariants: readonly VariantRecord[];
}

/** A product after an upsert; `stored` undefined: it is created. Variants that are not mentioned stay (D-06). */
export function mergeProduct(
  stored: ProductRecord | undefined,
  sent: UpsertProductDto,
  identifier: ProductIdentifier,
): ProductRecord {
  const keyOf = (variant: { VariantId: string; Sku: string }) => variantKey(variant, identifier);
  return {
    ...applySent<ProductRecord, (typeof PRODUCT_FIELDS)[number]>(stored ?? {}, sent, PRODUCT_FIELDS),
    ProductVariants: mergeParts(stored?.ProductVariants ?? [], sent.ProductVariants, keyOf, mergeVariant),
  };
}

/** Two stored products that became one (D-03): what `first` has wins, what it lacks comes from `second`. */
export function uniteProducts(
  first: ProductRecord,
  second: ProductRecord,
  identifier: ProductIdentifier,
): ProductRecord {
  const keyOf = (variant: VariantRecord) => variantKey(variant, identifier);
  return {
    ...second,
    ...first,
    ProductVariants: mergeParts(first.ProductVariants, second.ProductVariants, keyOf, (kept, other) => ({
      ...other,
      ...kept,
    })),
  };
}

/** The product, stored or sent, without the variants of this id; undefined when it has none (Spec §4.4). */
export function removeVariant<P extends { readonly ProductVariants: readonly { readonly VariantId: string }[] }>(
  product: P,
  variantId: string,
): P | undefined {
  const kept = product.ProductVariants.filter((variant) => toMatchingId(variant.VariantId) !== toMatchingId(variantId));
  return kept.length === product.ProductVariants.length ? undefined : { ...product, ProductVariants: kept };
}

const PRODUCT_FIELDS = ['ProductId', 'ProductName', 'Taxonomy', 'IsOfflineExclusive'] as const;
const VARIANT_FIELDS = [
  'VariantId',
  'Sku',
  'Name',
  'Image',
  'Color',
  'Stock',
  'OriginalPrice',
  'SalePrice',
  'Currency',
  'IsAvailable',
  'Language',
  'BrandName',
  'Url',
] as const;

function mergeVariant(stored: VariantRecord | undefined, sent: UpsertProductVariantDto): VariantRecord {
  const { Currency, Language } = sent;
  const canonical = {
    VariantId: sent.VariantId,
    Sku: sent.Sku,
    Name: sent.Name,
    Image: sent.Image,
    Color: sent.Color,
    Stock: sent.Stock,
    OriginalPrice: sent.OriginalPrice,
    SalePrice: sent.SalePrice,
    Currency: Currency === undefined ? undefined : toCurrency(Currency),
    IsAvailable: sent.IsAvailable,
    Language: typeof Language === 'string' ? canonicalLanguage(Language) : Language,
    BrandName: sent.BrandName,
    Url: sent.Url,
  };
  const variant = applySent<VariantRecord, (typeof VARIANT_FIELDS)[number]>(stored ?? {}, canonical, VARIANT_FIELDS);
  return withSize(variant, stored, sent.Size);
}

/** A blank currency is none. */
function toCurrency(sent: string | null): string | null {
  return isPresent(sent) ? (canonicalCurrency(sent) ?? null) : null;
}
