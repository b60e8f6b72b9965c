/**
 * Suspending a tenant and resuming it. Its requests are refused, and its transfers rest: steps of its
 * runs end without reading on, and what they had to do stays in the documents of the runs. A step that has begun goes
 * on to its end. Deletions that were accepted are applied.
 */
import { commitAct, performAct } from '../../audit/audit-log';
import { fromTenantDocument } from '../../auth/tenant-documents';
import type { Page } from '../../documents/document-store';
import { pagesBy } from '../../documents/pages';
import { idOf, tenantPath } from '../../documents/paths';
import type { Tenant } from '../../domain/tenant';
import { LIST_PAGE_DOCUMENTS } from '../../limits/records';
import { resumeRun } from '../../transfers/runs/resume-run';
import { fromRunDocument } from '../../transfers/runs/run';
import { findLastRuns } from '../../transfers/runs/view/find-runs';
import { retryConflicts } from '../../workspace/retry-conflicts';
import type { Operator, OperatorMeans } from '../operator';
import { requireTenant, requireTenantDocument } from '../tenants';

/** Suspends a tenant. A repeat changes nothing. @throws OperatorError */
export async function suspendTenant(guid: string, operator: Operator): Promise<Tenant> {
  const deadline = operator.deadline();
  const attempt = async (): Promise<readonly string[]> => {
    const { path, data, version } = await requireTenantDocument(guid, operator);
    const { tenantId, organizationId, suspendedSince } = fromTenantDocument(idOf(path), data);
    if (suspendedSince) return [];
    const since = new Date(operator.clock.nowMs());
    const after = { suspendedSince: since.toISOString() };
    const act = { action: 'tenants.suspend', tenantId, organizationId, after } as const;
    const write = { set: path, data: { suspendedSince: since }, fields: ['suspendedSince'], when: version };
    return (await commitAct(operator, act, [write], deadline)) === 'conflict' ? [guid] : [];
  };
  await retryConflicts([guid], attempt, deadline, operator);
  return requireTenant(guid, operator);
}

export type ResumedTenant = Tenant & {
  /** Runs that go on or begin now. */
  readonly runsResumed: number;
};

/**
 * Resumes a tenant, and then publishes the steps of its runs again. A repeat is safe, also after the command was
 * stopped in between. @throws OperatorError
 */
export async function resumeTenant(guid: string, operator: Operator): Promise<ResumedTenant> {
  const { tenantId, organizationId, suspendedSince } = await requireTenant(guid, operator);
  const before = { suspendedSince: suspendedSince?.toISOString() ?? null };
  const runsResumed = await performAct(
    operator,
    { action: 'tenants.resume', tenantId, organizationId, before },
    async (means) => {
      const write = { set: tenantPath(tenantId), data: {}, fields: ['suspendedSince'], when: 'present' } as const;
      await means.store.commit([write], means.deadline());
      return resumeRuns(tenantId, means);
    },
    (count) => ({ suspendedSince: null, runsResumed: count }),
  );
  return { ...(await requireTenant(guid, operator)), runsResumed };
}

async function resumeRuns(tenantId: string, means: OperatorMeans): Promise<number> {
  const { store, deadline, progress } = means;
  const { topics, transfers } = means.config;
  const { tenantConcurrency } = transfers;
  const dependencies = { ...means, transfersTopic: topics.transfers, tenantConcurrency };
  const list = (page: Page) => findLastRuns({ tenantId, status: 'running' }, page, store, deadline());
  let runs = 0;
  for await (const page of pagesBy(LIST_PAGE_DOCUMENTS, list)) {
    for (const document of page) {
      await resumeRun(idOf(document.path), fromRunDocument(document), deadline, dependencies);
      runs += 1;
      progress(`${runs} runs resumed`);
    }
  }
  return runs;
}
