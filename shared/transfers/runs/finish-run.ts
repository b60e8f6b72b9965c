/** How runs end: when all files are done, when they fail, and when somebody cancels them. */
import type { Deadline } from '../../platform/deadline';
import { deadlineIn } from '../../platform/deadline';
import { runFilesPath, runPath } from '../../documents/paths';
import { REQUEST_DEADLINE_MS } from '../../domain/limits';
import { findServedTenant } from '../../auth/served-tenant';
import type { Tenant } from '../../domain/tenant';
import { RedeliverLater } from '../../events/event-handler';
import { checkSum, toEnded } from './ended/ended-run';
import type { ChangeTime, SettleDependencies, StoredRun } from './ended/settle-run';
import { changeRun, claimEnd, settle, settleEndedRun, toClaim } from './ended/settle-run';
import { sumRun, withSums } from './ended/sum-run';
import { findRun } from './view/find-runs';
import type { Run } from './run';
import { fromRunDocument, toRunDocument } from './run';
import { PLANNING_STEP } from './steps';

/** Records that all files of a running run are known. Repeating it is safe. @throws ContentionTimeout */
export async function recordPlanned(runId: string, dependencies: SettleDependencies): Promise<void> {
  const { store } = dependencies;
  await changeRun(runId, dependencies, async ({ run, version }, { contention }) => {
    if (run.status !== 'running' || run.isPlanned) return 'done';
    const write = { set: runPath(runId), data: toRunDocument({ ...run, isPlanned: true }), when: version };
    return (await store.commit([write], contention)) === 'conflict' ? 'again' : 'done';
  });
}

/**
 * Ends a run whose files are all known and all done. One that was stopped while this step read files of it is summed
 * again; otherwise it does nothing. When several last files are done at the same time, one step claims the end, and the
 * others leave it to that step. Its message is delivered until all is done. Repeating it is safe.
 * @param step the id of the step's file, or PLANNING_STEP: the same for each delivery of its message
 * @throws RedeliverLater as of `endRun`
 */
export async function finishRunIfDone(runId: string, step: string, dependencies: SettleDependencies): Promise<void> {
  const { store, clock, logger } = dependencies;
  const toEnd = async ({ run, version }: StoredRun, { deadline, contention }: ChangeTime) => {
    if (!run.isPlanned) return 'left';
    const pending = await store.findWhere(runFilesPath(runId), 'status', 'pending', { limit: 1 }, deadline());
    if (pending.length > 0) return 'left';
    const claimed = await claimEnd(runId, step, { run, version }, contention, dependencies);
    if (typeof claimed === 'string') return claimed;
    const totals = await sumRun(runId, store, deadline);
    contention.renew();
    const status = totals.files.failed === 0 && totals.rows.invalid === 0 ? 'succeeded' : 'partial';
    const ended = withSums(toEnded(run, status, totals.failure, toClaim(step, clock), clock), totals);
    checkSum(runId, ended, logger);
    return { run: ended, version: claimed.version };
  };
  await endRun(runId, step, dependencies, toEnd, { hasRead: true });
}

/**
 * Ends a running run as failed, and only then sums its files, so that one of several steps that fail at the same time
 * does both. An end that an earlier delivery of the step has left undone is done. Repeating it is safe.
 * @param step as of `finishRunIfDone`
 * @throws RedeliverLater as of `endRun`
 */
export async function failRun(
  runId: string,
  step: string,
  error: string,
  dependencies: SettleDependencies,
): Promise<void> {
  const { store, clock } = dependencies;
  const document = await store.get(runPath(runId), deadlineIn(REQUEST_DEADLINE_MS, clock));
  const found = document && fromRunDocument(document);
  if (found && found.status !== 'running' && found.ending?.step === step)
    return settleEndedRun(runId, found, step, dependencies);
  await endRun(runId, step, dependencies, ({ run, version }) =>
    Promise.resolve({ run: toEnded(run, 'failed', error, toClaim(step, clock), clock), version }),
  );
}

/**
 * Ends a running run as cancelled: no step reads any more of it, and what is stored stays. What is left to do is
 * claimed by no step: the first one that comes does it. Repeating it is safe.
 * @returns whether the run is cancelled now; if not, it had ended before
 */
export async function cancelRun(
  runId: string,
  deadline: Deadline,
  dependencies: Pick<SettleDependencies, 'store' | 'clock' | 'random'>,
): Promise<boolean> {
  const { store, clock } = dependencies;
  await changeRun(runId, dependencies, async ({ run, version }, { contention }) => {
    if (run.status !== 'running') return 'done';
    const unclaimed = { step: PLANNING_STEP, until: new Date(clock.nowMs()) };
    const ended = toEnded(run, 'cancelled', null, unclaimed, clock);
    const write = { set: runPath(runId), data: toRunDocument(ended), when: version };
    return (await store.commit([write], contention)) === 'conflict' ? 'again' : 'done';
  });
  return (await findRun(runId, store, deadline))?.status === 'cancelled';
}

/**
 * The tenant of a run. Undefined: the step must write nothing. Either the tenant is gone or being erased, and the run
 * is ended. Or it is suspended, and the run rests: whoever resumes the tenant publishes its steps again. A run
 * that is not stored yet is not stored by this. Repeating it is safe.
 * @param step as of `finishRunIfDone`
 * @throws RedeliverLater as of `endRun`
 */
export async function findRunTenant(
  runId: string,
  { tenantId }: Pick<Run, 'tenantId'>,
  step: string,
  deadline: Deadline,
  dependencies: SettleDependencies,
): Promise<Tenant | undefined> {
  const tenant = await findServedTenant(tenantId, dependencies.store, deadline);
  if (!tenant) await failRun(runId, step, 'The tenant of the run does not exist.', dependencies);
  return tenant?.suspendedSince === undefined ? tenant : undefined;
}

/**
 * Ends a run that is running as `toEnd` says, and does what is left to do then. A run that was stopped meanwhile is
 * summed, since this step was under way.
 * @param toEnd gives the run with its end, and the version that its commit requires; 'left': it does not end now, or
 * another step ends it; 'again': in conflict
 * @param hasRead the step has read files to their ends, and a run that has failed meanwhile is summed, too
 * @throws RedeliverLater when this step has ended the run before, but may not have done what is left: an answer was
 * lost, or another delivery of its message does it now. The next one finds the run ended, and does it
 * (`settleEndedRun`).
 */
async function endRun(
  runId: string,
  step: string,
  dependencies: SettleDependencies,
  toEnd: (stored: StoredRun, time: ChangeTime) => Promise<StoredRun | 'left' | 'again'>,
  { hasRead = false } = {},
): Promise<void> {
  await changeRun(runId, dependencies, async (stored, time) => {
    const { status, ending } = stored.run;
    if (status !== 'running') {
      if (status !== 'cancelled' && ending?.step === step) {
        throw new RedeliverLater('The run has ended, and its end is not known to be done.');
      }
      const isSummed = status === 'cancelled' || (status === 'failed' && hasRead);
      return isSummed ? settle(runId, step, stored, time, dependencies, { isUnderWay: true }) : 'done';
    }
    const end = await toEnd(stored, time);
    if (typeof end === 'string') return end === 'left' ? 'done' : end;
    const write = { set: runPath(runId), data: toRunDocument(end.run), when: end.version };
    const version = await dependencies.store.commit([write], time.contention);
    return version === 'conflict' ? 'again' : settle(runId, step, { run: end.run, version }, time, dependencies);
  });
}
