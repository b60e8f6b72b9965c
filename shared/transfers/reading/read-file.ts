/**
 * Reads a file of a run: chunk by chunk (`slice-writer.ts`), for at most the length of a unit of work, then hands it
 * over to the next one.
 */
import { chunksOf } from '../../platform/chunks';
import { extendableDeadlineIn } from '../../platform/deadline';
import type { DocumentWrite } from '../../documents/document-store';
import { isSameVersion } from '../../documents/document-store';
import { runFilePath, runPath, takenFilePath } from '../../documents/paths';
import { FILE_SLICE_ROWS, OVERTAKEN_LOOK_MS, OVERTAKEN_WATCH_MS } from '../../limits/transfers';
import { REQUEST_DEADLINE_MS } from '../../domain/limits';
import { DamagedFile } from '../../files/damaged-file';
import { inflate, skipBytes } from '../../files/inflate';
import { readRows } from '../../files/read-rows';
import type { RowChunk } from '../../files/row';
import { prefetch } from '../../platform/async/prefetch';
import { newRevision } from '../../workspace/record-documents';
import { bucketOwner } from '../runs/bucket-ownership';
import type { Progress, StepContext } from './file-progress';
import { loadProgress, toProgressWrite, callDeadline } from './file-progress';
import { failRun, findRunTenant, finishRunIfDone } from '../runs/finish-run';
import { ObjectGone, Refusal, RequestRefused } from '../object-storage';
import { toRunFile } from '../runs/plan-page';
import { ReplayedRows } from './replayed-rows';
import { loadReplayedRows, toLinesWrite } from '../runs/replay-documents';
import type { FileStatus, RunFile } from '../runs/run';
import { fileIdOf, fromRunDocument, toFileDocument } from '../runs/run';
import type { SliceSource, TouchedRecords } from './slice';
import { isPrepared, NO_EXPECTATION, prepareSlices } from './slice';
import type { PreparedChunk } from './slice-writer';
import { MAX_UNRECORDED_SLICES, SliceWriter } from './slice-writer';
import type { FileStep, TransferDependencies } from '../runs/steps';
import { ImpossibleStep } from '../runs/steps';
import { isTakenOver, takeFiles, takesFiles, toFinishedWrite } from '../runs/taken-files';

/**
 * Works on a file for at most the length of a unit, then hands it over to the next one. A repeat does no harm.
 * @throws ImpossibleStep when there is no such run, or the run has no such file
 */
export async function readFile(step: FileStep, dependencies: TransferDependencies): Promise<void> {
  const { store, clock, random, publisher, transfersTopic, stepSeconds } = dependencies;
  const deadline = () => callDeadline(dependencies);
  const runDocument = await store.get(runPath(step.runId), deadline());
  if (!runDocument) throw new ImpossibleStep('The run of the step does not exist.');
  const run = fromRunDocument(runDocument);
  if (run.status !== 'running') return;
  const tenant = await findRunTenant(step.runId, run, deadline(), dependencies);
  if (!tenant) return;
  const owner = await bucketOwner(run.bucketName, store, deadline());
  if (owner !== tenant.organizationId) {
    // Released since the run began: what another organization keeps in it now is not this tenant's (D-57).
    return failRun(step.runId, `The bucket ${run.bucketName} is no longer registered.`, dependencies);
  }
  const worker = newRevision(random);
  const unit: StepContext = {
    step,
    run,
    tenant,
    worker,
    dependencies,
  };
  const progress = await loadProgress(unit);
  if (!progress) throw new ImpossibleStep('The run of the step has no such file.');
  const taken = takesFiles(run) ? await store.get(takenFilePath(run.tenantId, step.fileId), deadline()) : undefined;
  if (progress.file.status === 'pending') {
    const outcome =
      taken && isTakenOver(taken, step.runId)
        ? await endFile(unit, progress, 'failed', 'Another run has taken it over, because this one took too long.')
        : await work(unit, progress, clock.nowMs() + stepSeconds * 1000);
    if (outcome === 'handed over') return publisher.publish(transfersTopic, step);
    if (outcome === 'overtaken') await requireOtherWorker(unit);
  }
  await finishRunIfDone(step.runId, step.fileId, dependencies);
}

/** What a unit comes to: the end of the file or the run, a message for the next unit, or another worker's work. */
type Outcome = 'ended' | 'handed over' | 'overtaken';

/**
 * Watches a file on which another worker went on, until that is seen at work or the file has ended. A write of a worker
 * that died may arrive as late as this one began: then nobody goes on, and the file would never end.
 * @throws Error when nothing moves, so that the step comes again
 */
