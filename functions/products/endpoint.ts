import { AcceptanceQueue } from '../../shared/deletions/acceptance/acceptance-queue';
import type { AcceptanceDependencies } from '../../shared/deletions/acceptance/accept-context';
import { batchDeletionRoute } from '../../shared/endpoint/batch-deletion-route';
import type { DeletionDependencies } from '../../shared/endpoint/deletion-route';
import { deletionRoute } from '../../shared/endpoint/deletion-route';
import type { EndpointDefinition } from '../../shared/endpoint/endpoint';
import { readRoute } from '../../shared/endpoint/read-route';
import { upsertRoute } from '../../shared/endpoint/upsert-route';
import type { UpsertDependencies } from '../../shared/records/upsert-dependencies';
import { readProductDeletion } from './delete-product';
import { readVariantDeletion } from './delete-variant';
import { deleteProductsDefinition } from './delete-products';
import { readProductDefinition } from './read-product';
import { upsertProductsDefinition } from './upsert-products';

/** The routes of products (Spec §4.1, R-50, R-68). */
export function productsEndpoint(
  dependencies: UpsertDependencies & AcceptanceDependencies & Pick<DeletionDependencies, 'logger'>,
): EndpointDefinition {
  const { clock, logger } = dependencies;
  const deletions = { queue: new AcceptanceQueue(dependencies), clock, logger };
  return {
    name: 'products',
    casing: 'lower',
    routes: [
      upsertRoute(upsertProductsDefinition, dependencies),
      deletionRoute(
        {
          operationId: 'deleteProduct',
          type: 'product',
          path: '/:tenantId/:productId',
          removedMessage: 'Product removed.',
          failureMessage: 'Failed to delete product.',
          readTarget: readProductDeletion,
        },
        deletions,
      ),
      deletionRoute(
        {
          operationId: 'deleteProductVariant',
          type: 'variant',
          path: '/:tenantId/:productId/variants/:variantId',
          removedMessage: 'Variant removed.',
          failureMessage: 'Failed to delete variant.',
          readTarget: readVariantDeletion,
        },
        deletions,
      ),
      batchDeletionRoute(deleteProductsDefinition, deletions),
      readRoute(readProductDefinition, dependencies),
    ],
  };
}
