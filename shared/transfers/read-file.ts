/**
 * Reads a file of a run: slice by slice, each slice's records and the file's progress in one commit, so that a crash at
 * any moment loses nothing and counts nothing twice (D-55). Two workers on one file do no harm: of two commits that go on
 * from the same progress one is refused.
 */
import type { Deadline } from '../deadline';
import { deadlineIn, extendableDeadlineIn } from '../deadline';
import type { DocumentWrite, Version } from '../documents/document-store';
import { runFilePath, runPath, takenFilePath, tenantPath } from '../documents/paths';
import { FILE_SLICE_BYTES, FILE_SLICE_ROWS, REQUEST_DEADLINE_MS } from '../domain/limits';
import type { Tenant } from '../domain/tenant';
import { fromTenantDocument } from '../auth/tenant-documents';
import { DamagedFile } from '../files/damaged-file';
import { inflate, skipBytes } from '../files/inflate';
import { readRows } from '../files/read-rows';
import { oneAhead } from '../one-ahead';
import type { RowChunk } from '../files/row';
import type { Expectation } from '../records/place-row';
import { newStamp } from '../records/record-documents';
import { settle } from '../records/settle';
import { bucketOwner } from './bucket-ownership';
import { failRun, finishRunIfDone } from './finish-run';
import { AccessDenied, BucketMissing, ObjectGone, RequestRefused } from './object-storage';
import { toFile } from './plan-page';
import { ReplayedRows } from './replayed-rows';
import { writeReport } from './report';
import type { FileStatus, Run, RunFile } from './run';
import { addRows, fileIdOf, fromFileDocument, fromRunDocument, toFileDocument } from './run';
import type { PlacedSlice, PreparedSlice, SliceSource } from './slice';
import { NO_EXPECTATION, placeSlice, prepareSlice } from './slice';
import type { FileStep, TransferDependencies } from './steps';
import { isTakenOver, takeFiles, takesFiles, toFinished } from './taken-files';

/** What a unit of work holds on to. */
interface Unit {
  readonly step: FileStep;
  readonly run: Run;
  readonly tenant: Tenant;
  /** Tells this unit's own commits from another worker's. */
  readonly worker: string;
  readonly dependencies: TransferDependencies;
  readonly deadline: () => Deadline;
}

/** The file as this unit last wrote or read it. */
interface Progress {
  readonly file: RunFile;
  readonly version: Version;
}

/** Works on a file for at most the length of a unit, then hands it over to the next one. */
export async function readFile(step: FileStep, dependencies: TransferDependencies): Promise<void> {
  const { store, clock, random, publisher, transfersTopic, unitSeconds } = dependencies;
  const deadline = () => deadlineIn(REQUEST_DEADLINE_MS, clock);
  const runDocument = await store.get(runPath(step.runId), deadline());
  const run = runDocument && fromRunDocument(runDocument);
  if (run?.status !== 'running') return;
  const tenant = await store.get(tenantPath(run.tenantId), deadline());
  if (!tenant) throw new Error('The tenant of a run does not exist.');
  const owner = await bucketOwner(run.bucketName, store, deadline());
  if (owner !== tenant.data.organizationId) {
    // Released since the run began: what another organization keeps in it now is not this tenant's (D-57).
    return failRun(step.runId, `The bucket ${run.bucketName} is no longer registered.`, dependencies);
  }
  const worker = newStamp(random);
  const unit: Unit = {
    step,
    run,
    tenant: fromTenantDocument(run.tenantId, tenant.data),
    worker,
    dependencies,
    deadline,
  };
  const progress = await loadProgress(unit);
  const taken = takesFiles(run) ? await store.get(takenFilePath(run.tenantId, step.fileId), deadline()) : undefined;
  if (progress?.file.status === 'pending' && taken && isTakenOver(taken, step.runId)) {
    await endFile(unit, progress, 'failed', 'Another run has taken it over, because this one took too long.');
  } else if (progress?.file.status === 'pending') {
    const outcome = await work(unit, progress, clock.nowMs() + unitSeconds * 1000);
    if (outcome === 'handed over') return publisher.publish(transfersTopic, step);
  }
  await finishRunIfDone(step.runId, dependencies);
}

type Outcome = 'ended' | 'handed over';

