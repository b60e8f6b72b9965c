import type { DeletionTarget } from '../../shared/domain/deletion';
import { requireParam } from '../../shared/endpoint/deletion-route';
import { idRequired } from '../../shared/http/problems';
import type { RouteRequest } from '../../shared/endpoint/route';
import { ITEM_PARAMETERS } from './delete-order-item';

/** `DELETE /orders/<tenant_id>/<order_id>` (Spec §4.5). @throws HttpProblem 400 */
export function readOrderDeletion(request: RouteRequest): DeletionTarget {
  const orderId = requireParam(request, 'orderId', 'Order ID');
  // `/orders/<tenant_id>/items?sku=…` is the address of an item without the order's id. It must not delete an order
  // with the id "items".
  const ofItem = ITEM_PARAMETERS.map((name) => request.query(name)); // also of other orders: each may be given once
  if (orderId === 'items' && ofItem.some((value) => value !== null)) throw idRequired('Order ID');
  return { type: 'order', orderId };
}
