import type { DeletionTarget } from '../../shared/domain/deletion';
import { requireParam } from '../../shared/endpoint/deletion-route';
import type { RouteRequest } from '../../shared/endpoint/route';

/** `DELETE /products/<tenant_id>/<product_id>` (Spec §4.4). @throws HttpProblem 400 */
export function readProductDeletion(request: RouteRequest): DeletionTarget {
  return { type: 'product', productId: requireParam(request, 'productId', 'Product ID') };
}
