import type { Deadline } from '../deadline';
import type { RaisedMark } from '../deletions/deletion-log';
import type { UpsertOrderDto } from '../domain/dto/order';
import { orderRecordId } from '../domain/identity';
import type { OrderRecord } from '../domain/order';
import { mergeOrder } from '../domain/order';
import type { Tenant } from '../domain/tenant';
import type { UpsertDependencies } from './record-dependencies';
import { upsertByMerging } from './upsert-by-merging';

/**
 * Upserts valid orders in array order (D-07), after the deletions that were accepted before. Repeating it is safe.
 * @param mark the deletion mark of this kind, if the caller has begun to read it; omitted: it is read here
 * @throws ValidationFailed, ContentionTimeout
 */
export function upsertOrders(
  orders: readonly UpsertOrderDto[],
  tenant: Tenant,
  deadline: Deadline,
  dependencies: UpsertDependencies,
  mark?: Promise<RaisedMark | undefined>,
): Promise<void> {
  const now = new Date(dependencies.clock.nowMs());
  return upsertByMerging<UpsertOrderDto, OrderRecord>(
    orders,
    {
      kind: 'orders',
      idOf: (order) => orderRecordId(order.OrderId),
      merge: (stored, sent) => mergeOrder(stored, sent, tenant.orderCustomer, now),
    },
    tenant,
    deadline,
    dependencies,
    mark,
  );
}
