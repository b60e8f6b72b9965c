/** Starts runs that somebody asks for, outside of any schedule. */
import type { Deadline } from '../../platform/deadline';
import { runPath } from '../../documents/paths';
import type { DocumentData } from '../../domain/records/document';
import type { PreviewOptionsDto } from '../../domain/dto/preview-options';
import type { TransferOptionsDto } from '../../domain/dto/transfer-options';
import type { TenantId } from '../../domain/tenant';
import type { JobId, TransferTrigger } from '../../domain/transfer';
import { historicalJobId, oneTimeJobId, toTrigger } from '../../domain/transfer';
import { inTrace } from '../../events/in-trace';
import type { Trace } from '../../platform/trace';
import { newTrace } from '../../platform/trace';
import { toRunDocument } from './run';
import { PREVIEW_SUFFIX, timedId } from './run-id';
import { toStartedRun } from './start-run';
import type { TransferDependencies } from './steps';

export type RequestDependencies = Pick<
  TransferDependencies,
  'store' | 'publisher' | 'clock' | 'random' | 'transfersTopic' | 'trace'
>;

/**
 * Publishes the first event of a new run. That event's step stores the run; here it is stored, too, so that whoever
 * gets its id can look it up at once.
 * @param suffix what the run is: it follows the time in its id
 * @returns the id of the run
 */
export async function publishRun(
  suffix: string,
  toFirst: (runId: string, now: Date, trace: Trace) => { readonly event: object; readonly data: DocumentData },
  deadline: Deadline,
  dependencies: RequestDependencies,
): Promise<string> {
  const now = new Date(dependencies.clock.nowMs());
  const runId = timedId(now, `${suffix}${dependencies.random.bytes(6).toString('hex')}`);
  const traced = inOwnTrace(dependencies);
  await publishFirst(runId, toFirst(runId, now, traced.trace), deadline, traced);
  return runId;
}

/** Dependencies for a new run: in the trace of who asks for it, else in a new one. */
function inOwnTrace(dependencies: RequestDependencies) {
  return inTrace(dependencies, dependencies.trace ?? newTrace(dependencies.random));
}

async function publishFirst(
  runId: string,
  { event, data }: { readonly event: object; readonly data: DocumentData },
  deadline: Deadline,
  { store, publisher, transfersTopic }: RequestDependencies,
): Promise<void> {
  await publisher.publish(transfersTopic, event);
  await store.commit([{ set: runPath(runId), data, when: 'absent' }], deadline);
}

/**
 * Starts a run of a recurring job now. The job's schedule stays as it is. A repeat starts another run.
 * @returns the id of the run
 */
export function requestRun(
  job: Omit<TransferTrigger, 'runId'>,
  deadline: Deadline,
  dependencies: RequestDependencies,
): Promise<string> {
  const toFirst = (runId: string, now: Date, trace: Trace) => {
    const event: TransferTrigger = { ...job, runId };
    return { event, data: toRunDocument(toStartedRun(event, now, trace)) };
  };
  return publishRun('-manual', toFirst, deadline, dependencies);
}

/** The trigger of a new historical transfer, and the id of the one run that it has. */
export function newHistorical(
  tenantId: TenantId,
  options: TransferOptionsDto,
  { clock, random }: Pick<RequestDependencies, 'clock' | 'random'>,
): { readonly runId: string; readonly trigger: TransferTrigger } {
  const runId = timedId(new Date(clock.nowMs()), random.bytes(12).toString('hex'));
  return { runId, trigger: toTrigger('historical', tenantId, historicalJobId(tenantId, runId), options) };
}

/** Starts a new historical transfer, whose run can be looked up at once. A repeat starts another one. */
export async function requestHistorical(
  tenantId: TenantId,
  options: TransferOptionsDto,
  deadline: Deadline,
  dependencies: RequestDependencies,
): Promise<{ readonly jobId: JobId; readonly runId: string }> {
  const { runId, trigger } = newHistorical(tenantId, options, dependencies);
  const traced = inOwnTrace(dependencies);
  const data = toRunDocument(toStartedRun(trigger, new Date(dependencies.clock.nowMs()), traced.trace));
  await publishFirst(runId, { event: trigger, data }, deadline, traced);
  return { jobId: trigger.jobId, runId };
}

/**
 * Starts a preview, the run of a one-time job of its own. A repeat starts another one.
 * @returns the id of the run
 */
export function requestPreview(
  tenantId: TenantId,
  options: PreviewOptionsDto,
  deadline: Deadline,
  dependencies: RequestDependencies,
): Promise<string> {
  const { SampleRowsPerFile: sampleRowsPerFile } = options;
  const toFirst = (runId: string, now: Date, trace: Trace) => {
    const jobId = oneTimeJobId('preview', tenantId, runId.replace('_', ''));
    const trigger = toTrigger('preview', tenantId, jobId, options);
    const event: TransferTrigger = { ...trigger, runId, ...(sampleRowsPerFile && { sampleRowsPerFile }) };
    return { event, data: toRunDocument(toStartedRun(event, now, trace)) };
  };
  return publishRun(PREVIEW_SUFFIX, toFirst, deadline, dependencies);
}
