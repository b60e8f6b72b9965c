import type { Admission } from '../auth/admission';
import type { Success } from '../http/answer';
import type { Clock } from '../platform/clock';
import type { Logger } from '../platform/logger';
import type { Trace } from '../platform/trace';
import { toTrace } from '../platform/trace';
import type { UsageCounters } from '../usage/usage-counters';
import { ValidationFailed } from '../validation/validation-failed';
import { RefusalLog, toLoggablePath } from './refusal-log';
import type { BodyContract, ServedRoute } from './route';

export interface AccountDependencies {
  readonly usage: Pick<UsageCounters, 'count'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A request with its answer. */
export interface AnsweredRequest extends Trace {
  /** Undefined: none has the request's path and method. */
  readonly route: ServedRoute | undefined;
  /** Undefined: the request was refused before it came to that. */
  readonly admission: Pick<Admission, 'key' | 'subject'> | undefined;
  /** Undefined: the caller had left. */
  readonly status: number | undefined;
  /** What the use case did to records; undefined: nothing. */
  readonly done: Success['done'];
  /** Why it was refused, or has failed. */
  readonly error: unknown;
  /** Elements of the batch that it sent; 0: it sent none, or none that could be read. */
  readonly elements: number;
  /** When it began, in milliseconds. */
  readonly begunMs: number;
}

/** What an instance keeps of the requests that it has answered: counters of usage, and lines of the log. */
export class RequestAccount {
  private readonly refusals: RefusalLog;

  constructor(
    functionName: string,
    private readonly dependencies: AccountDependencies,
  ) {
    this.refusals = new RefusalLog(functionName, dependencies.logger, dependencies.clock);
  }

  /** Adds a request. It may begin a write, and does not wait for it. */
  add(request: AnsweredRequest): void {
    const { route, admission, status = 0, done, error, elements, begunMs } = request;
    const { key, subject } = admission ?? {};
    const { tenantId, isOwn = false, isFound = false } = subject ?? {};
    if (route && key && status !== 401) {
      const rejected = isBatch(route) && error instanceof ValidationFailed ? elements : 0;
      this.dependencies.usage.count({
        key,
        tenantId: isOwn ? tenantId : undefined,
        route: route.operationId,
        // A tenant that was not looked up, because of a 429, may be gone: it is before its counters are stored.
        begunMs: isFound ? begunMs : 0,
        counts: { requests: 1, errors: status >= 400 ? 1 : 0, limited: status === 429 ? 1 : 0, rejected, ...done },
      });
    }
    this.refusals.add({
      status,
      route: route && `${route.method} ${route.path}`,
      ...toTrace(request),
      keyId: key?.keyId,
      tenantId,
      isOwnTenant: isOwn,
      paths: pathsOf(error, route?.body),
    });
  }
}

function isBatch({ body }: ServedRoute): boolean {
  return body !== undefined && 'batch' in body;
}

/** The loggable paths of what is wrong in a body; none, for another error. */
function pathsOf(error: unknown, body: BodyContract | undefined): string[] {
  if (!body || !(error instanceof ValidationFailed)) return [];
  const schema = 'batch' in body ? body.batch.schema : body.object;
  return Object.keys(error.errors).map((path) => toLoggablePath(path, schema));
}
