import type { DeletionTarget } from '../../shared/domain/deletion';
import { optionalQuery, requireParam } from '../../shared/endpoint/deletion-route';
import { idRequired } from '../../shared/http/problems';
import type { RouteRequest } from '../../shared/endpoint/route';

/** The query parameters that identify items, and what a request without any lacks. */
export const ITEM_PARAMETERS = ['productId', 'sku'] as const;
export const ITEM_IDENTIFIER = 'Product ID or SKU';

/** `DELETE /orders/<tenant_id>/<order_id>/items?productId=&sku=` (Spec §4.5). @throws HttpProblem 400 */
export function readItemDeletion(request: RouteRequest): DeletionTarget {
  const orderId = requireParam(request, 'orderId', 'Order ID');
  const productId = optionalQuery(request, 'productId');
  const sku = optionalQuery(request, 'sku');
  if (productId === null && sku === null) throw idRequired(ITEM_IDENTIFIER);
  return { type: 'orderItem', orderId, productId, sku };
}
