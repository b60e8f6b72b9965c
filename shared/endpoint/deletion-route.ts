import type { Clock } from '../platform/clock';
import type { Logger } from '../platform/logger';
import { toTrace } from '../platform/trace';
import type { AcceptanceQueue } from '../deletions/acceptance/acceptance-queue';
import type { DeletionTarget } from '../domain/deletion';
import { DELETION_KIND } from '../domain/deletion';
import type { RecordKind } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import { isPresent, presentOrNull } from '../domain/values/text';
import { idRequired } from '../http/problems';
import type { PlusMeaning } from '../http/request-target';
import type { OperationId } from './operation-id';
import type { AnyRoute, Call, RouteRequest } from './route';
import { route } from './route';
import { refuseValidateOnly } from './validate-only';

export interface DeletionDefinition {
  readonly operationId: OperationId;
  readonly type: DeletionTarget['type'];
  readonly path: string;
  /** The names of the query parameters that `readTarget` reads; absent: none. */
  readonly query?: readonly string[];
  /** `Customer removed.` */
  readonly removedMessage: string;
  /** `Failed to delete customer.` */
  readonly failureMessage: string;
  /** Reads the target of the deletion. @throws HttpProblem 400 that names a missing id. */
  readonly readTarget: (request: RouteRequest) => DeletionTarget;
}

/** The dependencies of the routes that delete. All routes of a function share one queue. */
export interface DeletionDependencies {
  readonly queue: AcceptanceQueue;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The route of a delete (Spec §4.3 to §4.5). It is answered once the deletion is durable, whether or not anything
 * matches.
 */
export function deletionRoute(definition: DeletionDefinition, dependencies: DeletionDependencies): AnyRoute {
  const kind = DELETION_KIND[definition.type];
  const { operationId, path, query = [], removedMessage, failureMessage } = definition;
  return route<DeletionTarget>({
    operationId,
    method: 'DELETE',
    path,
    permission: kind,
    query,
    successMessage: removedMessage,
    failureMessage,
    tenantFrom: 'path',
    read: (request) => {
      refuseValidateOnly(request);
      return definition.readTarget(request);
    },
    run: async (target, tenant, call) => {
      const deletedAt = await acceptAll(tenant, kind, [target], call, dependencies);
      const { type: _type, ...ids } = target;
      return { data: { ...ids, deletedAt }, done: { deletions: 1 } };
    },
  });
}

/**
 * Accepts the deletions of a request, and logs it: where they share a commit with those of other requests, with the
 * trace in which they are published and applied.
 * @returns when they were accepted
 */
export async function acceptAll(
  tenant: Tenant,
  kind: RecordKind,
  targets: readonly DeletionTarget[],
  call: Call,
  { queue, clock, logger }: DeletionDependencies,
): Promise<string> {
  const { traceId: eventTraceId } = await queue.accept(tenant, kind, targets, call.deadline, toTrace(call));
  logger.log('INFO', 'Deletions were accepted.', {
    tenantId: tenant.tenantId,
    kind,
    count: targets.length,
    ...toTrace(call),
    ...(eventTraceId !== call.traceId && { eventTraceId }),
  });
  return new Date(clock.nowMs()).toISOString();
}

/**
 * A required path parameter.
 * @param id `Product ID`
 * @throws HttpProblem 400 that names it, when it is absent or blank
 */
export function requireParam(request: RouteRequest, name: string, id: string): string {
  const value = request.param(name);
  if (!isPresent(value)) throw idRequired(id);
  return value;
}

/** A query parameter; null when it is absent or blank. */
export function optionalQuery(request: RouteRequest, name: string, plus?: PlusMeaning): string | null {
  return presentOrNull(request.query(name, plus));
}
