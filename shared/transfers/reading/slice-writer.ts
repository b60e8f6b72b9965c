/**
 * Writes a file's slices in their order, two at a time where it can. When one is stored, the next one is already in
 * flight, so that neither the database nor the function waits. Each commit records the progress in another document
 * than the one beside it:
 *
 * ```
 * file's document   0                       6      at most once a second
 * leases                1   2   3   4   5       7  in turn
 * ```
 *
 * A commit counts the slices that are known to be stored when it begins; alone (0 and 1), also its own. Otherwise it
 * names its own, with its counts. When a process dies, the next step counts it from there: what a row has changed
 * cannot be told any more once it is stored (D-55, R-88).
 */
import type { ExtendableDeadline } from '../../platform/deadline';
import type { Version } from '../../documents/document-store';
import { meets } from '../../documents/document-store';
import { FILE_CHUNK_ROWS, FILE_SLICE_ROWS } from '../../limits/transfers';
import type { RowChunk } from '../../files/row';
import { waitForAll } from '../../platform/async/in-parallel';
import { isDeleting } from './rows/located-row';
import type { CheckedSlice } from './check-slice';
import type { Progress, SliceAhead } from './file-progress';
import { callDeadline, slicesAfter } from './file-progress';
import type { ProgressRecord } from './record-progress';
import { nextRecord } from './record-progress';
import type { Expectation } from './rows/row-applier';
import type { AppliedSlice, PreparedSlice } from './slice';
import { isPrepared, NO_EXPECTATION } from './slice';
import type { ReadingContext, SliceRows } from './store-slice';
import { advanceFile, commitSlice, storeRows } from './store-slice';

/** How many slices may be written after a slice was read: chunks are read whole while the chunk before is written. */
export const SLICES_SINCE_READ = 2 * (FILE_CHUNK_ROWS / FILE_SLICE_ROWS);

/** A chunk with its rows in slices, prepared for their first attempts. */
export interface PreparedChunk {
  readonly chunk: RowChunk;
  readonly slices: readonly (CheckedSlice | PreparedSlice)[];
  /** The deadline of what the slices read. */
  readonly deadline: ExtendableDeadline;
}

/** Rows of a slice that were applied before their turn, all of them. */
type RowsAppliedAhead = SliceRows & { readonly prepared: PreparedSlice & { readonly applied: AppliedSlice } };

/** A slice whose commit has begun. */
interface SliceInFlight {
  readonly rows: RowsAppliedAhead;
  /** As its commit names it. */
  readonly slice: SliceAhead;
  readonly isInFile: boolean;
  /** Whether its commit counts it; otherwise it names it. */
  readonly isCounted: boolean;
  /** False: it was in conflict. */
  readonly isStored: Promise<boolean>;
}

export class SliceWriter {
  /** In their order; two at most. */
  private inFlight: readonly SliceInFlight[] = [];
  /** Rows of the chunk to come that an earlier step has stored. */
  private doneRows: number;
  private isFirst = true;
  /** The paths of the documents that the last slices changed. */
  private changed: readonly (readonly string[])[] = [];
  private lastExpectation = NO_EXPECTATION;

  constructor(
    private readonly reading: ReadingContext,
    private current: Progress,
  ) {
    this.doneRows = current.file.done;
  }

  /** The file up to the last slice before which everything is stored. */
  get progress(): Progress {
    return this.current;
  }

  /** What slices may expect, by the last slice that was stored. */
  get nextExpectation(): Expectation {
    return this.lastExpectation;
  }

  /**
   * Stores a chunk's rows after all before them. The last slice may still be in flight afterwards.
   * @returns false when another worker has gone on from here
   */
  async store({ chunk, slices, deadline }: PreparedChunk): Promise<boolean> {
    const done = this.doneRows;
    this.doneRows = Math.max(0, done - chunk.rows.length);
    if (chunk.rows.length <= done) {
      // All of its rows are stored, but its checkpoint is not.
      return (await this.finish()) && this.storeAlone({ chunk, from: done, to: done, prepared: undefined });
    }
    for (const [index, slice] of slices.entries()) {
      const start = index * FILE_SLICE_ROWS;
      const to = start + slice.rows.length;
      if (to <= done) continue;
      const prepared = start >= done && isPrepared(slice) ? slice : undefined;
      const rows = { chunk, from: Math.max(start, done), to, prepared };
      if (!(await this.storeSlice(rows, deadline))) return false;
    }
    return true;
  }

  /** Waits for the slices in flight. @returns false when another worker has gone on from here */
  async finish(): Promise<boolean> {
    while (this.inFlight.length > 0) if (!(await this.finishFirst())) return false;
    return true;
  }

