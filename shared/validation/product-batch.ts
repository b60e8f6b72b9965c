import { productSchema } from '../domain/dto/product';
import { MAX_BATCH } from '../domain/limits';
import type { BatchDefinition } from './batch';

export const productBatch: BatchDefinition = {
  schema: productSchema,
  maxRecords: MAX_BATCH.products,
};
