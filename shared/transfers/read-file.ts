/**
 * Reads a file of a run: slice by slice, each slice's records and the file's progress in one commit, so that a crash at
 * any moment loses nothing and counts nothing twice (D-55). Two workers on one file do no harm: of two commits that go on
 * from the same progress one is refused.
 */
import type { Deadline } from '../deadline';
import { deadlineIn } from '../deadline';
import { applyPendingDeletions } from '../deletions/apply-deletion';
import type { DocumentWrite, StoredDocument } from '../documents/document-store';
import { finishedFilePath, runFilePath, runPath, tenantPath } from '../documents/paths';
import { FILE_SLICE_BYTES, FILE_SLICE_ROWS, REQUEST_DEADLINE_MS, WRITE_CHUNK_BYTES } from '../domain/limits';
import type { Tenant } from '../domain/tenant';
import { fromTenantDocument } from '../auth/tenant-documents';
import { DamagedFile } from '../files/damaged-file';
import { inflate, skipBytes } from '../files/inflate';
import { readRows } from '../files/read-rows';
import type { Row, RowChunk } from '../files/row';
import type { TimedRow } from '../records/place-row';
import { loadRows, placeRow } from '../records/place-row';
import { newStamp } from '../records/record-documents';
import { settle } from '../records/settle';
import { Workspace } from '../records/workspace';
import type { ValidationErrors } from '../validation/validation-failed';
import { ValidationFailed } from '../validation/validation-failed';
import { bucketOwner } from './bucket-ownership';
import { failRun, finishRunIfDone } from './finish-run';
import { AccessDenied, BucketMissing, ObjectGone } from './object-storage';
import { toFile } from './plan-page';
import type { BadRowReport } from './report';
import { writeReport } from './report';
import { requireValidRow } from './row-validator';
import type { FileStatus, Run, RunFile } from './run';
import { addRows, fileIdOf, fromFileDocument, fromRunDocument, toFileDocument } from './run';
import type { FileStep, TransferDependencies } from './steps';

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
  readonly document: StoredDocument;
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
    return failRun(step.runId, `The bucket ${run.bucketName} is no longer registered.`, deadline(), dependencies);
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
  if (progress?.file.status === 'pending') {
    const outcome = await work(unit, progress, clock.nowMs() + unitSeconds * 1000);
    if (outcome === 'handed over') return publisher.publish(transfersTopic, step);
  }
  await finishRunIfDone(step.runId, deadline(), dependencies);
}

type Outcome = 'ended' | 'handed over';

