/**
 * A slice of a file on its way into the database. It is prepared while the slice before it is written: its rows are
 * validated, and what they can touch is read. Then its rows are placed, for one commit.
 */
import type { Deadline } from '../deadline';
import { applyPendingDeletions } from '../deletions/apply-deletion';
import { WRITE_CHUNK_BYTES } from '../domain/limits';
import type { Tenant } from '../domain/tenant';
import type { Row } from '../files/row';
import type { Expectation, RowContext, TimedRow } from '../records/place-row';
import { loadRows, placeRow } from '../records/place-row';
import { newStamp } from '../records/record-documents';
import { Workspace } from '../records/workspace';
import type { ValidationErrors } from '../validation/validation-failed';
import { ValidationFailed } from '../validation/validation-failed';
import type { BadRowReport } from './report';
import { requireValidRow } from './row-validator';
import type { RowCounts, Run, RunFile } from './run';
import type { TransferDependencies } from './steps';

/** What the slices of a file have in common. */
export interface SliceSource {
  readonly run: Run;
  readonly tenant: Tenant;
  readonly file: RunFile;
  /** A replay reads these lines only. */
  readonly onlyLines: ReadonlySet<number> | undefined;
}

export interface PreparedSlice {
  readonly file: RunFile;
  /** In their order; a row that a replay passes over is undefined. */
  readonly rows: readonly (CheckedRow | undefined)[];
  readonly context: RowContext;
  readonly workspace: Workspace;
  /** What was found, for the slices to come. */
  readonly found: Expectation;
}

/** Expects nothing: everything is read. */
export const NO_EXPECTATION: Expectation = { records: 'unknown', tombstones: 'unknown' };

/** A valid row, or what is wrong with it. */
type CheckedRow = { readonly line: number } & (
  | { readonly valid: TimedRow; readonly messages?: never }
  | { readonly valid?: never; readonly messages: ValidationErrors }
);

/** Validates rows, applies the deletions that are pending before them, and reads what they can touch. */
export async function prepareSlice(
  rows: readonly Row[],
  { run, tenant, file, onlyLines }: SliceSource,
  expected: Expectation,
  deadline: Deadline,
  dependencies: TransferDependencies,
): Promise<PreparedSlice> {
  const { store, clock, random } = dependencies;
  const latest = run.startedAt > file.updated ? run.startedAt : file.updated;
  const times = { file: file.updated, latest };
  const slice = {
    file,
    rows: rows.map((row) => (onlyLines?.has(row.line) === false ? undefined : check(row, file, tenant, times))),
    context: { tenant, kind: file.kind, stamp: newStamp(random), now: new Date(clock.nowMs()) },
    workspace: new Workspace(store, deadline),
  };
  const [found, mayHaveChanged] = await Promise.all([
    load(slice, expected),
    applyPendingDeletions(tenant, file.kind, deadline, dependencies),
  ]);
  if (!mayHaveChanged) return { ...slice, found };
  const current = { ...slice, workspace: new Workspace(store, deadline) };
  return { ...current, found: await load(current, NO_EXPECTATION) };
}

export interface PlacedSlice {
  /** Rows that fit into one commit, from the first on. */
  readonly taken: number;
  readonly counts: RowCounts;
  readonly bad: readonly BadRowReport[];
}

/**
 * Applies rows to the slice's workspace until a commit is full.
 * @param writtenMeanwhile documents that were written since the slice was prepared; they are read again
 */
export async function placeSlice(slice: PreparedSlice, writtenMeanwhile: Iterable<string>): Promise<PlacedSlice> {
  const { file, rows, workspace } = slice;
  if (workspace.forget(writtenMeanwhile)) await load(slice, NO_EXPECTATION);
  const counts = { read: 0, stored: 0, invalid: 0, stale: 0 };
  const bad: BadRowReport[] = [];
  let taken = 0;
  for (const row of rows) {
    if (taken > 0 && workspace.changedBytes() > WRITE_CHUNK_BYTES) break;
    taken += 1;
    if (!row) continue;
    counts.read += 1;
    const messages = row.valid ? placeOrExplain(slice, row.valid, counts) : row.messages;
    if (!messages) continue;
    counts.invalid += 1;
    bad.push({ object: file.object, generation: file.generation, line: row.line, messages });
  }
  return { taken, counts, bad };
}

function load(
  { rows, workspace, context }: Pick<PreparedSlice, 'rows' | 'workspace' | 'context'>,
  expected: Expectation,
): Promise<Expectation> {
  const valid = rows.flatMap((row) => row?.valid ?? []);
  return loadRows(workspace, valid, context, expected);
}

function check(row: Row, file: RunFile, tenant: Tenant, times: Parameters<typeof requireValidRow>[3]): CheckedRow {
  const { line } = row;
  try {
    return { line, valid: requireValidRow(row, file.kind, tenant, times) };
  } catch (error) {
    if (error instanceof ValidationFailed) return { line, messages: error.errors };
    throw error;
  }
}

/** Places a row and counts it; what is wrong with it when it does not fit. */
function placeOrExplain(
  { workspace, context }: PreparedSlice,
  row: TimedRow,
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
