/** The end of a run, and what operators learn of it. */
import { findServedTenant } from '../../../auth/served-tenant';
import { REQUEST_DEADLINE_MS } from '../../../domain/limits';
import { deadlineIn } from '../../../platform/deadline';
import type { Logger } from '../../../platform/logger';
import { runExpiry } from '../expiry';
import type { Run } from '../run';
import { rowsAddUp } from '../run';
import type { TransferDependencies } from '../steps';

/**
 * A run with its end, of which nothing is stored yet.
 * @param step the one that notifies the tenant, if it has a topic
 */
export async function toEnded(
  run: Run,
  status: Run['status'],
  error: string | null,
  step: string,
  { store, clock }: Pick<TransferDependencies, 'store' | 'clock'>,
): Promise<Run> {
  const { summing: _summing, ...rest } = run;
  const tenant = await findServedTenant(run.tenantId, store, deadlineIn(REQUEST_DEADLINE_MS, clock));
  const finishedAt = new Date(clock.nowMs());
  const ended = { ...rest, status, error, finishedAt, expireAt: runExpiry(finishedAt) };
  return tenant?.notifyTopic ? { ...ended, notifyingStep: step } : ended;
}

/** Alerts operators when the rows of a run that has ended do not add up: some are lost, or counted twice. */
export function checkSum(runId: string, { tenantId, jobId, rows }: Run, logger: Logger): void {
  if (!rows || rowsAddUp(rows)) return;
  const { read, stored, invalid, stale, deleted } = rows;
  const counts = { rowsRead: read, rowsStored: stored, rowsInvalid: invalid, rowsStale: stale, rowsDeleted: deleted };
  logger.log('ERROR', 'The rows of a transfer run do not add up.', { tenantId, jobId, runId, ...counts });
}

/** Logs how a run has ended, with what is known of its files. */
export function logRunEnd(runId: string, { tenantId, jobId, status, files, rows }: Run, logger: Logger): void {
  logger.log(status === 'succeeded' || status === 'cancelled' ? 'INFO' : 'WARNING', 'A transfer run has ended.', {
    tenantId,
    jobId,
    runId,
    status,
    ...(files && { filesFailed: files.failed }),
    ...(rows && { rowsInvalid: rows.invalid }),
  });
}
