/** What the fields of orders, items and their deletions mean. */
import { orderDeletionSchema } from '../../../shared/domain/dto/deletion';
import { orderItemSchema, orderSchema } from '../../../shared/domain/dto/order';
import type { OrderCustomer } from '../../../shared/domain/records/order';
import { mergeOrder } from '../../../shared/domain/records/order';
import { DELETION_ACCEPTED_AT, RECORD_TIMES, SIZE_FIELDS } from '../../../shared/endpoint/description/records';
import type { FieldTexts } from '../../../shared/endpoint/description/request-schema';
import { constantDefaults, requestSchema, shownSchema } from '../../../shared/endpoint/description/request-schema';
import type { MemberSchema } from '../../../shared/endpoint/description/schema';
import { answerSchema, NamedSchema } from '../../../shared/endpoint/description/schema';

const ITEM_TEXTS: FieldTexts<typeof orderItemSchema> = {
  ProductId: 'The id of the product that was bought.',
  Sku: 'The stock keeping unit that was bought.',
  Quantity: 'How many were bought.',
  Price: 'The price of one, in the currency of the order.',
  Size: 'The size, such as `500 ml`, `2x250g` or `XL`. Its number and unit are parsed and stored beside it.',
  Color: 'The colour.',
  Brand: 'The brand.',
  IsGift: 'Whether it is a gift.',
  OriginalPrice: 'The price of one before discounts, in the currency of the order.',
};

const ORDER_TEXTS: FieldTexts<typeof orderSchema> = {
  OrderId: 'The id of the order.',
  Email: 'The e-mail address of the customer.',
  CustomerId: "The caller's own id of the customer.",
  TotalQuantity: 'How many pieces it has in all.',
  TotalRevenue: 'The value of the order, in `Currency`; a refund is negative.',
  OrderDate: 'When it was placed.',
  Currency: 'The currency of all amounts.',
  UniqueQuantity: 'How many different items it has.',
  IsOrderCancelled: 'Whether it was cancelled.',
  OrderItems: 'What was bought. Items that are stored and not sent stay.',
};

const created = mergeOrder(undefined, { OrderId: '', Currency: '' }, 'email', new Date(0));
const { TotalQuantity, TotalRevenue, UniqueQuantity, IsOrderCancelled, OrderItems } = created;

export const orderItem = requestSchema('OrderItem', orderItemSchema, 'An item of an order as it is sent.', ITEM_TEXTS);

export const order = requestSchema(
  'Order',
  orderSchema,
  'An order as it is sent. It is found by its `OrderId`. Further fields are ignored.',
  ORDER_TEXTS,
  {
    ...constantDefaults({ TotalQuantity, TotalRevenue, UniqueQuantity, IsOrderCancelled, OrderItems }),
    OrderDate: 'the time of the request',
  },
);

export const orderDeletion = requestSchema(
  'OrderDeletion',
  orderDeletionSchema,
  'The id of an order to delete with all its items. With a `ProductId` or a `Sku` only the items that it names are deleted.',
  {
    OrderId: 'The id of the order.',
    ProductId: 'The id of the product of items.',
    Sku: 'The stock keeping unit of items.',
  },
  undefined,
  'isAbsent',
);

const orderCustomer = new NamedSchema<OrderCustomer>('OrderCustomer', {
  description: 'Whose order it is: one of the two, in the form in which identifiers are compared.',
  oneOf: [
    { type: 'object', properties: { Email: { type: 'string' } }, required: ['Email'] },
    { type: 'object', properties: { CustomerId: { type: 'string' } }, required: ['CustomerId'] },
  ],
});

const storedItem = shownSchema(
  'StoredOrderItem',
  orderItemSchema,
  'An item as it is stored. Fields without a value are absent.',
  ITEM_TEXTS,
  ['ProductId', 'Sku', 'Quantity', 'Price'],
  { derived: SIZE_FIELDS },
);

const storedOrder = shownSchema(
  'StoredOrder',
  orderSchema,
  'An order as it is stored. Fields without a value are absent.',
  ORDER_TEXTS,
  ['OrderId', 'Currency', 'OrderItems'],
  {
    derived: {
      CustomerId: {
        Customer: {
          anyOf: [orderCustomer, { type: 'null' }],
          description: 'Whose order it is, by the identifier that the tenant has chosen; null: it names no customer.',
        },
      },
    },
    parts: { OrderItems: storedItem },
    more: RECORD_TIMES,
  },
);

const deletedAt: MemberSchema<string> = {
  type: 'string',
  format: 'date-time',
  description: 'When the deletion was accepted, in UTC.',
};
const orderId: MemberSchema<string> = { type: 'string', description: 'The id of the order.' };

export const orderDeleted = answerSchema<{ readonly orderId: string; readonly deletedAt: string }>(
  'OrderDeleted',
  'The id as it was accepted, and when.',
  { orderId, deletedAt },
);

export const itemsDeleted = answerSchema<{
  readonly orderId: string;
  readonly productId: string | null;
  readonly sku: string | null;
  readonly deletedAt: string;
}>('OrderItemsDeleted', 'The ids as they were accepted, and when.', {
  orderId,
  productId: { type: ['string', 'null'], description: 'Null: it was not sent.' },
  sku: { type: ['string', 'null'], description: 'Null: it was not sent.' },
  deletedAt,
});

export const foundOrder = answerSchema<{ readonly record: object; readonly deletionAcceptedAt?: string }>(
  'FoundOrder',
  'An order.',
  { record: { $ref: storedOrder, description: 'The order.' }, deletionAcceptedAt: DELETION_ACCEPTED_AT },
  { deletionAcceptedAt: true },
);
