/** Reads a file of a run, chunk by chunk, as far as a step goes. */
import { chunksOf } from '../../platform/chunks';
import { extendableDeadlineIn } from '../../platform/deadline';
import { isSameVersion } from '../../documents/document-store';
import { takenFilePath } from '../../documents/paths';
import { FILE_SLICE_ROWS, OVERTAKEN_POLL_MS, OVERTAKEN_WATCH_MS, STEP_TO_RESUMPTION } from '../../limits/transfers';
import { REQUEST_DEADLINE_MS } from '../../domain/limits';
import { readContent } from '../../files/packing/content';
import { DamagedFile } from '../../files/damaged-file';
import { readRows } from '../../files/read-rows';
import type { RowChunk } from '../../files/row';
import type { Clock } from '../../platform/clock';
import { prefetch } from '../../platform/async/prefetch';
import { ObjectGone, Refusal, RequestRefused } from '../object-storage';
import { failRun } from '../runs/finish-run';
import { loadReplayedRows } from '../runs/replay-documents';
import type { RunFile } from '../runs/run';
import { ImpossibleStep } from '../runs/steps';
import { finishesFiles, isTakenOver, takesFiles, toFinishedWrite } from '../runs/taken-files';
import type { SliceSource, TouchedRecords } from './check-slice';
import type { Progress, StepContext, StepOutcome } from './file-progress';
import { ExamplePicker } from './examples';
import { areSameLeases, callDeadline, loadProgress, withStoredCounted } from './file-progress';
import { endFile, recordProgress } from './record-progress';
import { firstRows } from './first-rows';
import { handOverToReplacement } from './replaced-file';
import { ReplayedRows } from './replayed-rows';
import { isPrepared, NO_EXPECTATION, prepareSlices } from './slice';
import type { PreparedChunk } from './slice-writer';
import { SliceWriter, SLICES_SINCE_READ } from './slice-writer';

/** How far a step goes on. */
export interface StepLimits {
  /** From then on it makes room for other steps. */
  readonly turnEndMs: number;
  /** Then it ends in any case. */
  readonly endMs: number;
  /** Whether the run was stopped (`isStopped` of a run). */
  isStopped(): Promise<boolean>;
}

/**
 * Reads a file of a run to its end, or as far as the step goes, and then the one that has replaced it. Repeating it is
 * safe.
 * @throws ImpossibleStep when the run has no such file
 */
export async function readFile(context: StepContext, limits: StepLimits): Promise<StepOutcome> {
  const { step, run, dependencies } = context;
  const progress = await loadProgress(context);
  if (!progress) throw new ImpossibleStep('The run of the step has no such file.');
  const { status, replacedBy } = progress.file;
  if (status === 'replaced' && replacedBy !== undefined) {
    return readFile({ ...context, step: { ...step, fileId: replacedBy } }, limits);
  }
  if (status !== 'pending') return 'ended';
  const takenPath = takenFilePath(run.tenantId, step.fileId);
  const taken = takesFiles(run) ? await dependencies.store.get(takenPath, callDeadline(dependencies)) : undefined;
  const outcome =
    taken && isTakenOver(taken, step.runId)
      ? await endFile(context, progress, 'failed', 'Another run has taken it over, because this one took too long.')
      : await readOn(context, progress, limits);
  if (outcome === 'replaced') return readFile(context, limits);
  return outcome === 'overtaken' ? watchOther(context, limits) : outcome;
}

/**
 * Watches a file that another worker has gone on with, until that worker makes progress or the file has ended. The last
 * write of a dead worker may arrive only after this one began. Then nobody goes on, and the file would never end.
 * @returns 'overtaken', or what is left to do where no other worker is at work: what looked like one may have been an
 * answer of our own that was lost
 * @throws Error when nothing moves, so that the step is delivered again
 */
async function watchOther(context: StepContext, limits: StepLimits): Promise<StepOutcome> {
  const { clock } = context.dependencies;
  const endMs = clock.nowMs() + OVERTAKEN_WATCH_MS;
  const first = await loadProgress(context);
  let latest = first;
  while (first && latest?.file.status === 'pending') {
    if (hasMoved(first, latest)) return 'overtaken';
    if (clock.nowMs() >= endMs) throw new Error('Another worker went on with a file, and stands still.');
    await clock.sleep(OVERTAKEN_POLL_MS);
    latest = await loadProgress(context);
  }
  return latest ? readFile(context, limits) : 'ended'; // it is gone with its tenant
}

/** Whether anybody has recorded progress in between. */
function hasMoved(before: Progress, after: Progress): boolean {
  return !isSameVersion(before.version, after.version) || !areSameLeases(before.leases, after.leases);
}

