import type { EndpointDefinition } from '../../shared/endpoint/endpoint';
import type { CallerRoute } from '../../shared/endpoint/route';
import { customersEndpoint } from '../customers/endpoint';
import { ingestionEndpoint } from '../ingestion/endpoint';
import { ordersEndpoint } from '../orders/endpoint';
import { productsEndpoint } from '../products/endpoint';
import { usageEndpoint } from '../usage/endpoint';

/** What the functions of the API run with; those of records all run with the same. */
export type ApiDependencies = Parameters<typeof customersEndpoint>[0] &
  Parameters<typeof ingestionEndpoint>[0] &
  Parameters<typeof usageEndpoint>[0];

/** The whole API, as its functions have it: what the console asks for below `/console/api`. */
export function apiEndpoints(dependencies: ApiDependencies): readonly EndpointDefinition[] {
  return [
    customersEndpoint(dependencies),
    productsEndpoint(dependencies),
    ordersEndpoint(dependencies),
    ingestionEndpoint(dependencies),
    usageEndpoint(dependencies),
  ];
}

/** The routes whose use cases belong to operators and to those who look after keys and settings. */
export function managementEndpoint(routes: readonly CallerRoute<never>[]): EndpointDefinition<CallerRoute<never>> {
  return { name: 'management', casing: 'lower', routes };
}

/** The routes of the console itself, about whoever is signed in. */
export function sessionEndpoint(routes: readonly CallerRoute<never>[]): EndpointDefinition<CallerRoute<never>> {
  return { name: 'session', casing: 'lower', routes };
}
