/**
 * The entries of what an operator does in the console by the routes of the API: each write has one before it
 * and one after it. They have the ids of the request and of the answer, and nothing else of either. What is refused
 * before it begins, and a batch that is only checked, changes nothing and has none.
 */
import type { AuditMeans, Sealed } from '../../../shared/audit/audit-log';
import { performAct } from '../../../shared/audit/audit-log';
import type { Action, AuditedState } from '../../../shared/audit/entry';
import type { Caller } from '../../../shared/domain/api-key';
import type { Tenant, TenantId } from '../../../shared/domain/tenant';
import { parseJobId } from '../../../shared/domain/transfer';
import type { EndpointDefinition } from '../../../shared/endpoint/endpoint';
import type { OperationId } from '../../../shared/endpoint/operation-id';
import type {
  AnyRoute,
  BodyRoute,
  Call,
  KeyRoute,
  QueryRoute,
  Route,
  RouteRequest,
  RouteResult,
  SubjectRoute,
  TenantRoute,
} from '../../../shared/endpoint/route';
import { route } from '../../../shared/endpoint/route';

/** The writes of the API. A route whose use case writes entries itself is not among them. */
const ACTIONS: Partial<Record<OperationId, Action>> = {
  upsertCustomers: 'customers.upsert',
  deleteCustomer: 'customers.delete',
  deleteCustomers: 'customers.delete',
  upsertProducts: 'products.upsert',
  deleteProduct: 'products.delete',
  deleteProductVariant: 'products.delete',
  deleteProducts: 'products.delete',
  upsertOrders: 'orders.upsert',
  deleteOrder: 'orders.delete',
  deleteOrderItems: 'orders.delete',
  deleteOrders: 'orders.delete',
  registerHistoricalTransfer: 'transfers.register-historical',
  registerDailyTransfer: 'transfers.register-daily',
  registerHourlyTransfer: 'transfers.register-hourly',
  registerLiveTransfer: 'transfers.register-live',
  unregisterTransfer: 'transfers.unregister',
  runTransfer: 'transfers.run',
  previewTransfer: 'transfers.preview',
  replayRun: 'runs.replay',
  cancelRun: 'runs.cancel',
};

/** What an entry tells of a request. */
interface Told {
  /** The run in the path. */
  readonly before?: AuditedState;
  /** The job in the query. */
  readonly after?: AuditedState;
  readonly tenantId?: TenantId;
}

/** What a route has read, and what is told of it; undefined: it is only checked. */
interface Asked {
  readonly input: unknown;
  readonly told: Told | undefined;
}

/** The endpoint, each of whose writes is entered in the audit log. */
export function auditedEndpoint(endpoint: EndpointDefinition, audit: Sealed<AuditMeans>): EndpointDefinition {
  return { ...endpoint, routes: endpoint.routes.map((row) => auditedRoute(row, audit)) };
}

function auditedRoute(row: AnyRoute, audit: Sealed<AuditMeans>): AnyRoute {
  const action = ACTIONS[row.operationId];
  if (!action) return row;
  const erased = row as unknown as Route<unknown>;
  const asked = (request: RouteRequest, input: unknown): Asked => ({ input, told: toldOf(erased, request) });
  const enter =
    <About extends Tenant | Caller>(run: (input: unknown, about: About, call: Call) => Promise<RouteResult>) =>
    ({ input, told }: Asked, about: About, call: Call) => {
      if (!told) return run(input, about, call);
      const { organizationId, tenantId } = about as Partial<Tenant>;
      const owner = tenantId !== undefined && organizationId !== undefined ? { tenantId, organizationId } : {};
      return performAct(audit, { action, ...owner, ...told }, () => run(input, about, call), answeredIds);
    };
  switch (erased.tenantFrom) {
    case 'path':
      return route<Asked>({
        ...erased,
        read: async (request, ...rest) => asked(request, await erased.read(request, ...rest)),
        run: enter(erased.run),
      } satisfies TenantRoute<Asked>);
    case 'body':
      return route<Asked>({
        ...erased,
        validate: (body) => ({ input: erased.validate(body), told: {} }),
        run: enter(erased.run),
      } satisfies BodyRoute<Asked>);
    case 'query':
      return route<Asked>({
        ...erased,
        read: (request, tenantId) => asked(request, erased.read(request, tenantId)),
        run: enter(erased.run),
      } satisfies QueryRoute<Asked>);
    case 'subject':
      return route<Asked>({
        ...erased,
        find: async (request, call) => {
          const { tenantId, read } = await erased.find(request, call);
          return { tenantId, read: () => asked(request, read()) };
        },
        run: enter(erased.run),
      } satisfies SubjectRoute<Asked>);
    case 'none':
      return route<Asked>({
        ...erased,
        read: async (request) => asked(request, await erased.read(request)),
        run: enter(erased.run),
      } satisfies KeyRoute<Asked>);
  }
}

/** Reads the ids of a request that its route has read: so the run exists, and a flag is valid. */
function toldOf({ path, query = [] }: Route<unknown>, request: RouteRequest): Told | undefined {
  if (query.includes('validateOnly') && request.exactQuery('validateOnly') !== null) return undefined;
  const job = query.includes('jobId') ? parseJobId(request.query('jobId')?.trim() ?? '') : undefined;
  return {
    ...(path.includes('/:runId') && { before: { runId: request.param('runId') } }),
    ...(job && { tenantId: job.tenantId, after: { jobId: job.jobId } }),
  };
}

/** The ids that an answer tells of what was begun. */
function answeredIds(result: RouteResult): AuditedState | undefined {
  if (!('data' in result)) return undefined;
  const { RunId: runId, JobId, recurringJobId: jobId = JobId } = result.data;
  return {
    ...(typeof jobId === 'string' && { jobId }),
    ...(typeof runId === 'string' && { runId }),
  };
}