async function work(unit: Unit, start: Progress, endMs: number): Promise<Outcome> {
  let progress: Progress = start;
  const chunks = readRows(bytesOf(unit, start.file), {
    kind: start.file.kind,
    format: start.file.format,
    from: start.file.resume,
    maxRows: FILE_SLICE_ROWS,
    maxBytes: FILE_SLICE_BYTES,
  });
  let expected = NO_EXPECTATION;
  const replayed = start.file.onlyLines && new ReplayedRows(start.file);
  const ignoredFields = new Set(start.file.ignoredFields);
  const source: SliceSource = { ...unit, file: start.file, replayed, ignoredFields };
  let before: PreparedSlice | undefined;
  const prepare = async (chunk: RowChunk) => {
    const deadline = extendableDeadlineIn(REQUEST_DEADLINE_MS, unit.dependencies.clock);
    const slice = await prepareSlice(chunk.rows, source, expected, before, deadline, unit.dependencies);
    before = slice;
    return { chunk, deadline, slice };
  };
  try {
    let written: readonly string[] = []; // by the slice before, and so perhaps after this one was prepared
    for await (const { chunk, deadline, slice } of oneAhead(chunks, prepare)) {
      deadline.renew(); // it waited for its turn
      const meanwhile = written;
      written = [];
      for (let isWhole = false; !isWhole;) {
        const stored = await storeSlice({ ...unit, source }, progress, chunk, slice, meanwhile);
        if (!stored) return 'ended'; // another worker went on from here
        ({ progress, isWhole } = stored);
        written = [...written, ...stored.written];
        expected = stored.found;
      }
      if (unit.dependencies.clock.nowMs() >= endMs) return 'handed over';
    }
  } catch (error) {
    await endBadly(unit, progress, error);
    return 'ended';
  }
  const missing = (replayed?.size ?? 0) - (progress.file.linesMet ?? 0);
  if (missing > 0) {
    const error = `Lines to replay that are not in the file any more: ${missing}.`;
    await endFile(unit, progress, 'failed', error);
    return 'ended';
  }
  const finished = toFinished(unit.run.tenantId, unit.step.fileId, unit.step.runId);
  // A replay has read some lines only; the file is not finished by it.
  await endFile(unit, progress, 'finished', null, unit.run.replayOf === undefined ? [finished] : []);
  return 'ended';
}

/** The file's content from its progress on. Only a plain file can be read from the middle. */
function bytesOf({ run, dependencies }: Unit, file: RunFile): AsyncIterable<Buffer> {
  const { offset } = file.resume;
  const { name, generation } = { name: file.object, generation: file.generation };
  if (!file.gzip) return dependencies.storage.read(run.bucketName, { name, generation }, offset);
  return skipBytes(inflate(dependencies.storage.read(run.bucketName, { name, generation }, 0)), offset);
}

/** A slice's outcome: the progress after it, and the documents that it wrote. Undefined: another worker has gone on. */
interface StoredSlice {
  readonly progress: Progress;
  /** The commit took the chunk up to its end. */
  readonly isWhole: boolean;
  readonly written: readonly string[];
  readonly found: Expectation;
}

/**
 * Stores as many of the chunk's rows as one commit takes, with the progress.
 * @param prepared the whole chunk, for the first attempt at its first row
 */
async function storeSlice(
  unit: Unit & { readonly source: SliceSource },
  progress: Progress,
  chunk: RowChunk,
  prepared: PreparedSlice,
  writtenMeanwhile: readonly string[],
): Promise<StoredSlice | undefined> {
  const { step, worker, dependencies, deadline } = unit;
  const { store, random } = dependencies;
  const limit = deadline();
  const { done } = progress.file;
  const rows = chunk.rows.slice(done);
  let isFirst = done === 0;
  let stored: StoredSlice | undefined;
  await settle(
    [step],
    async () => {
      const slice = isFirst
        ? prepared
        : await prepareSlice(rows, unit.source, NO_EXPECTATION, undefined, limit, dependencies);
      const placed = await placeSlice(slice, isFirst ? writtenMeanwhile : []);
      const { taken, counts, bad } = placed;
      isFirst = false;
      const report = isFilled(bad) ? [await writeReport({ ...step, stamp: newStamp(random) }, bad, dependencies)] : [];
      const isWhole = taken === rows.length;
      const file: RunFile = {
        ...progress.file,
        resume: isWhole ? chunk.resume : progress.file.resume,
        // Chunks may have been longer when the rows were done (other bounds): the rest of them is in the next chunk.
        done: isWhole ? Math.max(0, done - chunk.rows.length) : done + taken,
        rows: addRows(progress.file.rows, counts),
        ...(placed.linesMet > 0 && replayedAfter(progress.file, placed)),
        ...(unit.source.ignoredFields.size > 0 && { ignoredFields: [...unit.source.ignoredFields] }),
      };
      const path = runFilePath(step.runId, step.fileId);
      const mark: DocumentWrite = {
        set: path,
        data: { ...toFileDocument(file), worker },
        when: progress.version,
      };
      const outcome = await store.commit([...slice.workspace.toWrites(), ...report, mark], limit);
      const after = outcome === 'conflict' ? await loadProgress(unit) : { file, version: outcome, worker };
      // After a conflict the document tells: it is as before (again), as we meant it (an answer was lost), or another's.
      if (outcome === 'conflict' && after && isSameVersion(after.version, progress.version)) return [step];
      if (after?.worker !== worker) return [];
      stored = { progress: after, isWhole, written: slice.workspace.changedPaths(), found: slice.found };
      return [];
    },
    limit,
    dependencies,
  );
  return stored;
}

