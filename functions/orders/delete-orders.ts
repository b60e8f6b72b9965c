import type { DeleteOrderDto } from '../../shared/domain/dto/deletion';
import { presentOrNull } from '../../shared/domain/values/text';
import type { BatchDeletionDefinition } from '../../shared/endpoint/batch-deletion-route';
import { compileBatchValidator } from '../../shared/validation/batch';
import { orderDeletionBatch } from '../../shared/validation/deletion-batches';

/** `POST /orders/<tenant_id>/deletions`: an element with a `ProductId` or a `Sku` deletes items of its order. */
export const deleteOrdersDefinition: BatchDeletionDefinition<DeleteOrderDto> = {
  operationId: 'deleteOrders',
  kind: 'orders',
  removedMessage: 'Orders removed.',
  failureMessage: 'Failed to delete orders.',
  validate: compileBatchValidator(orderDeletionBatch),
  toTarget: ({ OrderId: orderId, ProductId, Sku }) => {
    const [productId, sku] = [presentOrNull(ProductId), presentOrNull(Sku)];
    return productId === null && sku === null
      ? { type: 'order', orderId }
      : { type: 'orderItem', orderId, productId, sku };
  },
};
