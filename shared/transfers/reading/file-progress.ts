/**
 * How far a step has come with a file. The file's document holds the progress. Two workers on one file do no harm,
 * because each commit requires that nothing was written in between.
 *
 * A second document, the lease, belongs to the worker that records progress. Of two slices that are in flight one
 * depends on the lease alone (`slice-writer.ts`). A step takes an existing lease with its first progress: from then on
 * all slices of the worker before it are refused.
 *
 * A slice that the file's document does not count yet is named, with its counts, by the commit that stores it: in that
 * document or in the lease. Whoever goes on counts it from there, and does not store it again.
 */
import { deadlineIn } from '../../platform/deadline';
import type { Deadline } from '../../platform/deadline';
import type { DocumentData } from '../../domain/records/document';
import type { DocumentWrite, Version } from '../../documents/document-store';
import { runFilePath, runFileLeasePath } from '../../documents/paths';
import { REQUEST_DEADLINE_MS } from '../../domain/limits';
import type { Tenant } from '../../domain/tenant';
import type { Warnings } from '../../domain/warnings/warning';
import { addWarnings, NO_WARNINGS } from '../../domain/warnings/warning';
import { newRevision } from '../../workspace/record-documents';
import { runPartExpiry } from '../runs/expiry';
import type { ChangeCounts } from '../runs/changes';
import { addChanges } from '../runs/changes';
import type { FileStatus, RowCounts, Run, RunFile } from '../runs/run';
import { addRows, fromFileDocument, toFileDocument } from '../runs/run';
import type { FileOfUnit, TransferDependencies } from '../runs/steps';

/** What everything that one step does with a file has in common. */
export interface StepContext {
  readonly step: FileOfUnit;
  readonly run: Run;
  readonly tenant: Tenant;
  /** Tells the commits of this delivery of the step from those of another worker. */
  readonly worker: string;
  readonly dependencies: TransferDependencies;
}

/** The file as this step last wrote or read it. */
export interface Progress {
  readonly file: RunFile;
  /** Of the file's document. */
  readonly version: Version;
  /** False: some slices are stored that the file's document does not count yet. */
  readonly isRecorded: boolean;
  readonly lease: Lease;
  /** The stored slices that the file's document does not count yet. */
  readonly ahead: readonly SliceAhead[];
}

/** A slice that is stored, and what is to be counted of it. */
export interface SliceAhead {
  /** How many rows of the file come before it. */
  readonly from: number;
  readonly counts: RowCounts;
  readonly changes: ChangeCounts;
  /** Absent: it was stored by a release that warned of nothing. */
  readonly warnings?: Warnings;
}

export interface Lease {
  readonly isHeld: boolean;
  readonly version: Version | 'absent';
}

/**
 * What a step comes to with a file: it has ended, another file has replaced it and is to be read, the next step goes on
 * with it, another worker has gone on with it, somebody has cancelled the run, or the run has failed.
 */
export type StepOutcome = 'ended' | 'replaced' | 'handed over' | 'overtaken' | 'cancelled' | 'failed';

/** The file as it is stored, and the worker that wrote it. Undefined: the run has no such file. */
export async function loadProgress({
  step,
  dependencies,
}: Pick<StepContext, 'step' | 'dependencies'>): Promise<(Progress & { readonly worker: unknown }) | undefined> {
  const path = runFilePath(step.runId, step.fileId);
  const leasePath = runFileLeasePath(step.runId, step.fileId);
  const found = await dependencies.store.getAll([path, leasePath], callDeadline(dependencies));
  const documents = new Map(found.map((document) => [document.path, document]));
  const document = documents.get(path);
  if (!document) return undefined;
  const leaseDocument = documents.get(leasePath);
  const lease = { isHeld: false, version: leaseDocument?.version ?? 'absent' } as const;
  const { version } = document;
  const { ahead, worker, ...data } = document.data;
  const file = fromFileDocument({ ...document, data });
  const known = [ahead, leaseDocument?.data.ahead].flatMap((slices) => (slices ?? []) as unknown as SliceAhead[]);
  return { file, version, isRecorded: true, lease, ahead: slicesAfter(file, known), worker };
}

