/**
 * Writes a file's slices in their order, two at a time where it can: when one is stored, the next one is on its way, so
 * that neither the database nor the function waits. The two take turns:
 *
 * ```
 * file's document   0 ─▶ 1 ─▶ 2 ───▶ 4 ───▶ 6     records how far all before it are stored; alone (0 to 2), also itself
 * lease                         3 ───▶ 5 ───▶ 7   records nothing, and depends on the lease only
 * ```
 *
 * What is stored and not recorded yet when a process dies is stored again, and counts the same (D-55, R-15).
 */
import type { ExtendableDeadline } from '../../platform/deadline';
import type { Version } from '../../documents/document-store';
import { isSameVersion } from '../../documents/document-store';
import { FILE_CHUNK_ROWS, FILE_SLICE_ROWS } from '../../limits/transfers';
import type { RowChunk } from '../../files/row';
import { waitForAll } from '../../platform/async/in-parallel';
import { isDeleting } from './located-row';
import type { Expectation } from './row-applier';
import type { Progress } from './file-progress';
import { loadProgress, toLeaseWrite, toProgressWrite, callDeadline } from './file-progress';
import type { CheckedSlice, AppliedSlice, PreparedSlice } from './slice';
import { isPrepared, NO_EXPECTATION } from './slice';
import type { ReadingContext, SliceRows } from './store-slice';
import { advanceFile, commitSlice, storeRows } from './store-slice';

/**
 * Slices at most that are stored before another one and not recorded yet, all of which a crash has stored again: the
 * progress on record is that of the last but one commit to the file's document, and says as much as was known when that
 * one began.
 */
export const MAX_UNRECORDED_SLICES = 4;

/** Slices that may be written after another one was read: it is with its chunk, while the chunk before is written. */
const SLICES_SINCE_READ = 2 * (FILE_CHUNK_ROWS / FILE_SLICE_ROWS);

/** A chunk with its rows in slices, prepared for their first attempts. */
export interface PreparedChunk {
  readonly chunk: RowChunk;
  readonly slices: readonly (CheckedSlice | PreparedSlice)[];
  /** Of what the slices read. */
  readonly deadline: ExtendableDeadline;
}

type PlacedAhead = PreparedSlice & { readonly placed: AppliedSlice };
type RowsAppliedAhead = SliceRows & { readonly prepared: PlacedAhead };

/** A slice whose commit has begun. */
interface SliceUnderWay {
  readonly rows: RowsAppliedAhead;
  readonly isLeased: boolean;
  /** Whether its commit records it. */
  readonly isRecorded: boolean;
  /** False: it was in conflict. */
  readonly isStored: Promise<boolean>;
}

export class SliceWriter {
  /** In their order; two at most. */
  private underWay: readonly SliceUnderWay[] = [];
  /** Rows of the chunk to come that an earlier unit has stored. */
  private doneRows: number;
  private isFirst = true;
  /** Documents that the last slices changed. */
  private changed: readonly (readonly string[])[] = [];
  private lastFound = NO_EXPECTATION;

  constructor(
    private readonly reading: ReadingContext,
    private current: Progress,
  ) {
    this.doneRows = current.file.done;
  }

  /** The file up to the last slice of which all before it are stored. */
  get progress(): Progress {
    return this.current;
  }

  /** What the last stored slice found. */
  get nextExpectation(): Expectation {
    return this.lastFound;
  }

