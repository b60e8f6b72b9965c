import type { RecordId } from '../../shared/domain/identity';
import { productRecordId } from '../../shared/domain/identity';
import { requireParam } from '../../shared/endpoint/deletion-route';
import type { ReadDefinition } from '../../shared/endpoint/read-route';
import { findOne } from '../../shared/endpoint/read-route';

/** What a request for a product says that is not there. */
export const PRODUCT_NOT_FOUND = 'Product not found.';

/** `GET /products/<tenant_id>/<product_id>`. */
export const readProductDefinition: ReadDefinition<RecordId> = {
  operationId: 'getProduct',
  path: '/:tenantId/:productId',
  foundMessage: 'Product found.',
  readAddress: (request) => productRecordId(requireParam(request, 'productId', 'Product ID')),
  find: findOne('products', PRODUCT_NOT_FOUND),
};
