/** Reads a file of a run, chunk by chunk, for at most the length of a step, then hands it over to the next step. */
import { chunksOf } from '../../platform/chunks';
import { extendableDeadlineIn } from '../../platform/deadline';
import { isSameVersion, versionTime } from '../../documents/document-store';
import { PreviewStore } from '../../documents/preview-store';
import { runPath, takenFilePath } from '../../documents/paths';
import { CANCELLATION_POLL_MS, FILE_SLICE_ROWS, OVERTAKEN_POLL_MS, OVERTAKEN_WATCH_MS } from '../../limits/transfers';
import { REQUEST_DEADLINE_MS } from '../../domain/limits';
import { readContent } from '../../files/packing/content';
import { DamagedFile } from '../../files/damaged-file';
import { readRows } from '../../files/read-rows';
import type { RowChunk } from '../../files/row';
import { prefetch } from '../../platform/async/prefetch';
import { newRevision } from '../../workspace/record-documents';
import { ObjectGone, Refusal, RequestRefused } from '../object-storage';
import { bucketOwner } from '../runs/bucket-ownership';
import { isPreviewOver, previewExpiry } from '../runs/expiry';
import { settleEndedRun, sumCancelledRun } from '../runs/ended/settle-run';
import { findRun } from '../runs/view/find-runs';
import { failRun, findRunTenant, finishRunIfDone } from '../runs/finish-run';
import { loadReplayedRows } from '../runs/replay-documents';
import type { Run, RunFile } from '../runs/run';
import { fromRunDocument } from '../runs/run';
import type { FileStep, TransferDependencies } from '../runs/steps';
import { ImpossibleStep } from '../runs/steps';
import { finishesFiles, isTakenOver, takesFiles, toFinishedWrite } from '../runs/taken-files';
import type { SliceSource, TouchedRecords } from './check-slice';
import type { Progress, StepContext, StepOutcome } from './file-progress';
import { ExamplePicker } from './examples';
import { callDeadline, endFile, loadProgress, recordProgress, withStoredCounted } from './file-progress';
import { firstRows } from './first-rows';
import { handOverToReplacement } from './replaced-file';
import { ReplayedRows } from './replayed-rows';
import { isPrepared, NO_EXPECTATION, prepareSlices } from './slice';
import type { PreparedChunk } from './slice-writer';
import { MAX_UNRECORDED_SLICES, SliceWriter } from './slice-writer';

/**
 * Reads a file for at most the length of a step, then publishes the step again. A repeat does no harm.
 * @throws ImpossibleStep when there is no such run, or the run has no such file
 */
export async function readFile(step: FileStep, dependencies: TransferDependencies): Promise<void> {
  const { store, clock, random, publisher, transfersTopic, stepSeconds } = dependencies;
  const deadline = () => callDeadline(dependencies);
  const runDocument = await store.get(runPath(step.runId), deadline());
  if (!runDocument) throw new ImpossibleStep('The run of the step does not exist.');
  const run = fromRunDocument(runDocument);
  const worker = newRevision(random);
  if (run.status === 'cancelled') await countCancelled({ step, run, worker, dependencies });
  if (run.status !== 'running') return settleEndedRun(step.runId, run, step.fileId, dependencies);
  if (run.isPreview && isPreviewOver(run, clock)) {
    return failRun(step.runId, step.fileId, 'The preview takes more than 24 hours.', dependencies);
  }
  const tenant = await findRunTenant(step.runId, run, step.fileId, deadline(), dependencies);
  if (!tenant) return;
  const owner = await bucketOwner(run.bucketName, store, deadline());
  if (owner !== tenant.organizationId) {
    // Released since the run began: what another organization keeps in it now is not this tenant's (D-57).
    const error = `The bucket ${run.bucketName} is no longer registered.`;
    return failRun(step.runId, step.fileId, error, dependencies);
  }
  const ownDependencies = run.isPreview ? previewDependencies(step.runId, run, dependencies) : dependencies;
  const context: StepContext = { step, run, tenant, worker, dependencies: ownDependencies };
  const progress = await loadProgress(context);
  if (!progress) throw new ImpossibleStep('The run of the step has no such file.');
  const taken = takesFiles(run) ? await store.get(takenFilePath(run.tenantId, step.fileId), deadline()) : undefined;
  if (progress.file.status === 'pending') {
    const outcome =
      taken && isTakenOver(taken, step.runId)
        ? await endFile(context, progress, 'failed', 'Another run has taken it over, because this one took too long.')
        : await readOn(context, progress, clock.nowMs() + stepSeconds * 1000);
    if (outcome === 'handed over') return publisher.publish(transfersTopic, step);
    if (outcome === 'cancelled') return sumCancelledRun(step.runId, step.fileId, dependencies);
    if (outcome === 'overtaken') await requireOtherWorker(context);
  }
  await finishRunIfDone(step.runId, step.fileId, dependencies);
}

/**
 * Counts what a worker that died had stored of a file whose run was cancelled then, and sums the run again if the file
 * has changed since the cancellation. Repeating it is safe.
 */
