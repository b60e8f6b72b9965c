/**
 * The stages of a request, which are the same for every HTTP function:
 *
 *   match → slot 503 → screen 403 → authenticate 401 → count 429 → tenant 400/404/403
 *     → read 400/408/413/415/503 → run → respond
 *
 * If this instance has admitted the caller to the tenant before, the body is read while key, limit and tenant are
 * checked. An invalid body is still reported only after those checks. A `Route` says how a route differs from the
 * others, a `Door` how callers show who they are, and a use case what it does.
 *
 * A stream keeps its slot until it has ended. A failure after its first piece closes the connection (`http/stream.ts`).
 * What is counted and logged of a request is in `request-account.ts`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admission, AdmissionDependencies } from '../auth/admission';
import { requirePermission } from '../auth/admission';
import { deadlineIn, extendableDeadlineIn } from '../platform/deadline';
import type { Caller, Permission } from '../domain/api-key';
import { RATE_COUNTER_TIMEOUT_MS } from '../limits/requests';
import { REQUEST_DEADLINE_MS } from '../domain/limits';
import { errorDetails } from '../platform/logger';
import type { RateStatus } from '../domain/rate-window';
import type { TenantId } from '../domain/tenant';
import type { Random } from '../platform/random';
import { RetryLater } from '../platform/retry-later';
import { toTrace } from '../platform/trace';
import { ValidationFailed } from '../validation/validation-failed';
import { preferredType } from '../http/accept';
import type { Answer, EnvelopeCasing, Success } from '../http/answer';
import { commonHeaders, envelope, send, validationProblem } from '../http/answer';
import { readJsonBody } from '../http/body';
import type { Reservation } from '../http/capacity';
import { preventFrameworkDomains } from '../http/framework-domain';
import { HttpProblem, notFinished, RequestAborted } from '../http/problems';
import { rawUrl } from '../http/raw-request';
import { decodeSegment, exactQueryParameter, parseTarget, queryParameter, tryToDecode } from '../http/request-target';
import type { Door } from './door';
import { keyDoor } from './door';
import type { AccountDependencies } from './request-account';
import { RequestAccount } from './request-account';
import type { AnyRoute, Call, RouteRequest, RouteResult, ServedRoute, Subject, SubjectRoute } from './route';
import { UNEXPECTED_ERROR } from './route';
import type { Match } from './router';
import { matchRoute } from './router';
import type { BegunStream } from '../http/stream';
import { beginStream, sendStream } from '../http/stream';
import { traceOf } from '../http/trace';

export interface EndpointDefinition<Route extends ServedRoute = AnyRoute> {
  /** The function's name, which may be the first segment of the path. */
  readonly name: string;
  readonly casing: EnvelopeCasing;
  readonly routes: readonly Route[];
}