/** The slices that a file does not count. */
export function slicesAfter({ rows }: RunFile, slices: readonly SliceAhead[]): readonly SliceAhead[] {
  return slices.filter(({ from }) => from >= rows.read);
}

/** A file with one more slice counted. */
export function countSlice(file: RunFile, { counts, changes, warnings }: Omit<SliceAhead, 'from'>): RunFile {
  return {
    ...file,
    rows: addRows(file.rows, counts),
    changes: addChanges(file.changes ?? {}, changes),
    warnings: addWarnings(file.warnings ?? NO_WARNINGS, warnings ?? NO_WARNINGS),
  };
}

/** Progress with all stored slices counted, of a file that is not read on. */
export function withStoredCounted(progress: Progress): Progress {
  const { file, ahead } = progress;
  const slices = new Map(slicesAfter(file, ahead).map((slice) => [slice.from, slice]));
  if (slices.size === 0) return progress;
  return { ...progress, file: [...slices.values()].reduce(countSlice, file), isRecorded: false, ahead: [] };
}

/**
 * Records progress that is not recorded yet.
 * @returns false when another worker has gone on
 */
export async function recordProgress(
  context: Omit<StepContext, 'tenant' | 'run'>,
  { file, version, isRecorded, ahead }: Progress,
): Promise<boolean> {
  if (isRecorded) return true;
  const { dependencies } = context;
  const write = toProgressWrite(context, file, version, ahead);
  const outcome = await dependencies.store.commit([write], callDeadline(dependencies));
  if (outcome !== 'conflict') return true;
  return (await loadProgress(context))?.worker === context.worker; // an answer was lost, and the repeat met our progress
}

/** Records the end of a file, with other writes in the same commit. All of its slices that are stored are counted. */
export async function endFile(
  context: StepContext,
  progress: Progress,
  status: FileStatus,
  error: string | null,
  otherWrites: readonly DocumentWrite[] = [],
): Promise<StepOutcome> {
  const { dependencies } = context;
  const { file, version } = withStoredCounted(progress);
  const last = toProgressWrite(context, { ...file, status, error }, version, []);
  const outcome = await dependencies.store.commit([...otherWrites, last], callDeadline(dependencies));
  return outcome === 'conflict' ? 'overtaken' : 'ended';
}

/**
 * The write that records the file's progress. It comes last in its commit, which returns the version of the last.
 * @param stored slices that are stored once it is committed; it names those that the file does not count
 */
export function toProgressWrite(
  { step, worker }: Pick<StepContext, 'step' | 'worker'>,
  file: RunFile,
  version: Version,
  stored: readonly SliceAhead[],
): DocumentWrite {
  const data = { ...toFileDocument(file), worker, ...toAheadField(slicesAfter(file, stored)) };
  return { set: runFilePath(step.runId, step.fileId), data, when: version };
}

/** The write that takes the lease, or renews it. @param ahead the slices that it names */
export function toLeaseWrite(
  { step, run, dependencies }: StepContext,
  { version }: Lease,
  ahead: readonly SliceAhead[],
): DocumentWrite {
  const revision = newRevision(dependencies.random);
  const data = { revision, expireAt: runPartExpiry(run), ...toAheadField(ahead) };
  return { set: runFileLeasePath(step.runId, step.fileId), data, when: version };
}

function toAheadField(ahead: readonly SliceAhead[]): DocumentData {
  return ahead.length === 0 ? {} : { ahead: ahead as unknown as DocumentData[] };
}

/** The deadline of one call that a step makes for itself. */
export function callDeadline({ clock }: Pick<TransferDependencies, 'clock'>): Deadline {
  return deadlineIn(REQUEST_DEADLINE_MS, clock);
}
