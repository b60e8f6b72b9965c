import { findServedTenant } from '../../auth/served-tenant';
import type { Deadline } from '../../platform/deadline';
import { runPath } from '../../documents/paths';
import type { Tenant } from '../../domain/tenant';
import type { TransferTrigger } from '../../domain/transfer';
import { isRecurring } from '../../domain/transfer';
import type { Trace } from '../../platform/trace';
import { newTrace, toTraceparent } from '../../platform/trace';
import { bucketOwner } from './bucket-ownership';
import { runExpiry } from './expiry';
import { failRun } from './finish-run';
import { timedId } from './run-id';
import { firstStep } from './resume-run';
import type { Run } from './run';
import { toRunDocument } from './run';
import type { TransferDependencies } from './steps';
import { ImpossibleStep, PLANNING_STEP } from './steps';

/** Which run a trigger starts, and when. */
export interface PlannedRun {
  readonly runId: string;
  /** Undefined: at once. */
  readonly startsAt: Date | undefined;
}

/**
 * Starts the run of a trigger, once: a repeat finds the run and only publishes its first step again. A run whose bucket
 * does not belong to the tenant's organization, or no longer does, ends at once (D-57). One that begins later is
 * stored, and waits for `beginDueRuns`. That of a suspended tenant is stored and rests, a scheduled job's under
 * one id for the whole suspension: the first run reads what came meanwhile.
 * @throws ImpossibleStep when there is no such tenant, or it is being erased
 */
export async function startRun(
  trigger: TransferTrigger,
  planned: PlannedRun,
  deadline: Deadline,
  dependencies: TransferDependencies,
): Promise<void> {
  const { store, clock, random, publisher, transfersTopic, trace = newTrace(random) } = dependencies;
  const tenant = await requireServed(trigger, store, deadline);
  const refusal = await findRefusal(trigger, tenant, { store }, deadline);
  const now = new Date(clock.nowMs());
  const restingId = restingRunId(trigger, tenant);
  const runId = restingId ?? planned.runId;
  const later = restingId === undefined && refusal === null && planned.startsAt && planned.startsAt > now;
  const run: Run = { ...toStartedRun(trigger, later ? planned.startsAt : now, trace), ...(later && WAITING) };
  await store.commit([{ set: runPath(runId), data: toRunDocument(run), when: 'absent' }], deadline);
  if (refusal !== null) return failRun(runId, PLANNING_STEP, refusal, dependencies);
  if (run.begins) return;
  // Who resumes a tenant does so first, and then looks for its runs: this one, or the tenant is found resumed now.
  const { suspendedSince } = tenant.suspendedSince ? await requireServed(trigger, store, deadline) : tenant;
  if (!suspendedSince) await publisher.publish(transfersTopic, firstStep(runId, run));
}

const WAITING: Pick<Run, 'begins'> = { begins: 'later' };

/** The run of a scheduled job while its tenant is suspended. Undefined: it is not, or another run is meant. */
function restingRunId({ kind, jobId, runId }: TransferTrigger, { suspendedSince }: Tenant): string | undefined {
  if (suspendedSince === undefined || !isRecurring(kind) || runId !== undefined) return undefined;
  return timedId(suspendedSince, `${suspendedSince.getMilliseconds()}-resting-${jobId.replace('/', '-')}`);
}

async function requireServed(
  { tenantId }: TransferTrigger,
  store: TransferDependencies['store'],
  deadline: Deadline,
): Promise<Tenant> {
  const tenant = await findServedTenant(tenantId, store, deadline);
  if (!tenant) throw new ImpossibleStep('The tenant of the transfer does not exist.');
  return tenant;
}

/** The run of a trigger before anything of it is read. */
export function toStartedRun(trigger: TransferTrigger, now: Date, trace: Trace): Run {
  return {
    tenantId: trigger.tenantId,
    jobId: trigger.jobId,
    bucketName: trigger.bucketName,
    folderPaths: toPrefixes(trigger.folderPaths),
    takesAll: !isRecurring(trigger.kind),
    ...(trigger.kind === 'preview' && { isPreview: true }),
    ...(trigger.sampleRowsPerFile !== undefined && { sampleRowsPerFile: trigger.sampleRowsPerFile }),
    ...(trigger.ofUploads && { ofUploads: true }),
    ...(isRecurring(trigger.kind) && trigger.runId !== undefined && !trigger.ofUploads && { isManual: true }),
    traceparent: toTraceparent(trace),
    status: 'running',
    startedAt: now,
    finishedAt: null,
    isPlanned: false,
    error: null,
    expireAt: runExpiry(now),
  };
}

async function findRefusal(
  { bucketName }: TransferTrigger,
  tenant: Tenant,
  { store }: Pick<TransferDependencies, 'store'>,
  deadline: Deadline,
): Promise<string | null> {
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
