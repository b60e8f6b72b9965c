/** The end of a run, and what operators learn of it. */
import type { Clock } from '../../../platform/clock';
import type { Logger } from '../../../platform/logger';
import { runExpiry } from '../expiry';
import type { RowCounts, Run, RunEnding } from '../run';
import { rowsAddUp } from '../run';

/**
 * A run with its end, of which nothing is stored yet.
 * @param ending who does what is left to do then
 */
export function toEnded(run: Run, status: Run['status'], error: string | null, ending: RunEnding, clock: Clock): Run {
  const finishedAt = new Date(clock.nowMs());
  const startedAt = run.startedAt < finishedAt ? run.startedAt : finishedAt; // a run that waits may be cancelled
  return { ...run, status, error, startedAt, finishedAt, expireAt: runExpiry(finishedAt), ending };
}

/**
 * Logs an error, which raises an alert (terraform/monitoring.tf), when the rows of a run that has ended do not add up:
 * some are lost, or counted twice.
 */
export function checkSum(runId: string, { tenantId, jobId, rows }: Run, logger: Logger): void {
  if (!rows || rowsAddUp(rows)) return;
  logger.log('ERROR', 'The rows of a transfer run do not add up.', { tenantId, jobId, runId, ...toDetails(rows) });
}

/** Logs how a run has ended, with what is known of its files. */
export function logRunEnd(runId: string, { tenantId, jobId, status, files, rows }: Run, logger: Logger): void {
  logger.log(status === 'succeeded' || status === 'cancelled' ? 'INFO' : 'WARNING', 'A transfer run has ended.', {
    tenantId,
    jobId,
    runId,
    status,
    ...(files && { filesFailed: files.failed }),
    ...(rows && toDetails(rows)),
  });
}

function toDetails({ read, stored, invalid, stale, deleted }: RowCounts) {
  return { rowsRead: read, rowsStored: stored, rowsInvalid: invalid, rowsStale: stale, rowsDeleted: deleted };
}
