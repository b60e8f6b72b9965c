/**
 * How far a step has come with a file. Commits record it in the file's document or in its leases
 * (`record-progress.ts`). Whoever goes on with the file begins at the record that counts most rows.
 *
 * Where a slice is stored while the one before it is still in flight, its commit does not count it, but names it with
 * its counts. Whoever goes on counts it from there, and does not store it again.
 */
import { deadlineIn } from '../../platform/deadline';
import type { Deadline } from '../../platform/deadline';
import type { StoredDocument, Version } from '../../documents/document-store';
import { runFileLeasePaths, runFilePath } from '../../documents/paths';
import { REQUEST_DEADLINE_MS } from '../../domain/limits';
import type { Tenant } from '../../domain/tenant';
import type { Warnings } from '../../domain/warnings/warning';
import { addWarnings, NO_WARNINGS } from '../../domain/warnings/warning';
import type { ChangeCounts } from '../runs/changes';
import { addChanges } from '../runs/changes';
import type { RowCounts, Run, RunFile } from '../runs/run';
import { addRows, fromFileDocument } from '../runs/run';
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
  /** Of each that there is. */
  readonly versions: readonly Version[];
  /** The index of the next one to write. */
  readonly next: number;
  /** How many records were begun in them since the last one in the file's document. */
  readonly used: number;
}

/**
 * What a step comes to with a file: it has ended, another file has replaced it and is to be read, the next step goes on
 * with it, another worker has gone on with it, the run was stopped, or this file has failed it.
 */
export type StepOutcome = 'ended' | 'replaced' | 'handed over' | 'overtaken' | 'stopped' | 'failed';

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
  const leases = first ? [first, ...(await read(otherLeases)).filter((lease) => lease !== undefined)] : [];
  const own = fromRecord(document);
  const records = [own, ...leases.map(fromRecord)];
  const { file, worker } = own.file.status === 'pending' ? records.reduce(furthest) : own;
  return {
    file,
    worker,
    version: document.version,
    isRecorded: file === own.file,
    recordedMs: -Infinity,
    leases: { areHeld: false, versions: leases.map(({ version }) => version), next: 0, used: 0 },
    ahead: slicesAfter(
      file,
      records.flatMap(({ ahead }) => ahead),
    ),
  };
}

/** Whether nobody has written a lease in between. */
export function areSameLeases({ versions }: Leases, { versions: others }: Leases): boolean {
  return JSON.stringify(versions) === JSON.stringify(others);
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

/** The deadline of one call that a step makes for itself. */
export function callDeadline({ clock }: Pick<TransferDependencies, 'clock'>): Deadline {
  return deadlineIn(REQUEST_DEADLINE_MS, clock);
}
