/**
 * Rows of files that delete: only what identifies the record or the part of it is looked at. The bounds are
 * those of the records.
 */
import { MAX_PARTS } from '../limits';
import { customerSchema } from './customer';
import { orderItemSchema, orderSchema } from './order';
import { productSchema, productVariantSchema } from './product';
import type { Dto } from './schema';
import { optional } from './schema';

const itemProductId = optional.text(orderItemSchema.properties.ProductId.maxLength);
const itemSku = optional.text(orderItemSchema.properties.Sku.maxLength);

/** That one identifier must be present is checked beside it, as of a customer. */
export const deletedCustomerSchema = {
  $id: 'DeletedCustomerRow',
  type: 'object',
  properties: { CustomerId: customerSchema.properties.CustomerId, Email: customerSchema.properties.Email },
} as const;

/** With a `VariantId` that variant is deleted, else the product. */
export const deletedProductSchema = {
  $id: 'DeletedProductRow',
  type: 'object',
  properties: {
    ProductId: productSchema.properties.ProductId,
    VariantId: optional.text(productVariantSchema.properties.VariantId.maxLength),
  },
  required: ['ProductId'],
} as const;

/** With a `ProductId` or a `Sku` an item is deleted, else the order. */
export const deletedOrderSchema = {
  $id: 'DeletedOrderRow',
  type: 'object',
  properties: { OrderId: orderSchema.properties.OrderId, ProductId: itemProductId, Sku: itemSku },
  required: ['OrderId'],
} as const;

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
      items: { type: 'object', properties: { ProductId: itemProductId, Sku: itemSku } },
    },
  },
  required: ['OrderId'],
} as const;

export type DeletedCustomerRow = Dto<typeof deletedCustomerSchema>;
export type DeletedProductRow = Dto<typeof deletedProductSchema>;
export type DeletedOrderRow = Dto<typeof deletedOrderSchema>;
export type DeletedVariant = { readonly VariantId: string };
export type DeletedItem = { readonly ProductId?: string | null; readonly Sku?: string | null };
