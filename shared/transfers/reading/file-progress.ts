/**
 * How far a step has come with a file. Each commit of a slice records it in one document, on condition that nobody else
 * has written that document. It is the file's own document, but at most once a second, as often as the database takes
 * one; in between it is one of the file's leases, in turn.
 *
 * Whoever goes on with the file begins at the record that counts most rows. Two workers on one file do no harm: the
 * first record of a worker writes the file's document and the leases, so that all commits of the one before it are
 * refused from then on.
 *
 * Where a slice is stored while the one before it is still in flight, its commit does not count it, but names it with
 * its counts. Whoever goes on counts it from there, and does not store it again.
 */
import { deadlineIn } from '../../platform/deadline';
import type { Deadline } from '../../platform/deadline';
import type { DocumentData } from '../../domain/records/document';
import type { Condition, DocumentWrite, StoredDocument, Version } from '../../documents/document-store';
import { runFileLeasePaths, runFilePath } from '../../documents/paths';
import { REQUEST_DEADLINE_MS } from '../../domain/limits';
import { FILE_LEASES, PROGRESS_WRITE_MS, SLICES_IN_FLIGHT } from '../../limits/transfers';
import type { Tenant } from '../../domain/tenant';
import type { Warnings } from '../../domain/warnings/warning';
import { addWarnings, NO_WARNINGS } from '../../domain/warnings/warning';
import { newRevision } from '../../workspace/record-documents';
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
  /** When this step last began to write the file's document. */
  readonly recordedMs: number;
  readonly leases: Leases;
  /** The stored slices that no record counts yet. */
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

/** The documents that take turns in recording the progress between two writes of the file's document. */
export interface Leases {
  /** Whether this worker is the last one that has taken them. */
  readonly areHeld: boolean;
  /** Of each; they are created one after the other. */
  readonly versions: readonly (Version | 'absent')[];
  /** The index of the next one to write. */
  readonly next: number;
}

/** A record of progress for a commit. */
export interface ProgressRecord {
  /** What takes the leases. */
  readonly takes: readonly DocumentWrite[];
  /** What holds the progress. It comes last in the commit, which returns the version of the last. */
  readonly write: { readonly set: string; readonly data: DocumentData; readonly when: Condition };
  /** What is known once it is committed, beside the file. */
  readonly committed: (current: Progress, version: Version) => Progress;
}

/**
 * What a step comes to with a file: it has ended, another file has replaced it and is to be read, the next step goes on
 * with it, another worker has gone on with it, somebody has cancelled the run, or the run has failed.
 */
export type StepOutcome = 'ended' | 'replaced' | 'handed over' | 'overtaken' | 'cancelled' | 'failed';

/** The file as it is stored, and the worker that recorded it. Undefined: the run has no such file. */
export async function loadProgress({
  step: { runId, fileId },
  dependencies,
}: Pick<StepContext, 'step' | 'dependencies'>): Promise<(Progress & { readonly worker: unknown }) | undefined> {
  const [filePath, [firstLease = '', ...otherLeases]] = [runFilePath(runId, fileId), runFileLeasePaths(runId, fileId)];
  const read = async (paths: readonly string[]) => {
    const found = await dependencies.store.getAll(paths, callDeadline(dependencies));
    const documents = new Map(found.map((document) => [document.path, document]));
    return paths.map((path) => documents.get(path));
  };
  const [document, first] = await read([filePath, firstLease]);
  if (!document) return undefined;
  const leases = [first, ...(first ? await read(otherLeases) : otherLeases.map(() => undefined))];
  const own = fromRecord(document);
  const records = [own, ...leases.flatMap((lease) => (lease ? [fromRecord(lease)] : []))];
  const { file, worker } = own.file.status === 'pending' ? records.reduce(furthest) : own;
  return {
    file,
    worker,
    version: document.version,
    isRecorded: file === own.file,
    recordedMs: -Infinity,
    leases: { areHeld: false, versions: leases.map((lease) => lease?.version ?? 'absent'), next: 0 },
    ahead: slicesAfter(
      file,
      records.flatMap(({ ahead }) => ahead),
    ),
  };
}

interface LoadedRecord {
  readonly file: RunFile;
  readonly worker: unknown;
  readonly ahead: readonly SliceAhead[];
}

/** A lease that was only taken counts no rows. */
function fromRecord({ data: { ahead, worker, ...data }, ...document }: StoredDocument): LoadedRecord {
  return { file: fromFileDocument({ ...document, data }), worker, ahead: (ahead ?? []) as unknown as SliceAhead[] };
}

