/**
 * Prepares a slice of a file for its commit. Rows are validated, what they can touch is read, and they are applied to a
 * workspace. That happens while earlier slices are being written. Rows that touch what those write are applied once it
 * is written.
 */
import { applyDeletions } from '../../deletions/apply-deletion';
import { findReachable } from '../../deletions/reachable-customers';
import { raiseFlag } from '../../deletions/pending-flag';
import { applyWideDeletionsBeforeWrite } from '../../deletions/wide-deletions';
import type { RecordId } from '../../domain/identity';
import { customerIdentities, keyIdentity } from '../../domain/identity';
import type { Tenant } from '../../domain/tenant';
import { warnOfMisnamed } from '../../domain/warnings/misnamed-fields';
import type { Warnings } from '../../domain/warnings/warning';
import { NO_WARNINGS } from '../../domain/warnings/warning';
import type { Row } from '../../files/row';
import { SLICE_READ_BYTES } from '../../limits/transfers';
import { EventLoopShare } from '../../platform/async/event-loop-share';
import { waitForAll } from '../../platform/async/in-parallel';
import type { Deadline } from '../../platform/deadline';
import type { ValidationErrors } from '../../validation/validation-failed';
import { ValidationFailed } from '../../validation/validation-failed';
import { Workspace } from '../../workspace/workspace';
import type { ReportedRow } from '../runs/report';
import type { ChangeCounts } from '../runs/changes';
import { countChanges } from '../runs/changes';
import type { RowCounts } from '../runs/run';
import { NO_ROWS } from '../runs/run';
import type { TransferDependencies } from '../runs/steps';
import type { CheckedSlice, RowErrors, SliceSource, TouchedRecords } from './check-slice';
import { checkSlice, validRows } from './check-slice';
import type { LocatedRow, RowContext } from './rows/located-row';
import { isBySku, isDeleting } from './rows/located-row';
import { toReplayedRecord } from './replayed-rows';
import type { Expectation } from './rows/row-applier';
import { RowApplier } from './rows/row-applier';
import { warnOfStored } from './rows/row-warnings';

export interface PreparedSlice extends CheckedSlice {
  readonly workspace: Workspace;
  readonly applier: RowApplier;
  /** What the slices to come may expect. */
  readonly nextExpectation: Expectation;
  /** Identifiers of customers who lack the priority identifier and could be reached by it. */
  readonly reachable: ReadonlySet<RecordId>;
  /** Undefined: the rows touch what earlier slices write, or the first one was beyond the bound of reading. */
  readonly applied: AppliedSlice | undefined;
}

export interface AppliedSlice {
  /** How many rows fit into one commit and are read, from the first on; one at least. */
  readonly rowsApplied: number;
  readonly counts: RowCounts;
  readonly changes: ChangeCounts;
  readonly warnings: Warnings;
  /** The paths of the records whose rows have changed something. */
  readonly changing: ReadonlySet<string>;
  readonly badRows: readonly ReportedRow[];
  /** How many of the lines that a replay takes hold these rows. */
  readonly linesMet: number;
  /** The records of the rows in those lines. */
  readonly replayedRecords: readonly string[];
}

/** A slice with its documents, before its rows are applied. */
type LoadedSlice = Omit<PreparedSlice, 'applied'>;

/** How many bytes of each kind of documents are read for a slice; absent: all. What is beyond stays unread. */
interface ReadBound {
  readonly maxBytes?: number;
}

const SLICE_BOUND: ReadBound = { maxBytes: SLICE_READ_BYTES };

/** Expects nothing: everything is read. */
export const NO_EXPECTATION: Expectation = { records: 'unknown', deletionFlag: 'unknown', tombstones: 'unknown' };

/**
 * Validates rows, applies the deletions that are pending for their records, reads what the rows can touch, and applies
 * them.
 * @param parts the rows of each slice, in their order
 * @param before slices that may be written, or stored again, after this call reads
 * @returns each slice prepared; only checked where it, or one before it, deletes customers
 */
export async function prepareSlices(
  parts: readonly (readonly Row[])[],
  source: SliceSource,
  expected: Expectation,
  before: readonly TouchedRecords[],
  deadline: Deadline,
  dependencies: TransferDependencies,
): Promise<(CheckedSlice | PreparedSlice)[]> {
  const checked: CheckedSlice[] = [];
  for (const rows of parts) checked.push(await checkSlice(rows, source, dependencies));
  const isAfterDeletion = before.some(({ deletesCustomers }) => deletesCustomers);
  const end = isAfterDeletion ? 0 : checked.findIndex(({ deletesCustomers }) => deletesCustomers);
  const [ahead, later] = end === -1 ? [checked, []] : [checked.slice(0, end), checked.slice(end)];
  const loaded = await loadSlices(ahead, expected, deadline, dependencies);
  const prepared: PreparedSlice[] = [];
  for (const slice of loaded) {
    const isIndependent = ![...before, ...prepared].some(({ paths }) => canTouch(slice, paths));
    prepared.push({ ...slice, applied: isIndependent ? await applyRows(slice) : undefined });
  }
  return [...prepared, ...later];
}

