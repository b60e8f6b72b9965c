import { MAX_PARTS, MAX_TEXTS } from '../limits';
import type { Dto } from './schema';
import { optional, required } from './schema';

/** `UpsertProductVariantDto` (Spec §2.4; `Color` by the length summary, D-21). */
export const productVariantSchema = {
  type: 'object',
  properties: {
    VariantId: required.text(100),
    Sku: required.text(200),
    Name: optional.text(600),
    Image: optional.text(2000),
    Size: optional.text(50),
    Color: optional.text(50),
    Stock: optional.integer,
    OriginalPrice: optional.number,
    SalePrice: optional.number,
    Currency: optional.currency,
    IsAvailable: optional.boolean,
    Language: optional.language,
    BrandName: optional.text(200),
    Url: optional.text(2000),
  },
  required: ['VariantId', 'Sku'],
} as const;

/** `UpsertProductDto` (Spec §2.3). */
export const productSchema = {
  $id: 'UpsertProductDto',
  type: 'object',
  properties: {
    ProductId: required.text(100),
    ProductName: optional.text(200),
    Taxonomy: { type: ['array', 'null'], maxItems: MAX_TEXTS, items: { type: 'string', format: 'text' } },
    IsOfflineExclusive: optional.boolean,
    ProductVariants: { type: 'array', maxItems: MAX_PARTS, items: productVariantSchema },
  },
  required: ['ProductId', 'ProductVariants'],
} as const;

export type UpsertProductDto = Dto<typeof productSchema>;
export type UpsertProductVariantDto = Dto<typeof productVariantSchema>;
