/**
 * Stores rows of a file by themselves: each slice's records and the file's progress are one commit, so that a crash at
 * any moment loses nothing and counts nothing twice (D-55).
 */
import type { Deadline } from '../../platform/deadline';
import type { CommitOutcome, DocumentWrite } from '../../documents/document-store';
import { isSameVersion } from '../../documents/document-store';
import { FILE_SLICE_LEAST_ROWS } from '../../limits/transfers';
import type { RowChunk } from '../../files/row';
import type { Expectation } from './row-applier';
import { noteLargeRecords } from '../../workspace/large-records';
import { newRevision } from '../../workspace/record-documents';
import { retryConflicts } from '../../workspace/retry-conflicts';
import type { Progress, StepContext } from './file-progress';
import { loadProgress, toLeaseWrite, toProgressWrite, callDeadline } from './file-progress';
import { toRecordsWrite } from '../runs/replay-documents';
import { buildSliceReport, writeReport } from '../runs/report';
import type { RunFile } from '../runs/run';
import { addRows } from '../runs/run';
import type { AppliedSlice, PreparedSlice, SliceSource } from './slice';
import { applySlice, prepareSlice } from './slice';

/** A unit of work with what the slices of its file have in common. */
export interface ReadingContext extends StepContext {
  readonly source: SliceSource;
}

/** Rows `from` to `to` of a chunk, which may be prepared for the first attempt. */
export interface SliceRows {
  readonly chunk: RowChunk;
  readonly from: number;
  readonly to: number;
  readonly prepared: PreparedSlice | undefined;
}

/** The progress after rows that were stored, the documents that they changed, and what was found. */
export interface StoredRows {
  readonly progress: Progress;
  readonly changed: readonly string[];
  readonly nextExpectation: Expectation;
}

interface StoreOptions {
  /** Documents that were changed, perhaps after the rows were prepared. */
  readonly changedBefore: readonly string[];
  /** Whether to take the lease, so that slices to come can be stored beside each other. */
  readonly takesLease: boolean;
}

/**
 * Stores rows and the progress in as many commits as they take, while nothing else of the file is under way.
 * @returns undefined when another worker has gone on from there
 */
export async function storeRows(
  reading: ReadingContext,
  start: Progress,
  rows: SliceRows,
  options: StoreOptions,
): Promise<StoredRows | undefined> {
  let sum: StoredRows | undefined;
  for (let { from, to, prepared } = rows; ; prepared = undefined) {
    const stored = await storeSlice(reading, sum?.progress ?? start, { ...rows, from, to, prepared }, options);
    if (!stored) return undefined;
    sum = { ...stored, changed: [...(sum?.changed ?? []), ...stored.changed] };
    from += stored.taken;
    if (from >= rows.to) return sum;
    to = Math.min(from + 2 * stored.taken, rows.to);
  }
}

/**
 * Stores as many rows as one commit takes, with the progress. What is in conflict again and again is tried with fewer
 * rows: the shorter the time between reading and writing, the less can come in between.
 */
async function storeSlice(
  reading: ReadingContext,
  start: Progress,
  { chunk, from, to, prepared }: SliceRows,
  { changedBefore, takesLease }: StoreOptions,
): Promise<(StoredRows & { readonly taken: number }) | undefined> {
  const { step, worker, source, dependencies } = reading;
  const deadline = callDeadline(dependencies);
  let { lease } = start;
  let first = prepared;
  let conflicts = 0;
  let size = to - from;
  let result: (StoredRows & { readonly taken: number }) | undefined;
  await retryConflicts(
    [step],
    async () => {
      const slice = first ?? (await prepareSlice(chunk.rows.slice(from, from + size), source, deadline, dependencies));
      const placed = await applySlice(slice, first ? changedBefore : []);
      first = undefined;
      const done = (progress: Progress) => ({
        progress,
        taken: placed.rowsApplied,
        changed: slice.workspace.changedPaths(),
        found: slice.nextExpectation,
      });
      const { report, progress } = await buildSliceReport(placed.badRows, start.file);
      const file = { ...advanceFile(reading, start.file, { chunk, to: from + placed.rowsApplied }, placed), ...progress };
      const isTaken = !lease.isHeld && (takesLease || lease.version !== 'absent');
      const beside = [
        ...(report
          ? [await writeReport({ ...step, revision: newRevision(dependencies.random) }, file, report, dependencies)]
          : []),
        ...(placed.replayedRecords.length > 0 ? [toRecordsWrite(step, start.file, placed.replayedRecords)] : []),
        ...(isTaken ? [toLeaseWrite(reading, lease)] : []),
        toProgressWrite(reading, file, start.version),
      ];
      const version = await commitSlice(reading, slice, beside, deadline);
      if (version !== 'conflict') {
        result = done({ file, version, isRecorded: true, lease: isTaken ? { isHeld: true, version } : lease });
        return [];
      }
      // The document tells: it is as before (again), as we meant it (an answer was lost), or another worker's.
      const after = await loadProgress(reading);
      if (after && isSameVersion(after.version, start.version)) {
        if (!lease.isHeld) ({ lease } = after);
        conflicts += 1;
        if (conflicts > 1) size = Math.min(size, Math.max(FILE_SLICE_LEAST_ROWS, Math.ceil(size / 2)));
        return [step];
      }
      if (after?.worker === worker) result = done(after);
      return [];
    },
    deadline,
    dependencies,
  );
  return result;
}

/** Commits a placed slice's records and other writes. @returns the version of what the last of those sets */
export async function commitSlice(
  { source, dependencies: { store } }: ReadingContext,
  { workspace }: PreparedSlice,
  beside: readonly DocumentWrite[],
  deadline: Deadline,
): Promise<CommitOutcome> {
  if (workspace.holdsLarge()) await noteLargeRecords(source.tenant, store, deadline);
  return store.commit([...workspace.toWrites(), ...beside], deadline);
}

/** The file after a slice of a chunk's rows that ends at `to`. */
export function advanceFile(
  { source: { ignoredFields } }: ReadingContext,
  before: RunFile,
  { chunk, to }: Pick<SliceRows, 'chunk' | 'to'>,
  placed: AppliedSlice,
): RunFile {
  // Chunks may have been longer when the rows were done (other bounds): the rest of them is in the next chunk.
  const isWhole = to >= chunk.rows.length;
  return {
    ...before,
    checkpoint: isWhole ? chunk.checkpoint : before.checkpoint,
    done: isWhole ? to - chunk.rows.length : to,
    rows: addRows(before.rows, placed.counts),
    ...(placed.linesMet > 0 && { linesMet: (before.linesMet ?? 0) + placed.linesMet }),
    ...(ignoredFields.size > 0 && { ignoredFields: [...ignoredFields] }),
  };
}
