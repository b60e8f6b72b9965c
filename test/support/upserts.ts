/** Upserts as the routes make them: planned, and stored after the deletions that are pending. */
import type { Deadline } from '../../shared/deadline';
import { findRaisedMark } from '../../shared/deletions/deletion-log';
import type { RecordKind } from '../../shared/domain/identity';
import type { Tenant } from '../../shared/domain/tenant';
import type { PlannedUpsert } from '../../shared/records/planned-upsert';
import type { RecordDependencies } from '../../shared/records/record-dependencies';
import { planCustomers } from '../../shared/records/upsert-customers';
import { planOrders } from '../../shared/records/upsert-orders';
import { planProducts } from '../../shared/records/upsert-products';
import { planProductsBySku } from '../../shared/records/upsert-products-by-sku';

export const upsertCustomers = toUpsert('customers', planCustomers);
export const upsertOrders = toUpsert('orders', planOrders);
export const upsertProducts = toUpsert('products', planProducts);
export const upsertProductsBySku = toUpsert('products', planProductsBySku);

function toUpsert<Dto, Dependencies extends RecordDependencies>(
  kind: RecordKind,
  plan: (batch: readonly Dto[], tenant: Tenant, dependencies: Dependencies) => PlannedUpsert,
) {
  return async (batch: readonly Dto[], tenant: Tenant, deadline: Deadline, dependencies: Dependencies) => {
    const store = plan(batch, tenant, dependencies);
    await store(findRaisedMark(tenant.tenantId, kind, dependencies.store, deadline), deadline);
  };
}
