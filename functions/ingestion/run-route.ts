import type { DocumentStore } from '../../shared/documents/document-store';
import type { Tenant } from '../../shared/domain/tenant';
import type { OperationId } from '../../shared/endpoint/operation-id';
import type { Call, AnyRoute, RouteRequest, RouteResult } from '../../shared/endpoint/route';
import { route } from '../../shared/endpoint/route';
import type { Traceable } from '../../shared/events/in-trace';
import { inTrace } from '../../shared/events/in-trace';
import type { Answer } from '../../shared/http/answer';
import type { ReadQuery } from '../../shared/http/list-page';
import type { Method } from '../../shared/http/methods';
import { runNotFound } from '../../shared/http/problems';
import type { Logger } from '../../shared/platform/logger';
import { toTrace } from '../../shared/platform/trace';
import { findRun } from '../../shared/transfers/runs/view/find-runs';
import type { Run } from '../../shared/transfers/runs/run';

export interface StoredRun {
  readonly runId: string;
  readonly run: Run;
}

export interface RunRouteDefinition<Query> {
  readonly operationId: OperationId;
  readonly method: Method;
  /** Behind the run's own path: `/files`. */
  readonly path: string;
  /** The names of the query parameters that `readQuery` reads; absent: none. */
  readonly query?: readonly string[];
  /** `Run found.` */
  readonly successMessage: string;
  /** `Failed to find run.` */
  readonly failureMessage: string;
  readonly headers?: Answer['headers'];
  /** Reads the rest of the request. @throws HttpProblem 400 */
  readonly readQuery: (query: ReadQuery, runId: string, preferred: RouteRequest['preferred']) => Query;
  readonly run: (stored: StoredRun, query: Query, tenant: Tenant, call: Call) => Promise<RouteResult>;
}

/** The row of a route about one run, which tells its tenant. */
export function runRoute<Query>(
  { path, headers = {}, readQuery, run: answer, ...row }: RunRouteDefinition<Query>,
  { store }: { readonly store: DocumentStore },
): AnyRoute {
  return route<StoredRun & { readonly query: Query }>({
    ...row,
    path: `/google-cloud-storage/runs/:runId${path}`,
    permission: 'transfers',
    headers,
    tenantFrom: 'subject',
    find: async (request, { deadline }) => {
      const runId = request.param('runId');
      const run = await findRun(runId, store, deadline);
      if (!run) throw runNotFound();
      const readRest = () =>
        readQuery(
          (name) => request.query(name),
          runId,
          (types) => request.preferred(types),
        );
      const read = () => ({ runId, run, query: readRest() });
      return { tenantId: run.tenantId, read };
    },
    run: ({ runId, run, query }, tenant, call) => answer({ runId, run }, query, tenant, call),
  });
}

/**
 * Starts a run in the trace of its request, and logs which run that is.
 * @param start returns the id of the run
 */
export async function startInTrace<D extends Traceable & { readonly logger: Logger }>(
  call: Call,
  dependencies: D,
  start: (traced: D) => Promise<string>,
): Promise<{ readonly data: { readonly RunId: string } }> {
  const traced = inTrace(dependencies, toTrace(call));
  const runId = await start(traced);
  traced.logger.log('INFO', 'A transfer run was requested.', { runId });
  return { data: { RunId: runId } };
}
