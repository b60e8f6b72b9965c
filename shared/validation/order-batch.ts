import { orderSchema } from '../domain/dto/order';
import { MAX_BATCH } from '../domain/limits';
import type { BatchDefinition } from './batch';

export const orderBatch: BatchDefinition = { schema: orderSchema, maxRecords: MAX_BATCH.orders };
