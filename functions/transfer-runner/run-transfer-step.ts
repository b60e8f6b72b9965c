import { parseTenantId } from '../../shared/domain/tenant';
import type { TransferTrigger } from '../../shared/domain/transfer';
import { parseJobId } from '../../shared/domain/transfer';
import type { EventHandler } from '../../shared/events/push-handler';
import { TryLater, UnprocessableEvent } from '../../shared/events/push-handler';
import { planPage } from '../../shared/transfers/plan-page';
import { readFile } from '../../shared/transfers/read-file';
import { planReplay } from '../../shared/transfers/replay-run';
import { runIdOf } from '../../shared/transfers/run-id';
import { startRun } from '../../shared/transfers/start-run';
import type { FileStep, PlanStep, ReplayStep, TransferDependencies } from '../../shared/transfers/steps';

export type RunnerDependencies = TransferDependencies & { readonly concurrency: number };

/**
 * Handles an event of the transfers topic: a trigger starts a run, a plan step lists a page of objects, a file step
 * reads a file for the length of one unit, a replay step finds the bad rows of an earlier run. Each may be repeated.
 */
export function createTransferRunner(dependencies: RunnerDependencies): EventHandler {
  let unitsAtWork = 0;
  return async (event, deadline, message) => {
    const trigger = parseTrigger(event);
    if (trigger) return startRun(trigger, runIdOf(trigger, message), deadline, dependencies);
    const step = parseStep(event);
    if (step?.step === 'plan') return planPage(step, deadline, dependencies);
    if (step?.step === 'replay') return planReplay(step, dependencies);
    if (!step) throw new UnprocessableEvent('The event is no trigger and no step of a transfer.');
    if (unitsAtWork >= dependencies.concurrency) throw new TryLater('This instance reads enough files.');
    unitsAtWork += 1;
    try {
      await readFile(step, dependencies);
    } finally {
      unitsAtWork -= 1;
    }
  };
}

function parseTrigger(event: unknown): TransferTrigger | undefined {
  const { jobId, tenantId, bucketName, folderPaths } = toFields(event);
  const job = typeof jobId === 'string' ? parseJobId(jobId) : undefined;
  const tenant = typeof tenantId === 'string' ? parseTenantId(tenantId) : undefined;
  const isComplete = typeof bucketName === 'string' && Array.isArray(folderPaths) && folderPaths.every(isText);
  if (!job || !isComplete || tenant !== job.tenantId) return undefined;
  return { ...job, bucketName, folderPaths };
}

function parseStep(event: unknown): PlanStep | FileStep | ReplayStep | undefined {
  const { step, runId, fileId, replayOf, after, folder, page, pageToken } = toFields(event);
  if (!isText(runId)) return undefined;
  if (step === 'file' && isText(fileId)) return { step, runId, fileId };
  if (step === 'replay' && isText(replayOf)) return { step, runId, replayOf, after: isText(after) ? after : null };
  const isPlan = step === 'plan' && Number.isInteger(folder) && Number.isInteger(page);
  if (!isPlan || !(pageToken === null || isText(pageToken))) return undefined;
  return { step, runId, folder: folder as number, page: page as number, pageToken };
}

function toFields(event: unknown): Record<string, unknown> {
  return typeof event === 'object' && event !== null ? (event as Record<string, unknown>) : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