async function requireOtherWorker(unit: StepContext): Promise<void> {
  const { clock } = unit.dependencies;
  const endMs = clock.nowMs() + OVERTAKEN_WATCH_MS;
  const met = await loadProgress(unit);
  for (let now = met; met && now?.file.status === 'pending'; now = await loadProgress(unit)) {
    if (!isSameVersion(now.version, met.version)) return;
    if (clock.nowMs() >= endMs) throw new Error('Another worker went on with a file, and stands still.');
    await clock.sleep(OVERTAKEN_LOOK_MS);
  }
}

async function work(unit: StepContext, start: Progress, endMs: number): Promise<Outcome> {
  const { clock } = unit.dependencies;
  const { kind, format, checkpoint } = start.file;
  const chunks = readRows(bytesOf(unit, start.file), { kind, format, from: checkpoint });
  const replayed = await replayedRowsOf(unit, start.file);
  const ignoredFields = new Set(start.file.ignoredFields);
  const source: SliceSource = { ...unit, file: start.file, replayed, ignoredFields };
  const writer = new SliceWriter({ ...unit, source }, start);
  let expected = NO_EXPECTATION;
  let before: readonly TouchedRecords[] = [];
  const prepare = async (chunk: RowChunk): Promise<PreparedChunk> => {
    const deadline = extendableDeadlineIn(REQUEST_DEADLINE_MS, clock);
    const parts = chunksOf(chunk.rows, FILE_SLICE_ROWS);
    const slices = await prepareSlices(parts, source, expected, before, deadline, unit.dependencies);
    before = [...before, ...slices.map(({ paths, deletesCustomers }) => ({ paths, deletesCustomers }))].slice(
      -MAX_UNRECORDED_SLICES,
    );
    const [first] = slices;
    if (expected === NO_EXPECTATION && first && isPrepared(first)) expected = first.nextExpectation; // until the first chunk is stored
    return { chunk, slices, deadline };
  };
  try {
    for await (const prepared of prefetch(chunks, prepare)) {
      if (!(await writer.store(prepared))) return 'overtaken';
      expected = writer.nextExpectation;
      if (clock.nowMs() < endMs) continue;
      return (await writer.finish()) && (await record(unit, writer.progress)) ? 'handed over' : 'overtaken';
    }
    if (!(await writer.finish())) return 'overtaken';
  } catch (error) {
    return (await writer.finish()) ? await endBadly(unit, writer.progress, error) : 'overtaken';
  } finally {
    await writer.abandon();
  }
  const { progress } = writer;
  const missing = (replayed?.size ?? 0) - (progress.file.linesMet ?? 0);
  if (missing > 0) {
    const error = `Number of lines to replay that are not in the file any more: ${missing}.`;
    return endFile(unit, progress, 'failed', error);
  }
  const now = new Date(clock.nowMs());
  const finished = toFinishedWrite(unit.run.tenantId, unit.step.fileId, unit.step.runId, now);
  // A replay has read some lines only; the file is not finished by it.
  return endFile(unit, progress, 'finished', null, unit.run.replayOf === undefined ? [finished] : []);
}

/** Which rows a replay takes; undefined: all. */
async function replayedRowsOf({ step, dependencies }: StepContext, file: RunFile): Promise<ReplayedRows | undefined> {
  if (!file.replaysLines) return undefined;
  const deadline = () => callDeadline(dependencies);
  const { lines, records } = await loadReplayedRows(step, dependencies.store, deadline);
  return new ReplayedRows(lines, records);
}

/** The write that has a replay read the same lines of the file that takes another one's place. */
async function linesFor({ step, dependencies }: StepContext, fileId: string, file: RunFile): Promise<DocumentWrite[]> {
  if (!file.replaysLines) return [];
  const deadline = () => callDeadline(dependencies);
  const { lines } = await loadReplayedRows(step, dependencies.store, deadline);
  return [toLinesWrite({ runId: step.runId, fileId }, file, lines)];
}

/** The file's content from its progress on. Only a plain file can be read from the middle. */
function bytesOf({ run, dependencies }: StepContext, file: RunFile): AsyncIterable<Buffer> {
  const { offset } = file.checkpoint;
  const { name, generation } = { name: file.object, generation: file.generation };
  if (!file.gzip) return dependencies.storage.read(run.bucketName, { name, generation }, offset);
  return skipBytes(inflate(dependencies.storage.read(run.bucketName, { name, generation }, 0)), offset);
}