  /**
   * Stores a chunk's rows after all before them. The last slice may still be under way afterwards.
   * @returns false when another worker has gone on from here
   */
  async store({ chunk, slices, deadline }: PreparedChunk): Promise<boolean> {
    const done = this.doneRows;
    this.doneRows = Math.max(0, done - chunk.rows.length);
    if (chunk.rows.length <= done) {
      // Nothing is left of it, but it tells how far the reader has come.
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

  /** Waits for what is under way. @returns false when another worker has gone on from here */
  async finish(): Promise<boolean> {
    while (this.underWay.length > 0) if (!(await this.finishFirst())) return false;
    return true;
  }

  /** Waits for what is under way, whatever becomes of it. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.underWay.map(({ isStored }) => isStored));
  }

  private async storeSlice(rows: SliceRows, deadline: ExtendableDeadline): Promise<boolean> {
    const ahead = this.isAppliedAhead(rows) ? rows : undefined;
    if (!(ahead && isRepeatable(ahead)) && !(await this.finish())) return false;
    // What is reported depends on the room that the report has left, which the progress tells.
    if (ahead?.prepared.applied.badRows.length === 0 && this.current.lease.isHeld) {
      this.begin(ahead);
      return this.underWay.length === 1 || this.finishFirst();
    }
    if (!(await this.finish())) return false;
    deadline.renew(); // the rows waited for their turn, and may be read again
    return this.storeAlone(rows);
  }

  /** Sends a slice, beside the one that may be under way. */
  private begin(rows: RowsAppliedAhead): void {
    const [before] = this.underWay;
    const isLeased = before?.isLeased === false;
    const isRecorded = before === undefined;
    const isStored = isLeased ? this.commitWithLease(rows) : this.commitWithProgress(rows, isRecorded);
    isStored.catch(() => undefined); // whoever waits for it sees its failure
    this.underWay = [...this.underWay, { rows, isLeased, isRecorded, isStored }];
  }

  /**
   * Waits for the first slice under way; where it is in conflict, for all, and stores those by themselves that are not.
   */
  private async finishFirst(): Promise<boolean> {
    const [first, ...others] = this.underWay;
    if (!first) return true;
    if (await first.isStored) {
      this.note(first);
      this.underWay = others;
      return true;
    }
    const outcomes = await waitForAll([false, ...others.map(({ isStored }) => isStored)]);
    this.underWay = [];
    for (const [index, slice] of [first, ...others].entries()) {
      if (outcomes[index]) this.note(slice);
      else if (!(await this.storeAlone({ ...slice.rows, prepared: undefined }))) return false;
    }
    return true;
  }

  /** Counts a slice that is stored, after all before it. */
  private note({ rows, isRecorded }: SliceUnderWay): void {
    const { prepared } = rows;
    const file = advanceFile(this.reading, this.current.file, rows, prepared.applied);
    this.current = { ...this.current, file, isRecorded };
    this.remember(prepared.workspace.changedPaths(), prepared.nextExpectation);
  }

  private remember(changed: readonly string[], found: Expectation): void {
    this.changed = [...this.changed, changed].slice(-SLICES_SINCE_READ);
    this.lastFound = found;
  }

  private async storeAlone(rows: SliceRows): Promise<boolean> {
    // A file of one slice needs no lease, and none is needed where slices cannot be stored beside each other.
    const takesLease = !this.isFirst && this.isAppliedAhead(rows);
    const options = { changedBefore: this.changed.flat(), takesLease };
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
  private async commitWithProgress(rows: RowsAppliedAhead, recordsItself: boolean): Promise<boolean> {
    const { reading, current } = this;
    const { prepared } = rows;
    const file = recordsItself ? advanceFile(reading, current.file, rows, prepared.applied) : current.file;
    const beside = [toProgressWrite(reading, file, current.version)];
    const outcome = await commitSlice(reading, prepared, beside, callDeadline(reading.dependencies));
    const version = outcome === 'conflict' ? await this.versionOfLostAnswer(current) : outcome;
    if (version) this.current = { ...this.current, version };
    return version !== undefined;
  }

  /**
   * The version of the file's document where our own commit met itself, because its answer was lost. Undefined also
   * where it recorded what was recorded already, which moves no version: then the slice is stored again.
   */
  private async versionOfLostAnswer(before: Progress): Promise<Version | undefined> {
    const after = await loadProgress(this.reading);
    const isOurs = after?.worker === this.reading.worker && !isSameVersion(after.version, before.version);
    return isOurs ? after.version : undefined;
  }

  /** @returns false for a conflict: perhaps another worker holds the lease */
  private async commitWithLease({ prepared }: RowsAppliedAhead): Promise<boolean> {
    const { reading, current } = this;
    const deadline = callDeadline(reading.dependencies);
    const outcome = await commitSlice(reading, prepared, [toLeaseWrite(reading, current.lease)], deadline);
    const lease = outcome === 'conflict' ? { ...current.lease, isHeld: false } : { isHeld: true, version: outcome };
    this.current = { ...this.current, lease };
    return outcome !== 'conflict';
  }
}

/**
 * Whether a slice counts the same when it is stored again: nothing is to be reported, no record comes twice, and no row
 * both stores and deletes.
 */
function isRepeatable({ prepared: { applied: placed, paths, rows } }: RowsAppliedAhead): boolean {
  if (placed.badRows.length > 0 || placed.counts.read !== paths.size) return false;
  return !rows.some((row) => row?.valid && isDeleting(row.valid) && !row.valid.deletesOnly);
}
