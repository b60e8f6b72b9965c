import { optionalQuery } from '../../shared/endpoint/deletion-route';
import type { RouteRequest } from '../../shared/endpoint/route';
import { idRequired } from '../../shared/http/problems';

/** The query parameters that identify customers, and what a request without any lacks. */
export const CUSTOMER_PARAMETERS = ['customerId', 'email'] as const;
export const CUSTOMER_IDENTIFIER = 'Customer ID or email';

/** The identifiers in a query, `?customerId=&email=`; null when absent or blank. @throws HttpProblem 400 without any */
export function readCustomerIdentifiers(request: RouteRequest) {
  const customerId = optionalQuery(request, 'customerId');
  // Many callers forget to encode the `+` of an address, which then arrives as a blank. No address has a blank.
  const email = optionalQuery(request, 'email', 'plus');
  if (customerId === null && email === null) throw idRequired(CUSTOMER_IDENTIFIER);
  return { customerId, email };
}
