import type { EndpointDefinition } from '../../shared/endpoint/endpoint';
import type { UsageReadDependencies } from './read-usage';
import { usageRoute } from './read-usage';

/** The route of usage. */
export function usageEndpoint(dependencies: UsageReadDependencies): EndpointDefinition {
  return { name: 'usage', casing: 'lower', routes: [usageRoute(dependencies)] };
}
