import { customerSchema } from '../domain/dto/customer';
import { MAX_BATCH } from '../domain/limits';
import type { BatchDefinition } from './batch';
import { hasValue } from './values';

/** Requires at least one identifier with a value (Spec §2.2, rule 1). */
export const customerIdentifierRule: NonNullable<BatchDefinition['rule']> = ({ CustomerId, Email }) =>
  [CustomerId, Email].some(hasValue) ? undefined : 'at least one of CustomerId, Email must have a value.';

export const customerBatch: BatchDefinition = {
  schema: customerSchema,
  maxRecords: MAX_BATCH.customers,
  enforcesRequiredFields: true,
  rule: customerIdentifierRule,
};
