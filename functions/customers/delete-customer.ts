import type { DeletionTarget } from '../../shared/domain/deletion';
import { optionalQuery } from '../../shared/endpoint/deletion-route';
import { badRequest } from '../../shared/http/problems';
import type { RouteRequest } from '../../shared/endpoint/route';

/** `DELETE /customers/<tenant_id>?customerId=&email=` (Spec §4.3). @throws HttpProblem 400 when neither is given */
export function readCustomerDeletion(request: RouteRequest): DeletionTarget {
  const customerId = optionalQuery(request, 'customerId');
  // Many callers forget to encode the `+` of an address, which then arrives as a blank. No address has a blank.
  const email = optionalQuery(request, 'email', 'plus');
  if (customerId === null && email === null) throw badRequest('Customer ID or email is required.');
  return { type: 'customer', customerId, email };
}
