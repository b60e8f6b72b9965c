/** Alerts operators of recurring jobs whose runs keep failing. */
import { idOf } from '../../../documents/paths';
import { REQUEST_DEADLINE_MS } from '../../../domain/limits';
import { ALERTING_FAILURES, FAILURE_LOOK_RUNS } from '../../../limits/transfers';
import { deadlineIn } from '../../../platform/deadline';
import type { DocumentReads } from '../../../documents/document-store';
import type { JobId } from '../../../domain/transfer';
import { RECURRING_KINDS } from '../../../domain/transfer';
import type { Deadline } from '../../../platform/deadline';
import type { Run } from '../run';
import { fromRunDocument } from '../run';
import type { TransferDependencies } from '../steps';
import { findLastRuns } from '../view/find-runs';
import type { RunKind } from '../view/run-kind';
import { runKindOf } from '../view/run-kind';

/**
 * Logs an error when a run that has failed is the third one in a row of its recurring job, and not for later ones,
 * until a run of the job has not failed.
 */
export async function alertIfJobKeepsFailing(
  runId: string,
  run: Run,
  { store, clock, logger }: Pick<TransferDependencies, 'store' | 'clock' | 'logger'>,
): Promise<void> {
  if (!isOfSchedule(run)) return;
  const { tenantId, jobId } = run;
  const deadline = deadlineIn(REQUEST_DEADLINE_MS, clock);
  const failures = await findFailuresInRow({ tenantId, jobId }, store, deadline);
  if (failures[ALERTING_FAILURES - 1]?.id !== runId) return;
  logger.log('ERROR', 'A recurring transfer has failed three times in a row.', { tenantId, jobId, runId });
}

/**
 * The runs of a recurring job that have failed since one that has not, in the order of their ends. Runs that are
 * running or cancelled, and replays, do not count. It reads at most FAILURE_LOOK_RUNS documents.
 */
export async function findFailuresInRow(
  { tenantId, jobId }: { readonly tenantId: string; readonly jobId: JobId },
  store: Pick<DocumentReads, 'findLastWhere'>,
  deadline: Deadline,
): Promise<EndedRun[]> {
  const newest = await findLastRuns({ tenantId, jobId }, { limit: FAILURE_LOOK_RUNS }, store, deadline);
  const counted = newest
    .map((document) => ({ id: idOf(document.path), run: fromRunDocument(document) }))
    .filter(({ run }) => run.finishedAt && run.status !== 'cancelled' && isOfSchedule(run));
  const success = counted.findIndex(({ run }) => run.status !== 'failed');
  return (success === -1 ? counted : counted.slice(0, success)).sort(byEnd);
}

const OF_SCHEDULE: ReadonlySet<RunKind | null> = new Set([...RECURRING_KINDS, 'sweep', 'manual']);

/** A run of a recurring job, whether or not it was started by its schedule. A replay reads what was read before. */
export function isOfSchedule(run: Run): boolean {
  return OF_SCHEDULE.has(runKindOf(run));
}

/** A run that has ended, with its id. */
export interface EndedRun {
  readonly id: string;
  readonly run: Run;
}

/** In the order of their ends, so that of runs that overlap only one is the third. */
function byEnd(a: EndedRun, b: EndedRun): number {
  return (a.run.finishedAt?.getTime() ?? 0) - (b.run.finishedAt?.getTime() ?? 0) || (a.id < b.id ? -1 : 1);
}
