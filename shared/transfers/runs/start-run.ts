import { findServedTenant } from '../../auth/served-tenant';
import type { Deadline } from '../../platform/deadline';
import { runPath } from '../../documents/paths';
import type { TransferTrigger } from '../../domain/transfer';
import { isRecurring } from '../../domain/transfer';
import { bucketOwner } from './bucket-ownership';
import { runExpiry } from './expiry';
import { failRun } from './finish-run';
import { firstStep } from './resume-run';
import type { Run } from './run';
import { toRunDocument } from './run';
import type { TransferDependencies } from './steps';
import { ImpossibleStep, PLANNING_STEP } from './steps';

/**
 * Starts the run of a trigger, once: a repeat finds the run and only publishes its first step again. A run whose bucket
 * does not belong to the tenant's organization, or no longer does, ends at once (D-57).
 * @throws ImpossibleStep when there is no such tenant, or it is being erased
 */
export async function startRun(
  trigger: TransferTrigger,
  runId: string,
  deadline: Deadline,
  dependencies: TransferDependencies,
): Promise<void> {
  const { store, clock, publisher, transfersTopic } = dependencies;
  const refusal = await findRefusal(trigger, { store }, deadline);
  const run = toStartedRun(trigger, new Date(clock.nowMs()));
  await store.commit([{ set: runPath(runId), data: toRunDocument(run), when: 'absent' }], deadline);
  if (refusal === null) return publisher.publish(transfersTopic, firstStep(runId, run));
  await failRun(runId, PLANNING_STEP, refusal, dependencies);
}

/** The run of a trigger before anything of it is read. */
export function toStartedRun(trigger: TransferTrigger, now: Date): Run {
  return {
    tenantId: trigger.tenantId,
    jobId: trigger.jobId,
    bucketName: trigger.bucketName,
    folderPaths: toPrefixes(trigger.folderPaths),
    takesAll: !isRecurring(trigger.kind),
    ...(trigger.kind === 'preview' && { isPreview: true }),
    ...(trigger.sampleRowsPerFile !== undefined && { sampleRowsPerFile: trigger.sampleRowsPerFile }),
    ...(isRecurring(trigger.kind) && trigger.runId !== undefined && { isManual: true }),
    status: 'running',
    startedAt: now,
    finishedAt: null,
    isPlanned: false,
    error: null,
    expireAt: runExpiry(now),
  };
}

async function findRefusal(
  { tenantId, bucketName }: TransferTrigger,
  { store }: Pick<TransferDependencies, 'store'>,
  deadline: Deadline,
): Promise<string | null> {
  const tenant = await findServedTenant(tenantId, store, deadline);
  if (!tenant) throw new ImpossibleStep('The tenant of the transfer does not exist.');
  const owner = await bucketOwner(bucketName, store, deadline);
  if (owner !== undefined && owner === tenant.organizationId) return null;
  return owner === undefined
    ? `The bucket ${bucketName} is not registered: register the transfer again.`
    : `The bucket ${bucketName} is registered by another organization.`;
}

/** The prefixes to list, without those that another one covers; no folder means the whole bucket (D-38). */
export function toPrefixes(folderPaths: readonly string[]): string[] {
  const prefixes = [...new Set(folderPaths.map((path) => path.replace(/^\/+/, '')))].sort();
  if (prefixes.length === 0) return [''];
  return prefixes.filter((prefix, index) => !prefixes.slice(0, index).some((earlier) => prefix.startsWith(earlier)));
}
