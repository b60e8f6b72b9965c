import type { UpsertProductDto } from '../domain/dto/product';
import { productRecordId } from '../domain/identity';
import type { ProductRecord } from '../domain/product';
import { mergeProduct } from '../domain/product';
import type { Tenant } from '../domain/tenant';
import type { PlannedUpsert } from './planned-upsert';
import type { UpsertDependencies } from './record-dependencies';
import { planByMerging } from './upsert-by-merging';
import { planProductsBySku } from './upsert-products-by-sku';

/** Plans to upsert valid products in array order (D-07). @throws ValidationFailed */
export function planProducts(
  products: readonly UpsertProductDto[],
  tenant: Tenant,
  dependencies: UpsertDependencies,
): PlannedUpsert {
  if (tenant.productIdentifier === 'sku') return planProductsBySku(products, tenant, dependencies);
  return planByMerging<UpsertProductDto, ProductRecord>(
    products,
    {
      kind: 'products',
      idOf: (product) => productRecordId(product.ProductId),
      merge: (stored, sent) => mergeProduct(stored, sent, 'productid'),
    },
    tenant,
    dependencies,
  );
}
