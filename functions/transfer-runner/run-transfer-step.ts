import { isBucketName } from '../../shared/domain/values/bucket-name';
import { FOLDER_PATH } from '../../shared/domain/dto/transfer-options';
import { MAX_FOLDER_PATH_LENGTH, MAX_FOLDER_PATHS, MAX_SAMPLE_ROWS } from '../../shared/domain/limits';
import { MAX_TENANT_CONCURRENCY, UNIT_FILES } from '../../shared/limits/transfers';
import { parseTenantId } from '../../shared/domain/tenant';
import type { TransferTrigger } from '../../shared/domain/transfer';
import { parseJobId, plannedStart } from '../../shared/domain/transfer';
import type { Deadline } from '../../shared/platform/deadline';
import type { EventHandler, MessageIdentity } from '../../shared/events/event-handler';
import { RedeliverLater, UnprocessableEvent } from '../../shared/events/event-handler';
import { inTrace, traceOfMessage } from '../../shared/events/in-trace';
import { planPage } from '../../shared/transfers/runs/plan-page';
import { readUnit } from '../../shared/transfers/reading/read-unit';
import { planReplay } from '../../shared/transfers/runs/replay-run';
import { isFileId, isReportId, isRunId, runIdOf } from '../../shared/transfers/runs/run-id';
import { startRun } from '../../shared/transfers/runs/start-run';
import type { PlanStep, ReplayStep, TransferDependencies, UnitStep } from '../../shared/transfers/runs/steps';
import { ImpossibleStep } from '../../shared/transfers/runs/steps';
import { isUnitId } from '../../shared/transfers/runs/units/unit';

export type RunnerDependencies = TransferDependencies & {
  readonly concurrency: number;
  /** Over how many minutes the runs of the full hour are spread; absent: none waits. */
  readonly startSpreadMinutes?: number;
};

/**
 * Creates the handler of the transfers topic. A trigger starts a run. A plan step lists a page of objects. A unit step
 * reads files until its time is up. A replay step finds the bad rows of an earlier run. A repeat of each is safe.
 */
export function createTransferRunner(instance: RunnerDependencies): EventHandler {
  let unitsInProgress = 0;

  async function handle(event: unknown, deadline: Deadline, message: MessageIdentity): Promise<void> {
    const dependencies = inTrace(instance, traceOfMessage(message));
    const trigger = parseTrigger(event);
    if (trigger) {
      const startsAt = plannedStart(trigger, message.publishedAt, instance.startSpreadMinutes ?? 0);
      const runId = runIdOf(trigger, message, startsAt);
      return startRun(trigger, { runId, startsAt }, deadline, dependencies);
    }
    const step = parseStep(event);
    if (step?.step === 'plan') return planPage(step, deadline, dependencies);
    if (step?.step === 'replay') return planReplay(step, dependencies);
    if (!step) throw new UnprocessableEvent('The event is no trigger and no step of a transfer.');
    if (unitsInProgress >= dependencies.concurrency) throw new RedeliverLater('This instance reads enough files.');
    unitsInProgress += 1;
    try {
      await readUnit(step, dependencies);
    } finally {
      unitsInProgress -= 1;
    }
  }

  return async (event, deadline, message) => {
    try {
      await handle(event, deadline, message);
    } catch (error) {
      throw error instanceof ImpossibleStep ? new UnprocessableEvent(error.message) : error;
    }
  };
}

/** Reads a trigger within the bounds of a registration; undefined when the event is not a trigger. */
function parseTrigger(event: unknown): TransferTrigger | undefined {
  const { jobId, tenantId, bucketName, folderPaths, runId, ofUploads, sampleRowsPerFile } = toFields(event);
  const job = typeof jobId === 'string' ? parseJobId(jobId) : undefined;
  const tenant = typeof tenantId === 'string' ? parseTenantId(tenantId) : undefined;
  if (!job || tenant !== job.tenantId || !isText(bucketName) || !isBucketName(bucketName)) return undefined;
  if (!Array.isArray(folderPaths) || folderPaths.length > MAX_FOLDER_PATHS || !folderPaths.every(isFolderPath))
    return undefined;
  if (sampleRowsPerFile !== undefined && !(job.kind === 'preview' && isSampleSize(sampleRowsPerFile))) return undefined;
  const isOfUploads = ofUploads === true && job.kind === 'live' && runId !== undefined;
  if (ofUploads !== undefined && !isOfUploads) return undefined;
  const trigger = {
    ...job,
    bucketName,
    folderPaths,
    ...(isOfUploads && { ofUploads: true as const }),
    ...(sampleRowsPerFile !== undefined && { sampleRowsPerFile }),
  };
  if (runId === undefined) return trigger;
  return isText(runId) && isRunId(runId) ? { ...trigger, runId } : undefined;
}

/** Reads a step as a run publishes it; undefined when the event is not a step. */
function parseStep(event: unknown): PlanStep | UnitStep | ReplayStep | undefined {
  const { step, runId, lane, unitId, fileIds, replayOf, after, folder, page, pageToken, named, files } =
    toFields(event);
  if (!isText(runId) || !isRunId(runId)) return undefined;
  if (step === 'unit') {
    const isUnit = isLane(lane) && isText(unitId) && isUnitId(unitId) && isFileIds(fileIds);
    return isUnit ? { step, runId, lane, unitId, fileIds } : undefined;
  }
  if (!isCount(named) || !isCount(files)) return undefined;
  const counts = { ...(named !== undefined && { named }), ...(files !== undefined && { files }) };
  if (step === 'replay') {
    const isReplay = isText(replayOf) && isRunId(replayOf) && (after === null || (isText(after) && isReportId(after)));
    return isReplay ? { step, runId, replayOf, after, ...counts } : undefined;
  }
  if (step !== 'plan' || !isIndex(folder) || !isIndex(page)) return undefined;
  // Only the first page of a folder has no token.
  const hasToken = isText(pageToken) && pageToken !== '';
  if (page === 0 ? pageToken !== null : !hasToken) return undefined;
  return { step, runId, folder, page, pageToken: hasToken ? pageToken : null, ...counts };
}

function toFields(event: unknown): Record<string, unknown> {
  return typeof event === 'object' && event !== null ? (event as Record<string, unknown>) : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFolderPath(value: unknown): value is string {
  return isText(value) && value.length <= MAX_FOLDER_PATH_LENGTH && FOLDER_PATH.test(value);
}

function isLane(value: unknown): value is number {
  return isIndex(value) && value < MAX_TENANT_CONCURRENCY;
}

function isFileIds(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= UNIT_FILES && value.every((id) => isText(id) && isFileId(id));
}

function isSampleSize(value: unknown): value is number {
  return isIndex(value) && value >= 1 && value <= MAX_SAMPLE_ROWS;
}

/** Absent: none. */
function isCount(value: unknown): value is number | undefined {
  return value === undefined || isIndex(value);
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