function furthest(a: LoadedRecord, b: LoadedRecord): LoadedRecord {
  return b.file.rows.read > a.file.rows.read ? b : a;
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
 * Records progress in the file's document, where that does not count everything yet.
 * @returns false when another worker has gone on
 */
export async function recordProgress(context: RecordContext, progress: Progress): Promise<boolean> {
  if (progress.isRecorded) return true;
  const { dependencies } = context;
  const { takes, write } = recordInFile(context, progress, progress.file);
  const outcome = await dependencies.store.commit([...takes, write], callDeadline(dependencies));
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
  const counted = withStoredCounted(progress);
  const { takes, write } = recordInFile(context, counted, { ...counted.file, status, error });
  const outcome = await dependencies.store.commit([...otherWrites, ...takes, write], callDeadline(dependencies));
  return outcome === 'conflict' ? 'overtaken' : 'ended';
}

type RecordContext = Pick<StepContext, 'step' | 'worker' | 'dependencies'>;

/** Whether the next record belongs into the file's document. */
export function isFileDue({ leases, recordedMs }: Progress, { clock }: Pick<TransferDependencies, 'clock'>): boolean {
  return !leases.areHeld || clock.nowMs() - recordedMs >= PROGRESS_WRITE_MS;
}

/**
 * Records progress in the file's document. Where another worker may hold the leases, this takes them.
 * @param file after the commit
 * @param stored slices that are stored once it is committed; it names those that the file does not count
 * @param takesLeases whether to take them where there are none yet
 */
export function recordInFile(
  context: RecordContext,
  { version, leases, ahead }: Pick<Progress, 'version' | 'leases' | 'ahead'>,
  file: RunFile,
  { stored = ahead, takesLeases = false }: { stored?: readonly SliceAhead[]; takesLeases?: boolean } = {},
): ProgressRecord {
  const { step, dependencies } = context;
  const recordedMs = dependencies.clock.nowMs();
  const exist = leases.versions[0] !== 'absent';
  const taken = !leases.areHeld && (takesLeases || exist) ? toTake(leases) : 0;
  const paths = runFileLeasePaths(step.runId, step.fileId).slice(0, taken);
  const takes = paths.map((path, index): DocumentWrite => {
    const data = { revision: newRevision(dependencies.random), expireAt: file.expireAt };
    return { set: path, data, when: leases.versions[index] ?? 'absent' };
  });
  const write = { set: runFilePath(step.runId, step.fileId), data: toRecord(context, file, stored), when: version };
  return {
    takes,
    write,
    committed: (current, newVersion) => {
      const versions = leases.versions.map((before, index) => (index < taken ? newVersion : before));
      const held = { areHeld: true, versions, next: taken % FILE_LEASES };
      return {
        ...current,
        version: newVersion,
        recordedMs,
        leases: taken > 0 ? held : current.leases,
        ahead: slicesAfter(file, current.ahead),
      };
    },
  };
}

/**
 * How many leases to take: all that there are, and the next ones, which the worker before may be creating in its two
 * commits that are in flight.
 */
function toTake({ versions }: Leases): number {
  const last = versions.findLastIndex((version) => version !== 'absent');
  return Math.min(last + 1 + SLICES_IN_FLIGHT, FILE_LEASES);
}

/**
 * Records progress in the next lease, which the caller then counts as used (`withLeaseUsed`).
 * @param file as the lease counts it
 * @param stored as of `recordInFile`
 */
export function recordInLease(
  context: RecordContext,
  { leases: { next, versions } }: Pick<Progress, 'leases'>,
  file: RunFile,
  stored: readonly SliceAhead[],
): ProgressRecord {
  const { runId, fileId } = context.step;
  const set = runFileLeasePaths(runId, fileId)[next] ?? '';
  return {
    takes: [],
    write: { set, data: toRecord(context, file, stored), when: versions[next] ?? 'absent' },
    committed: (current, version) => ({
      ...current,
      leases: { ...current.leases, versions: current.leases.versions.with(next, version) },
      ahead: slicesAfter(file, current.ahead),
    }),
  };
}

/** Progress whose next record goes into another lease. */
export function withLeaseUsed(progress: Progress): Progress {
  const { leases } = progress;
  return { ...progress, leases: { ...leases, next: (leases.next + 1) % FILE_LEASES } };
}

function toRecord({ worker }: RecordContext, file: RunFile, stored: readonly SliceAhead[]): DocumentData {
  const ahead = slicesAfter(file, stored) as unknown as DocumentData[];
  return { ...toFileDocument(file), worker, ...(ahead.length > 0 && { ahead }) };
}

/** The deadline of one call that a step makes for itself. */
export function callDeadline({ clock }: Pick<TransferDependencies, 'clock'>): Deadline {
  return deadlineIn(REQUEST_DEADLINE_MS, clock);
}
