import type { UpsertOrderDto } from '../domain/dto/order';
import { orderRecordId } from '../domain/identity';
import { orderRules } from '../domain/records/order';
import type { Tenant } from '../domain/tenant';
import type { PlannedUpsert } from './planned-upsert';
import type { UpsertDependencies } from './upsert-dependencies';
import { planByMerging } from './upsert-by-merging';

/** Plans to upsert valid orders in array order (D-07). */
export function planOrders(
  orders: readonly UpsertOrderDto[],
  tenant: Tenant,
  dependencies: UpsertDependencies,
): Promise<PlannedUpsert> {
  const now = new Date(dependencies.clock.nowMs());
  const merging = {
    kind: 'orders',
    idOf: ({ OrderId }: UpsertOrderDto) => orderRecordId(OrderId),
    rules: orderRules(tenant.orderCustomer, now),
  } as const;
  return planByMerging(orders, merging, tenant, dependencies);
}
