/** What `openapi.json` says of the routes of orders. */
import { describeDeletions, describeUpsert, sizeRule } from '../../../shared/endpoint/description/batches';
import type { FunctionDescription, ParameterDescription } from '../../../shared/endpoint/description/operation';
import { EXAMPLE_TIME } from '../../../shared/endpoint/description/operation';
import { pathId, SINGLE_DELETE_PROBLEMS, SINGLE_DELETE_RULES } from '../../../shared/endpoint/description/records';
import type { OrdersOperation } from '../../../shared/endpoint/operation-id';
import { idRequired, recordNotFound } from '../../../shared/http/problems';
import { orderDeletionBatch } from '../../../shared/validation/deletion-batches';
import { ITEM_IDENTIFIER } from '../delete-order-item';
import { ORDER_NOT_FOUND } from '../read-order';
import { foundOrder, itemsDeleted, order, orderDeleted, orderDeletion, orderItem } from './schemas';

const orderId = pathId('The id of the order.');

/** They belong to the address of items, whose order's id may be missing: `/orders/<tenant_id>/items?sku=`. */
const ofItems = (name: string): ParameterDescription => ({
  schema: { type: 'string' },
  description:
    `${name} belongs to the address of items, which ends with \`/items\`. Here it narrows nothing: the whole order is ` +
    'deleted. With it an order whose id is `items` is not deleted.',
});

export const ordersDescription: FunctionDescription<OrdersOperation> = {
  tag: { name: 'Orders', description: 'What customers have bought, with the items of each order.' },
  bodies: [order, orderItem, orderDeletion],
  operations: {
    upsertOrders: describeUpsert({
      summary: 'Create or update orders',
      description:
        'Stores orders and their items: those that are there are updated field by field, the others are created.',
      rules: [sizeRule('An order', 'OrderItems')],
      examples: {
        create: {
          summary: 'A new order with an item',
          body: [
            {
              OrderId: '1001',
              Email: 'ada@example.com',
              Currency: 'EUR',
              TotalRevenue: 42.5,
              OrderDate: '2026-03-01T10:00:00Z',
              OrderItems: [{ ProductId: 'tea', Sku: 'T-500', Quantity: 2, Price: 21.25, Size: '2x250g' }],
            },
          ],
          data: { count: 1, created: 1, updated: 0, processedAt: EXAMPLE_TIME },
        },
        cancel: {
          summary: 'An order is cancelled; all other fields stay',
          body: [{ OrderId: 'O-1', Currency: 'EUR', IsOrderCancelled: true }],
          data: { count: 1, created: 0, updated: 1, processedAt: EXAMPLE_TIME },
        },
      },
    }),
    deleteOrder: {
      summary: 'Delete an order',
      description:
        'Deletes an order with all its items, also with the parameters of items: to delete these alone, end the path with ' +
        '`/items`. Success means that the deletion is durable, whether or not anything matches. A repeat is safe.',
      parameters: { orderId, productId: ofItems('`productId`'), sku: ofItems('`sku`') },
      data: [orderDeleted],
      problems: [idRequired('Order ID'), ...SINGLE_DELETE_PROBLEMS],
      rules: [
        {
          rule: 'An order whose id is `items` is deleted without `productId` and `sku`.',
          message: idRequired('Order ID').message,
        },
        ...SINGLE_DELETE_RULES,
      ],
      examples: {
        one: {
          summary: 'An order',
          parameters: { orderId: 'O-1' },
          data: { orderId: 'O-1', deletedAt: EXAMPLE_TIME },
        },
      },
    },
    deleteOrderItems: {
      summary: 'Delete items of an order',
      description:
        'Deletes the items that match. Of two identifiers both must match; where no item has both, the one that the tenant ' +
        'has chosen is tried first, then the other one. One alone deletes all items with it. Success means that the ' +
        'deletion is durable, whether or not anything matches. A repeat is safe, but tries the other identifier where the ' +
        'first one finds nothing any more.',
      parameters: {
        orderId,
        productId: { schema: { type: 'string' }, allowEmptyValue: true, description: 'The id of the product.' },
        sku: { schema: { type: 'string' }, allowEmptyValue: true, description: 'The stock keeping unit.' },
      },
      data: [itemsDeleted],
      problems: [idRequired('Order ID'), idRequired(ITEM_IDENTIFIER), ...SINGLE_DELETE_PROBLEMS],
      rules: [
        {
          rule: 'One of `productId` and `sku` has a value: empty and blank count as missing.',
          message: idRequired(ITEM_IDENTIFIER).message,
        },
        ...SINGLE_DELETE_RULES,
      ],
      examples: {
        byBoth: {
          summary: 'By both identifiers',
          parameters: { orderId: 'O-1', productId: 'P-1', sku: 'S-1' },
          data: { orderId: 'O-1', productId: 'P-1', sku: 'S-1', deletedAt: EXAMPLE_TIME },
        },
      },
    },
    deleteOrders: describeDeletions({
      summary: 'Delete many orders or items',
      description: 'Deletes orders and, where an element has a `ProductId` or a `Sku`, items.',
      rules: [
        {
          rule: 'Of `ProductId` and `Sku`, if any is sent, one has a value: empty and blank count as missing.',
          message: orderDeletionBatch.rule?.({ ProductId: '', Sku: '' }) ?? '',
        },
      ],
      examples: {
        both: {
          summary: 'An order, and an item of another one',
          body: [{ OrderId: 'O-2' }, { OrderId: 'O-1', ProductId: 'P-1', Sku: 'S-1' }],
          data: { count: 2, deletedAt: EXAMPLE_TIME },
        },
      },
    }),
    getOrder: {
      summary: 'Read an order back',
      description:
        'Shows an order with its items. What an accepted deletion means is not shown, whether or not it is applied yet. It ' +
        'changes nothing.',
      parameters: { orderId },
      data: [foundOrder],
      problems: [idRequired('Order ID'), recordNotFound(ORDER_NOT_FOUND, new Date(EXAMPLE_TIME))],
      examples: {
        found: {
          summary: 'An order',
          parameters: { orderId: 'O-1' },
          data: {
            record: {
              OrderId: 'O-1',
              Email: 'ada@example.com',
              Customer: { Email: 'ada@example.com' },
              TotalQuantity: 1,
              TotalRevenue: 9.5,
              OrderDate: '2026-02-28T10:00:00.000Z',
              Currency: 'EUR',
              UniqueQuantity: 1,
              IsOrderCancelled: false,
              OrderItems: [{ ProductId: 'P-1', Sku: 'S-1', Quantity: 1, Price: 9.5 }],
              updatedAt: EXAMPLE_TIME,
              asOf: EXAMPLE_TIME,
            },
          },
        },
      },
    },
  },
};
