import type { RecordId } from '../../shared/domain/identity';
import { productRecordId } from '../../shared/domain/identity';
import { requireParam } from '../../shared/endpoint/deletion-route';
import type { ReadDefinition } from '../../shared/endpoint/read-route';
import { findOne } from '../../shared/endpoint/read-route';

/** `GET /products/<tenant_id>/<product_id>`. */
export const readProductDefinition: ReadDefinition<RecordId> = {
  operationId: 'getProduct',
  path: '/:tenantId/:productId',
  foundMessage: 'Product found.',
  readAddress: (request) => productRecordId(requireParam(request, 'productId', 'Product ID')),
  find: findOne('products', 'Product not found.'),
};
