import type { ReadDefinition } from '../../shared/endpoint/read-route';
import { toPendingDto } from '../../shared/http/problems';
import type { CustomerAddress } from '../../shared/records/read-records';
import { findCustomers } from '../../shared/records/read-records';
import { CUSTOMER_PARAMETERS, readCustomerIdentifiers } from './customer-identifiers';

/** `GET /customers/<tenant_id>?email=&customerId=`: the customers that match all identifiers given. */
export const readCustomersDefinition: ReadDefinition<CustomerAddress> = {
  operationId: 'findCustomers',
  path: '/:tenantId',
  query: CUSTOMER_PARAMETERS,
  foundMessage: 'Customers found.',
  readAddress: readCustomerIdentifiers,
  find: async (address, tenant, store, deadline) => {
    const { records, hasMore, deletionAcceptedAt } = await findCustomers(tenant, address, store, deadline);
    return { records, ...(hasMore && { hasMore }), ...toPendingDto(deletionAcceptedAt) };
  },
};
