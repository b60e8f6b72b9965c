import type { UpsertCustomerDto } from '../../shared/domain/dto/customer';
import { warnOfIdentifiers } from '../../shared/endpoint/batch-warnings';
import type { UpsertDefinition } from '../../shared/endpoint/upsert-route';
import { planCustomers } from '../../shared/records/upsert-customers';
import { compileBatchValidator } from '../../shared/validation/batch';
import { customerBatch } from '../../shared/validation/customer-batch';

/** `POST /customers/<tenant_id>` (Spec §2.2, §4.2). */
export const upsertCustomersDefinition: UpsertDefinition<UpsertCustomerDto> = {
  operationId: 'upsertCustomers',
  kind: 'customers',
  savedMessage: 'Customers saved.',
  validate: compileBatchValidator(customerBatch),
  plan: planCustomers,
  warn: warnOfIdentifiers,
};