async function countCancelled(context: Omit<StepContext, 'tenant'>): Promise<void> {
  const { run, step, dependencies } = context;
  const progress = await loadProgress(context);
  if (!progress || !run.finishedAt) return;
  const counted = progress.file.status === 'pending' ? withStoredCounted(progress) : progress;
  const hasChanged = !counted.isRecorded || versionTime(progress.version) > run.finishedAt;
  if (!hasChanged) return;
  await recordProgress(context, counted);
  await sumCancelledRun(step.runId, step.fileId, dependencies);
}

/** Whatever a preview writes of its tenant's documents, is written below the run. */
function previewDependencies(runId: string, run: Run, dependencies: TransferDependencies): TransferDependencies {
  const previewed = { runId, tenantId: run.tenantId, expireAt: previewExpiry(run) };
  return { ...dependencies, store: new PreviewStore(dependencies.store, previewed, dependencies.clock) };
}

/**
 * Watches a file that another worker has gone on with, until that worker makes progress or the file has ended. The last
 * write of a dead worker may arrive only after this one began. Then nobody goes on, and the file would never end.
 * @throws Error when nothing moves, so that the step is delivered again
 */
async function requireOtherWorker(context: StepContext): Promise<void> {
  const { clock } = context.dependencies;
  const endMs = clock.nowMs() + OVERTAKEN_WATCH_MS;
  const first = await loadProgress(context);
  for (let latest = first; first && latest?.file.status === 'pending'; latest = await loadProgress(context)) {
    if (!isSameVersion(latest.version, first.version)) return;
    if (clock.nowMs() >= endMs) throw new Error('Another worker went on with a file, and stands still.');
    await clock.sleep(OVERTAKEN_POLL_MS);
  }
}

/** Reads a file from its checkpoint to its end or, when the time is up, to the end of a chunk. */
async function readOn(context: StepContext, start: Progress, endMs: number): Promise<StepOutcome> {
  const { clock } = context.dependencies;
  const chunks = chunksToRead(context, start.file);
  const replayed = await replayedRowsOf(context, start.file);
  const ignoredFields = new Set(start.file.ignoredFields);
  const examples = context.run.isPreview ? new ExamplePicker(context.step, context.run, start.file) : undefined;
  const source: SliceSource = { ...context, file: start.file, replayed, ignoredFields };
  const writer = new SliceWriter({ ...context, source, examples }, start);
  const cancellation = new CancellationWatch(context);
  let expected = NO_EXPECTATION;
  let before: readonly TouchedRecords[] = [];
  const prepare = async (chunk: RowChunk): Promise<PreparedChunk> => {
    const deadline = extendableDeadlineIn(REQUEST_DEADLINE_MS, clock);
    const parts = chunksOf(chunk.rows, FILE_SLICE_ROWS);
    const slices = await prepareSlices(parts, source, expected, before, deadline, context.dependencies);
    const touched = slices.map(({ paths, deletesCustomers }) => ({ paths, deletesCustomers }));
    before = [...before, ...touched].slice(-MAX_UNRECORDED_SLICES);
    const [first] = slices;
    // Until the first chunk is stored, its first slice tells what to expect.
    if (expected === NO_EXPECTATION && first && isPrepared(first)) expected = first.nextExpectation;
    return { chunk, slices, deadline };
  };
  try {
    for await (const prepared of prefetch(chunks, prepare)) {
      if (!(await writer.store(prepared))) return 'overtaken';
      expected = writer.nextExpectation;
      const isCancelled = await cancellation.isNoticed();
      if (!isCancelled && clock.nowMs() < endMs) continue;
      if (!(await writer.finish())) return 'overtaken';
      const { progress } = writer;
      const isRecorded = await recordProgress(context, isCancelled ? withStoredCounted(progress) : progress);
      if (!isRecorded) return 'overtaken';
      return isCancelled ? 'cancelled' : 'handed over';
    }
    if (!(await writer.finish())) return 'overtaken';
  } catch (error) {
    return (await writer.finish()) ? await endAfterError(context, writer.progress, error) : 'overtaken';
  } finally {
    await writer.abandon();
  }
  return endReadFile(context, writer.progress, replayed);
}

/** The rows of a file from its checkpoint on: all, or up to as many as a preview reads. */
function chunksToRead(context: StepContext, file: RunFile): AsyncIterable<RowChunk> {
  const { kind, format, checkpoint, rows, done } = file;
  const chunks = readRows(contentOf(context, file), { kind, format, from: checkpoint });
  const { sampleRowsPerFile } = context.run;
  return sampleRowsPerFile === undefined ? chunks : firstRows(chunks, sampleRowsPerFile - (rows.read - done));
}

/** Looks from time to time whether somebody has cancelled the run of a step. */
class CancellationWatch {
  private nextLookMs: number;

  constructor(private readonly context: StepContext) {
    this.nextLookMs = context.dependencies.clock.nowMs() + CANCELLATION_POLL_MS;
  }

  async isNoticed(): Promise<boolean> {
    const { step, dependencies } = this.context;
    if (dependencies.clock.nowMs() < this.nextLookMs) return false;
    const run = await findRun(step.runId, dependencies.store, callDeadline(dependencies));
    this.nextLookMs = dependencies.clock.nowMs() + CANCELLATION_POLL_MS;
    return run?.status === 'cancelled';
  }
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
  await failRun(step.runId, step.fileId, error.message, dependencies);
  return 'ended';
}
