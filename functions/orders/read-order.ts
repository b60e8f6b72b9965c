import type { RecordId } from '../../shared/domain/identity';
import { orderRecordId } from '../../shared/domain/identity';
import { requireParam } from '../../shared/endpoint/deletion-route';
import type { ReadDefinition } from '../../shared/endpoint/read-route';
import { findOne } from '../../shared/endpoint/read-route';

/** `GET /orders/<tenant_id>/<order_id>`. */
export const readOrderDefinition: ReadDefinition<RecordId> = {
  operationId: 'getOrder',
  path: '/:tenantId/:orderId',
  foundMessage: 'Order found.',
  readAddress: (request) => orderRecordId(requireParam(request, 'orderId', 'Order ID')),
  find: findOne('orders', 'Order not found.'),
};
