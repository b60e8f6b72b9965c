import type { Clock } from '../platform/clock';
import type { AcceptanceQueue } from '../deletions/acceptance-queue';
import type { DeletionTarget } from '../domain/deletion';
import { DELETION_KIND } from '../domain/deletion';
import { isPresent, presentOrNull } from '../domain/values/text';
import { idRequired } from '../http/problems';
import type { PlusMeaning } from '../http/request-target';
import type { OperationId } from './operation-id';
import type { AnyRoute, RouteRequest } from './route';
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
}

/**
 * The route of a delete (Spec §4.3 to §4.5). It is answered once the deletion is durable, whether or not anything
 * matches.
 */
export function deletionRoute(definition: DeletionDefinition, { queue, clock }: DeletionDependencies): AnyRoute {
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
    run: async (target, tenant, { deadline }) => {
      await queue.accept(tenant, kind, [target], deadline);
      const { type: _type, ...ids } = target;
      return { data: { ...ids, deletedAt: new Date(clock.nowMs()).toISOString() }, done: { deletions: 1 } };
    },
  });
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