/**
 * Prepares one slice while nothing of the file is being written: only its first row, whatever that takes, where the
 * bound of reading was reached before it.
 */
export async function prepareSlice(
  rows: readonly Row[],
  source: SliceSource,
  deadline: Deadline,
  dependencies: TransferDependencies,
): Promise<PreparedSlice> {
  const prepare = async (some: readonly Row[], bound: ReadBound): Promise<PreparedSlice> => {
    const checked = await checkSlice(some, source, dependencies);
    const slice = await loadSlice(checked, NO_EXPECTATION, deadline, dependencies, bound);
    return { ...slice, applied: await applyRows(slice) };
  };
  const slice = await prepare(rows, SLICE_BOUND);
  return slice.applied ? slice : prepare(rows.slice(0, 1), {});
}

/** Whether a slice is prepared. Another one has to be prepared while nothing of the file is being written. */
export function isPrepared(slice: CheckedSlice | PreparedSlice): slice is PreparedSlice {
  return 'workspace' in slice;
}

/**
 * The slice's rows, applied for one commit.
 * @param changedMeanwhile documents that the slices before changed; where the rows touch them, they are read again
 * @returns undefined where it has to be prepared again: deletions may be pending for its rows, as was not known when it
 * was prepared, or the first one was beyond the bound of reading
 */
export async function applySlice(
  slice: PreparedSlice,
  changedMeanwhile: Iterable<string>,
): Promise<AppliedSlice | undefined> {
  if (slice.applied) return slice.applied;
  const tombstones = new Set(tombstonesOf(slice));
  if (slice.workspace.dropUnchanged(changedMeanwhile)) {
    await loadRows(slice, NO_EXPECTATION);
    // A tombstone that is read only now may be of a deletion that was looked for, and not pending, before.
    if (tombstonesOf(slice).some((path) => !tombstones.has(path))) return undefined;
  }
  return pendingDeletions(slice).length > 0 ? undefined : applyRows(slice);
}

/**
 * Loads slices side by side. Where nothing is known yet, the first slice is loaded alone and tells what to expect: in a
 * file of new records the others then read no records.
 */
async function loadSlices(
  slices: readonly CheckedSlice[],
  expected: Expectation,
  deadline: Deadline,
  dependencies: TransferDependencies,
): Promise<LoadedSlice[]> {
  const load = (slice: CheckedSlice, expectation: Expectation) => loadSlice(slice, expectation, deadline, dependencies);
  const [first, ...others] = slices;
  if (!first || expected !== NO_EXPECTATION) return waitForAll(slices.map((slice) => load(slice, expected)));
  const loadedFirst = await load(first, expected);
  return [loadedFirst, ...(await waitForAll(others.map((slice) => load(slice, loadedFirst.nextExpectation))))];
}

/**
 * Reads what the rows of a slice can touch. Where deletions are pending for it, they are applied and everything is read
 * again, so that rows meet what those deletions have left. Where no wide deletion had anything to remove, what was read
 * holds: the commit of the rows checks that it is unchanged.
 */
async function loadSlice(
  checked: CheckedSlice,
  expected: Expectation,
  deadline: Deadline,
  dependencies: TransferDependencies,
  bound = SLICE_BOUND,
): Promise<LoadedSlice> {
  const { context, file } = checked;
  const { tenant } = context;
  const valid = validRows(checked.rows);
  const reachable = reachableBy(valid, context, deadline, dependencies);
  for (let expectation = expected; ; expectation = NO_EXPECTATION) {
    const workspace = new Workspace(dependencies.store, deadline);
    const applier = new RowApplier(workspace, context, dependencies, deadline);
    const slice = { ...checked, workspace, applier };
    const nextExpectation = await loadRows(slice, expectation, bound);
    const { newerDeletions } = applier;
    const pending = pendingDeletions(slice);
    const hasWide = newerDeletions.mayBeWide();
    const needsFlag = valid.some(isDeleting) && !newerDeletions.isRaisedForRows();
    if (needsFlag) await raiseFlag(tenant.tenantId, file.kind, {}, deadline, dependencies);
    await applyDeletions(tenant, pending, deadline, dependencies);
    const written = hasWide ? customersToWrite(valid, tenant) : [];
    const isChanged = await applyWideDeletionsBeforeWrite(tenant, written, { hasWide }, deadline, dependencies);
    if (pending.length === 0 && !needsFlag && !isChanged) {
      return { ...slice, nextExpectation, reachable: await reachable };
    }
  }
}

/** The ids of the pending deletions of records that rows of a slice touch, as far as these are read. */
function pendingDeletions({ rows, applier: { newerDeletions } }: Pick<LoadedSlice, 'rows' | 'applier'>): string[] {
  return newerDeletions.mayBePending() ? newerDeletions.pendingDeletions(validRows(rows)) : [];
}

