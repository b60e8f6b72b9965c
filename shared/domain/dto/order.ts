import { MAX_PARTS } from '../limits';
import type { Dto } from './schema';
import { optional, required } from './schema';

/** `CreateOrderItemDto` (Spec §2.6). */
export const orderItemSchema = {
  type: 'object',
  properties: {
    ProductId: required.text(100),
    Sku: required.text(50),
    Quantity: required.integer,
    Price: required.number,
    Size: optional.text(50),
    Color: optional.text(50),
    Brand: optional.anyText,
    IsGift: optional.boolean,
    OriginalPrice: optional.number,
  },
  required: ['ProductId', 'Sku', 'Quantity', 'Price'],
} as const;

/** `UpsertOrderDto` (Spec §2.5; lengths of `Email` and `CustomerId` by D-11, `Currency` by D-14). */
export const orderSchema = {
  $id: 'UpsertOrderDto',
  type: 'object',
  properties: {
    OrderId: required.text(100),
    Email: optional.email,
    CustomerId: optional.text(100),
    TotalQuantity: optional.integer,
    TotalRevenue: optional.number,
    OrderDate: optional.dateTime,
    Currency: required.currency,
    UniqueQuantity: optional.integer,
    IsOrderCancelled: optional.boolean,
    OrderItems: { type: ['array', 'null'], maxItems: MAX_PARTS, items: orderItemSchema },
  },
  required: ['OrderId', 'Currency'],
} as const;

export type UpsertOrderDto = Dto<typeof orderSchema>;
export type CreateOrderItemDto = Dto<typeof orderItemSchema>;
