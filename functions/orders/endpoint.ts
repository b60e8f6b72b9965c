import { AcceptanceQueue } from '../../shared/deletions/acceptance/acceptance-queue';
import type { AcceptanceDependencies } from '../../shared/deletions/acceptance/accept-context';
import { batchDeletionRoute } from '../../shared/endpoint/batch-deletion-route';
import type { DeletionDependencies } from '../../shared/endpoint/deletion-route';
import { deletionRoute } from '../../shared/endpoint/deletion-route';
import type { EndpointDefinition } from '../../shared/endpoint/endpoint';
import { readRoute } from '../../shared/endpoint/read-route';
import { upsertRoute } from '../../shared/endpoint/upsert-route';
import type { UpsertDependencies } from '../../shared/records/upsert-dependencies';
import { readOrderDeletion } from './delete-order';
import { ITEM_PARAMETERS, readItemDeletion } from './delete-order-item';
import { deleteOrdersDefinition } from './delete-orders';
import { readOrderDefinition } from './read-order';
import { upsertOrdersDefinition } from './upsert-orders';

/** The routes of orders (Spec §4.1, R-50, R-68). */
export function ordersEndpoint(
  dependencies: UpsertDependencies & AcceptanceDependencies & Pick<DeletionDependencies, 'logger'>,
): EndpointDefinition {
  const { clock, logger } = dependencies;
  const deletions = { queue: new AcceptanceQueue(dependencies), clock, logger };
  return {
    name: 'orders',
    casing: 'lower',
    routes: [
      upsertRoute(upsertOrdersDefinition, dependencies),
      deletionRoute(
        {
          operationId: 'deleteOrder',
          type: 'order',
          path: '/:tenantId/:orderId',
          query: ITEM_PARAMETERS,
          removedMessage: 'Order removed.',
          failureMessage: 'Failed to delete order.',
          readTarget: readOrderDeletion,
        },
        deletions,
      ),
      deletionRoute(
        {
          operationId: 'deleteOrderItems',
          type: 'orderItem',
          path: '/:tenantId/:orderId/items',
          query: ITEM_PARAMETERS,
          removedMessage: 'Order item removed.',
          failureMessage: 'Failed to delete order item.',
          readTarget: readItemDeletion,
        },
        deletions,
      ),
      batchDeletionRoute(deleteOrdersDefinition, deletions),
      readRoute(readOrderDefinition, dependencies),
    ],
  };
}
