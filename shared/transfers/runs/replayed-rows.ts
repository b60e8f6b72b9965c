import type { Deadline } from '../../platform/deadline';
import type { DocumentStore, DocumentWrite } from '../../documents/document-store';
import { pagesOf } from '../../documents/pages';
import { runFileReplayPath } from '../../documents/paths';
import type { RowPlace } from '../../files/row';
import type { LocatedRow, RowContext } from '../reading/located-row';
import { isBySku, isDeleting } from '../reading/located-row';
import type { RunFile } from './run';
import type { FileStep } from './steps';

/**
 * Characters of a record's id, 6 bits each, that tell it from the others of a file: one in a million million is taken
 * for another.
 */
const KEY_LENGTH = 10;

/**
 * Which rows of a file a replay takes: those in the lines that were bad, and each later one about a record of
 * theirs, so that the file's last row about a record has the last word. Rows are asked about in their order, some of
 * them again.
 */
export class ReplayedRows {
  private readonly lines: ReadonlySet<number>;
  /** The records of rows that were taken for their lines → the first such line. */
  private readonly firstLines: Map<string, number>;

  /** @param records those of rows that earlier units of work have taken for their lines */
  constructor(lines: Iterable<number>, records: readonly string[] = []) {
    this.lines = new Set(lines);
    this.firstLines = new Map(records.map((record) => [record, 0]));
  }

  /** How many lines there are. */
  get size(): number {
    return this.lines.size;
  }

  /** How many of the lines hold a row: all lines of a CSV group are those of one row. */
  countLines({ line, lastLine = line }: RowPlace): number {
    let count = 0;
    for (let number = line; number <= lastLine; number += 1) if (this.lines.has(number)) count += 1;
    return count;
  }

  /** Notes the record of a row that was taken for its lines. */
  add(record: string, { line }: RowPlace): void {
    if (!this.firstLines.has(record)) this.firstLines.set(record, line);
  }

  /** Whether a row comes after one about the same record that was taken for its lines. */
  follows(record: string, { line }: RowPlace): boolean {
    const isLater = (first: number | undefined) => first !== undefined && first < line;
    return isLater(this.firstLines.get(record)) || isLater(this.firstLines.get(ANY_RECORD));
  }
}

/** What stands for all records of a file, where a row can touch any. */
const ANY_RECORD = 'any record';

/**
 * What tells the record of a row that is taken for its lines. By `Sku`, any product can hold what a row names, and a
 * row that deletes customers touches whatever it matches: then all records count as one.
 */
export function toReplayedRecord(row: LocatedRow, context: RowContext): string {
  const touchesAny = isBySku(context) || (context.kind === 'customers' && isDeleting(row));
  return touchesAny ? ANY_RECORD : row.id.slice(0, KEY_LENGTH);
}

// --- Beside the file's document, which is written with each progress and so must stay small --------------------------

/** A step's run and file. */
type FileOfRun = Pick<FileStep, 'runId' | 'fileId'>;

/** Digits of a number of rows in an id, so that ids sort by it. */
const ROW_DIGITS = 15;

/** The write that says which lines of a file a replay reads, for the commit that stores the file. */
export function toLinesWrite(
  { runId, fileId }: FileOfRun,
  { expireAt }: Pick<RunFile, 'expireAt'>,
  lines: readonly number[],
): DocumentWrite {
  return { set: `${runFileReplayPath(runId, fileId)}/lines`, data: { lines, expireAt }, when: 'absent' };
}

/**
 * The write that adds the records of a slice's rows that were taken for their lines, for the commit of the slice.
 * @param before the file before the slice
 */
export function toRecordsWrite(
  { runId, fileId }: FileOfRun,
  before: Pick<RunFile, 'rows' | 'expireAt'>,
  records: readonly string[],
): DocumentWrite {
  const data = { records: [...new Set(records)], expireAt: before.expireAt };
  const row = String(before.rows.read).padStart(ROW_DIGITS, '0');
  return { set: `${runFileReplayPath(runId, fileId)}/records.${row}`, data };
}

/** What both have said: the lines, and the records so far. */
export async function loadReplayedRows(
  { runId, fileId }: FileOfRun,
  store: DocumentStore,
  deadline: () => Deadline,
): Promise<{ readonly lines: readonly number[]; readonly records: readonly string[] }> {
  const lines: number[][] = [];
  const records: string[][] = [];
  for await (const page of pagesOf(store, runFileReplayPath(runId, fileId), deadline)) {
    for (const { data } of page) {
      lines.push((data.lines ?? []) as number[]);
      records.push((data.records ?? []) as string[]);
    }
  }
  return { lines: lines.flat(), records: records.flat() };
}
