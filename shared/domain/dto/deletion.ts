import { customerSchema } from './customer';
import { orderItemSchema, orderSchema } from './order';
import { productSchema, productVariantSchema } from './product';
import type { Dto } from './schema';
import { optional } from './schema';

/**
 * An element of a batch of deletions of customers. That one identifier must have a value is checked beside it,
 * at the path `""`.
 */
export const customerDeletionSchema = {
  $id: 'DeleteCustomerDto',
  type: 'object',
  properties: { CustomerId: customerSchema.properties.CustomerId, Email: customerSchema.properties.Email },
} as const;

/**
 * An element of a batch of deletions of products, or of variants where it has a `VariantId`. A blank one is
 * refused, for it would become the deletion of a whole product.
 */
export const productDeletionSchema = {
  $id: 'DeleteProductDto',
  type: 'object',
  properties: {
    ProductId: productSchema.properties.ProductId,
    VariantId: { ...optional.text(productVariantSchema.properties.VariantId.maxLength), pattern: '\\S' },
  },
  required: ['ProductId'],
} as const;

/**
 * An element of a batch of deletions of orders, or of items where it has a `ProductId` or a `Sku`. That not both
 * are blank is checked beside it, at the path `""`.
 */
export const orderDeletionSchema = {
  $id: 'DeleteOrderDto',
  type: 'object',
  properties: {
    OrderId: orderSchema.properties.OrderId,
    ProductId: optional.text(orderItemSchema.properties.ProductId.maxLength),
    Sku: optional.text(orderItemSchema.properties.Sku.maxLength),
  },
  required: ['OrderId'],
} as const;

export type DeleteCustomerDto = Dto<typeof customerDeletionSchema>;
export type DeleteProductDto = Dto<typeof productDeletionSchema>;
export type DeleteOrderDto = Dto<typeof orderDeletionSchema>;