async function work(unit: Unit, start: Progress, endMs: number): Promise<Outcome> {
  let progress: Progress = start;
  try {
    for await (const chunk of readRows(bytesOf(unit, start.file), {
      kind: start.file.kind,
      format: start.file.format,
      from: start.file.resume,
      maxRows: FILE_SLICE_ROWS,
      maxBytes: FILE_SLICE_BYTES,
    })) {
      for (let isWhole = false; !isWhole;) {
        const stored = await storeSlice(unit, progress, chunk);
        if (!stored) return 'ended'; // another worker went on from here
        ({ progress, isWhole } = stored);
      }
      if (unit.dependencies.clock.nowMs() >= endMs) return 'handed over';
    }
  } catch (error) {
    await endBadly(unit, progress, error);
    return 'ended';
  }
  const finished = { set: finishedFilePath(unit.run.tenantId, unit.step.fileId), data: { runId: unit.step.runId } };
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

/**
 * Stores as many of the chunk's rows as one commit takes, with the progress; `isWhole`: up to its end. Undefined: another
 * worker has gone on.
 */
async function storeSlice(
  unit: Unit,
  progress: Progress,
  chunk: RowChunk,
): Promise<{ readonly progress: Progress; readonly isWhole: boolean } | undefined> {
  const { tenant, step, worker, dependencies, deadline } = unit;
  const { store, random } = dependencies;
  const limit = deadline();
  const rows = chunk.rows.slice(progress.file.done);
  let stored: { progress: Progress; isWhole: boolean } | undefined;
  await settle(
    [step],
    async () => {
      await applyPendingDeletions(tenant, progress.file.kind, limit, dependencies);
      const workspace = new Workspace(store, limit);
      const { taken, counts, bad } = await placeSlice(unit, workspace, progress.file, rows);
      const report = isFilled(bad) ? [await writeReport({ ...step, stamp: newStamp(random) }, bad, dependencies)] : [];
      const isWhole = taken === rows.length;
      const file: RunFile = {
        ...progress.file,
        resume: isWhole ? chunk.resume : progress.file.resume,
        // Chunks may have been longer when the rows were done (other bounds): the rest of them is in the next chunk.
        done: isWhole ? Math.max(0, progress.file.done - chunk.rows.length) : progress.file.done + taken,
        rows: addRows(progress.file.rows, counts),
      };
      const path = runFilePath(step.runId, step.fileId);
      const mark: DocumentWrite = {
        set: path,
        data: { ...toFileDocument(file), worker },
        when: progress.document.version,
      };
      await store.commit([...workspace.toWrites(), ...report, mark], limit);
      // Whatever the answer was, the document tells: it is as before (again), as we meant it (done), or another's.
      const document = await store.get(path, limit);
      if (document && isSameVersion(document, progress.document)) return [step];
      const isOurs = document?.data.worker === worker;
      stored = isOurs ? { progress: { file: fromFileDocument(document), document }, isWhole } : undefined;
      return [];
    },
    limit,
    dependencies,
  );
  return stored;
}

/** Applies rows to the workspace until a commit is full. */
async function placeSlice(unit: Unit, workspace: Workspace, file: RunFile, rows: readonly Row[]) {
  const { tenant, dependencies } = unit;
  const { clock, random } = dependencies;
  const only = file.onlyLines && new Set(file.onlyLines);
  const context = { tenant, kind: file.kind, stamp: newStamp(random), now: new Date(clock.nowMs()) };
  const checked = rows.map((row) => (only?.has(row.line) === false ? undefined : check(row, file, unit)));
  await loadRows(
    workspace,
    checked.flatMap((row) => row?.valid ?? []),
    context,
  );
  const counts = { read: 0, stored: 0, invalid: 0, stale: 0 };
  const bad: BadRowReport[] = [];
  let taken = 0;
  for (const [place, row] of checked.entries()) {
    if (taken > 0 && workspace.changedBytes() > WRITE_CHUNK_BYTES) break;
    taken += 1;
    if (!row) continue;
    counts.read += 1;
    const messages = row.valid ? placeOrExplain(workspace, row.valid, context, counts) : row.messages;
    if (!messages) continue;
    counts.invalid += 1;
    bad.push({ object: file.object, generation: file.generation, line: rows[place]?.line ?? 0, messages });
  }
  return { taken, counts, bad };
}

/** A valid row, or what is wrong with it. */
type Checked =
  | { readonly valid: TimedRow; readonly messages?: never }
  | { readonly valid?: never; readonly messages: ValidationErrors };

function check(row: Row, file: RunFile, { run, tenant }: Unit): Checked {
  try {
    const latest = run.startedAt > file.updated ? run.startedAt : file.updated;
    return { valid: requireValidRow(row, file.kind, tenant, { file: file.updated, latest }) };
  } catch (error) {
    if (error instanceof ValidationFailed) return { messages: error.errors };
    throw error;
  }
}

/** Places a row and counts it; what is wrong with it when it does not fit. */
function placeOrExplain(
  workspace: Workspace,
  row: TimedRow,
  context: Parameters<typeof placeRow>[2],
  counts: { stored: number; stale: number },
): ValidationErrors | undefined {
  try {
    counts[placeRow(workspace, row, context)] += 1;
    return undefined;
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    return Object.fromEntries(
      Object.entries(error.errors).map(([path, messages]) => [path.replace('[0].', ''), messages]),
    );
  }
}

/** Ends a file that cannot be read on; anything that may pass is thrown, so that the step comes again. */
async function endBadly(unit: Unit, progress: Progress, error: unknown): Promise<void> {
  if (error instanceof DamagedFile) return endFile(unit, progress, 'failed', error.reason);
  if (error instanceof AccessDenied || error instanceof BucketMissing)
    return endFile(unit, progress, 'failed', error.message);
  if (!(error instanceof ObjectGone)) throw error;
  try {
    await replace(unit, progress);
  } catch (second) {
    if (!(second instanceof AccessDenied || second instanceof BucketMissing)) throw second;
    await endFile(unit, progress, 'failed', second.message);
  }
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
  const onlyLines = progress.file.onlyLines && { onlyLines: progress.file.onlyLines };
  const data = toFileDocument({ ...file, ...onlyLines });
  await store.commit([{ set: runFilePath(step.runId, fileId), data, when: 'absent' }], deadline());
  const next: FileStep = { ...step, fileId };
  await publisher.publish(transfersTopic, next);
  await endFile(unit, progress, 'replaced', null);
}

async function endFile(
  { step, worker, dependencies, deadline }: Unit,
  { file, document }: Progress,
  status: FileStatus,
  error: string | null,
  beside: readonly DocumentWrite[] = [],
): Promise<void> {
  const data = { ...toFileDocument({ ...file, status, error }), worker };
  const mark: DocumentWrite = { set: runFilePath(step.runId, step.fileId), data, when: document.version };
  await dependencies.store.commit([mark, ...beside], deadline()); // in conflict: another worker went on
}

function isFilled<T>(items: readonly T[]): items is readonly [T, ...T[]] {
  return items.length > 0;
}

async function loadProgress({ step, dependencies, deadline }: Unit): Promise<Progress | undefined> {
  const document = await dependencies.store.get(runFilePath(step.runId, step.fileId), deadline());
  return document && { file: fromFileDocument(document), document };
}

function isSameVersion({ version: a }: StoredDocument, { version: b }: StoredDocument): boolean {
  return a.seconds === b.seconds && a.nanos === b.nanos;
}
