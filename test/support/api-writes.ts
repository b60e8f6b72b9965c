/** Writes as the HTTP routes make them, without HTTP. */
import type { Operator } from '../../shared/operations/operator';
import type { RecordDependencies } from '../../shared/workspace/record-dependencies';
import type { UpsertDependencies } from '../../shared/records/upsert-dependencies';
import type { DeletionTarget } from '../../shared/domain/deletion';
import type { UpsertOrderDto } from '../../shared/domain/dto/order';
import type { UpsertProductDto } from '../../shared/domain/dto/product';
import type { RecordKind } from '../../shared/domain/identity';
import type { Tenant } from '../../shared/domain/tenant';
import { acceptDeletion, applyRequested } from './deletions';
import { RecordingPublisher } from './recording-fakes';
import { upsertCustomers, upsertOrders, upsertProducts } from './upserts';

/** Upserts valid records in array order. */
export async function upsert(
  tenant: Tenant,
  kind: RecordKind,
  batch: readonly object[],
  operator: Pick<Operator, 'deadline'> & UpsertDependencies,
): Promise<void> {
  const deadline = operator.deadline();
  switch (kind) {
    case 'customers':
      return upsertCustomers(batch, tenant, deadline, operator);
    case 'products':
      return upsertProducts(batch as readonly UpsertProductDto[], tenant, deadline, operator);
    case 'orders':
      return upsertOrders(batch as readonly UpsertOrderDto[], tenant, deadline, operator);
  }
}

/** Accepts a deletion; `pending`: its message has not come yet. */
export async function remove(
  tenant: Tenant,
  target: DeletionTarget,
  state: 'applied' | 'pending',
  operator: Pick<Operator, 'deadline'> & RecordDependencies,
): Promise<void> {
  const publisher = new RecordingPublisher();
  await acceptDeletion(tenant, target, operator.deadline(), { ...operator, publisher, deletionsTopic: 'd' });
  if (state === 'applied') await applyRequested(tenant, publisher, operator.deadline(), operator);
}
