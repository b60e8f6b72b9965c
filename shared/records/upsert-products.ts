import type { Deadline } from '../deadline';
import type { RaisedMark } from '../deletions/deletion-log';
import type { UpsertProductDto } from '../domain/dto/product';
import { productRecordId } from '../domain/identity';
import type { ProductRecord } from '../domain/product';
import { mergeProduct } from '../domain/product';
import type { Tenant } from '../domain/tenant';
import type { UpsertDependencies } from './record-dependencies';
import { upsertByMerging } from './upsert-by-merging';
import { upsertProductsBySku } from './upsert-products-by-sku';

/**
 * Upserts valid products in array order (D-07), after the deletions that were accepted before. Repeating it is safe.
 * @param mark the deletion mark of this kind, if the caller has begun to read it; omitted: it is read here
 * @throws ValidationFailed, ContentionTimeout
 */
export function upsertProducts(
  products: readonly UpsertProductDto[],
  tenant: Tenant,
  deadline: Deadline,
  dependencies: UpsertDependencies,
  mark?: Promise<RaisedMark | undefined>,
): Promise<void> {
  if (tenant.productIdentifier === 'sku') return upsertProductsBySku(products, tenant, deadline, dependencies, mark);
  return upsertByMerging<UpsertProductDto, ProductRecord>(
    products,
    {
      kind: 'products',
      idOf: (product) => productRecordId(product.ProductId),
      merge: (stored, sent) => mergeProduct(stored, sent, 'productid'),
    },
    tenant,
    deadline,
    dependencies,
    mark,
  );
}
