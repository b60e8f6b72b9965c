import type { DeletionTarget } from '../../shared/domain/deletion';
import { requireParam } from '../../shared/endpoint/deletion-route';
import type { RouteRequest } from '../../shared/endpoint/route';

/** `DELETE /products/<tenant_id>/<product_id>/variants/<variant_id>` (Spec §4.4). @throws HttpProblem 400 */
export function readVariantDeletion(request: RouteRequest): DeletionTarget {
  const productId = requireParam(request, 'productId', 'Product ID');
  return { type: 'variant', productId, variantId: requireParam(request, 'variantId', 'Variant ID') };
}
