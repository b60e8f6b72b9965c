import type { UpsertCustomerDto } from '../../shared/domain/dto/customer';
import { customerSchema } from '../../shared/domain/dto/customer';
import { MAX_BATCH } from '../../shared/domain/limits';
import { isPresent } from '../../shared/domain/text';
import type { UpsertDefinition } from '../../shared/http/upsert-route';
import { upsertCustomers } from '../../shared/records/upsert-customers';
import { compileBatchValidator } from '../../shared/validation/batch';

/** `POST /customers/<tenant_id>` (Spec §2.2, §4.2). */
export const upsertCustomersDefinition: UpsertDefinition<UpsertCustomerDto> = {
  kind: 'customers',
  savedMessage: 'Customers saved.',
  validate: compileBatchValidator({
    schema: customerSchema,
    maxRecords: MAX_BATCH.customers,
    enforcesRequiredFields: true,
    rule: ({ CustomerId, Email }) =>
      [CustomerId, Email].some((id) => (typeof id !== 'string' ? id !== undefined && id !== null : isPresent(id)))
        ? undefined
        : 'at least one of CustomerId, Email must have a value.',
  }),
  upsert: upsertCustomers,
};
