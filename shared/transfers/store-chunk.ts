/**
 * Stores a chunk of a file's rows: each slice's records and the file's progress in one commit, so that a crash at any
 * moment loses nothing and counts nothing twice (D-55). Where it can, the slice after it is stored beside: its commit
 * depends on the fence, and the progress after it is recorded with the slice that follows. If that never happens, it is
 * stored again.
 */
import { chunksOf } from '../chunks';
import type { Deadline, ExtendableDeadline } from '../deadline';
import type { CommitOutcome } from '../documents/document-store';
import { FILE_SLICE_LEAST_ROWS, FILE_SLICE_ROWS } from '../domain/limits';
import type { Row, RowChunk } from '../files/row';
import { allOver } from '../in-parallel';
import type { Expectation } from '../records/place-row';
import { newStamp } from '../records/record-documents';
import { noteLargeRecords } from '../records/large-records';
import { settle } from '../records/settle';
import type { Fence, Progress, Unit } from './file-progress';
import { isSameVersion, loadProgress, toFenceWrite, toProgressWrite, unitDeadline } from './file-progress';
import { writeReport } from './report';
import type { RowCounts, RunFile } from './run';
import { addRows } from './run';
import type { PlacedSlice, PreparedSlice, SliceSource } from './slice';
import { placeSlice, prepareAgain } from './slice';

/** A unit of work with what the slices of its file have in common. */
export interface Reading extends Unit {
  readonly source: SliceSource;
}

/** A chunk with its rows in slices, prepared for their first attempts. */
export interface PreparedChunk {
  readonly chunk: RowChunk;
  readonly slices: readonly PreparedSlice[];
  /** Of what the slices read. */
  readonly deadline: ExtendableDeadline;
}

/** The progress after rows that were stored, the documents that they changed, and what was found. */
interface Stored {
  readonly progress: Progress;
  readonly changed: readonly string[];
  readonly found: Expectation;
}

/** A chunk's rows in slices of one commit each. */
export function inSlices(rows: readonly Row[]): (readonly Row[])[] {
  return chunksOf(rows, FILE_SLICE_ROWS);
}

/**
 * Stores a chunk's rows from the progress on.
 * @param changedBefore documents that the chunk before changed, perhaps after this one was prepared
 * @returns undefined when another worker has gone on from there
 */
export async function storeChunk(
  reading: Reading,
  start: Progress,
  { chunk, slices, deadline }: PreparedChunk,
  changedBefore: readonly string[],
): Promise<Stored | undefined> {
  let progress = start;
  let changed: readonly string[] = [];
  for (let from = start.file.done; ;) {
    deadline.renew(); // the rows waited for their turn
    const prepared = beginningAt(from, slices);
    const to = Math.max(from, Math.min(from + FILE_SLICE_ROWS, chunk.rows.length));
    const next = beginningAt(to, slices);
    const beside = prepared && next && canBeStoredBeside(prepared, next, reading) ? next : undefined;
    const rows = { chunk, from, to, prepared, changedBefore: [...changedBefore, ...changed], takesFence: !!beside };
    const [stored, version] = await allOver([
      storeRows(reading, progress, rows),
      beside && progress.fence.isHeld ? storeBeside(reading, progress.fence, beside) : undefined,
    ]);
    if (!stored) return undefined;
    ({ progress } = stored);
    changed = [...changed, ...stored.changed];
    from = to;
    if (version === 'conflict') {
      progress = { ...progress, fence: { ...progress.fence, isHeld: false } };
    } else if (beside && version) {
      from = to + beside.rows.length;
      const file = advance(progress.file, chunk, from, beside.placed.counts);
      progress = { ...progress, file, isRecorded: false, fence: { isHeld: true, version } };
      changed = [...changed, ...beside.workspace.changedPaths()];
    }
    if (from >= chunk.rows.length) return { progress, changed, found: stored.found };
  }
}

type PlacedAhead = PreparedSlice & { readonly placed: PlacedSlice };

/**
 * Whether a slice can be under way at the same time as the one before it: neither touches the other, nothing is to be
 * reported, and no record comes twice, so that storing it again counts the same.
 */
function canBeStoredBeside(slice: PreparedSlice, next: PreparedSlice, { source }: Reading): next is PlacedAhead {
  if (source.replayed || !isWhole(slice) || !isWhole(next)) return false;
  return next.placed?.bad.length === 0 && next.placed.counts.read === next.paths.size;
}

function isWhole({ placed, rows }: PreparedSlice): boolean {
  return placed?.taken === rows.length;
}

/** The version of the fence after it; `conflict`: nothing was stored, or another worker holds the fence. */
async function storeBeside(reading: Reading, fence: Fence, { workspace }: PlacedAhead): Promise<CommitOutcome> {
  const { source, dependencies } = reading;
  const { store } = dependencies;
  const deadline = unitDeadline(dependencies);
  if (workspace.holdsLarge()) await noteLargeRecords(source.tenant, store, deadline);
  return store.commit([...workspace.toWrites(), toFenceWrite(reading, fence)], deadline);
}

