import type { DeleteCustomerDto } from '../../shared/domain/dto/deletion';
import { presentOrNull } from '../../shared/domain/values/text';
import type { BatchDeletionDefinition } from '../../shared/endpoint/batch-deletion-route';
import { compileBatchValidator } from '../../shared/validation/batch';
import { customerDeletionBatch } from '../../shared/validation/deletion-batches';

/** `POST /customers/<tenant_id>/deletions`. */
export const deleteCustomersDefinition: BatchDeletionDefinition<DeleteCustomerDto> = {
  operationId: 'deleteCustomers',
  kind: 'customers',
  removedMessage: 'Customers removed.',
  failureMessage: 'Failed to delete customers.',
  validate: compileBatchValidator(customerDeletionBatch),
  toTarget: ({ CustomerId, Email }) => ({
    type: 'customer',
    customerId: presentOrNull(CustomerId),
    email: presentOrNull(Email),
  }),
};
