/** The definition of a route: only what differs between routes. */
import type { Deadline } from '../platform/deadline';
import type { Caller, Permission } from '../domain/api-key';
import type { Tenant, TenantId } from '../domain/tenant';
import type { Answer, StreamedSuccess, Success } from '../http/answer';
import type { BodyShape } from '../http/body';
import type { Method } from '../http/methods';
import type { PlusMeaning } from '../http/request-target';
import type { BatchDefinition } from '../validation/batch';
import type { Trace } from '../platform/trace';
import type { ObjectSchema } from '../validation/schema-check';
import type { OperationId } from './operation-id';

/** The parts of a request that a route may read. */
export interface RouteRequest {
  /** A decoded path parameter, empty when absent. @throws HttpProblem 400 for a malformed encoding. */
  param(name: string): string;
  /** A decoded query parameter that the row names, null when absent. @throws HttpProblem 400. */
  query(name: string, plus?: PlusMeaning): string | null;
  /** Like `query`, where a name in another case must not be taken for an absent parameter. @throws HttpProblem 400. */
  exactQuery(name: string): string | null;
  /** The parsed body. @throws HttpProblem 413, 415; ValidationFailed; RequestAborted when the caller left. */
  body(shape: BodyShape): Promise<unknown>;
  /** The one of these media types that the caller wants most, by default the first. */
  preferred<Type extends string>(types: readonly [Type, ...(readonly Type[])]): Type;
}

/** What every use case gets in addition to its input. */
export interface Call extends Trace {
  readonly deadline: Deadline;
}

/** What a body must be: a batch by these rules, or one object of this schema. */
export type BodyContract = { readonly batch: BatchDefinition } | { readonly object: ObjectSchema };

interface RouteRow {
  readonly operationId: OperationId;
  readonly method: Method;
  /** Relative to the function: `/:tenantId/:productId`. */
  readonly path: string;
  readonly permission: Permission;
  /** The names of the query parameters that it reads; absent: none. */
  readonly query?: readonly string[];
  /** What its body must be; absent: it reads none. */
  readonly body?: BodyContract;
  /** Bytes of its body at most; absent: MAX_BODY_BYTES. */
  readonly maxBodyBytes?: number;
  /** The message of a success. */
  readonly successMessage: string;
  /** The message of a success with which nothing is done; absent: there is none. */
  readonly checkedMessage?: string;
  /** The message of a 500. */
  readonly failureMessage: string;
  /** Headers of its answers, also of errors, beside those that every answer has. */
  readonly headers?: Answer['headers'];
}

/** What a use case answers. */
export type RouteResult = Success | StreamedSuccess;

/**
 * A route whose tenant is in its path. If this instance has admitted the caller to the tenant before, `read` runs while
 * key, limit and tenant are checked. So `read` must change nothing, and its errors are reported only after those
 * checks. It then also gets the tenant as it was at that admission; the tenant may have changed since.
 */
export interface TenantRoute<Input> extends RouteRow {
  readonly tenantFrom: 'path';
  readonly read: (
    request: RouteRequest,
    tenantId: TenantId,
    call: Call,
    likelyTenant: Tenant | undefined,
  ) => Input | Promise<Input>;
  readonly run: (input: Input, tenant: Tenant, call: Call) => Promise<RouteResult>;
}

/**
 * A route whose tenant is in its body. Errors in the rest of the body are reported after the tenant's checks (D-34).
 */
export interface BodyRoute<Input> extends RouteRow {
  readonly tenantFrom: 'body';
  /** The tenant that a body names; undefined when it names none that can be read. */
  readonly tenantId: (body: unknown) => TenantId | undefined;
  /** @throws ValidationFailed, in any case for a body that names no tenant. */
  readonly validate: (body: unknown) => Input;
  readonly run: (input: Input, tenant: Tenant, call: Call) => Promise<RouteResult>;
}

/** A route without a tenant. Its use case checks to which organization the addressed object belongs. */
export interface KeyRoute<Input> extends RouteRow {
  readonly tenantFrom: 'none';
  readonly read: (request: RouteRequest) => Input | Promise<Input>;
  readonly run: (input: Input, caller: Caller, call: Call) => Promise<RouteResult>;
}

/** A route about the caller, for which they need no permission. The API has none. */
export interface CallerRoute<Input> extends Omit<RouteRow, 'permission'> {
  readonly tenantFrom: 'caller';
  readonly read: (request: RouteRequest, caller: Caller) => Input | Promise<Input>;
  readonly run: (input: Input, caller: Caller, call: Call) => Promise<RouteResult>;
}

/** A route whose tenant is its query parameter `tenantId`. The rest of the query is read after the tenant's checks. */
export interface QueryRoute<Input> extends RouteRow {
  readonly tenantFrom: 'query';
  readonly read: (request: RouteRequest, tenantId: TenantId) => Input;
  readonly run: (input: Input, tenant: Tenant, call: Call) => Promise<RouteResult>;
}

/** What a request is about, and its tenant. */
export interface Subject<Input> {
  readonly tenantId: string;
  /** Reads the rest of the request, after the tenant's checks. @throws HttpProblem 400 */
  readonly read: () => Input;
}

/** A route about something that tells its tenant, such as a run. */
export interface SubjectRoute<Input> extends RouteRow {
  readonly tenantFrom: 'subject';
  /** @throws HttpProblem 404 when it does not exist; 400 when the request names none */
  readonly find: (request: RouteRequest, call: Call) => Promise<Subject<Input>>;
  readonly run: (input: Input, tenant: Tenant, call: Call) => Promise<RouteResult>;
}

export type Route<Input> =
  TenantRoute<Input> | BodyRoute<Input> | QueryRoute<Input> | SubjectRoute<Input> | KeyRoute<Input>;

/**
 * A route whose input type is erased, so that routes of different inputs fit one list. `route()` checks the type first.
 */
export type AnyRoute = Route<never>;

/** A route that an endpoint serves: of the API, or about its caller. */
export type ServedRoute = AnyRoute | CallerRoute<never>;

/** As `route`. */
export function callerRoute<Input>(definition: CallerRoute<Input>): CallerRoute<never> {
  return definition as unknown as CallerRoute<never>;
}

export function route<Input>(definition: Route<Input>): AnyRoute {
  return definition as AnyRoute;
}

/** The message of a 500 when a route has none of its own (Spec §7.1). */
export const UNEXPECTED_ERROR = 'An unexpected error occurred. Please try again.';
