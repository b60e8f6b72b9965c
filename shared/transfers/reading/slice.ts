/**
 * A slice of a file on its way into the database. It is prepared while slices before it are written: its rows are
 * validated, what they can touch is read, and they are placed, for one commit. Rows that touch what the slices before
 * write are placed after them.
 */
import type { Deadline } from '../../platform/deadline';
import { applyDeletionsOf } from '../../deletions/apply-deletion';
import { raiseFlag } from '../../deletions/pending-flag';
import { applyWideDeletionsOf } from '../../deletions/wide-deletions';
import { customerIdentities, keyIdentity } from '../../domain/identity';
import { SLICE_READ_BYTES } from '../../limits/transfers';
import type { Tenant } from '../../domain/tenant';
import type { Row } from '../../files/row';
import { EventLoopShare, mapInShares } from '../../platform/async/event-loop-share';
import { waitForAll } from '../../platform/async/in-parallel';
import type { LocatedRow, RowContext } from './located-row';
import { isBySku, isDeleting, locateRow } from './located-row';
import type { Expectation, RowOutcome } from './row-applier';
import { RowApplier } from './row-applier';
import { newRevision } from '../../workspace/record-documents';
import { Workspace } from '../../workspace/workspace';
import type { ValidationErrors } from '../../validation/validation-failed';
import { ValidationFailed } from '../../validation/validation-failed';
import type { ReplayedRows } from './replayed-rows';
import { toReplayedRecord } from './replayed-rows';
import type { ReportedRow } from '../runs/report';
import type { RowTimes } from './row-validator';
import { noteIgnoredFields, requireValidRow } from './row-validator';
import type { RowCounts, Run, RunFile } from '../runs/run';
import { NO_ROWS } from '../runs/run';
import type { TransferDependencies } from '../runs/steps';
import { isObject } from '../../validation/values';

/** What the slices of a file have in common. */
export interface SliceSource {
  readonly run: Run;
  readonly tenant: Tenant;
  readonly file: RunFile;
  /** Tells the rows that a replay takes; undefined: all. */
  readonly replayed: ReplayedRows | undefined;
  /** Collects the paths of fields that rows have and records do not. */
  readonly ignoredFields: Set<string>;
}

/** What rows of a slice touch, as far as others have to know. */
export interface TouchedRecords {
  /** The paths of the valid rows' records. */
  readonly paths: ReadonlySet<string>;
  /** Whether rows delete customers: they can touch any, as only queries tell whom they mean. */
  readonly deletesCustomers: boolean;
}

/** A slice whose rows are validated. */
export interface CheckedSlice extends TouchedRecords {
  readonly file: RunFile;
  /** In their order; a row that a replay passes over is undefined. */
  readonly rows: readonly (CheckedRow | undefined)[];
  readonly context: RowContext;
}

export interface PreparedSlice extends CheckedSlice {
  readonly workspace: Workspace;
  readonly applier: RowApplier;
  /** What was found, for the slices to come. */
  readonly nextExpectation: Expectation;
  /** Undefined: the rows touch what slices before write. */
  readonly applied: AppliedSlice | undefined;
}

export interface AppliedSlice {
  /** Rows that fit into one commit and of which everything was read, from the first on; one at least. */
  readonly rowsApplied: number;
  readonly counts: RowCounts;
  readonly badRows: readonly ReportedRow[];
  /** Lines that a replay was to read and that hold these rows. */
  readonly linesMet: number;
  /** The records of the rows in them. */
  readonly replayedRecords: readonly string[];
}

/** A slice with its documents, before its rows are placed. */
type LoadedSlice = Omit<PreparedSlice, 'placed'>;

/** Expects nothing: everything is read. */
export const NO_EXPECTATION: Expectation = { records: 'unknown', deletionFlag: 'unknown' };

/** A valid row, or what is wrong with it. */
type CheckedRow = { readonly line: number; readonly linesMet: number } & (
  { readonly valid: LocatedRow } | ({ readonly valid?: never } & RowErrors)
);

/** What is wrong with a row, as its report says it. */
type RowErrors = Omit<ReportedRow, 'line'>;

