/** Operators' use cases that list recurring transfers: of a tenant, of all tenants, and those that fail. */
import { documentsAfter } from '../../documents/pages';
import { idOf } from '../../documents/paths';
import type { JobId } from '../../domain/transfer';
import { parseJobId, RECURRING_KINDS, recurringJobId } from '../../domain/transfer';
import { LIST_PAGE_DOCUMENTS } from '../../limits/records';
import { FAILING_LOOK_SECONDS, FAILING_LOOKS_AT_ONCE, MAX_FAILED_RUNS_LOOKED_AT } from '../../limits/transfers';
import { chunksOf } from '../../platform/chunks';
import { findFailuresInRow, isOfSchedule } from '../../transfers/runs/ended/failing-job';
import { fromRunDocument } from '../../transfers/runs/run';
import { isBefore } from '../../transfers/runs/run-id';
import { findLastRunsOfAll } from '../../transfers/runs/view/find-runs';
import { findScheduledJobs } from '../../transfers/runs/view/scheduled-jobs';
import type { ScheduledJob } from '../../transfers/transfer-scheduler';
import type { Scope } from '../inputs';
import type { Operator } from '../operator';
import { requireTenant } from '../tenants';

/** The recurring jobs of a tenant, at most one of each kind, or of all tenants. @throws OperatorError */
export async function* listTransfers({ tenant }: Scope, operator: Operator): AsyncGenerator<ScheduledJob> {
  if (tenant === undefined) {
    yield* operator.jobs.all();
    return;
  }
  const { tenantId } = await requireTenant(tenant, operator);
  for (const { kind: _kind, ...job } of await findScheduledJobs(tenantId, operator.jobs)) yield job;
}

/** A recurring job whose last run has failed. */
export interface FailingTransfer extends ScheduledJob {
  /** Failed runs in a row, as alerts count them; at most FAILURE_LOOK_RUNS. */
  readonly failures: number;
  readonly lastRun: { readonly runId: string; readonly startedAt: string; readonly error: string | null };
}

/**
 * The recurring jobs of a tenant, or of all tenants, whose last run has failed. Of all tenants, those with a
 * run that has failed within FAILING_LOOK_SECONDS: what it reads grows with the number of these runs, and not with that
 * of tenants. @throws OperatorError
 */
export async function* listFailingTransfers({ tenant }: Scope, operator: Operator): AsyncGenerator<FailingTransfer> {
  const jobIds = tenant === undefined ? await jobsFailedLately(operator) : await jobsOf(tenant, operator);
  for (const some of chunksOf(jobIds, FAILING_LOOKS_AT_ONCE)) {
    const found = await Promise.all(some.map((jobId) => findFailing(jobId, operator)));
    yield* found.flatMap((failing) => failing ?? []);
  }
}

async function jobsOf(tenant: string, operator: Operator): Promise<JobId[]> {
  const { tenantId } = await requireTenant(tenant, operator);
  return RECURRING_KINDS.map((kind) => recurringJobId(kind, tenantId));
}

/** The recurring jobs with a run that has failed lately, the one that failed last first. */
async function jobsFailedLately({ store, clock, deadline, notice }: Operator): Promise<JobId[]> {
  const since = new Date(clock.nowMs() - FAILING_LOOK_SECONDS * 1_000);
  const failed = documentsAfter(undefined, LIST_PAGE_DOCUMENTS, (page) =>
    findLastRunsOfAll(['failed'], page, store, deadline()),
  );
  const jobIds = new Set<JobId>();
  let looked = 0;
  for await (const document of failed) {
    if (isBefore(idOf(document.path), since)) break;
    if (looked === MAX_FAILED_RUNS_LOOKED_AT) {
      notice(`Only the last ${looked} failed runs were looked at; transfers list TENANT --failing looks at a tenant.`);
      break;
    }
    looked += 1;
    const run = fromRunDocument(document);
    if (isOfSchedule(run)) jobIds.add(run.jobId);
  }
  return [...jobIds];
}

/** Undefined: the job is not scheduled any more, or its last run has not failed. */
async function findFailing(jobId: JobId, { store, deadline, jobs }: Operator): Promise<FailingTransfer | undefined> {
  const tenantId = parseJobId(jobId)?.tenantId ?? '';
  const failures = await findFailuresInRow({ tenantId, jobId }, store, deadline());
  const last = failures.at(-1);
  const job = last && (await jobs.find(jobId));
  if (!job) return undefined;
  const { id: runId, run } = last;
  const lastRun = { runId, startedAt: run.startedAt.toISOString(), error: run.error };
  return { ...job, failures: failures.length, lastRun };
}
