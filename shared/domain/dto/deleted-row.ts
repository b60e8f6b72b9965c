/**
 * Nested elements of rows of files that delete: only what identifies the part and its record is looked at. Rows
 * that delete as a whole are checked as elements of the API are (`deletion.ts`).
 */
import { MAX_PARTS } from '../limits';
import { orderDeletionSchema } from './deletion';
import { orderSchema } from './order';
import { productSchema, productVariantSchema } from './product';

const { ProductId, Sku } = orderDeletionSchema.properties;

/** Only the variants of a product that are deleted. */
export const deletedVariantsSchema = {
  $id: 'DeletedVariantsRow',
  type: 'object',
  properties: {
    ProductId: productSchema.properties.ProductId,
    ProductVariants: {
      type: 'array',
      maxItems: MAX_PARTS,
      items: {
        type: 'object',
        properties: { VariantId: productVariantSchema.properties.VariantId },
        required: ['VariantId'],
      },
    },
  },
  required: ['ProductId'],
} as const;

/** Only the items of an order that are deleted. That one of their identifiers is present is checked beside it. */
export const deletedItemsSchema = {
  $id: 'DeletedItemsRow',
  type: 'object',
  properties: {
    OrderId: orderSchema.properties.OrderId,
    OrderItems: {
      type: 'array',
      maxItems: MAX_PARTS,
      items: { type: 'object', properties: { ProductId, Sku } },
    },
  },
  required: ['OrderId'],
} as const;

export type DeletedVariant = { readonly VariantId: string };
export type DeletedItem = { readonly ProductId?: string | null; readonly Sku?: string | null };
