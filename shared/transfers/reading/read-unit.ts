/** Reads the files of a unit for at most the length of a step. */
import { findServedTenant } from '../../auth/served-tenant';
import { RedeliverLater } from '../../events/event-handler';
import { versionTime } from '../../documents/document-store';
import { runPath } from '../../documents/paths';
import { PreviewStore } from '../../documents/preview-store';
import { STOP_POLL_MS, STEP_TURN_SECONDS, UNIT_FILES_AT_ONCE } from '../../limits/transfers';
import { inParallel, waitForAll } from '../../platform/async/in-parallel';
import { newRevision } from '../../workspace/record-documents';
import { bucketOwner } from '../runs/bucket-ownership';
import { settleEndedRun, sumStoppedRun } from '../runs/ended/settle-run';
import { isPreviewOver, previewExpiry } from '../runs/expiry';
import { failRun, findRunTenant, finishRunIfDone } from '../runs/finish-run';
import type { Run } from '../runs/run';
import { fromRunDocument, isStopped } from '../runs/run';
import type { TransferDependencies, UnitStep } from '../runs/steps';
import { ImpossibleStep } from '../runs/steps';
import { leaveDoubled, passOn, putBack } from '../runs/units/lanes';
import { findRun } from '../runs/view/find-runs';
import type { StepContext, StepOutcome } from './file-progress';
import { callDeadline, loadProgress, withStoredCounted } from './file-progress';
import { recordProgress } from './record-progress';
import type { StepLimits } from './read-file';
import { readFile } from './read-file';

/**
 * Reads the files of a unit for at most the length of a step, then publishes the step again with those that are left.
 * After the last file its lane is passed on. A repeat does no harm.
 * @throws ImpossibleStep when there is no such run, or the run has no such file
 * @throws RedeliverLater when another worker has gone on with one of several files
 */
export async function readUnit(step: UnitStep, dependencies: TransferDependencies): Promise<void> {
  const { store, random, publisher, transfersTopic } = dependencies;
  const { runId, unitId } = step;
  const document = await store.get(runPath(runId), callDeadline(dependencies));
  if (!document) throw new ImpossibleStep('The run of the step does not exist.');
  const run = fromRunDocument(document);
  const worker = newRevision(random);
  const endUnit = async (doLast: Promise<void>) => {
    await waitForAll([doLast, passOn(run.tenantId, step.lane, unitId, dependencies)]);
  };
  if (isStopped(run)) await countStopped(step, run, worker, dependencies);
  if (run.status !== 'running') return endUnit(settleEndedRun(runId, run, unitId, dependencies));
  if (run.isPreview && isPreviewOver(run, dependencies.clock)) {
    return endUnit(failRun(runId, unitId, 'The preview takes more than 24 hours.', dependencies));
  }
  const tenant = await findRunTenant(runId, run, unitId, callDeadline(dependencies), dependencies);
  if (!tenant) {
    const isSuspended = await findServedTenant(run.tenantId, store, callDeadline(dependencies));
    return isSuspended && putBack(run.tenantId, step, dependencies);
  }
  const owner = await bucketOwner(run.bucketName, store, callDeadline(dependencies));
  if (owner !== tenant.organizationId) {
    // Released since the run began: what another organization keeps in it now is not this tenant's (D-57).
    const error = `The bucket ${run.bucketName} is no longer registered.`;
    return endUnit(failRun(runId, unitId, error, dependencies));
  }
  const ownDependencies = run.isPreview ? previewDependencies(runId, run, dependencies) : dependencies;
  const { outcome, left } = await readFiles(step, { run, tenant, worker, dependencies: ownDependencies });
  if (outcome === 'overtaken') {
    // Who has gone on passes the lane on, if it is in the same.
    if (step.fileIds.length === 1) return leaveDoubled(run.tenantId, step, dependencies);
    // Two workers may have overtaken each other, each with another file, so that neither goes on.
    throw new RedeliverLater('Another worker has gone on with a file of the unit.');
  }
  if (outcome === 'handed over') return publisher.publish(transfersTopic, { ...step, fileIds: left });
  if (outcome === 'stopped') return endUnit(sumStoppedRun(runId, unitId, dependencies));
  if (outcome === 'failed') return endUnit(countFailed(step, worker, dependencies));
  return endUnit(finishRunIfDone(runId, unitId, dependencies));
}

