/** The rules of each kind of deletion batch. */
import { customerDeletionSchema, orderDeletionSchema, productDeletionSchema } from '../domain/dto/deletion';
import { MAX_DELETION_BATCH } from '../domain/limits';
import type { BatchDefinition } from './batch';
import { customerIdentifierRule } from './customer-batch';
import { hasValue } from './values';

export const customerDeletionBatch: BatchDefinition = {
  schema: customerDeletionSchema,
  maxRecords: MAX_DELETION_BATCH,
  rule: customerIdentifierRule,
};

export const productDeletionBatch: BatchDefinition = {
  schema: productDeletionSchema,
  maxRecords: MAX_DELETION_BATCH,
};

/** If ids of an item are sent, one must have a value: with blank ids alone the whole order would be deleted. */
export const orderDeletionBatch: BatchDefinition = {
  schema: orderDeletionSchema,
  maxRecords: MAX_DELETION_BATCH,
  rule: ({ ProductId, Sku }) => {
    const sent = [ProductId, Sku].filter((id) => id !== undefined && id !== null);
    if (sent.length === 0 || sent.some(hasValue)) return undefined;
    return 'at least one of ProductId, Sku must have a value; leave both out to delete the order.';
  },
};