/** Rows `from` to `to` of a chunk, which may be prepared for the first attempt. */
interface RowsToStore {
  readonly chunk: RowChunk;
  readonly from: number;
  readonly to: number;
  readonly prepared: PreparedSlice | undefined;
  readonly changedBefore: readonly string[];
  readonly takesFence: boolean;
}

/** Stores rows and the progress in as many commits as they take. */
async function storeRows(reading: Reading, start: Progress, rows: RowsToStore): Promise<Stored | undefined> {
  let sum: Stored | undefined;
  for (let { from, to, prepared } = rows; ; prepared = undefined) {
    const stored = await storeSlice(reading, sum?.progress ?? start, { ...rows, from, to, prepared });
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
  reading: Reading,
  start: Progress,
  rows: RowsToStore,
): Promise<(Stored & { readonly taken: number }) | undefined> {
  const { step, worker, source, dependencies } = reading;
  const { chunk, from, to, prepared, changedBefore } = rows;
  const deadline = unitDeadline(dependencies);
  let { fence } = start;
  let first = prepared;
  let conflicts = 0;
  let size = to - from;
  let result: (Stored & { readonly taken: number }) | undefined;
  await settle(
    [step],
    async () => {
      const slice = first ?? (await prepareAgain(chunk.rows.slice(from, from + size), source, deadline, dependencies));
      const placed = await placeSlice(slice, first ? changedBefore : []);
      first = undefined;
      const done = (progress: Progress) => ({
        progress,
        taken: placed.taken,
        changed: slice.workspace.changedPaths(),
        found: slice.found,
      });
      const progress = await commitSlice(reading, { ...start, fence }, rows, slice, placed, deadline);
      if (progress !== 'conflict') {
        result = done(progress);
        return [];
      }
      // The document tells: it is as before (again), as we meant it (an answer was lost), or another worker's.
      const after = await loadProgress(reading);
      if (after && isSameVersion(after.version, start.version)) {
        if (!fence.isHeld) ({ fence } = after);
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

/** Commits a placed slice with the progress after it, and with the fence where it is needed and not held. */
async function commitSlice(
  reading: Reading,
  { file: before, version, fence }: Progress,
  { chunk, from, takesFence }: RowsToStore,
  { workspace }: PreparedSlice,
  placed: PlacedSlice,
  deadline: Deadline,
): Promise<Progress | 'conflict'> {
  const { step, source, dependencies } = reading;
  const { store, random } = dependencies;
  const { taken, counts, bad } = placed;
  const report = isFilled(bad) ? [await writeReport({ ...step, stamp: newStamp(random) }, bad, dependencies)] : [];
  const file: RunFile = {
    ...advance(before, chunk, from + taken, counts),
    ...(placed.linesMet > 0 && replayedAfter(before, placed)),
    ...(source.ignoredFields.size > 0 && { ignoredFields: [...source.ignoredFields] }),
  };
  const isTaken = !fence.isHeld && (takesFence || fence.version !== 'absent');
  if (workspace.holdsLarge()) await noteLargeRecords(source.tenant, store, deadline);
  const outcome = await store.commit(
    [
      ...workspace.toWrites(),
      ...report,
      ...(isTaken ? [toFenceWrite(reading, fence)] : []),
      toProgressWrite(reading, file, version),
    ],
    deadline,
  );
  if (outcome === 'conflict') return outcome;
  const held = isTaken ? { isHeld: true, version: outcome } : fence;
  return { file, version: outcome, isRecorded: true, fence: held };
}

/** The file after a chunk's rows up to a place in it, the last of which count so. */
function advance(file: RunFile, chunk: RowChunk, to: number, counts: RowCounts): RunFile {
  // Chunks may have been longer when the rows were done (other bounds): the rest of them is in the next chunk.
  const isWhole = to >= chunk.rows.length;
  return {
    ...file,
    resume: isWhole ? chunk.resume : file.resume,
    done: isWhole ? to - chunk.rows.length : to,
    rows: addRows(file.rows, counts),
  };
}

/** How far a replay has come with its lines after a slice that held some. */
function replayedAfter(file: RunFile, { linesMet, replayedRecords }: PlacedSlice): Partial<RunFile> {
  const records = new Set([...(file.replayedRecords ?? []), ...replayedRecords]);
  return { linesMet: (file.linesMet ?? 0) + linesMet, replayedRecords: [...records] };
}

function beginningAt(place: number, slices: readonly PreparedSlice[]): PreparedSlice | undefined {
  return slices[place / FILE_SLICE_ROWS];
}

function isFilled<T>(items: readonly T[]): items is readonly [T, ...T[]] {
  return items.length > 0;
}
