import type { DeletionTarget } from '../../shared/domain/deletion';
import { optionalQuery, requireParam } from '../../shared/endpoint/deletion-route';
import { badRequest } from '../../shared/http/problems';
import type { RouteRequest } from '../../shared/endpoint/route';

/** `DELETE /orders/<tenant_id>/<order_id>/items?productId=&sku=` (Spec §4.5). @throws HttpProblem 400 */
export function readItemDeletion(request: RouteRequest): DeletionTarget {
  const orderId = requireParam(request, 'orderId', 'Order ID is required.');
  const productId = optionalQuery(request, 'productId');
  const sku = optionalQuery(request, 'sku');
  if (productId === null && sku === null) throw badRequest('Product ID or SKU is required.');
  return { type: 'orderItem', orderId, productId, sku };
}
