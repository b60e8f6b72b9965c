/**
 * Stores rows of a file alone, while nothing else of the file is in flight. The records of a slice and the file's
 * progress are one commit, so that a crash at any moment loses nothing and counts nothing twice (D-55).
 */
import type { Deadline } from '../../platform/deadline';
import type { CommitOutcome, DocumentWrite } from '../../documents/document-store';
import { isSameVersion } from '../../documents/document-store';
import { MIN_FILE_SLICE_ROWS } from '../../limits/transfers';
import type { RowChunk } from '../../files/row';
import { flagLargeRecords } from '../../workspace/large-records';
import { newRevision } from '../../workspace/record-documents';
import { retryConflicts } from '../../workspace/retry-conflicts';
import { toRecordsWrite } from '../runs/replay-documents';
import { buildSliceReport, writeReport } from '../runs/report';
import type { RunFile } from '../runs/run';
import type { SliceSource } from './check-slice';
import type { ExamplePicker } from './examples';
import type { Progress, SliceAhead, StepContext } from './file-progress';
import { areSameLeases, callDeadline, countSlice, loadProgress } from './file-progress';
import { nextRecord } from './record-progress';
import type { Expectation } from './rows/row-applier';
import type { AppliedSlice, PreparedSlice } from './slice';
import { applySlice, NO_EXPECTATION, prepareSlice } from './slice';

/** A step's context with what the slices of its file have in common. */
export interface ReadingContext extends StepContext {
  readonly source: SliceSource;
  /** Picks examples of what changes; undefined: the run is no preview. */
  readonly examples: ExamplePicker | undefined;
}

/** Rows `from` to `to` of a chunk, which may be prepared for the first attempt. */
export interface SliceRows {
  readonly chunk: RowChunk;
  readonly from: number;
  readonly to: number;
  readonly prepared: PreparedSlice | undefined;
}

/** What is known once rows are stored. */
export interface StoredRows {
  readonly progress: Progress;
  /** The paths of the documents that the rows changed. */
  readonly changed: readonly string[];
  readonly nextExpectation: Expectation;
}

/** The rows of one commit. */
interface StoredSlice extends StoredRows {
  readonly rowsApplied: number;
}

interface StoreOptions {
  /** Documents that were changed, perhaps after the rows were prepared. */
  readonly changedBefore: readonly string[];
  /** Whether to take the leases, so that slices to come can be stored beside each other. */
  readonly takesLeases: boolean;
}

/**
 * Stores rows and the progress in as many commits as they need. A slice that is stored already is only counted.
 * @returns undefined when another worker has gone on from there
 */
export async function storeRows(
  reading: ReadingContext,
  start: Progress,
  rows: SliceRows,
  options: StoreOptions,
): Promise<StoredRows | undefined> {
  let stored: StoredRows | undefined;
  for (let { from, to, prepared } = rows; ; prepared = undefined) {
    const slice = await storeSlice(reading, stored?.progress ?? start, { ...rows, from, to, prepared }, options);
    if (!slice) return undefined;
    stored = { ...slice, changed: [...(stored?.changed ?? []), ...slice.changed] };
    from += slice.rowsApplied;
    if (from >= rows.to) return stored;
    to = Math.min(from + 2 * slice.rowsApplied, rows.to);
  }
}

/**
 * Stores as many rows as one commit takes, with the progress.
 * @returns undefined when another worker has gone on from there
 */
async function storeSlice(
  reading: ReadingContext,
  start: Progress,
  rows: SliceRows,
  options: StoreOptions,
): Promise<StoredSlice | undefined> {
  const { step, dependencies } = reading;
  const deadline = callDeadline(dependencies);
  const attempts = new SliceAttempts(reading, start, rows, options, deadline);
  let stored: StoredSlice | undefined;
  const attempt = async (open: readonly StepContext['step'][]) => {
    const outcome = await attempts.next();
    if (outcome === 'again') return open;
    stored = outcome === 'taken over' ? undefined : outcome;
    return [];
  };
  await retryConflicts([step], attempt, deadline, dependencies);
  return stored;
}

/**
 * The attempts to store one slice. Each further conflict halves the rows of the next one: the shorter the time between
 * reading and writing, the less can come in between.
 */
class SliceAttempts {
  /** The progress as it was read last. */
  private current: Progress;
  /** What the first attempt stores; undefined: an attempt reads what it needs. */
  private prepared: PreparedSlice | undefined;
  private conflicts = 0;
  /** How many rows the next one stores at most. */
  private size: number;

  constructor(
    private readonly reading: ReadingContext,
    private readonly start: Progress,
    private readonly rows: SliceRows,
    private readonly options: StoreOptions,
    private readonly deadline: Deadline,
  ) {
    this.current = start;
    this.prepared = rows.prepared;
    this.size = rows.to - rows.from;
  }

