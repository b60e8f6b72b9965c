/**
 * The report of a run's bad rows (D-52): NDJSON objects in the service's own bucket, one for each slice with bad rows.
 * An object belongs to the report once a document of the run names it. The commit of the slice writes that document,
 * so that the object of a slice that was never committed belongs to no report.
 */
import { TextDecoder } from 'node:util';
import type { Deadline } from '../../platform/deadline';
import { documentsAfter, pagesOf } from '../../documents/pages';
import type { DocumentReads, DocumentWrite, StoredDocument } from '../../documents/document-store';
import { idOf, runReportPath, runReportsPath } from '../../documents/paths';
import { PAGE_READ_DOCUMENTS } from '../../limits/requests';
import {
  MAX_REPLAY_LINES,
  MAX_REPORT_BYTES,
  MAX_REPORTED_ROWS,
  REPLAY_PAGE_REPORTS,
  REPLAY_READS_AT_ONCE,
} from '../../limits/transfers';
import { EventLoopShare } from '../../platform/async/event-loop-share';
import { inParallel } from '../../platform/async/in-parallel';
import { readAhead } from '../../platform/async/read-ahead';
import type { ValidationErrors } from '../../validation/validation-failed';
import type { ObjectStorage, StoredObject } from '../object-storage';
import type { RunFile } from './run';

/** A bad row in a report. */
export interface ReportedRow {
  readonly line: number;
  readonly messages: ValidationErrors;
  /** How many messages were left out; absent: none. */
  readonly omittedErrors?: number;
}

/** A bad row with its file, which an object of the report names once. */
export interface BadRowReport extends ReportedRow {
  readonly object: string;
  readonly generation: string;
}

/** The bad rows of a slice for which the report has room. */
export interface SliceReport {
  readonly firstLine: number;
  /** Each as JSON. */
  readonly rows: readonly string[];
}

/** The object that a document of the run names. */
type ReportObject = Pick<StoredObject, 'name' | 'generation'>;

/** Where the objects of reports are read. */
export interface ReportObjects {
  readonly storage: Pick<ObjectStorage, 'read'>;
  readonly reportsBucket: string;
}

export interface ReportDependencies extends ReportObjects {
  readonly store: DocumentReads;
}

/** Digits of a line number in an id: as many as the largest safe integer has less one, so that ids sort by line. */
const LINE_DIGITS = 15;
const LAST_LINE = 10 ** LINE_DIGITS - 1;

/** The prefix of a run's report objects, also of those that belong to no report. */
export const reportPrefix = (runId: string) => `runs/${runId}/`;

const toReportId = (fileId: string, line: number) => `${fileId}.${String(line).padStart(LINE_DIGITS, '0')}`;

/**
 * Selects the bad rows of a file's next slice for which its report has room. Rows beyond the bounds are only counted.
 * @returns the report of the slice, undefined when it has no rows; and the counts for the file's progress
 */
export async function buildSliceReport(
  badRows: readonly ReportedRow[],
  { rows: { invalid }, reportedBytes = 0, unreported = 0 }: Pick<RunFile, 'rows' | 'reportedBytes' | 'unreported'>,
): Promise<{
  readonly report: SliceReport | undefined;
  readonly progress: Pick<RunFile, 'reportedBytes' | 'unreported'>;
}> {
  const share = new EventLoopShare();
  const room = unreported > 0 ? 0 : MAX_REPORTED_ROWS - invalid;
  const rows: string[] = [];
  let bytes = reportedBytes;
  for (const row of badRows.slice(0, Math.max(0, room))) {
    const text = JSON.stringify(row);
    if (bytes + Buffer.byteLength(text) > MAX_REPORT_BYTES) break;
    bytes += Buffer.byteLength(text);
    rows.push(text);
    if (share.isUsedUp) await share.renew();
  }
  const unreportedAfter = unreported + badRows.length - rows.length;
  return {
    report: rows.length === 0 ? undefined : { firstLine: badRows[0]?.line ?? 0, rows },
    progress: {
      ...(bytes > 0 && { reportedBytes: bytes }),
      ...(unreportedAfter > 0 && { unreported: unreportedAfter }),
    },
  };
}

/**
 * Writes the bad rows of a slice to an object: a line that names the file, then a line for each row.
 * @param slice its `revision` is another one for each attempt, so that an overtaken attempt never touches the object of
 * the attempt that counts
 * @returns the write that makes the object part of the report, for the commit of the slice
 */
export async function writeReport(
  slice: { readonly runId: string; readonly fileId: string; readonly revision: string },
  { object, generation, expireAt }: Pick<RunFile, 'object' | 'generation' | 'expireAt'>,
  { firstLine, rows }: SliceReport,
  { storage, reportsBucket }: { readonly storage: Pick<ObjectStorage, 'write'>; readonly reportsBucket: string },
): Promise<DocumentWrite> {
  const { runId, fileId, revision } = slice;
  const reportId = toReportId(fileId, firstLine);
  const name = `${reportPrefix(runId)}${reportId}.${revision}.ndjson`;
  const content = [JSON.stringify({ object, generation }), ...rows, ''].join('\n');
  const stored: ReportObject = { name, generation: await storage.write(reportsBucket, name, content) };
  return { set: runReportPath(runId, reportId), data: { ...stored, expireAt } };
}

/**
 * All bad rows of a run, file by file, in the order of their lines.
 * @throws ObjectGone when its reports are no longer kept
 */
export async function* readReport(
  runId: string,
  deadline: () => Deadline,
  dependencies: ReportDependencies,
): AsyncGenerator<BadRowReport> {
  for await (const page of pagesOf(dependencies.store, runReportsPath(runId), deadline)) {
    for (const document of page) yield* readRows(document, dependencies);
  }
}