/** How far a replay has come with its lines after a slice that held some. */
function replayedAfter(file: RunFile, { linesMet, replayedRecords }: PlacedSlice): Partial<RunFile> {
  const records = new Set([...(file.replayedRecords ?? []), ...replayedRecords]);
  return { linesMet: (file.linesMet ?? 0) + linesMet, replayedRecords: [...records] };
}

/** Ends a file that cannot be read on, or its run; anything that may pass is thrown, so that the step comes again. */
async function endBadly(unit: Unit, progress: Progress, error: unknown): Promise<void> {
  if (error instanceof DamagedFile) return endFile(unit, progress, 'failed', error.reason);
  if (!(error instanceof ObjectGone)) return endUnreadable(unit, progress, error);
  try {
    await replace(unit, progress);
  } catch (second) {
    await endUnreadable(unit, progress, second);
  }
}

/** Without access there is nothing to read in any file: the run has failed, and its other steps find it so (D-56). */
async function endUnreadable(unit: Unit, progress: Progress, error: unknown): Promise<void> {
  const { step, dependencies } = unit;
  if (error instanceof RequestRefused) return endFile(unit, progress, 'failed', error.message);
  if (!(error instanceof AccessDenied || error instanceof BucketMissing)) throw error;
  await failRun(step.runId, error.message, dependencies);
}

/** The generation is gone: its unit ends, and the one that took its place is read (D-53). */
async function replace(unit: Unit, progress: Progress): Promise<void> {
  const { run, step, dependencies, deadline } = unit;
  const { store, storage, publisher, transfersTopic } = dependencies;
  const current = await storage.find(run.bucketName, progress.file.object);
  const file = current && toFile(current);
  if (!file || file.generation === progress.file.generation) {
    return endFile(unit, progress, 'failed', 'The object was removed while it was read.');
  }
  const fileId = fileIdOf(run.bucketName, file.object, file.generation);
  if (takesFiles(run)) {
    const { tenantId } = run;
    const taken = await takeFiles([fileId], { runId: step.runId, tenantId }, deadline(), dependencies);
    if (!taken.has(fileId)) return endFile(unit, progress, 'replaced', null); // another run reads it
  }
  const onlyLines = progress.file.onlyLines && { onlyLines: progress.file.onlyLines };
  const data = toFileDocument({ ...file, ...onlyLines });
  await store.commit([{ set: runFilePath(step.runId, fileId), data, when: 'absent' }], deadline());
  const next: FileStep = { ...step, fileId };
  await publisher.publish(transfersTopic, next);
  await endFile(unit, progress, 'replaced', null);
}

async function endFile(
  { step, worker, dependencies, deadline }: Unit,
  { file, version }: Progress,
  status: FileStatus,
  error: string | null,
  beside: readonly DocumentWrite[] = [],
): Promise<void> {
  const data = { ...toFileDocument({ ...file, status, error }), worker };
  const mark: DocumentWrite = { set: runFilePath(step.runId, step.fileId), data, when: version };
  await dependencies.store.commit([mark, ...beside], deadline()); // in conflict: another worker went on
}

function isFilled<T>(items: readonly T[]): items is readonly [T, ...T[]] {
  return items.length > 0;
}

/** The file as it is stored, and who wrote it. */
async function loadProgress({
  step,
  dependencies,
  deadline,
}: Unit): Promise<(Progress & { readonly worker: unknown }) | undefined> {
  const document = await dependencies.store.get(runFilePath(step.runId, step.fileId), deadline());
  return document && { file: fromFileDocument(document), version: document.version, worker: document.data.worker };
}

function isSameVersion(a: Version, b: Version): boolean {
  return a.seconds === b.seconds && a.nanos === b.nanos;
}
