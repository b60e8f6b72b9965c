/** The refusals of a route: those that follow from its row (`shared/endpoint/endpoint.ts`), and its own. */
import { MAX_BODY_BYTES } from '../../shared/domain/limits';
import type { AnyRoute } from '../../shared/endpoint/route';
import type { OperationDescription } from '../../shared/endpoint/description/operation';
import {
  bodyRefused,
  bodyTooLarge,
  bodyTooSlow,
  foreignTenant,
  HttpProblem,
  invalidTenant,
  malformedEncoding,
  missingPermission,
  notFinished,
  overloaded,
  rateLimitExceeded,
  repeatedParameter,
  tenantNotFound,
  tenantSuspended,
  unauthorized,
  unsupportedEncoding,
  unsupportedMediaType,
} from '../../shared/http/problems';

/** Seconds in the example of a refusal by the rate limit. */
const EXAMPLE_WAIT = 60;

/** Refusals by their status; those with the same message are one. */
export function refusalsOf(route: AnyRoute, { problems = [] }: OperationDescription): Map<number, HttpProblem[]> {
  const all = [
    ...ofTenant(route),
    ...ofTarget(route),
    ...problems,
    unauthorized(),
    missingPermission(route.permission),
    rateLimitExceeded(EXAMPLE_WAIT),
    new HttpProblem(500, route.failureMessage),
    overloaded(),
    notFinished(),
    ...(route.body ? ofBody() : []),
  ].sort((a, b) => a.status - b.status);
  const byStatus = new Map<number, HttpProblem[]>();
  for (const problem of all) {
    const others = byStatus.get(problem.status) ?? [];
    const isNew = others.every(({ message }) => message !== problem.message);
    byStatus.set(problem.status, isNew ? [...others, problem] : others);
  }
  return byStatus;
}

function ofTenant({ tenantFrom }: AnyRoute): HttpProblem[] {
  if (tenantFrom === 'none') return [];
  const isText = tenantFrom === 'path' || tenantFrom === 'query'; // others have been checked before
  return [...(isText ? [invalidTenant()] : []), tenantNotFound(), foreignTenant(), tenantSuspended()];
}

function ofTarget({ path, query = [] }: AnyRoute): HttpProblem[] {
  const hasId = path.split('/').some((segment) => segment.startsWith(':') && segment !== ':tenantId');
  const isDecoded = hasId || query.length > 0;
  return [...(isDecoded ? [malformedEncoding()] : []), ...query.map(repeatedParameter)];
}

function ofBody(): HttpProblem[] {
  return [bodyTooSlow(), bodyTooLarge(MAX_BODY_BYTES), unsupportedMediaType(), unsupportedEncoding(), bodyRefused()];
}
