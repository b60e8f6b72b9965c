import type { DeletionTarget } from '../../shared/domain/deletion';
import type { RouteRequest } from '../../shared/endpoint/route';
import { readCustomerIdentifiers } from './customer-identifiers';

/** `DELETE /customers/<tenant_id>?customerId=&email=` (Spec §4.3). @throws HttpProblem 400 when neither is given */
export function readCustomerDeletion(request: RouteRequest): DeletionTarget {
  return { type: 'customer', ...readCustomerIdentifiers(request) };
}
