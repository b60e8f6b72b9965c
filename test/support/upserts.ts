/** Upserts as the routes make them: planned, and stored after the deletions that are pending. */
import type { Deadline } from '../../shared/platform/deadline';
import { findPendingHint } from '../../shared/deletions/pending-flag';
import type { RecordKind } from '../../shared/domain/identity';
import type { Tenant } from '../../shared/domain/tenant';
import { mayHoldLargeRecords } from '../../shared/workspace/large-records';
import type { PlannedUpsert } from '../../shared/records/planned-upsert';
import type { RecordDependencies } from '../../shared/workspace/record-dependencies';
import { planCustomers } from '../../shared/records/upsert-customers';
import { planOrders } from '../../shared/records/upsert-orders';
import { planProducts } from '../../shared/records/upsert-products';
import { planProductsBySku } from '../../shared/records/by-sku/upsert-products-by-sku';

export const upsertCustomers = toUpsert('customers', planCustomers);
export const upsertOrders = toUpsert('orders', planOrders);
export const upsertProducts = toUpsert('products', planProducts);
export const upsertProductsBySku = toCounted('products', planProductsBySku);

type Plan<Dto, Dependencies> = (
  batch: readonly Dto[],
  tenant: Tenant,
  dependencies: Dependencies,
) => PlannedUpsert | Promise<PlannedUpsert>;

function toUpsert<Dto, Dependencies extends RecordDependencies>(kind: RecordKind, plan: Plan<Dto, Dependencies>) {
  const upsert = toCounted(kind, plan);
  return async (...call: Parameters<typeof upsert>): Promise<void> => {
    await upsert(...call);
  };
}

/** Gives back the counts, too. */
function toCounted<Dto, Dependencies extends RecordDependencies>(kind: RecordKind, plan: Plan<Dto, Dependencies>) {
  return async (batch: readonly Dto[], tenant: Tenant, deadline: Deadline, dependencies: Dependencies) => {
    const store = await plan(batch, tenant, dependencies);
    const flag = findPendingHint(tenant.tenantId, kind, batch.length, dependencies.store, deadline);
    const mayHoldLarge =
      kind === 'customers'
        ? Promise.resolve(false)
        : mayHoldLargeRecords(tenant.tenantId, dependencies.store, deadline);
    return store(flag, deadline, mayHoldLarge);
  };
}
