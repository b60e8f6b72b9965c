/** Validates the rows of a slice, finds the record of each, and passes over rows that a replay does not take. */
import { runToEnd } from '../../domain/records/parts';
import type { Tenant } from '../../domain/tenant';
import type { MisnamedField } from '../../domain/warnings/misnamed-fields';
import type { Row } from '../../files/row';
import { mapInShares } from '../../platform/async/event-loop-share';
import { ValidationFailed } from '../../validation/validation-failed';
import { isObject } from '../../validation/values';
import { newRevision } from '../../workspace/record-documents';
import type { ReportedRow } from '../runs/report';
import type { Run, RunFile } from '../runs/run';
import type { TransferDependencies } from '../runs/steps';
import type { LocatedRow, RowContext } from './rows/located-row';
import { isDeleting, locateRow } from './rows/located-row';
import type { ReplayedRows } from './replayed-rows';
import { toReplayedRecord } from './replayed-rows';
import type { RowTimes } from './rows/row-validator';
import { findMisnamed } from './rows/row-warnings';
import { noteIgnoredFields, requireValidRow } from './rows/row-validator';

/** What the slices of a file have in common. */
export interface SliceSource {
  readonly run: Run;
  readonly tenant: Tenant;
  readonly file: RunFile;
  /** Undefined: all rows are read, as in any run that is no replay. */
  readonly replayed: ReplayedRows | undefined;
  /** Collects the paths of fields that rows have and records do not. */
  readonly ignoredFields: Set<string>;
}

/** The records that rows of a slice touch. Other slices compare it with theirs. */
export interface TouchedRecords {
  /** The paths of the valid rows' records. */
  readonly paths: ReadonlySet<string>;
  /** Whether rows delete customers. Only queries find these, so that such rows can touch any customer. */
  readonly deletesCustomers: boolean;
}

/** A slice whose rows are validated. */
export interface CheckedSlice extends TouchedRecords {
  readonly file: RunFile;
  /** In their order. Undefined: a replay passes over the row. */
  readonly rows: readonly (CheckedRow | undefined)[];
  readonly context: RowContext;
}

/** A valid row, or what is wrong with it. */
export type CheckedRow = {
  readonly line: number;
  readonly linesMet: number;
  /** Fields that are ignored and were meant as known ones; absent: none. */
  readonly misnamed?: readonly MisnamedField[];
} & ({ readonly valid: LocatedRow } | ({ readonly valid?: never } & RowErrors));

/** What is wrong with a row, as its report says it. */
export type RowErrors = Omit<ReportedRow, 'line'>;

export async function checkSlice(
  rows: readonly Row[],
  { run, tenant, file, replayed, ignoredFields }: SliceSource,
  { clock, random }: Pick<TransferDependencies, 'clock' | 'random'>,
): Promise<CheckedSlice> {
  const latest = run.startedAt > file.updated ? run.startedAt : file.updated;
  const times = { file: file.updated, latest };
  const context = {
    tenant,
    kind: file.kind,
    revision: newRevision(random),
    uploadedAt: file.updated,
    now: new Date(clock.nowMs()),
  };
  const checkedRows = await mapInShares(rows, (row) => {
    const checked = replayed ? checkReplayed(row, replayed, context, times) : checkRow(row, 0, context, times);
    if (!checked || !('record' in row) || !isObject(row.record)) return checked;
    noteIgnoredFields(row.record, file.kind, ignoredFields);
    const misnamed = runToEnd(findMisnamed(row.record, file.kind));
    return misnamed.length === 0 ? checked : { ...checked, misnamed };
  });
  const valid = validRows(checkedRows);
  const deletesCustomers = file.kind === 'customers' && valid.some(isDeleting);
  return { file, rows: checkedRows, paths: new Set(valid.map(({ path }) => path)), deletesCustomers, context };
}

export function validRows(rows: readonly (CheckedRow | undefined)[]): LocatedRow[] {
  return rows.flatMap((row) => row?.valid ?? []);
}

/** Undefined: the replay passes over the row, as over an invalid one that was not bad before. */
function checkReplayed(row: Row, replayed: ReplayedRows, context: RowContext, times: RowTimes): CheckedRow | undefined {
  const linesMet = replayed.countLines(row);
  const checked = checkRow(row, linesMet, context, times);
  const record = checked.valid && toReplayedRecord(checked.valid, context);
  if (linesMet === 0) return record !== undefined && replayed.follows(record, row) ? checked : undefined;
  if (record !== undefined) replayed.add(record, row);
  return checked;
}

function checkRow(row: Row, linesMet: number, context: RowContext, times: RowTimes): CheckedRow {
  const { line } = row;
  try {
    return { line, linesMet, valid: locateRow(requireValidRow(row, context.kind, context.tenant, times), context) };
  } catch (error) {
    if (error instanceof ValidationFailed) return { line, linesMet, messages: error.errors, ...omittedOf(error) };
    throw error;
  }
}

function omittedOf({ details: { omittedErrors } }: ValidationFailed): Pick<RowErrors, 'omittedErrors'> {
  return omittedErrors === undefined ? {} : { omittedErrors };
}
