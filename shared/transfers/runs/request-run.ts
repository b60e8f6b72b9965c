/** Starts runs that somebody asks for, outside of any schedule. */
import type { Deadline } from '../../platform/deadline';
import { runPath } from '../../documents/paths';
import type { DocumentData } from '../../domain/records/document';
import type { PreviewOptionsDto } from '../../domain/dto/preview-options';
import type { TenantId } from '../../domain/tenant';
import type { TransferTrigger } from '../../domain/transfer';
import { oneTimeJobId, toTrigger } from '../../domain/transfer';
import { toRunDocument } from './run';
import { PREVIEW_SUFFIX, timedId } from './run-id';
import { toStartedRun } from './start-run';
import type { TransferDependencies } from './steps';

export type RequestDependencies = Pick<
  TransferDependencies,
  'store' | 'publisher' | 'clock' | 'random' | 'transfersTopic'
>;

/**
 * Publishes the first event of a new run. That event's step stores the run; here it is stored, too, so that whoever
 * gets its id can look it up at once.
 * @param suffix what the run is: it follows the time in its id
 * @returns the id of the run
 */
export async function publishRun(
  suffix: string,
  toFirst: (runId: string, now: Date) => { readonly event: object; readonly data: DocumentData },
  deadline: Deadline,
  { store, publisher, clock, random, transfersTopic }: RequestDependencies,
): Promise<string> {
  const now = new Date(clock.nowMs());
  const runId = timedId(now, `${suffix}${random.bytes(6).toString('hex')}`);
  const { event, data } = toFirst(runId, now);
  await publisher.publish(transfersTopic, event);
  await store.commit([{ set: runPath(runId), data, when: 'absent' }], deadline);
  return runId;
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
  const toFirst = (runId: string, now: Date) => {
    const event: TransferTrigger = { ...job, runId };
    return { event, data: toRunDocument(toStartedRun(event, now)) };
  };
  return publishRun('-manual', toFirst, deadline, dependencies);
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
  const toFirst = (runId: string, now: Date) => {
    const jobId = oneTimeJobId('preview', tenantId, runId.replace('_', ''));
    const trigger = toTrigger('preview', tenantId, jobId, options);
    const event: TransferTrigger = { ...trigger, runId, ...(sampleRowsPerFile && { sampleRowsPerFile }) };
    return { event, data: toRunDocument(toStartedRun(event, now)) };
  };
  return publishRun(PREVIEW_SUFFIX, toFirst, deadline, dependencies);
}
