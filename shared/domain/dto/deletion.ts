import { customerSchema } from './customer';
import { orderItemSchema, orderSchema } from './order';
import { productSchema, productVariantSchema } from './product';
import type { Dto } from './schema';
import { optional } from './schema';

/**
 * An element of a batch of customer deletions. A separate check requires a value for one identifier, at the path
 * `""`.
 */
export const customerDeletionSchema = {
  $id: 'DeleteCustomerDto',
  type: 'object',
  properties: { CustomerId: customerSchema.properties.CustomerId, Email: customerSchema.properties.Email },
} as const;

/**
 * An element of a batch of product deletions; with a `VariantId` it deletes a variant. A blank `VariantId` is
 * refused, because it would delete the whole product.
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
 * An element of a batch of order deletions; with a `ProductId` or a `Sku` it deletes an item. A separate check
 * requires that not both are blank, at the path `""`.
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
