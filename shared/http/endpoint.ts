/**
 * The life of a request, the same for every HTTP function:
 *
 *   match → in flight 503 → authenticate 401 → count 429 → tenant 400/404/403 → read 400/413/415 → run → respond
 *
 * For a caller whom this instance has admitted to the tenant before, the body is read and thought through while key,
 * limit and tenant are checked; an invalid body is still reported only after those checks. What differs from route to
 * route is in its row (`Route`); what a route does is in its use case.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Admission, AdmissionDependencies } from '../auth/admission';
import { Gatekeeper, requirePermission } from '../auth/admission';
import { extendableDeadlineIn } from '../deadline';
import type { ApiKey, Permission } from '../domain/api-key';
import { MAX_REQUESTS_IN_FLIGHT, REQUEST_DEADLINE_MS } from '../domain/limits';
import { errorDetails } from '../logger';
import type { TenantId } from '../domain/tenant';
import type { Random } from '../random';
import { ValidationFailed } from '../validation/validation-failed';
import type { Answer, EnvelopeCasing, Success } from './answer';
import { envelope, send, validationProblem } from './answer';
import { readJsonBody } from './body';
import { leaveFrameworkDomain } from './framework-domain';
import { HttpProblem, overloaded, RequestAborted } from './problems';
import { rawUrl } from './raw-request';
import { decodeSegment, parseTarget, queryParameter } from './request-target';
import type { AnyRoute, Call, RouteRequest } from './route';
import { UNEXPECTED_ERROR } from './route';
import type { Match } from './router';
import { matchRoute } from './router';
import { traceIdOf } from './trace';

export interface EndpointDefinition {
  /** The function's name, which may lead the path. */
  readonly name: string;
  readonly casing: EnvelopeCasing;
  readonly routes: readonly AnyRoute[];
}

export interface EndpointDependencies extends AdmissionDependencies {
  readonly random: Random;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Makes the handler of one HTTP function. It always answers, and never rejects. */
export function createEndpoint(definition: EndpointDefinition, dependencies: EndpointDependencies): RequestHandler {
  const gatekeeper = new Gatekeeper(dependencies);
  let inFlight = 0;

  return async (message, response) => {
    leaveFrameworkDomain();
    const { clock } = dependencies;
    const deadline = extendableDeadlineIn(REQUEST_DEADLINE_MS, clock);
    const call: Call = { traceId: traceIdOf(message.headers, dependencies.random), deadline };
    const target = parseTarget(rawUrl(message), definition.name);
    let match: Match<AnyRoute> | undefined;
    let admission = gatekeeper.begin(undefined, undefined, call);
    let answer: Answer | undefined;
    let reading: Promise<unknown> | undefined;
    inFlight += 1;
    try {
      match = matchRoute(definition.routes, message.method ?? '', target.segments);
      if (inFlight > MAX_REQUESTS_IN_FLIGHT) throw overloaded();
      admission = gatekeeper.begin(keyOf(message), match.params.tenantId, call);
      const request: RouteRequest = {
        param: (name) => decodeSegment(match?.params[name] ?? ''),
        query: (name, plus) => queryParameter(target.query, name, plus),
        body: async (shape) => {
          const startMs = clock.nowMs();
          reading = readJsonBody(message, shape);
          const body = await reading.finally(() => (reading = undefined));
          deadline.extend(clock.nowMs() - startMs); // a body may take its time to arrive; the deadline is for the work
          return body;
        },
      };
      const success = await perform(match, admission, request, call);
      answer = { status: 200, body: envelope(definition.casing, true, success.message, success.data) };
    } catch (error) {
      answer = toAnswer(error, definition.casing, match?.route.failureMessage, call);
      if (answer?.status === 500) {
        dependencies.logger.log('ERROR', 'A request failed unexpectedly.', {
          function: definition.name,
          route: match && `${match.route.method} ${match.route.path}`,
          traceId: call.traceId,
          ...errorDetails(error),
        });
      }
    } finally {
      const release = () => void (inFlight -= 1);
      // The body of a request that was refused takes memory while it goes on arriving.
      if (reading) void untilReadOrClosed(reading, message.socket).then(release);
      else release();
    }
    if (answer) send(response, answer, admission.status, call.traceId);
  };
}

/**
 * Resolves when a body is read or has failed, or when its connection is closed: an answered request is not told of
 * that. Never rejects. It leaves no listener at the connection, which may carry many more requests.
 */
async function untilReadOrClosed(reading: Promise<unknown>, connection: Socket): Promise<void> {
  const over = new AbortController();
  const closed = once(connection, 'close', { signal: over.signal });
  await Promise.race([reading, closed]).catch(() => undefined);
  over.abort();
}

/** The stages after the match. */
async function perform(
  match: Match<AnyRoute>,
  admission: Admission,
  request: RouteRequest,
  call: Call,
): Promise<Success> {
  const { route, params } = match;
  const admit = async () => {
    const key = await admission.authenticate();
    await admission.count(key);
    return key;
  };

  switch (route.tenantFrom) {
    case 'path': {
      const { likelyTenant } = admission;
      const read = async (tenantId: TenantId) => route.read(request, tenantId, call, likelyTenant);
      const ahead = likelyTenant && read(likelyTenant.tenantId);
      ahead?.catch(() => undefined); // reported below, after the checks
      const tenant = await admission.requireTenant(await admit(), params.tenantId ?? '', route.permission);
      return route.run(await (ahead ?? read(tenant.tenantId)), tenant, call);
    }
    case 'body': {
      const key = await admit();
      const body = await readPermitted(request, key, route.permission);
      const tenantId = route.tenantId(body);
      if (!tenantId) {
        requirePermission(key, route.permission);
        route.validate(body);
        throw new Error('A body without a tenant is valid.');
      }
      const tenant = await admission.requireTenant(key, tenantId, route.permission);
      return route.run(route.validate(body), tenant, call);
    }
    case 'none': {
      const key = await admit();
      requirePermission(key, route.permission);
      return route.run(await route.read(request), key, call);
    }
  }
}

/**
 * A body that names the tenant. Where it cannot be read, the permission is what is left of the tenant's checks (D-34).
 */
async function readPermitted(request: RouteRequest, key: ApiKey, permission: Permission): Promise<unknown> {
  try {
    return await request.body('object');
  } catch (error) {
    if (!(error instanceof RequestAborted)) requirePermission(key, permission);
    throw error;
  }
}

function keyOf(message: IncomingMessage): string | undefined {
  const header = message.headers['x-service-auth-key'];
  return typeof header === 'string' ? header : undefined;
}

/** The answer to an error; undefined when nobody is left to be answered. */
function toAnswer(
  error: unknown,
  casing: EnvelopeCasing,
  failureMessage: string | undefined,
  call: Call,
): Answer | undefined {
  if (error instanceof ValidationFailed) return { status: 400, body: validationProblem(error.errors, call.traceId) };
  if (error instanceof HttpProblem) {
    return { status: error.status, headers: error.headers, body: envelope(casing, false, error.message, error.data) };
  }
  if (error instanceof RequestAborted) return undefined;
  return { status: 500, body: envelope(casing, false, failureMessage ?? UNEXPECTED_ERROR) };
}
