/** Operators' use cases that start runs, and go on with them. */
import type { TransferOptionsDto } from '../../domain/dto/transfer-options';
import { transferOptionsSchema } from '../../domain/dto/transfer-options';
import type { JobId } from '../../domain/transfer';
import { isRecurring, parseJobId } from '../../domain/transfer';
import { registerBucket } from '../../transfers/runs/bucket-ownership';
import { requestReplay } from '../../transfers/runs/replay-run';
import { requestHistorical, requestRun } from '../../transfers/runs/request-run';
import { resumeRun } from '../../transfers/runs/resume-run';
import { compileObjectValidator } from '../../validation/object';
import { ValidationFailed } from '../../validation/validation-failed';
import type { Operator } from '../operator';
import { OperatorError } from '../operator-error';
import { requireTenant } from '../tenants';
import { requireRun } from './shown-run';

/** What a historical transfer reads. */
export interface HistoricalSource {
  readonly bucketName: string;
  /** Empty: the whole bucket (D-38). */
  readonly folderPaths: readonly string[];
}

/**
 * Registers a historical transfer for a tenant, as the API does, and starts its run. A repeat starts another
 * one. @throws OperatorError also when the bucket belongs to another organization
 */
export async function registerHistorical(
  tenantGuid: string,
  { bucketName, folderPaths }: HistoricalSource,
  operator: Operator,
): Promise<{ readonly jobId: JobId; readonly runId: string }> {
  const { tenantId, organizationId } = await requireTenant(tenantGuid, operator);
  const options = requireOptions({
    TenantId: tenantId,
    BucketName: bucketName,
    HistoricalDataFolderPaths: [...folderPaths],
  });
  const { store, config } = operator;
  const { reportsBucket } = config;
  const isOurs = await registerBucket(bucketName, organizationId, { store, reportsBucket }, operator.deadline());
  if (!isOurs) throw new OperatorError(`The bucket ${bucketName} is registered by another organization.`);
  return requestHistorical(tenantId, options, operator.deadline(), withTopic(operator));
}

/** @throws OperatorError with the messages that a caller of the API gets */
function requireOptions(options: TransferOptionsDto): TransferOptionsDto {
  try {
    return compileObjectValidator<TransferOptionsDto>(transferOptionsSchema)(options).dto;
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    throw new OperatorError(Object.values(error.errors).flat().join(' '), { cause: error });
  }
}

/**
 * Starts a run of a recurring job now, outside its schedule. A repeat starts another one.
 * @throws OperatorError when there is no such job
 */
export async function runTransfer(
  jobIdText: string,
  operator: Operator,
): Promise<{ readonly jobId: JobId; readonly runId: string; readonly triggered: true }> {
  const job = parseJobId(jobIdText.trim());
  const scheduled = job && isRecurring(job.kind) ? await operator.jobs.find(job.jobId) : undefined;
  if (!scheduled)
    throw new OperatorError(`Job ${jobIdText} is not scheduled; transfers list TENANT shows those that are.`);
  const { jobId, bucketName, folderPaths } = scheduled;
  if (bucketName === null || folderPaths === null)
    throw new OperatorError(`The message of job ${jobId} is no trigger; register the transfer again.`);
  await requireTenant(job.tenantId, operator);
  const runId = await requestRun({ ...job, bucketName, folderPaths }, operator.deadline(), withTopic(operator));
  return { jobId, runId, triggered: true };
}

/** Requests a replay: a new run that reads the bad rows of a finished run again. @throws OperatorError */
export async function replayRun(runId: string, operator: Operator): Promise<{ runId: string; replayOf: string }> {
  const run = await requireRun(runId, operator);
  if (run.isPreview) throw new OperatorError(`Run ${runId} is a preview, which stores nothing.`);
  if (run.status === 'running')
    throw new OperatorError(`Run ${runId} has not ended; transfers watch ${runId} waits for it.`);
  await requireTenant(run.tenantId, operator);
  const replayId = await requestReplay({ runId, run }, operator.deadline(), withTopic(operator));
  return { runId: replayId, replayOf: runId };
}

/** Publishes the open steps of a running run again. @throws OperatorError when the run has ended */
export async function resumeTransfer(runId: string, operator: Operator): Promise<{ runId: string; steps: number }> {
  const run = await requireRun(runId, operator);
  if (run.status !== 'running') throw new OperatorError(`Run ${runId} has ended; transfers replay reads its bad rows.`);
  await requireTenant(run.tenantId, operator);
  return { runId, steps: await resumeRun(runId, run, operator.deadline, withTopic(operator)) };
}

function withTopic(operator: Operator) {
  return { ...operator, transfersTopic: operator.config.topics.transfers };
}
