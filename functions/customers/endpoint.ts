import { AcceptanceQueue } from '../../shared/deletions/acceptance/acceptance-queue';
import type { AcceptanceDependencies } from '../../shared/deletions/acceptance/accept-context';
import { batchDeletionRoute } from '../../shared/endpoint/batch-deletion-route';
import type { DeletionDependencies } from '../../shared/endpoint/deletion-route';
import { deletionRoute } from '../../shared/endpoint/deletion-route';
import type { EndpointDefinition } from '../../shared/endpoint/endpoint';
import { readRoute } from '../../shared/endpoint/read-route';
import { upsertRoute } from '../../shared/endpoint/upsert-route';
import type { UpsertDependencies } from '../../shared/records/upsert-dependencies';
import { CUSTOMER_PARAMETERS } from './customer-identifiers';
import { readCustomerDeletion } from './delete-customer';
import { deleteCustomersDefinition } from './delete-customers';
import { readCustomersDefinition } from './read-customers';
import { upsertCustomersDefinition } from './upsert-customers';

/** The routes of customers (Spec §4.1, R-50, R-68). */
export function customersEndpoint(
  dependencies: UpsertDependencies & AcceptanceDependencies & Pick<DeletionDependencies, 'logger'>,
): EndpointDefinition {
  const { clock, logger } = dependencies;
  const deletions = { queue: new AcceptanceQueue(dependencies), clock, logger };
  return {
    name: 'customers',
    casing: 'lower',
    routes: [
      upsertRoute(upsertCustomersDefinition, dependencies),
      deletionRoute(
        {
          operationId: 'deleteCustomer',
          type: 'customer',
          path: '/:tenantId',
          query: CUSTOMER_PARAMETERS,
          removedMessage: 'Customer removed.',
          failureMessage: 'Failed to delete customer.',
          readTarget: readCustomerDeletion,
        },
        deletions,
      ),
      batchDeletionRoute(deleteCustomersDefinition, deletions),
      readRoute(readCustomersDefinition, dependencies),
    ],
  };
}
