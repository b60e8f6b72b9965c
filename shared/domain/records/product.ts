/** Products and their variants: merge rules (Spec §2.3 and §2.4, D-04, D-06, D-12). */
import { canonicalCurrency } from '../values/currency';
import type { UpsertProductDto, UpsertProductVariantDto } from '../dto/product';
import { variantKey } from '../identity';
import { canonicalLanguage } from '../values/language';
import type { MergeRules } from './merged-record';
import { mergeParts } from './parts';
import { fieldAfter } from './sent-fields';
import type { Sized } from '../values/sized';
import { sizeAfter } from '../values/sized';
import type { ProductIdentifier } from '../tenant';
import { isPresent } from '../values/text';

/** A stored variant; an optional field without a value is absent or undefined. */
export interface VariantRecord extends Sized {
  readonly VariantId: string;
  readonly Sku: string;
  readonly Name?: string | undefined;
  readonly Image?: string | undefined;
  readonly Color?: string | undefined;
  readonly Stock?: number | undefined;
  readonly OriginalPrice?: number | undefined;
  readonly SalePrice?: number | undefined;
  readonly Currency?: string | undefined;
  readonly IsAvailable?: boolean | undefined;
  readonly Language?: string | undefined;
  readonly BrandName?: string | undefined;
  readonly Url?: string | undefined;
}

/** A stored product; its variants are in the order in which they were first sent. */
export interface ProductRecord {
  readonly ProductId: string;
  readonly ProductName?: string | undefined;
  readonly Taxonomy?: readonly string[] | undefined;
  readonly IsOfflineExclusive?: boolean | undefined;
  readonly ProductVariants: readonly VariantRecord[];
}

/** How products are merged. Variants that were not sent stay (D-06). */
export function productRules(
  identifier: ProductIdentifier,
): MergeRules<ProductRecord, UpsertProductDto, VariantRecord, UpsertProductVariantDto> {
  return {
    partsField: 'ProductVariants',
    partsOf: ({ ProductVariants }) => ProductVariants,
    sentPartsOf: ({ ProductVariants }) => ProductVariants,
    keyOf: (variant) => variantKey(variant, identifier),
    mergePart: mergeVariant,
    after: productAfter,
  };
}

/** A product after an upsert; `stored` undefined: it is created. */
export function mergeProduct(
  stored: ProductRecord | undefined,
  sent: UpsertProductDto,
  identifier: ProductIdentifier,
): ProductRecord {
  const keyOf = (variant: { VariantId: string; Sku: string }) => variantKey(variant, identifier);
  return productAfter(
    stored,
    sent,
    mergeParts(stored?.ProductVariants ?? [], sent.ProductVariants, keyOf, mergeVariant),
  );
}

function productAfter(
  stored: ProductRecord | undefined,
  sent: UpsertProductDto,
  ProductVariants: readonly VariantRecord[],
): ProductRecord {
  return {
    ProductId: sent.ProductId,
    ProductName: fieldAfter(stored?.ProductName, sent.ProductName),
    Taxonomy: fieldAfter(stored?.Taxonomy, sent.Taxonomy),
    IsOfflineExclusive: fieldAfter(stored?.IsOfflineExclusive, sent.IsOfflineExclusive),
    ProductVariants,
  };
}

/** Unites two stored products that became one (D-03). The fields of `first` win; `second` supplies those it lacks. */
export function uniteProducts(
  first: ProductRecord,
  second: ProductRecord,
  identifier: ProductIdentifier,
): ProductRecord {
  const keyOf = (variant: VariantRecord) => variantKey(variant, identifier);
  return {
    ProductId: first.ProductId,
    ProductName: first.ProductName ?? second.ProductName,
    Taxonomy: first.Taxonomy ?? second.Taxonomy,
    IsOfflineExclusive: first.IsOfflineExclusive ?? second.IsOfflineExclusive,
    ProductVariants: mergeParts(first.ProductVariants, second.ProductVariants, keyOf, (kept, other) =>
      kept ? mergeVariant(other, kept) : other,
    ),
  };
}

/** A variant after an upsert of its product; `stored` undefined: it is new. */
export function mergeVariant(
  stored: VariantRecord | undefined,
  sent: UpsertProductVariantDto | VariantRecord,
): VariantRecord {
  const { Currency, Language } = sent;
  const { Size, SizeNumeric, SizeMetric } = sizeAfter(stored, sent.Size);
  return {
    VariantId: sent.VariantId,
    Sku: sent.Sku,
    Name: fieldAfter(stored?.Name, sent.Name),
    Image: fieldAfter(stored?.Image, sent.Image),
    Color: fieldAfter(stored?.Color, sent.Color),
    Stock: fieldAfter(stored?.Stock, sent.Stock),
    OriginalPrice: fieldAfter(stored?.OriginalPrice, sent.OriginalPrice),
    SalePrice: fieldAfter(stored?.SalePrice, sent.SalePrice),
    Currency: fieldAfter(stored?.Currency, Currency === undefined ? undefined : toCurrency(Currency)),
    IsAvailable: fieldAfter(stored?.IsAvailable, sent.IsAvailable),
    Language: fieldAfter(stored?.Language, typeof Language === 'string' ? canonicalLanguage(Language) : Language),
    BrandName: fieldAfter(stored?.BrandName, sent.BrandName),
    Url: fieldAfter(stored?.Url, sent.Url),
    Size,
    SizeNumeric,
    SizeMetric,
  };
}

/** A blank currency counts as missing. */
function toCurrency(sent: string | null): string | null {
  return isPresent(sent) ? (canonicalCurrency(sent) ?? sent) : null;
}
