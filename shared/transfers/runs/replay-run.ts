/** A replay: a run that reads only the rows that were bad in an earlier run, from the files as they are now. */
import type { Deadline } from '../../platform/deadline';
import { deadlineIn } from '../../platform/deadline';
import { runFilePath, runPath } from '../../documents/paths';
import { MAX_REPLAY_LINES, REPLAY_READS_AT_ONCE } from '../../limits/transfers';
import { REQUEST_DEADLINE_MS } from '../../domain/limits';
import { inParallel } from '../../platform/async/in-parallel';
import type { Trace } from '../../platform/trace';
import { newTrace, toTraceparent } from '../../platform/trace';
import { runExpiry } from './expiry';
import { settleEndedRun } from './ended/settle-run';
import { failRun, findRunTenant, finishRunIfDone, recordPlanned } from './finish-run';
import type { ObjectStorage, StoredObject } from '../object-storage';
import { ObjectGone, Refusal } from '../object-storage';
import { toRunFile } from './plan-page';
import { toLinesWrite } from './replay-documents';
import { readBadLines } from './report';
import type { RequestDependencies } from './request-run';
import { publishRun } from './request-run';
import { firstStep, handOutPending, inTraceOfRun } from './resume-run';
import type { Run } from './run';
import { fileIdOf, fromFileDocument, fromRunDocument, toFileDocument, toRunDocument } from './run';
import type { ReplayStep, TransferDependencies } from './steps';
import { ImpossibleStep, PLANNING_STEP } from './steps';
import { publishFilled } from './units/lanes';
import { toUnitId } from './units/unit';

/** Starts the replay of a run that has ended, in the trace of that run. @returns the id of the new run */
export function requestReplay(
  { runId, run }: { readonly runId: string; readonly run: Run },
  deadline: Deadline,
  dependencies: RequestDependencies,
): Promise<string> {
  const toFirst = (replayId: string, now: Date, trace: Trace) => ({
    event: firstStep(replayId, { replayOf: runId }),
    data: toReplayDocument(run, runId, now, trace),
  });
  return publishRun('-replay', toFirst, deadline, inTraceOfRun(run, dependencies));
}

/**
 * Stores a replay and some of its files in each step. The last step hands out the files. An object that is gone is left
 * out. Repeating a step is safe.
 * @throws ImpossibleStep when there is no run to replay, or the step's run is no replay of it
 */
export async function planReplay(step: ReplayStep, dependencies: TransferDependencies): Promise<void> {
  const { store, clock, random, publisher, transfersTopic, trace = newTrace(random) } = dependencies;
  const { runId, replayOf } = step;
  const deadline = () => deadlineIn(REQUEST_DEADLINE_MS, clock);
  const earlier = await store.get(runPath(replayOf), deadline());
  if (!earlier) throw new ImpossibleStep('The run to replay does not exist.');
  if (!(await findRunTenant(runId, fromRunDocument(earlier), PLANNING_STEP, deadline(), dependencies))) return;
  const data = toReplayDocument(fromRunDocument(earlier), replayOf, new Date(clock.nowMs()), trace);
  await store.commit([{ set: runPath(runId), data, when: 'absent' }], deadline());
  const document = await store.get(runPath(runId), deadline());
  const run = document && fromRunDocument(document);
  if (run && run.replayOf !== replayOf) throw new ImpossibleStep('The run of the step is no replay of this run.');
  if (!run) return;
  if (run.status !== 'running') {
    await publishFilled(run.tenantId, runId, dependencies);
    return settleEndedRun(runId, run, PLANNING_STEP, dependencies);
  }
  if (!run.isPlanned) {
    let next: ReplayStep | undefined;
    try {
      next = await storeReportedFiles(step, run, deadline, dependencies);
    } catch (error) {
      const reason = toLastingReason(error, replayOf);
      if (reason === undefined) throw error;
      return failRun(runId, PLANNING_STEP, reason, dependencies);
    }
    if (next) return publisher.publish(transfersTopic, next);
    await recordPlanned(runId, dependencies);
  }
  const published = await handOutPending(runId, run, deadline, dependencies);
  if (published === 0) await finishRunIfDone(runId, PLANNING_STEP, dependencies);
}

/** Why a replay fails for good; undefined: the error may pass. */
function toLastingReason(error: unknown, replayOf: string): string | undefined {
  if (error instanceof ObjectGone) return `The report of the run ${replayOf} is no longer kept.`;
  return error instanceof UnreadableBucket ? error.message : undefined;
}

/** The tenant's bucket cannot be read (D-56), unlike a `Refusal`, which may be about the bucket of the reports. */
class UnreadableBucket extends Error {
  override readonly name = 'UnreadableBucket';
}

async function findObject(storage: ObjectStorage, bucket: string, name: string): Promise<StoredObject | undefined> {
  try {
    return await storage.find(bucket, name);
  } catch (error) {
    throw error instanceof Refusal ? new UnreadableBucket(error.message) : error;
  }
}

/** The document of a replay before its files are known. */
function toReplayDocument(run: Run, replayOf: string, now: Date, trace: Trace) {
  const { tenantId, jobId, bucketName, folderPaths, takesAll } = run;
  const replay: Run = {
    tenantId,
    jobId,
    bucketName,
    folderPaths,
    takesAll,
    replayOf,
    traceparent: toTraceparent(trace),
    status: 'running',
    startedAt: now,
    finishedAt: null,
    isPlanned: false,
    error: null,
    expireAt: runExpiry(now),
  };
  return toRunDocument(replay);
}

/** Stores the files of the step's reports. @returns the next step; undefined: this was the last one */
async function storeReportedFiles(
  step: ReplayStep,
  run: Run,
  deadline: () => Deadline,
  dependencies: TransferDependencies,
): Promise<ReplayStep | undefined> {
  const { runId, replayOf, after, files = 0 } = step;
  const { bucketName } = run;
  const { store, storage } = dependencies;
  const { linesOf, next } = await readBadLines(replayOf, after, deadline, dependencies);
  await inParallel([...linesOf].entries(), REPLAY_READS_AT_ONCE, async ([index, [earlierId, lines]]) => {
    const document = await store.get(runFilePath(replayOf, earlierId), deadline());
    const earlier = document && fromFileDocument(document);
    // The generation that has replaced the file was read as a whole, and has a report of its own.
    if (!earlier || earlier.status === 'replaced') return;
    const current = await findObject(storage, bucketName, earlier.object);
    const file = current && toRunFile(current, run);
    if (!file) return;
    const fileId = fileIdOf(bucketName, file.object, file.generation);
    const areLinesKnown = lines.length <= MAX_REPLAY_LINES && earlier.unreported === undefined; // else it reads all
    const unitId = toUnitId(runId, [fileId], files + index); // alone: how much of it is read is not known
    const data = toFileDocument({ ...file, unitId, ...(areLinesKnown && { replaysLines: true }) });
    const linesWrites = areLinesKnown ? [toLinesWrite({ runId, fileId }, file, lines)] : [];
    await store.commit([...linesWrites, { set: runFilePath(runId, fileId), data, when: 'absent' }], deadline());
  });
  return next === null ? undefined : { ...step, after: next, files: files + linesOf.size };
}