  async next(): Promise<StoredSlice | 'again' | 'taken over'> {
    const { reading, start, deadline } = this;
    const { step, source, dependencies } = reading;
    const known = this.findStored();
    if (known) return known;
    const { chunk, from } = this.rows;
    const changedBefore = this.prepared ? this.options.changedBefore : [];
    const rows = chunk.rows.slice(from, from + this.size);
    const slice = this.prepared ?? (await prepareSlice(rows, source, deadline, dependencies));
    this.prepared = undefined;
    const applied = await applySlice(slice, changedBefore);
    if (!applied) return 'again';
    const { rowsApplied } = applied;
    const { report, progress } = await buildSliceReport(applied.badRows, start.file);
    const file = { ...advanceFile(reading, start.file, { chunk, to: from + rowsApplied }, applied), ...progress };
    const record = nextRecord(reading, this.current, file, this.options);
    const otherWrites = [
      ...(report
        ? [await writeReport({ ...step, revision: newRevision(dependencies.random) }, file, report, dependencies)]
        : []),
      ...(applied.replayedRecords.length > 0 ? [toRecordsWrite(step, start.file, applied.replayedRecords)] : []),
      ...record.takes,
      record.write,
    ];
    const version = await commitSlice(reading, slice, applied, otherWrites, deadline);
    const toStored = (stored: Progress): StoredSlice => ({
      progress: stored,
      rowsApplied,
      changed: slice.workspace.changedPaths(),
      nextExpectation: slice.nextExpectation,
    });
    if (version === 'conflict') return this.afterConflict(toStored);
    return toStored({ ...record.committed(record.begun, version), file, isRecorded: record.isInFile });
  }

  /** The slice, where it was stored ahead of those before it: it is only counted. */
  private findStored(): StoredSlice | undefined {
    const { chunk, from, to } = this.rows;
    const before = this.start.file;
    const known = this.current.ahead.find((slice) => slice.from === before.rows.read && slice.counts.read <= to - from);
    if (!known) return undefined;
    const rowsApplied = known.counts.read;
    const file = advanceFile(this.reading, before, { chunk, to: from + rowsApplied }, { ...known, linesMet: 0 });
    const progress = { ...this.current, file, isRecorded: false };
    return { progress, rowsApplied, changed: [], nextExpectation: NO_EXPECTATION };
  }

  /** The records of the progress tell: unchanged (try again), ours (an answer was lost), or another worker's. */
  private async afterConflict(
    toStored: (progress: Progress) => StoredSlice,
  ): Promise<StoredSlice | 'again' | 'taken over'> {
    const { reading, start } = this;
    const after = await loadProgress(reading);
    if (after && isSameVersion(after.version, start.version) && after.file.rows.read <= start.file.rows.read) {
      // Another worker, or a commit whose answer was lost, may have stored the slice, or written the next lease.
      const leases = areSameLeases(start.leases, after.leases) ? start.leases : after.leases;
      this.current = { ...start, leases, ahead: after.ahead };
      this.conflicts += 1;
      if (this.conflicts > 1) this.size = Math.min(this.size, Math.max(MIN_FILE_SLICE_ROWS, Math.ceil(this.size / 2)));
      return 'again';
    }
    return after?.worker === reading.worker ? toStored(after) : 'taken over';
  }
}

/** Commits the records of an applied slice with other writes. @returns the version of the last of these */
export async function commitSlice(
  { run, source, examples, dependencies: { store } }: ReadingContext,
  slice: PreparedSlice,
  applied: AppliedSlice,
  otherWrites: readonly DocumentWrite[],
  deadline: Deadline,
): Promise<CommitOutcome> {
  const { workspace } = slice;
  // A preview stores no record that a batch could meet, and each of its steps would write one and the same document.
  if (!run.isPreview && workspace.hasLargeChange()) await flagLargeRecords(source.tenant, store, deadline);
  const picked = examples ? await examples.pick(slice, applied, store, deadline) : [];
  const outcome = await store.commit([...workspace.toWrites(), ...picked, ...otherWrites], deadline);
  if (outcome === 'conflict') examples?.putBack(picked);
  return outcome;
}

/** The file after a slice that ends at row `to` of a chunk. */
export function advanceFile(
  { source: { ignoredFields } }: ReadingContext,
  before: RunFile,
  { chunk, to }: Pick<SliceRows, 'chunk' | 'to'>,
  applied: Pick<AppliedSlice, 'counts' | 'changes' | 'linesMet'> & Pick<SliceAhead, 'warnings'>,
): RunFile {
  // A release with other bounds may have stored rows of a longer chunk: its rest is in the next chunk.
  const isWhole = to >= chunk.rows.length;
  return {
    ...countSlice(before, applied),
    checkpoint: isWhole ? chunk.checkpoint : before.checkpoint,
    done: isWhole ? to - chunk.rows.length : to,
    ...(applied.linesMet > 0 && { linesMet: (before.linesMet ?? 0) + applied.linesMet }),
    ...(ignoredFields.size > 0 && { ignoredFields: [...ignoredFields] }),
  };
}
