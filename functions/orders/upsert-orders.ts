import type { UpsertOrderDto } from '../../shared/domain/dto/order';
import { orderSchema } from '../../shared/domain/dto/order';
import { MAX_BATCH } from '../../shared/domain/limits';
import type { UpsertDefinition } from '../../shared/http/upsert-route';
import { upsertOrders } from '../../shared/records/upsert-orders';
import { compileBatchValidator } from '../../shared/validation/batch';

/** `POST /orders/<tenant_id>` (Spec §2.5, §4.2). */
export const upsertOrdersDefinition: UpsertDefinition<UpsertOrderDto> = {
  kind: 'orders',
  savedMessage: 'Orders saved.',
  validate: compileBatchValidator({
    schema: orderSchema,
    maxRecords: MAX_BATCH.orders,
    parts: 'OrderItems',
  }),
  upsert: upsertOrders,
};
