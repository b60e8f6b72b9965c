import type { DeletionDependencies } from '../../shared/http/deletion-route';
import { deletionRoute } from '../../shared/http/deletion-route';
import type { EndpointDefinition } from '../../shared/http/endpoint';
import { upsertRoute } from '../../shared/http/upsert-route';
import type { UpsertDependencies } from '../../shared/records/record-dependencies';
import { readProductDeletion } from './delete-product';
import { readVariantDeletion } from './delete-variant';
import { upsertProductsDefinition } from './upsert-products';

/** The routes of products (Spec §4.1). */
export function productsEndpoint(dependencies: UpsertDependencies & DeletionDependencies): EndpointDefinition {
  return {
    name: 'products',
    casing: 'lower',
    routes: [
      upsertRoute(upsertProductsDefinition, dependencies),
      deletionRoute(
        {
          type: 'product',
          path: '/:tenantId/:productId',
          removedMessage: 'Product removed.',
          failureMessage: 'Failed to delete product.',
          readTarget: readProductDeletion,
        },
        dependencies,
      ),
      deletionRoute(
        {
          type: 'variant',
          path: '/:tenantId/:productId/variants/:variantId',
          removedMessage: 'Variant removed.',
          failureMessage: 'Failed to delete variant.',
          readTarget: readVariantDeletion,
        },
        dependencies,
      ),
    ],
  };
}