/**
 * Validates rows, applies the deletions that are pending before them, reads what they can touch, and places them.
 * @param parts the rows of each slice, in their order
 * @param before slices that may be written, or stored again, after that
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
    const isFree = ![...before, ...prepared].some(({ paths }) => touches(slice, paths));
    prepared.push({ ...slice, applied: isFree ? await index(slice) : undefined });
  }
  return [...prepared, ...later];
}

/** Whether a slice is prepared, or has to be while nothing of the file is being written. */
export function isPrepared(slice: CheckedSlice | PreparedSlice): slice is PreparedSlice {
  return 'workspace' in slice;
}

/**
 * Where nothing is known yet, the first slice tells the others what to expect: of a file of new records they read none.
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
  const told = await load(first, expected);
  return [told, ...(await waitForAll(others.map((slice) => load(slice, told.nextExpectation))))];
}

/** The same of one slice while nothing is being written. */
export async function prepareSlice(
  rows: readonly Row[],
  source: SliceSource,
  deadline: Deadline,
  dependencies: TransferDependencies,
): Promise<PreparedSlice> {
  const checked = await checkSlice(rows, source, dependencies);
  const slice = await loadSlice(checked, NO_EXPECTATION, deadline, dependencies);
  return { ...slice, applied: await index(slice) };
}

async function checkSlice(
  rows: readonly Row[],
  { run, tenant, file, replayed, ignoredFields }: SliceSource,
  { clock, random }: TransferDependencies,
): Promise<CheckedSlice> {
  const latest = run.startedAt > file.updated ? run.startedAt : file.updated;
  const times = { file: file.updated, latest };
  const context = {
    tenant,
    kind: file.kind,
    revision: newRevision(random),
    now: new Date(clock.nowMs()),
  };
  const checkedRows = await mapInShares(rows, (row) => {
    const checked = replayed ? checkReplayed(row, replayed, context, file, times) : check(row, 0, context, file, times);
    if (checked && 'record' in row && isObject(row.record)) noteIgnoredFields(row.record, file.kind, ignoredFields);
    return checked;
  });
  const valid = validRows(checkedRows);
  const deletesCustomers = file.kind === 'customers' && valid.some(isDeleting);
  return { file, rows: checkedRows, paths: new Set(valid.map(({ path }) => path)), deletesCustomers, context };
}

async function loadSlice(
  checked: CheckedSlice,
  expected: Expectation,
  deadline: Deadline,
  dependencies: TransferDependencies,
): Promise<LoadedSlice> {
  const { context, file } = checked;
  const { tenant } = context;
  const valid = validRows(checked.rows);
  let isSettled = false;
  for (let expectation = expected; ; expectation = NO_EXPECTATION) {
    const workspace = new Workspace(dependencies.store, deadline);
    const applier = new RowApplier(workspace, context, dependencies, deadline);
    const slice = { ...checked, workspace, applier };
    const found = await load(slice, expectation);
    const pending = applier.mayHavePendingDeletions() ? applier.idsWithPendingDeletions(valid) : [];
    const isWide: boolean = applier.mayHaveWideDeletions() && !isSettled;
    const needsFlag = valid.some(isDeleting) && !applier.isFlagRaised();
    if (pending.length === 0 && !isWide && !needsFlag) return { ...slice, nextExpectation: found };
    if (needsFlag) await raiseFlag(tenant.tenantId, file.kind, false, deadline, dependencies);
    // What rows are placed on is what is there once the deletions before them are applied.
    await applyDeletionsOf(tenant, file.kind, pending, {}, deadline, dependencies);
    if (isWide) await applyWideDeletionsOf(tenant, toWritten(valid, tenant), { hasWide: true }, deadline, dependencies);
    isSettled ||= isWide;
  }
}

/** The customers that rows write. */
function toWritten(rows: readonly LocatedRow[], tenant: Tenant) {
  return rows.flatMap(({ dto, path, at, deletesOnly }) => {
    if (deletesOnly) return [];
    const identities = customerIdentities(dto);
    return keyIdentity(dto, tenant.customerIdentifier).map((key) => ({ path, key, identities, at }));
  });
}

/**
 * The slice's rows, placed for one commit.
 * @param changedMeanwhile documents that the slices before changed; where the rows touch them, they are read again
 */