/** Reads files side by side, until one does not come to its end. @returns what that came to, and what is left */
async function readFiles(
  { runId, unitId, fileIds }: UnitStep,
  context: Omit<StepContext, 'step'>,
): Promise<{ readonly outcome: StepOutcome; readonly left: readonly string[] }> {
  const { clock, stepSeconds } = context.dependencies;
  const nowMs = clock.nowMs();
  const limits = {
    turnEndMs: nowMs + Math.min(stepSeconds, STEP_TURN_SECONDS) * 1000,
    endMs: nowMs + stepSeconds * 1000,
    isStopped: watchRun(runId, context),
  };
  const ended = new Set<string>();
  let outcome: StepOutcome = 'ended';
  const note = (of: StepOutcome) => {
    if (outcome !== 'overtaken') outcome = of; // whoever has gone on with one of them goes on with all
  };
  await inParallel(fileIds, UNIT_FILES_AT_ONCE, async (fileId) => {
    if (ended.size > 0 && outcome === 'ended') {
      if (await limits.isStopped()) note('stopped');
      else if (clock.nowMs() >= limits.turnEndMs) note('handed over');
    }
    if (outcome !== 'ended') return;
    const ofFile = await readFile({ ...context, step: { runId, unitId, fileId } }, limits);
    if (ofFile === 'ended') ended.add(fileId);
    else note(ofFile);
  });
  return { outcome, left: fileIds.filter((fileId) => !ended.has(fileId)) };
}

/** Looks from time to time whether the run of a step was stopped. */
function watchRun(runId: string, { dependencies }: Pick<StepContext, 'dependencies'>): StepLimits['isStopped'] {
  const { store, clock } = dependencies;
  let nextLookMs = clock.nowMs() + STOP_POLL_MS;
  return async () => {
    if (clock.nowMs() < nextLookMs) return false;
    const run = await findRun(runId, store, callDeadline(dependencies));
    nextLookMs = clock.nowMs() + STOP_POLL_MS;
    return run !== undefined && isStopped(run);
  };
}

/**
 * Counts what a worker that died had stored of files whose run was stopped then, and sums the run again if a file has
 * changed since. Repeating it is safe.
 */
async function countStopped(
  { runId, unitId, fileIds }: UnitStep,
  { finishedAt }: Run,
  worker: string,
  dependencies: TransferDependencies,
): Promise<void> {
  let hasChanged = false;
  for (const fileId of fileIds) {
    const context = { step: { runId, unitId, fileId }, worker, dependencies };
    const progress = await loadProgress(context);
    if (!progress || !finishedAt) continue;
    const counted = progress.file.status === 'pending' ? withStoredCounted(progress) : progress;
    hasChanged ||= !counted.isRecorded || versionTime(progress.version) > finishedAt;
    await recordProgress(context, counted);
  }
  if (hasChanged) await sumStoppedRun(runId, unitId, dependencies);
}

/** Sums a run again that this step has failed, or another one before it, if a file has changed since. */
async function countFailed(step: UnitStep, worker: string, dependencies: TransferDependencies): Promise<void> {
  const run = await findRun(step.runId, dependencies.store, callDeadline(dependencies));
  if (run && isStopped(run)) await countStopped(step, run, worker, dependencies);
}

/** Whatever a preview writes of its tenant's documents, is written below the run. */
function previewDependencies(runId: string, run: Run, dependencies: TransferDependencies): TransferDependencies {
  const previewed = { runId, tenantId: run.tenantId, expireAt: previewExpiry(run) };
  return { ...dependencies, store: new PreviewStore(dependencies.store, previewed, dependencies.clock) };
}