/** A bad row and where it is in the report of its run. */
export interface LocatedBadRow {
  readonly row: BadRowReport;
  readonly position: ReportPosition;
}

export interface ReportPosition {
  readonly reportId: string;
  /** The index of the row in the object of this report. */
  readonly index: number;
}

/** The rows of a report behind one of them, of some files. Undefined: from the first row on, of all files. */
export interface ReportPart {
  readonly after?: ReportPosition | undefined;
  readonly fileIds: readonly string[] | undefined;
}

/**
 * The bad rows of a run behind a position, in the order of `readReport`. Rows before it in the same object are read
 * again.
 * @param objectsAtOnce how many objects are read at the same time
 * @throws ObjectGone when its reports are no longer kept
 */
export async function* readReportAfter(
  runId: string,
  { after, fileIds }: ReportPart,
  objectsAtOnce: number,
  deadline: Deadline,
  dependencies: ReportDependencies,
): AsyncGenerator<LocatedBadRow> {
  const documents = reportsFrom(runId, after?.reportId, fileIds, deadline, dependencies.store);
  yield* readAhead(documents, objectsAtOnce, (document) => locatedRows(document, after, dependencies));
}

/** The rows of one object of a report behind a position, which may be in another object. */
async function* locatedRows(
  document: StoredDocument,
  after: ReportPosition | undefined,
  dependencies: ReportDependencies,
): AsyncGenerator<LocatedBadRow> {
  const reportId = idOf(document.path);
  const first = after?.reportId === reportId ? after.index + 1 : 0;
  let index = 0;
  for await (const row of readRows(document, dependencies)) {
    if (index >= first) yield { row, position: { reportId, index } };
    index += 1;
  }
}

/** The documents of a run's reports, from one on. */
async function* reportsFrom(
  runId: string,
  firstId: string | undefined,
  fileIds: readonly string[] | undefined,
  deadline: Deadline,
  store: DocumentReads,
): AsyncGenerator<StoredDocument> {
  const firstFile = firstId === undefined ? '' : toFileId(firstId);
  const first = firstId === undefined ? undefined : await store.get(runReportPath(runId, firstId), deadline);
  const behind = (after: string | undefined) =>
    documentsAfter(after, PAGE_READ_DOCUMENTS, (page) => store.list(runReportsPath(runId), page, deadline));
  if (fileIds === undefined) {
    if (first) yield first;
    yield* behind(firstId === undefined ? undefined : runReportPath(runId, firstId));
    return;
  }
  for (const fileId of fileIds.toSorted().filter((id) => id >= firstFile)) {
    const isResumed = first !== undefined && fileId === firstFile;
    if (isResumed) yield first;
    const before = isResumed ? first.path : runReportPath(runId, `${fileId}.`); // before all reports of the file
    for await (const document of behind(before)) {
      if (toFileId(document.path) !== fileId) break;
      yield document;
    }
  }
}

/**
 * The bad lines of a run's next files, by the files' ids: those of about one page of reports. A file has either all of
 * its bad lines, or more than MAX_REPLAY_LINES. Later files come in a later call.
 * @param after the id of the report before the first one to read; null: reads from the beginning
 * @returns the lines, in any order, and the `after` of the next call; null: there is none
 * @throws ObjectGone when the reports are no longer kept
 */
export async function readBadLines(
  runId: string,
  after: string | null,
  deadline: () => Deadline,
  dependencies: ReportDependencies,
): Promise<{ readonly linesOf: ReadonlyMap<string, readonly number[]>; readonly next: string | null }> {
  const linesOf = new Map<string, number[]>();
  for (let lastRead = after; ;) {
    const from = lastRead === null ? {} : { after: runReportPath(runId, lastRead) };
    const limit = REPLAY_PAGE_REPORTS;
    const page = await dependencies.store.list(runReportsPath(runId), { limit, ...from }, deadline());
    // Later pages are read only for the rest of the first page's last file.
    const unfinished = [...linesOf.keys()].at(-1);
    const reports = unfinished === undefined ? page : page.filter(({ path }) => toFileId(path) === unfinished);
    for (const { path } of reports) linesOf.set(toFileId(path), linesOf.get(toFileId(path)) ?? []);
    await inParallel(reports, REPLAY_READS_AT_ONCE, async (report) => {
      for await (const { line } of readRows(report, dependencies)) linesOf.get(toFileId(report.path))?.push(line);
    });
    lastRead = reports.map(({ path }) => idOf(path)).at(-1) ?? lastRead;
    if (reports.length < page.length) return { linesOf, next: lastRead };
    if (page.length < limit) return { linesOf, next: null };
    const [fileId = '', lines = []] = [...linesOf].at(-1) ?? [];
    if (lines.length > MAX_REPLAY_LINES) return { linesOf, next: toReportId(fileId, LAST_LINE) };
  }
}

async function* readRows(
  { data }: StoredDocument,
  { storage, reportsBucket }: ReportObjects,
): AsyncGenerator<BadRowReport> {
  const decoder = new TextDecoder();
  const share = new EventLoopShare();
  let file: Pick<BadRowReport, 'object' | 'generation'> | undefined;
  let rest = '';
  const object = data as unknown as ReportObject;
  for await (const piece of storage.read(reportsBucket, object, 0)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? ''; // each line of a report is ended
    for (const line of lines) {
      if (file) yield { ...file, ...(JSON.parse(line) as ReportedRow) };
      else file = JSON.parse(line) as Pick<BadRowReport, 'object' | 'generation'>;
      if (share.isUsedUp) await share.renew();
    }
  }
}

/** The id of the file that the report at a path is about. */
function toFileId(path: string): string {
  const [fileId = ''] = idOf(path).split('.');
  return fileId;
}
