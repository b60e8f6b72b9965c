/** What the fields of products, variants and their deletions mean. */
import { productDeletionSchema } from '../../../shared/domain/dto/deletion';
import { productSchema, productVariantSchema } from '../../../shared/domain/dto/product';
import { DELETION_ACCEPTED_AT, RECORD_TIMES, SIZE_FIELDS } from '../../../shared/endpoint/description/records';
import type { FieldTexts } from '../../../shared/endpoint/description/request-schema';
import { requestSchema, shownSchema } from '../../../shared/endpoint/description/request-schema';
import type { MemberSchema } from '../../../shared/endpoint/description/schema';
import { answerSchema } from '../../../shared/endpoint/description/schema';

const VARIANT_TEXTS: FieldTexts<typeof productVariantSchema> = {
  VariantId: 'The id of the variant within its product.',
  Sku: 'The stock keeping unit.',
  Name: 'The name of the variant.',
  Image: 'The URL of an image.',
  Size: 'The size, such as `500 ml`, `2x250g` or `XL`. Its number and unit are parsed and stored beside it.',
  Color: 'The colour.',
  Stock: 'How many are in stock.',
  OriginalPrice: 'The regular price, in `Currency`.',
  SalePrice: 'The discounted price, in `Currency`.',
  Currency: 'The currency of the prices.',
  IsAvailable: 'Whether it can be bought.',
  Language: 'The language of the texts.',
  BrandName: 'The name of the brand.',
  Url: 'The URL of its page in the shop.',
};

const PRODUCT_TEXTS: FieldTexts<typeof productSchema> = {
  ProductId: 'The id of the product.',
  ProductName: 'The name of the product.',
  Taxonomy: 'Categories or tags.',
  IsOfflineExclusive: 'Whether it is sold offline only.',
  ProductVariants: 'The variants; may be empty. Variants that are stored and not sent stay.',
};

export const productVariant = requestSchema(
  'ProductVariant',
  productVariantSchema,
  'A variant of a product as it is sent.',
  VARIANT_TEXTS,
);

export const product = requestSchema(
  'Product',
  productSchema,
  'A product as it is sent. It is found by its `ProductId`, or by the `Sku` of its variants where the tenant has chosen that. ' +
    'Further fields are ignored.',
  PRODUCT_TEXTS,
);

export const productDeletion = requestSchema(
  'ProductDeletion',
  productDeletionSchema,
  'The id of a product to delete with all its variants. With a `VariantId` that variant alone is deleted.',
  {
    ProductId: 'The id of the product.',
    VariantId: 'The id of the variant; absent: the whole product is deleted. It must not be empty or blank.',
  },
  undefined,
  'isAbsent',
);

const storedVariant = shownSchema(
  'StoredProductVariant',
  productVariantSchema,
  'A variant as it is stored. Fields without a value are absent.',
  VARIANT_TEXTS,
  ['VariantId', 'Sku'],
  { derived: SIZE_FIELDS },
);

const storedProduct = shownSchema(
  'StoredProduct',
  productSchema,
  'A product as it is stored. Fields without a value are absent.',
  PRODUCT_TEXTS,
  ['ProductId', 'ProductVariants'],
  { parts: { ProductVariants: storedVariant }, more: RECORD_TIMES },
);

const deletedAt: MemberSchema<string> = {
  type: 'string',
  format: 'date-time',
  description: 'When the deletion was accepted, in UTC.',
};

export const productDeleted = answerSchema<{ readonly productId: string; readonly deletedAt: string }>(
  'ProductDeleted',
  'The id as it was accepted, and when.',
  { productId: { type: 'string', description: 'The id of the product.' }, deletedAt },
);

export const variantDeleted = answerSchema<{
  readonly productId: string;
  readonly variantId: string;
  readonly deletedAt: string;
}>('ProductVariantDeleted', 'The ids as they were accepted, and when.', {
  productId: { type: 'string', description: 'The id of the product.' },
  variantId: { type: 'string', description: 'The id of the variant.' },
  deletedAt,
});

export const foundProduct = answerSchema<{ readonly record: object; readonly deletionAcceptedAt?: string }>(
  'FoundProduct',
  'A product.',
  { record: { $ref: storedProduct, description: 'The product.' }, deletionAcceptedAt: DELETION_ACCEPTED_AT },
  { deletionAcceptedAt: true },
);
