/**
 * The lines and records that a replay reads of a file. They are stored in documents beside the file's own, which is
 * written with each progress and so must stay small.
 */
import type { DocumentStore, DocumentWrite } from '../../documents/document-store';
import { pagesOf } from '../../documents/pages';
import { runFileReplayPath } from '../../documents/paths';
import type { Deadline } from '../../platform/deadline';
import type { RunFile } from './run';
import type { FileOfUnit } from './steps';

type FileOfRun = Pick<FileOfUnit, 'runId' | 'fileId'>;

/** Digits of a number of rows in an id, so that ids sort by the number. */
const ROW_DIGITS = 15;

/** The write that stores the lines that a replay reads of a file, for the commit that stores the file. */
export function toLinesWrite(
  { runId, fileId }: FileOfRun,
  { expireAt }: Pick<RunFile, 'expireAt'>,
  lines: readonly number[],
): DocumentWrite {
  return { set: `${runFileReplayPath(runId, fileId)}/lines`, data: { lines, expireAt }, when: 'absent' };
}

/**
 * The write that stores the records of a slice's rows in those lines, for the commit of the slice.
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

/** The lines, and the records of the slices so far. */
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