/** Ends a file that cannot be read on, or its run; anything that may pass is thrown, so that the step comes again. */
async function endBadly(unit: StepContext, progress: Progress, error: unknown): Promise<Outcome> {
  if (error instanceof DamagedFile) return endFile(unit, progress, 'failed', error.reason);
  if (!(error instanceof ObjectGone)) return endUnreadable(unit, progress, error);
  try {
    return await replace(unit, progress);
  } catch (second) {
    return endUnreadable(unit, progress, second);
  }
}

/** Without access there is nothing to read in any file: the run has failed, and its other steps find it so (D-56). */
async function endUnreadable(unit: StepContext, progress: Progress, error: unknown): Promise<Outcome> {
  const { step, dependencies } = unit;
  if (error instanceof RequestRefused) return endFile(unit, progress, 'failed', error.message);
  if (!(error instanceof Refusal)) throw error;
  if (!(await record(unit, progress))) return 'overtaken';
  await failRun(step.runId, error.message, dependencies);
  return 'ended';
}

/** The generation is gone: its unit ends, and the one that took its place is read (D-53). */
async function replace(unit: StepContext, progress: Progress): Promise<Outcome> {
  const { step, dependencies } = unit;
  const { replacedBy } = progress.file;
  const next = replacedBy === undefined ? await findReplacement(unit, progress) : { fileId: replacedBy, progress };
  if (typeof next === 'string') return next;
  const nextStep: FileStep = { ...step, fileId: next.fileId };
  await dependencies.publisher.publish(dependencies.transfersTopic, nextStep);
  return endFile(unit, next.progress, 'replaced', null);
}

interface Replacement {
  readonly fileId: string;
  /** Of the file whose place it takes. */
  readonly progress: Progress;
}

/** Stores what took a file's place; where there is nothing that this run reads, it ends the file. */
async function findReplacement(unit: StepContext, progress: Progress): Promise<Replacement | Outcome> {
  const { run, step, dependencies } = unit;
  const { object, generation, replaysLines } = progress.file;
  const current = await dependencies.storage.find(run.bucketName, object);
  const file = current && toRunFile(current, run);
  if (!file || file.generation === generation)
    return endFile(unit, progress, 'failed', 'The object was removed while it was read.');
  const fileId = fileIdOf(run.bucketName, object, file.generation);
  if (takesFiles(run)) {
    const holder = { runId: step.runId, tenantId: run.tenantId };
    const taken = await takeFiles([fileId], holder, callDeadline(dependencies), dependencies);
    if (!taken.has(fileId)) return endFile(unit, progress, 'replaced', null); // another run reads it
  }
  return noteReplacement(unit, progress, fileId, { ...file, ...(replaysLines && { replaysLines }) });
}

/**
 * Stores the file that takes another one's place, and notes it there in the same commit: a repeat hands out the same
 * file, though the object may have been replaced again.
 */
async function noteReplacement(
  unit: StepContext,
  progress: Progress,
  fileId: string,
  replacement: RunFile,
): Promise<Replacement | 'overtaken'> {
  const { step, dependencies } = unit;
  const file = { ...progress.file, replacedBy: fileId };
  const writes: DocumentWrite[] = [
    ...(await linesFor(unit, fileId, replacement)),
    { set: runFilePath(step.runId, fileId), data: toFileDocument(replacement), when: 'absent' },
    toProgressWrite(unit, file, progress.version),
  ];
  const outcome = await dependencies.store.commit(writes, callDeadline(dependencies));
  if (outcome !== 'conflict') return { fileId, progress: { ...progress, file, version: outcome } };
  const after = await loadProgress(unit);
  if (after?.file.replacedBy === fileId) return { fileId, progress: after }; // an answer was lost
  const isKnown = after && isSameVersion(after.version, progress.version); // by the run's planning
  return isKnown ? { fileId, progress } : 'overtaken';
}

async function endFile(
  unit: StepContext,
  { file, version }: Progress,
  status: FileStatus,
  error: string | null,
  beside: readonly DocumentWrite[] = [],
): Promise<Outcome> {
  const { dependencies } = unit;
  const last = toProgressWrite(unit, { ...file, status, error }, version);
  const outcome = await dependencies.store.commit([...beside, last], callDeadline(dependencies));
  return outcome === 'conflict' ? 'overtaken' : 'ended';
}

/** Records progress that is not yet; false when another worker has gone on. */
async function record(unit: StepContext, { file, version, isRecorded }: Progress): Promise<boolean> {
  if (isRecorded) return true;
  const { dependencies } = unit;
  const outcome = await dependencies.store.commit([toProgressWrite(unit, file, version)], callDeadline(dependencies));
  if (outcome !== 'conflict') return true;
  return (await loadProgress(unit))?.worker === unit.worker; // an answer was lost, and the repeat met our own progress
}