export interface EndpointDependencies extends AdmissionDependencies, AccountDependencies {
  readonly random: Random;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Makes the handler of one HTTP function. It always answers or closes the connection, and never rejects.
 * @param door how callers show who they are; by default with a key
 * @param below what stands before the function's name in its paths
 */
export function createEndpoint(
  definition: EndpointDefinition<ServedRoute>,
  dependencies: EndpointDependencies,
  door: Door = keyDoor(dependencies),
  below: readonly string[] = [],
): RequestHandler {
  const { clock, logger, random } = dependencies;
  const { gatekeeper, capacity } = door;
  const account = new RequestAccount(definition.name, dependencies);
  preventFrameworkDomains();

  return async (message, response) => {
    const begunMs = clock.nowMs();
    const deadline = extendableDeadlineIn(REQUEST_DEADLINE_MS, clock);
    const call: Call = { ...traceOf(message.headers, random), deadline };
    const target = parseTarget(rawUrl(message), ...below, definition.name);
    const secret = door.secretOf(message);
    const reservation = capacity.begin(secret ?? '');
    let match: Match<ServedRoute> | undefined;
    let admission: Admission | undefined;
    let answer: Answer | undefined;
    let stream: BegunStream | undefined;
    let done: Success['done'];
    let failure: unknown;
    let elements = 0;
    try {
      match = matchRoute(definition.routes, message.method ?? '', target.segments);
      reservation.takeSlot();
      door.screen(message);
      admission = gatekeeper.begin(secret, tenantTextOf(match), call);
      const request: RouteRequest = {
        param: (name) => decodeSegment(match?.params[name] ?? ''),
        query: (name, plus) => queryParameter(target.query, requireNamed(match?.route, name), plus),
        exactQuery: (name) => exactQueryParameter(target.query, name),
        body: async (shape) => {
          const startMs = clock.nowMs();
          const body = await readJsonBody(message, shape, reservation, match?.route.maxBodyBytes);
          deadline.extend(clock.nowMs() - startMs); // the deadline bounds the work, not the arrival of the body
          if (Array.isArray(body)) elements = body.length;
          return body;
        },
        preferred: (types) => preferredType(message.headers.accept, types),
      };
      const result = await runStages(match, admission, request, call);
      if ('pieces' in result) {
        reservation.takeStream();
        stream = await beginStream(message, result);
      } else {
        const { message: success = match.route.successMessage, data, headers } = result;
        ({ done } = result);
        const body = envelope(definition.casing, true, success, data);
        answer = { status: 200, body, ...(headers && { headers }) };
      }
    } catch (error) {
      failure = error;
      answer = toAnswer(error, definition.casing, match?.route.failureMessage, call);
      if (answer && !isExpected(error)) logFailure(error, match, call);
    }
    await admission?.settleStatus();
    const rate = admission?.status ?? (await rateOf(secret, match === undefined, reservation, call));
    const headers = { ...commonHeaders(rate, call.traceId), ...door.headers, ...match?.route.headers };
    const status = stream ? 200 : answer?.status;
    account.add({ ...call, route: match?.route, admission, status, done, error: failure, elements, begunMs });
    try {
      if (stream) await sendStream(response, stream, headers, deadline, clock);
    } catch (error) {
      if (!(error instanceof RequestAborted)) logFailure(error, match, call);
    }
    reservation.release();
    if (answer) send(response, answer, headers);
  };

  function logFailure(error: unknown, match: Match<ServedRoute> | undefined, call: Call): void {
    const [severity, text] = toLogLine(error);
    logger.log(severity, text, {
      function: definition.name,
      route: match && `${match.route.method} ${match.route.path}`,
      ...toTrace(call),
      ...errorDetails(error),
    });
  }

  /** The rate status of a request that counts against no key (D-34). It is read only for an unknown route. */
  async function rateOf(
    secret: string | undefined,
    isUnknownRoute: boolean,
    reservation: Reservation,
    call: Call,
  ): Promise<RateStatus> {
    if (!isUnknownRoute || !reservation.hasFreeSlot) return gatekeeper.recallRateStatus(secret);
    return gatekeeper.readRateStatus(secret, { ...call, deadline: deadlineIn(RATE_COUNTER_TIMEOUT_MS, clock) });
  }
}

/** The stages from `authenticate` to `run`. */
async function runStages(
  match: Match<ServedRoute>,
  admission: Admission,
  request: RouteRequest,
  call: Call,
): Promise<RouteResult> {
  const { route } = match;
  const admit = async () => {
    const caller = await admission.authenticate();
    await admission.count(caller);
    return caller;
  };

  switch (route.tenantFrom) {
    case 'path': {
      const { likelyTenant } = admission;
      const read = async (tenantId: TenantId) => route.read(request, tenantId, call, likelyTenant);
      const ahead = likelyTenant && read(likelyTenant.tenantId);
      ahead?.catch(() => undefined); // reported below, after the checks
      const tenant = await admission.requireTenant(await admit(), tenantTextOf(match) ?? '', route.permission);
      return route.run(await (ahead ?? read(tenant.tenantId)), tenant, call);
    }
    case 'body': {
      const caller = await admit();
      const body = await readPermittedBody(request, caller, route.permission);
      const tenantId = route.tenantId(body);
      if (!tenantId) {
        requirePermission(caller, route.permission);
        route.validate(body);
        throw new Error('A body without a tenant is valid.');
      }
      const tenant = await admission.requireTenant(caller, tenantId, route.permission);
      return route.run(route.validate(body), tenant, call);
    }
    case 'query': {
      const caller = await admit();
      const tenant = await admission.requireTenant(caller, request.query('tenantId') ?? '', route.permission);
      return route.run(route.read(request, tenant.tenantId), tenant, call);
    }
    case 'subject': {
      const caller = await admit();
      const subject = await findPermitted(route, request, caller, call);
      const tenant = await admission.requireTenant(caller, subject.tenantId, route.permission);
      return route.run(subject.read(), tenant, call);
    }
    case 'none': {
      const caller = await admit();
      requirePermission(caller, route.permission);
      return route.run(await route.read(request), caller, call);
    }
    case 'caller': {
      const caller = await admit();
      return route.run(await route.read(request, caller), caller, call);
    }
  }
}

/**
 * Reads a body that names the tenant. When it cannot be read, the tenant is unknown, and of the tenant's checks only
 * the permission can be made (D-34).
 * @throws HttpProblem 403 before an error of the body
 */
async function readPermittedBody(request: RouteRequest, caller: Caller, permission: Permission): Promise<unknown> {
  try {
    return await request.body('object');
  } catch (error) {
    if (!(error instanceof RequestAborted)) requirePermission(caller, permission);
    throw error;
  }
}

/**
 * Finds what a request is about. When the request names nothing, the tenant is unknown, and of the tenant's checks only
 * the permission can be made (D-34).
 * @throws HttpProblem 404; 403 before a 400
 */
async function findPermitted<Input>(
  route: SubjectRoute<Input>,
  request: RouteRequest,
  caller: Caller,
  call: Call,
): Promise<Subject<Input>> {
  try {
    return await route.find(request, call);
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 400) requirePermission(caller, route.permission);
    throw error;
  }
}