export async function applySlice(slice: PreparedSlice, changedMeanwhile: Iterable<string>): Promise<AppliedSlice> {
  if (slice.applied) return slice.applied;
  if (slice.workspace.dropUnchanged(changedMeanwhile)) await load(slice, NO_EXPECTATION);
  return index(slice);
}

/**
 * Whether rows of a slice can touch what rows of these records write. By `Sku`, any product can hold what a row names.
 */
function touches({ paths, context }: CheckedSlice, before: ReadonlySet<string>): boolean {
  return isBySku(context) || [...paths].some((path) => before.has(path));
}

/** Applies rows to the slice's workspace until a commit is full, or a row was not read for want of memory. */
async function index(slice: LoadedSlice): Promise<AppliedSlice> {
  const { rows, context, applier } = slice;
  const counts = { ...NO_ROWS };
  const bad: ReportedRow[] = [];
  let taken = 0;
  let linesMet = 0;
  const replayedRecords: string[] = [];
  const share = new EventLoopShare();
  for (const row of rows) {
    if (share.isUsedUp) await share.renew();
    if (row?.valid) {
      await applier.findCustomersToDelete(row.valid, () => validRows(rows.slice(taken)));
      const isLoaded = applier.isLoaded(row.valid);
      if (taken > 0 && !(isLoaded && applier.hasRoomFor(row.valid))) break;
      if (!isLoaded) await applier.load([row.valid], NO_EXPECTATION);
    }
    taken += 1;
    if (!row) continue;
    counts.read += 1;
    linesMet += row.linesMet;
    if (row.linesMet > 0 && row.valid) replayedRecords.push(toReplayedRecord(row.valid, context));
    const errors = row.valid ? await applyOrExplain(slice, row.valid, counts, share) : row;
    if (!errors) continue;
    counts.invalid += 1;
    const { messages, omittedErrors } = errors;
    bad.push({ line: row.line, messages, ...(omittedErrors !== undefined && { omittedErrors }) });
  }
  await applier.finish();
  return { rowsApplied: taken, counts, badRows: bad, linesMet, replayedRecords };
}

function load({ rows, applier }: Pick<LoadedSlice, 'rows' | 'applier'>, expected: Expectation): Promise<Expectation> {
  return applier.load(validRows(rows), expected, SLICE_READ_BYTES);
}

function validRows(rows: readonly (CheckedRow | undefined)[]): LocatedRow[] {
  return rows.flatMap((row) => row?.valid ?? []);
}

/** The row; undefined: a replay passes over it, as over an invalid one that was not bad before. */
function checkReplayed(
  row: Row,
  replayed: ReplayedRows,
  context: RowContext,
  file: RunFile,
  times: RowTimes,
): CheckedRow | undefined {
  const linesMet = replayed.countLines(row);
  const checked = check(row, linesMet, context, file, times);
  const record = checked.valid && toReplayedRecord(checked.valid, context);
  if (linesMet === 0) return record !== undefined && replayed.follows(record, row) ? checked : undefined;
  if (record !== undefined) replayed.add(record, row);
  return checked;
}

function check(row: Row, linesMet: number, context: RowContext, file: RunFile, times: RowTimes): CheckedRow {
  const { line } = row;
  try {
    return { line, linesMet, valid: locateRow(requireValidRow(row, file.kind, context.tenant, times), context) };
  } catch (error) {
    if (error instanceof ValidationFailed) return { line, linesMet, messages: error.errors, ...omittedOf(error) };
    throw error;
  }
}

/** Places a row and counts it; what is wrong with it when it does not fit. */
async function applyOrExplain(
  { applier }: LoadedSlice,
  row: LocatedRow,
  counts: Record<RowOutcome, number>,
  share: EventLoopShare,
): Promise<RowErrors | undefined> {
  try {
    counts[await applier.apply(row, share)] += 1;
    return undefined;
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    const errors = Object.entries(error.errors).map(([path, messages]) => [path.replace('[0].', ''), messages]);
    return { messages: Object.fromEntries(errors) as ValidationErrors };
  }
}

function omittedOf({ more: { omittedErrors } }: ValidationFailed): Pick<RowErrors, 'omittedErrors'> {
  return omittedErrors === undefined ? {} : { omittedErrors };
}
