import type { DeletionDependencies } from '../../shared/http/deletion-route';
import { deletionRoute } from '../../shared/http/deletion-route';
import type { EndpointDefinition } from '../../shared/http/endpoint';
import { upsertRoute } from '../../shared/http/upsert-route';
import type { UpsertDependencies } from '../../shared/records/record-dependencies';
import { readCustomerDeletion } from './delete-customer';
import { upsertCustomersDefinition } from './upsert-customers';

/** The routes of customers (Spec §4.1). */
export function customersEndpoint(dependencies: UpsertDependencies & DeletionDependencies): EndpointDefinition {
  return {
    name: 'customers',
    casing: 'lower',
    routes: [
      upsertRoute(upsertCustomersDefinition, dependencies),
      deletionRoute(
        {
          type: 'customer',
          path: '/:tenantId',
          removedMessage: 'Customer removed.',
          failureMessage: 'Failed to delete customer.',
          readTarget: readCustomerDeletion,
        },
        dependencies,
      ),
    ],
  };
}
