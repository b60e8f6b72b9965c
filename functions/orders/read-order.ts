import type { RecordId } from '../../shared/domain/identity';
import { orderRecordId } from '../../shared/domain/identity';
import { requireParam } from '../../shared/endpoint/deletion-route';
import type { ReadDefinition } from '../../shared/endpoint/read-route';
import { findOne } from '../../shared/endpoint/read-route';

/** What a request for an order says that is not there. */
export const ORDER_NOT_FOUND = 'Order not found.';

/** `GET /orders/<tenant_id>/<order_id>`. */
export const readOrderDefinition: ReadDefinition<RecordId> = {
  operationId: 'getOrder',
  path: '/:tenantId/:orderId',
  foundMessage: 'Order found.',
  readAddress: (request) => orderRecordId(requireParam(request, 'orderId', 'Order ID')),
  find: findOne('orders', ORDER_NOT_FOUND),
};
