import type { AdmissionStore } from '../../shared/auth/admission-store';
import { documentsAfter } from '../../shared/documents/pages';
import { idOf, runPath } from '../../shared/documents/paths';
import type { Tenant } from '../../shared/domain/tenant';
import type { JobId } from '../../shared/domain/transfer';
import { parseJobId } from '../../shared/domain/transfer';
import { isPresent } from '../../shared/domain/values/text';
import type { AnyRoute } from '../../shared/endpoint/route';
import { route } from '../../shared/endpoint/route';
import type { ListPage, ListScope } from '../../shared/http/list-page';
import { PAGE_PARAMETERS, readChoice, readListPage, takePage } from '../../shared/http/list-page';
import { foreignTenant, transferNotFound } from '../../shared/http/problems';
import { PAGE_READ_DOCUMENTS } from '../../shared/limits/requests';
import { MAX_COUNTED_DOCUMENTS } from '../../shared/limits/transfers';
import type { Deadline } from '../../shared/platform/deadline';
import type { RunFilter } from '../../shared/transfers/runs/view/find-runs';
import { findLastRuns } from '../../shared/transfers/runs/view/find-runs';
import { fromRunDocument, RUN_STATUSES } from '../../shared/transfers/runs/run';
import { isRunId } from '../../shared/transfers/runs/run-id';
import type { RunDependencies } from './run-answers';
import { toRunDto } from './run-answers';

export interface RunListDependencies extends RunDependencies {
  readonly admissionStore: AdmissionStore;
}

interface RunQuery {
  readonly filter: RunFilter;
  readonly page: ListPage;
  readonly scope: ListScope;
}

/** The route that lists a tenant's runs, the newest first. It writes nothing. */
export function runListRoute(dependencies: RunListDependencies): AnyRoute {
  const { store, admissionStore } = dependencies;
  return route<RunQuery>({
    operationId: 'listRuns',
    method: 'GET',
    path: '/google-cloud-storage/runs',
    permission: 'transfers',
    query: ['tenantId', 'jobId', 'status', ...PAGE_PARAMETERS],
    successMessage: 'Runs found.',
    failureMessage: 'Failed to find runs.',
    tenantFrom: 'query',
    read: (request, tenantId) => {
      const query = (name: string) => request.query(name);
      const jobText = query('jobId');
      const jobId = isPresent(jobText) ? requireJobId(jobText.trim()) : undefined;
      const status = readChoice(query, 'status', RUN_STATUSES);
      const scope = ['runs', tenantId, jobId, status];
      return { filter: { tenantId, jobId, status }, page: readListPage(query, scope, isRunId), scope };
    },
    run: async ({ filter, page: { limit, after }, scope }, tenant, { deadline }) => {
      if (filter.jobId) await requireOwnJob(filter.jobId, tenant, admissionStore, deadline);
      const from = after === undefined ? undefined : runPath(after);
      const atOnce = Math.min(limit + 1, PAGE_READ_DOCUMENTS); // one more tells whether there is a next page
      const documents = documentsAfter(from, atOnce, (page) => findLastRuns(filter, page, store, deadline));
      const budget = { left: MAX_COUNTED_DOCUMENTS };
      const { items, nextPageToken } = await takePage(
        documents,
        { limit, scope, deadline },
        (document) => toRunDto(idOf(document.path), fromRunDocument(document), budget, dependencies, deadline),
        ({ path }) => idOf(path),
      );
      return { data: { Runs: items, NextPageToken: nextPageToken } };
    },
  });
}

function requireJobId(text: string): JobId {
  const job = parseJobId(text);
  if (!job) throw transferNotFound();
  return job.jobId;
}

/** @throws HttpProblem 403 for the job of another organization's tenant, 404 for that of another tenant */
async function requireOwnJob(
  jobId: JobId,
  { tenantId, organizationId }: Tenant,
  admissionStore: AdmissionStore,
  deadline: Deadline,
): Promise<void> {
  const owner = parseJobId(jobId)?.tenantId;
  if (owner === undefined || owner === tenantId) return;
  const other = await admissionStore.findTenant(owner, deadline);
  throw other && other.organizationId !== organizationId ? foreignTenant() : transferNotFound();
}
