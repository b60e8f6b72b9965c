import type { UpsertProductDto } from '../domain/dto/product';
import { productRecordId } from '../domain/identity';
import { productRules } from '../domain/records/product';
import type { Tenant } from '../domain/tenant';
import type { PlannedUpsert } from './planned-upsert';
import type { UpsertDependencies } from './upsert-dependencies';
import { planByMerging } from './upsert-by-merging';
import { planProductsBySku } from './by-sku/upsert-products-by-sku';

/** Plans to upsert valid products in array order (D-07). @throws ValidationFailed */
export function planProducts(
  products: readonly UpsertProductDto[],
  tenant: Tenant,
  dependencies: UpsertDependencies,
): PlannedUpsert | Promise<PlannedUpsert> {
  if (tenant.productIdentifier === 'sku') return planProductsBySku(products, tenant, dependencies);
  const merging = {
    kind: 'products',
    idOf: ({ ProductId }: UpsertProductDto) => productRecordId(ProductId),
    rules: productRules('productid'),
  } as const;
  return planByMerging(products, merging, tenant, dependencies);
}
