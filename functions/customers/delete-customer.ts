import type { DeletionTarget } from '../../shared/domain/deletion';
import { optionalQuery } from '../../shared/http/deletion-route';
import { badRequest } from '../../shared/http/problems';
import type { RouteRequest } from '../../shared/http/route';

/** `DELETE /customers/<tenant_id>?customerId=&email=` (Spec §4.3). @throws HttpProblem 400 when neither is given. */
export function readCustomerDeletion(request: RouteRequest): DeletionTarget {
  const customerId = optionalQuery(request, 'customerId');
  // No e-mail has a blank inside, so one that is there was a `+` that the caller did not encode.
  const email = optionalQuery(request, 'email')?.trim().replaceAll(' ', '+') ?? null;
  if (customerId === null && email === null) throw badRequest('Customer ID or email is required.');
  return { type: 'customer', customerId, email };
}
