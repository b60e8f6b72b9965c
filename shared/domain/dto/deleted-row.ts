/**
 * Rows of files that delete nested elements. Only the ids of the part and of its record are checked. Rows that
 * delete a whole record are checked like elements of the API (`deletion.ts`).
 */
import { MAX_PARTS } from '../limits';
import { orderDeletionSchema } from './deletion';
import { orderSchema } from './order';
import { productSchema, productVariantSchema } from './product';

const { ProductId, Sku } = orderDeletionSchema.properties;

/** A product with only its deleted variants. */
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

/** An order with only its deleted items. A separate check requires one of an item's identifiers. */
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