/** Reads a file from its checkpoint to its end or, when the time is up, to the end of a chunk. */
async function readOn(context: StepContext, start: Progress, limits: StepLimits): Promise<StepOutcome> {
  const { clock } = context.dependencies;
  const turn = new Turn(limits, clock);
  const chunks = chunksToRead(context, start.file);
  const replayed = await replayedRowsOf(context, start.file);
  const ignoredFields = new Set(start.file.ignoredFields);
  const examples = context.run.isPreview ? new ExamplePicker(context.step, context.run, start.file) : undefined;
  const source: SliceSource = { ...context, file: start.file, replayed, ignoredFields };
  const writer = new SliceWriter({ ...context, source, examples }, start);
  let expected = NO_EXPECTATION;
  let before: readonly TouchedRecords[] = [];
  const prepare = async (chunk: RowChunk): Promise<PreparedChunk> => {
    const deadline = extendableDeadlineIn(REQUEST_DEADLINE_MS, clock);
    const parts = chunksOf(chunk.rows, FILE_SLICE_ROWS);
    const slices = await prepareSlices(parts, source, expected, before, deadline, context.dependencies);
    const touched = slices.map(({ paths, deletesCustomers }) => ({ paths, deletesCustomers }));
    before = [...before, ...touched].slice(-SLICES_SINCE_READ);
    const [first] = slices;
    // Until the first chunk is stored, its first slice tells what to expect.
    if (expected === NO_EXPECTATION && first && isPrepared(first)) expected = first.nextExpectation;
    return { chunk, slices, deadline };
  };
  try {
    for await (const prepared of prefetch(chunks, prepare)) {
      turn.begin();
      if (!(await writer.store(prepared))) return 'overtaken';
      expected = writer.nextExpectation;
      const isStopped = await limits.isStopped();
      if (!isStopped && !turn.isOver()) continue;
      if (!(await writer.finish())) return 'overtaken';
      const { progress } = writer;
      const isRecorded = await recordProgress(context, isStopped ? withStoredCounted(progress) : progress);
      if (!isRecorded) return 'overtaken';
      return isStopped ? 'stopped' : 'handed over';
    }
    if (!(await writer.finish())) return 'overtaken';
  } catch (error) {
    return (await writer.finish()) ? await endAfterError(context, writer.progress, error) : 'overtaken';
  } finally {
    await writer.abandon();
  }
  return endReadFile(context, writer.progress, replayed);
}

/** The time that a step has for a file: not less than it is worth to have come to the checkpoint. */
class Turn {
  private readonly beganMs: number;
  private resumedMs: number | undefined;

  constructor(
    private readonly limits: StepLimits,
    private readonly clock: Pick<Clock, 'nowMs'>,
  ) {
    this.beganMs = clock.nowMs();
  }

  /** The first rows are there. */
  begin(): void {
    this.resumedMs ??= this.clock.nowMs() - this.beganMs;
  }

  isOver(): boolean {
    const worthwhileMs = this.beganMs + STEP_TO_RESUMPTION * (this.resumedMs ?? 0);
    return this.clock.nowMs() >= Math.min(this.limits.endMs, Math.max(this.limits.turnEndMs, worthwhileMs));
  }
}

/** The rows of a file from its checkpoint on: all, or up to as many as a preview reads. */
function chunksToRead(context: StepContext, file: RunFile): AsyncIterable<RowChunk> {
  const { kind, format, checkpoint, rows, done } = file;
  const chunks = readRows(contentOf(context, file), { kind, format, from: checkpoint });
  const { sampleRowsPerFile } = context.run;
  return sampleRowsPerFile === undefined ? chunks : firstRows(chunks, sampleRowsPerFile - (rows.read - done));
}

/** Ends a file whose last row is stored. */
async function endReadFile(
  context: StepContext,
  progress: Progress,
  replayed: ReplayedRows | undefined,
): Promise<StepOutcome> {
  const { run, step, dependencies } = context;
  const missing = (replayed?.size ?? 0) - (progress.file.linesMet ?? 0);
  if (missing > 0) {
    const error = `Number of lines to replay that are not in the file any more: ${missing}.`;
    return endFile(context, progress, 'failed', error);
  }
  const now = new Date(dependencies.clock.nowMs());
  const finished = toFinishedWrite(run.tenantId, step.fileId, step.runId, now);
  return endFile(context, progress, 'finished', null, finishesFiles(run) ? [finished] : []);
}

/** The rows that a replay takes; undefined: all. */
async function replayedRowsOf({ step, dependencies }: StepContext, file: RunFile): Promise<ReplayedRows | undefined> {
  if (!file.replaysLines) return undefined;
  const deadline = () => callDeadline(dependencies);
  const { lines, records } = await loadReplayedRows(step, dependencies.store, deadline);
  return new ReplayedRows(lines, records);
}

/** The file's content from its checkpoint on, or the file. */
function contentOf({ run, dependencies }: StepContext, file: RunFile): ReturnType<typeof readContent> {
  const object = { name: file.object, generation: file.generation };
  const read = (offset: number) => dependencies.storage.read(run.bucketName, object, offset);
  return readContent({ size: file.size, read }, file, file.checkpoint.offset);
}

/** Ends a file that cannot be read on, or its run. @throws any error that may pass, so that the step is repeated */
async function endAfterError(context: StepContext, progress: Progress, error: unknown): Promise<StepOutcome> {
  if (error instanceof DamagedFile) return endFile(context, progress, 'failed', error.reason);
  if (!(error instanceof ObjectGone)) return endAfterRefusal(context, progress, error);
  try {
    return await handOverToReplacement(context, progress);
  } catch (replacementError) {
    return endAfterRefusal(context, progress, replacementError);
  }
}

/** Without access no file of the bucket can be read: the run fails, and its other steps find it ended (D-56). */
async function endAfterRefusal(context: StepContext, progress: Progress, error: unknown): Promise<StepOutcome> {
  const { step, dependencies } = context;
  if (error instanceof RequestRefused) return endFile(context, progress, 'failed', error.message);
  if (!(error instanceof Refusal)) throw error;
  if (!(await recordProgress(context, withStoredCounted(progress)))) return 'overtaken';
  await failRun(step.runId, step.unitId, error.message, dependencies);
  return 'failed';
}