/** The tenant in a path, decoded once like any id (D-45); undefined where there is none, or no text of one. */
function tenantTextOf({ params: { tenantId } }: Match<ServedRoute>): string | undefined {
  return tenantId === undefined ? undefined : tryToDecode(tenantId);
}

/** The name of a query parameter. @throws Error where the route does not name it: then its description would not. */
function requireNamed(route: ServedRoute | undefined, name: string): string {
  if (route?.query?.includes(name)) return name;
  throw new Error(`The route does not name the query parameter ${name}.`);
}

/** The answer to an error; undefined when no answer can be sent. */
function toAnswer(
  error: unknown,
  casing: EnvelopeCasing,
  failureMessage: string | undefined,
  call: Call,
): Answer | undefined {
  if (error instanceof ValidationFailed) return { status: 400, body: validationProblem(error, call.traceId) };
  if (error instanceof RequestAborted) return undefined;
  const problem = error instanceof HttpProblem ? error : error instanceof RetryLater ? notFinished() : undefined;
  if (problem) {
    const { status, headers, message, data } = problem;
    return { status, headers, body: envelope(casing, false, message, data) };
  }
  return { status: 500, body: envelope(casing, false, failureMessage ?? UNEXPECTED_ERROR) };
}

/** What the log says of a failure. One that is an ordinary answer fails only a stream, whose answer has begun. */
function toLogLine(error: unknown): readonly ['WARNING' | 'ERROR', string] {
  if (error instanceof RetryLater) return ['WARNING', 'A request was not finished in time.'];
  if (isExpected(error)) return ['WARNING', 'A stream could not be sent to its end.'];
  return ['ERROR', 'A request failed unexpectedly.'];
}

/** Whether an error is an ordinary answer, which is not logged. */
function isExpected(error: unknown): boolean {
  return error instanceof HttpProblem || error instanceof ValidationFailed;
}