/** The tombstones on which rows of customers depend, as far as their records are read. */
function tombstonesOf({ rows, context, applier: { newerDeletions } }: LoadedSlice): string[] {
  if (context.kind !== 'customers' || !newerDeletions.mayBePending()) return [];
  return validRows(rows).flatMap((row) => newerDeletions.tombstonesFor(row));
}

function loadRows(
  { rows, applier }: Pick<LoadedSlice, 'rows' | 'applier'>,
  expected: Expectation,
  { maxBytes } = SLICE_BOUND,
): Promise<Expectation> {
  return applier.load(validRows(rows), expected, maxBytes);
}

/** Customers who can be reached by the identifiers of rows that lack the priority identifier. Never rejects. */
async function reachableBy(
  rows: readonly LocatedRow[],
  { kind, tenant }: RowContext,
  deadline: Deadline,
  dependencies: TransferDependencies,
): Promise<ReadonlySet<RecordId>> {
  if (kind !== 'customers') return new Set();
  const customers = rows.filter(({ deletesOnly }) => !deletesOnly).map(({ dto }) => dto);
  return findReachable(customers, tenant, deadline, dependencies);
}

/** The customers that rows write. */
function customersToWrite(rows: readonly LocatedRow[], tenant: Tenant) {
  return rows.flatMap(({ dto, path, at, deletesOnly }) => {
    if (deletesOnly) return [];
    const identities = customerIdentities(dto);
    return keyIdentity(dto, tenant.customerIdentifier).map((key) => ({ path, key, identities, at }));
  });
}

/** Whether rows of a slice can touch records at these paths. By `Sku`, a row can touch any product. */
function canTouch({ paths, context }: CheckedSlice, before: ReadonlySet<string>): boolean {
  return isBySku(context) || [...paths].some((path) => before.has(path));
}

/**
 * Applies rows to the slice's workspace until a commit is full, or up to a row that was beyond the bound of reading.
 * @returns undefined where that is the first one
 */
async function applyRows(slice: LoadedSlice): Promise<AppliedSlice | undefined> {
  const { rows, context, applier } = slice;
  const tally: Tally = { counts: { ...NO_ROWS }, changes: {}, warnings: NO_WARNINGS, changing: new Set() };
  const { counts } = tally;
  const badRows: ReportedRow[] = [];
  let rowsApplied = 0;
  let linesMet = 0;
  const replayedRecords: string[] = [];
  const share = new EventLoopShare();
  for (const row of rows) {
    if (share.isUsedUp) await share.renew();
    if (row?.valid) {
      if (!applier.isLoaded(row.valid)) {
        // Reading it now would mix two moments: a deletion that is accepted in between could be missed.
        if (rowsApplied === 0) return undefined;
        break;
      }
      const start = rowsApplied;
      await applier.findCustomersToDelete(row.valid, () => validRows(rows.slice(start)));
      if (rowsApplied > 0 && !applier.hasRoomFor(row.valid)) break;
    }
    rowsApplied += 1;
    if (!row) continue;
    counts.read += 1;
    linesMet += row.linesMet;
    if (row.misnamed) tally.warnings = warnOfMisnamed(tally.warnings, row.misnamed, { line: row.line });
    if (row.linesMet > 0 && row.valid) replayedRecords.push(toReplayedRecord(row.valid, context));
    const errors = row.valid ? await applyOrExplain(slice, row, tally, share) : row;
    if (!errors) continue;
    counts.invalid += 1;
    const { messages, omittedErrors } = errors;
    badRows.push({ line: row.line, messages, ...(omittedErrors !== undefined && { omittedErrors }) });
  }
  await applier.finish();
  return { rowsApplied, ...tally, badRows, linesMet, replayedRecords };
}

/** What is counted of the rows of a slice so far. */
interface Tally {
  readonly counts: { -readonly [Count in keyof RowCounts]: RowCounts[Count] };
  changes: ChangeCounts;
  warnings: Warnings;
  readonly changing: Set<string>;
}

/** Applies a row and counts its outcome. @returns what is wrong with it where its record would become too large */
async function applyOrExplain(
  { applier, context, reachable }: LoadedSlice,
  { valid, line }: { readonly valid: LocatedRow; readonly line: number },
  tally: Tally,
  share: EventLoopShare,
): Promise<RowErrors | undefined> {
  try {
    const { outcome, changes } = await applier.apply(valid, share);
    tally.counts[outcome] += 1;
    tally.changes = countChanges(tally.changes, changes);
    if (outcome !== 'stale' && !changes.includes('Unchanged')) tally.changing.add(valid.path);
    if (outcome === 'stored') tally.warnings = warnOfStored(tally.warnings, valid.dto, line, context, reachable);
    return undefined;
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    const errors = Object.entries(error.errors).map(([path, messages]) => [path.replace('[0].', ''), messages]);
    return { messages: Object.fromEntries(errors) as ValidationErrors };
  }
}
