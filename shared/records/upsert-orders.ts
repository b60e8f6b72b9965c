import type { UpsertOrderDto } from '../domain/dto/order';
import { orderRecordId } from '../domain/identity';
import type { OrderRecord } from '../domain/order';
import { mergeOrder } from '../domain/order';
import type { Tenant } from '../domain/tenant';
import type { PlannedUpsert } from './planned-upsert';
import type { UpsertDependencies } from './record-dependencies';
import { planByMerging } from './upsert-by-merging';

/** Plans to upsert valid orders in array order (D-07). */
export function planOrders(
  orders: readonly UpsertOrderDto[],
  tenant: Tenant,
  dependencies: UpsertDependencies,
): PlannedUpsert {
  const now = new Date(dependencies.clock.nowMs());
  return planByMerging<UpsertOrderDto, OrderRecord>(
    orders,
    {
      kind: 'orders',
      idOf: (order) => orderRecordId(order.OrderId),
      merge: (stored, sent) => mergeOrder(stored, sent, tenant.orderCustomer, now),
    },
    tenant,
    dependencies,
  );
}