  /** Waits for the slices in flight, and ignores their outcomes. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.inFlight.map(({ isStored }) => isStored));
  }

  private async storeSlice(rows: SliceRows, deadline: ExtendableDeadline): Promise<boolean> {
    const ahead = this.isAppliedAhead(rows) ? rows : undefined;
    if (!(ahead && isRepeatable(ahead)) && !(await this.finish())) return false;
    // A slice with bad rows is stored alone: the room that the report has for them depends on the progress before it.
    // So is one that an earlier step may have stored.
    const mayBeStored = slicesAfter(this.current.file, this.current.ahead).length > 0;
    if (ahead?.prepared.applied.badRows.length === 0 && this.current.leases.areHeld && !mayBeStored) {
      this.begin(ahead);
      return this.inFlight.length === 1 || this.finishFirst();
    }
    if (!(await this.finish())) return false;
    deadline.renew(); // the rows waited for their turn, and may be read again
    return this.storeAlone(rows);
  }

  /** Begins the commit of a slice, beside the one that may be in flight. */
  private begin(rows: RowsAppliedAhead): void {
    const { reading, current } = this;
    const [before] = this.inFlight;
    const isCounted = before === undefined;
    const { counts, changes, warnings } = rows.prepared.applied;
    const slice = { from: current.file.rows.read + (before?.slice.counts.read ?? 0), counts, changes, warnings };
    const file = isCounted ? advanceFile(reading, current.file, rows, rows.prepared.applied) : current.file;
    const stored = [...current.ahead, slice];
    const record = nextRecord(reading, current, file, { stored, isFileInFlight: before?.isInFile === true });
    this.current = record.begun;
    const isStored = this.commit(rows, record);
    isStored.catch(() => undefined); // finishFirst() throws the failure
    this.inFlight = [...this.inFlight, { rows, slice, isInFile: record.isInFile, isCounted, isStored }];
  }

  /**
   * Waits for the first slice in flight. After a conflict, waits for all, and stores those alone that are not stored;
   * one that is, is counted after those before it.
   * @returns false when another worker has gone on from here
   */
  private async finishFirst(): Promise<boolean> {
    const [first, ...others] = this.inFlight;
    if (!first) return true;
    if (await first.isStored) {
      this.countStored(first);
      this.inFlight = others;
      return true;
    }
    const outcomes = await waitForAll([false, ...others.map(({ isStored }) => isStored)]);
    this.inFlight = [];
    for (const { rows, slice } of [first, ...others].filter((_slice, index) => outcomes[index])) {
      this.current = { ...this.current, ahead: [...this.current.ahead, slice] };
      this.remember(rows.prepared.workspace.changedPaths(), rows.prepared.nextExpectation);
    }
    for (const { rows } of [first, ...others]) {
      if (!(await this.storeAlone({ ...rows, prepared: undefined }))) return false;
    }
    return true;
  }

  /** Counts a slice that is stored. All before it are counted. */
  private countStored({ rows, slice, isInFile, isCounted }: SliceInFlight): void {
    const { prepared } = rows;
    const file = advanceFile(this.reading, this.current.file, rows, prepared.applied);
    const ahead = isCounted ? this.current.ahead : [...this.current.ahead, slice];
    this.current = { ...this.current, file, isRecorded: isCounted && isInFile, ahead };
    this.remember(prepared.workspace.changedPaths(), prepared.nextExpectation);
  }

  private remember(changed: readonly string[], nextExpectation: Expectation): void {
    if (changed.length > 0) this.changed = [...this.changed, changed].slice(-SLICES_SINCE_READ);
    this.lastExpectation = nextExpectation;
  }

  private async storeAlone(rows: SliceRows): Promise<boolean> {
    // Leases are not needed by a file of one slice.
    const takesLeases = !this.isFirst || rows.to < rows.chunk.rows.length;
    const options = { changedBefore: this.changed.flat(), takesLeases };
    this.isFirst = false;
    const stored = await storeRows(this.reading, this.current, rows, options);
    if (!stored) return false;
    this.current = stored.progress;
    this.remember(stored.changed, stored.nextExpectation);
    return true;
  }

  private isAppliedAhead(rows: SliceRows): rows is RowsAppliedAhead {
    const { prepared } = rows;
    if (this.reading.source.replayed || !prepared?.applied) return false;
    return prepared.applied.rowsApplied === prepared.rows.length;
  }

  /** @returns false for a conflict */
  private async commit({ prepared }: RowsAppliedAhead, { takes, write, committed }: ProgressRecord): Promise<boolean> {
    const deadline = callDeadline(this.reading.dependencies);
    const outcome = await commitSlice(this.reading, prepared, prepared.applied, [...takes, write], deadline);
    const version = outcome === 'conflict' ? await this.versionOfLostAnswer(write) : outcome;
    if (version) this.current = committed(this.current, version);
    return version !== undefined;
  }

  /** The version of a record where the conflict was with our own commit, whose answer was lost. */
  private async versionOfLostAnswer({ set, when }: ProgressRecord['write']): Promise<Version | undefined> {
    const { dependencies, worker } = this.reading;
    const after = await dependencies.store.get(set, callDeadline(dependencies));
    return after?.data.worker === worker && !meets(after, when) ? after.version : undefined;
  }
}

/**
 * Whether a slice counts the same rows when it is stored again, as a release with slices of another length does: no bad
 * row, no record twice, no row that stores and deletes.
 */
function isRepeatable({ prepared: { applied, paths, rows } }: RowsAppliedAhead): boolean {
  if (applied.badRows.length > 0 || applied.counts.read !== paths.size) return false;
  return !rows.some((row) => row?.valid && isDeleting(row.valid) && !row.valid.deletesOnly);
}
