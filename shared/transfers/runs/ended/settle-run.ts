/**
 * What is left to do once a run has ended: its sums, its usage, what operators learn of it, and the tenant's
 * notification. The commit that ends a run claims all of this for its step (`Run.ending`). The claim goes when all is
 * done. So a process that dies, or a commit whose answer is lost, leaves nothing undone: the step comes again, or
 * another one comes when the claim is over.
 */
import { findServedTenant } from '../../../auth/served-tenant';
import { REQUEST_DEADLINE_MS } from '../../../domain/limits';
import type { Tenant } from '../../../domain/tenant';
import type { Version } from '../../../documents/document-store';
import { runPath } from '../../../documents/paths';
import { END_CLAIM_SECONDS } from '../../../limits/transfers';
import type { Clock } from '../../../platform/clock';
import type { Deadline, ExtendableDeadline } from '../../../platform/deadline';
import { deadlineIn, extendableDeadlineIn } from '../../../platform/deadline';
import { retryConflicts } from '../../../workspace/retry-conflicts';
import type { Run, RunEnding } from '../run';
import { fromRunDocument, isStopped, toRunDocument } from '../run';
import type { TransferDependencies } from '../steps';
import { PLANNING_STEP } from '../steps';
import { checkSum, logRunEnd } from './ended-run';
import { toRunUsage } from './count-run';
import { alertIfJobKeepsFailing } from './failing-job';
import { notifyTenant } from './notify-tenant';
import { sumRun, withSums } from './sum-run';

export type SettleDependencies = Pick<TransferDependencies, 'store' | 'publisher' | 'clock' | 'random' | 'logger'>;

/** A run as it is stored. */
export interface StoredRun {
  readonly run: Run;
  readonly version: Version;
}

/** The time for a change of a run. Summing many files takes long, so each call of the database has its own deadline. */
export interface ChangeTime {
  /** For one call. */
  readonly deadline: () => Deadline;
  /** For the commits that may be in conflict. */
  readonly contention: ExtendableDeadline;
}

/** Optimistic retry of `attempt` on a run, if it is stored. @throws ContentionTimeout */
export async function changeRun(
  runId: string,
  { store, clock, random }: Pick<SettleDependencies, 'store' | 'clock' | 'random'>,
  attempt: (stored: StoredRun, time: ChangeTime) => Promise<'done' | 'again'>,
): Promise<void> {
  const deadline = () => deadlineIn(REQUEST_DEADLINE_MS, clock);
  const contention = extendableDeadlineIn(REQUEST_DEADLINE_MS, clock);
  const tryOnce = async () => {
    const document = await store.get(runPath(runId), deadline());
    if (!document) return [];
    const stored = { run: fromRunDocument(document), version: document.version };
    return (await attempt(stored, { deadline, contention })) === 'again' ? [runId] : [];
  };
  await retryConflicts([runId], tryOnce, contention, { clock, random });
}

/** A claim of the end of a run that begins now. */
export function toClaim(step: string, clock: Clock): RunEnding {
  return { step, until: new Date(clock.nowMs() + END_CLAIM_SECONDS * 1000) };
}

/**
 * Claims the end of a run for a step.
 * @returns the run with the claim; 'left': another step holds it; 'again': in conflict
 */
export async function claimEnd(
  runId: string,
  step: string,
  { run, version }: StoredRun,
  contention: Deadline,
  { store, clock }: SettleDependencies,
): Promise<StoredRun | 'left' | 'again'> {
  const { ending } = run;
  if (ending && ending.until.getTime() > clock.nowMs()) return ending.step === step ? { run, version } : 'left';
  const claimed = { ...run, ending: toClaim(step, clock) };
  const outcome = await store.commit(
    [{ set: runPath(runId), data: toRunDocument(claimed), when: version }],
    contention,
  );
  return outcome === 'conflict' ? 'again' : { run: claimed, version: outcome };
}

/**
 * Does what is left to do of a run that has ended, for a step whose message finds it so: its own end, or one that
 * another step has not done in time. Repeating it is safe.
 * @throws RedeliverLater as of `notifyTenant`
 */
export async function settleEndedRun(
  runId: string,
  run: Run,
  step: string,
  dependencies: SettleDependencies,
): Promise<void> {
  if (isStopped(run) && step === PLANNING_STEP) return sumStoppedRun(runId, step, dependencies);
  if (!run.ending) return;
  await changeRun(runId, dependencies, (stored, time) => settle(runId, step, stored, time, dependencies));
}

/**
 * Sums the files of a run that was stopped, and does what else is left to do; does nothing to any other run. Each step
 * that was under way calls it after its last commit, so that the last sums count everything. Repeating it is safe.
 * @throws RedeliverLater as of `notifyTenant`
 */
export async function sumStoppedRun(runId: string, step: string, dependencies: SettleDependencies): Promise<void> {
  await changeRun(runId, dependencies, async (stored, time) =>
    isStopped(stored.run) ? settle(runId, step, stored, time, dependencies, { isUnderWay: true }) : 'done',
  );
}

/**
 * Does for a step what is left to do of a run that has ended, unless another step does it.
 * @param isUnderWay the step may have changed a file after the last sums, so it sums again
 */
export async function settle(
  runId: string,
  step: string,
  stored: StoredRun,
  time: ChangeTime,
  dependencies: SettleDependencies,
  { isUnderWay = false } = {},
): Promise<'done' | 'again'> {
  const { store } = dependencies;
  const claimed = stored.run.ending ? await claimEnd(runId, step, stored, time.contention, dependencies) : 'left';
  if (claimed === 'again') return 'again';
  if (claimed === 'left' && !isUnderWay) return 'done';
  const current = claimed === 'left' ? stored : claimed;
  const isSummed = !isUnderWay && current.run.files !== undefined;
  const run = isSummed ? current.run : await summedRun(runId, current.run, time, dependencies);
  const tenant = await findServedTenant(run.tenantId, store, time.deadline());
  const usage = tenant ? toRunUsage(runId, run) : [];
  const [path, when] = [runPath(runId), current.version];
  // One commit, so that the usage is that of the last sums, whatever other steps do meanwhile.
  const writes = [isSummed ? { check: path, when } : { set: path, data: toRunDocument(run), when }, ...usage];
  if (!isSummed || usage.length > 0) {
    if ((await store.commit(writes, time.contention)) === 'conflict') return 'again';
  }
  if (claimed !== 'left') await tellOfEnd(runId, run, tenant, dependencies);
  return 'done';
}

async function summedRun(
  runId: string,
  run: Run,
  { deadline, contention }: ChangeTime,
  { store, logger }: SettleDependencies,
): Promise<Run> {
  const summed = withSums(run, await sumRun(runId, store, deadline));
  contention.renew();
  checkSum(runId, summed, logger);
  return summed;
}

/** A repeat because the tenant's topic did not answer only notifies. */
async function tellOfEnd(
  runId: string,
  run: Run,
  tenant: Tenant | undefined,
  dependencies: SettleDependencies,
): Promise<void> {
  if (run.notificationError === undefined) {
    if (run.status === 'failed') await alertIfJobKeepsFailing(runId, run, dependencies);
    logRunEnd(runId, run, dependencies.logger);
  }
  await notifyTenant(runId, run, tenant, dependencies);
}
