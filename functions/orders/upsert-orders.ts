import type { UpsertOrderDto } from '../../shared/domain/dto/order';
import type { UpsertDefinition } from '../../shared/endpoint/upsert-route';
import { planOrders } from '../../shared/records/upsert-orders';
import { compileBatchValidator } from '../../shared/validation/batch';
import { orderBatch } from '../../shared/validation/order-batch';

/** `POST /orders/<tenant_id>` (Spec §2.5, §4.2). */
export const upsertOrdersDefinition: UpsertDefinition<UpsertOrderDto> = {
  operationId: 'upsertOrders',
  kind: 'orders',
  savedMessage: 'Orders saved.',
  validate: compileBatchValidator(orderBatch),
  plan: planOrders,
};
