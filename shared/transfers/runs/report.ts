/**
 * The report of a run's bad rows (D-52): NDJSON objects in the service's own bucket, one for each slice that had some.
 * What counts is a document of the run that names the object, written in the commit of the slice: an object of a slice
 * that was never committed belongs to no report.
 */
import { TextDecoder } from 'node:util';
import type { Deadline } from '../../platform/deadline';
import { pagesOf } from '../../documents/pages';
import type { DocumentStore, DocumentWrite, StoredDocument } from '../../documents/document-store';
import { idOf, runReportPath, runReportsPath } from '../../documents/paths';
import {
  MAX_REPLAY_LINES,
  MAX_REPORT_BYTES,
  MAX_REPORTED_ROWS,
  REPLAY_PAGE_REPORTS,
  REPLAY_READS_AT_ONCE,
} from '../../limits/transfers';
import { EventLoopShare } from '../../platform/async/event-loop-share';
import { inParallel } from '../../platform/async/in-parallel';
import type { ValidationErrors } from '../../validation/validation-failed';
import type { ObjectStorage, StoredObject } from '../object-storage';
import type { RunFile } from './run';

/** A bad row as it is in a report. */
export interface ReportedRow {
  readonly line: number;
  readonly messages: ValidationErrors;
  /** Messages beyond those; absent: there are none. */
  readonly omittedErrors?: number;
}

/** The same with its file, which an object of the report names once. */
export interface BadRowReport extends ReportedRow {
  readonly object: string;
  readonly generation: string;
}

/** Bad rows of a slice for which the report has room. */
export interface SliceReport {
  readonly firstLine: number;
  /** Each as JSON. */
  readonly rows: readonly string[];
}

/** The object that a document of the run names. */
type ReportObject = Pick<StoredObject, 'name' | 'generation'>;

/** Where reports are. */
export interface ReportDependencies {
  readonly store: DocumentStore;
  readonly storage: ObjectStorage;
  readonly reportsBucket: string;
}

/** Digits of a line number in an id: as many as the largest safe integer has less one, so that ids sort by line. */
const LINE_DIGITS = 15;
const LAST_LINE = 10 ** LINE_DIGITS - 1;

/** What the names of a run's report objects begin with, also of those that belong to no report. */
export const reportPrefix = (runId: string) => `runs/${runId}/`;

const toReportId = (fileId: string, line: number) => `${fileId}.${String(line).padStart(LINE_DIGITS, '0')}`;

/**
 * The bad rows of a file's next slice for which its report has room, undefined when there are none, and what the file's
 * progress says of them: rows beyond the bounds are only counted.
 */
export async function buildSliceReport(
  bad: readonly ReportedRow[],
  { rows: { invalid }, reportedBytes = 0, unreported = 0 }: Pick<RunFile, 'rows' | 'reportedBytes' | 'unreported'>,
): Promise<{
  readonly report: SliceReport | undefined;
  readonly progress: Pick<RunFile, 'reportedBytes' | 'unreported'>;
}> {
  const share = new EventLoopShare();
  const room = unreported > 0 ? 0 : MAX_REPORTED_ROWS - invalid;
  const rows: string[] = [];
  let bytes = reportedBytes;
  for (const row of bad.slice(0, Math.max(0, room))) {
    const text = JSON.stringify(row);
    if (bytes + Buffer.byteLength(text) > MAX_REPORT_BYTES) break;
    bytes += Buffer.byteLength(text);
    rows.push(text);
    if (share.isUsedUp) await share.renew();
  }
  const left = unreported + bad.length - rows.length;
  return {
    report: rows.length === 0 ? undefined : { firstLine: bad[0]?.line ?? 0, rows },
    progress: { ...(bytes > 0 && { reportedBytes: bytes }), ...(left > 0 && { unreported: left }) },
  };
}

/**
 * Writes bad rows of a slice to an object of its own: a line that names the file, then a line for each row.
 * @param revision one that no other attempt at the slice has: an attempt that is overtaken never touches the object of the
 * one that counts
 * @returns the write that makes them part of the report, for the commit of the slice
 */
export async function writeReport(
  slice: { readonly runId: string; readonly fileId: string; readonly revision: string },
  { object, generation, expireAt }: Pick<RunFile, 'object' | 'generation' | 'expireAt'>,
  { firstLine, rows }: SliceReport,
  { storage, reportsBucket }: Pick<ReportDependencies, 'storage' | 'reportsBucket'>,
): Promise<DocumentWrite> {
  const { runId, fileId, revision } = slice;
  const reportId = toReportId(fileId, firstLine);
  const name = `${reportPrefix(runId)}${reportId}.${revision}.ndjson`;
  const content = [JSON.stringify({ object, generation }), ...rows, ''].join('\n');
  const stored: ReportObject = { name, generation: await storage.write(reportsBucket, name, content) };
  return { set: runReportPath(runId, reportId), data: { ...stored, expireAt } };
}

/** All bad rows of a run, file by file, in the order of their lines. @throws ObjectGone when they are no longer kept */
export async function* readReport(
  runId: string,
  deadline: () => Deadline,
  dependencies: ReportDependencies,
): AsyncGenerator<BadRowReport> {
  for await (const page of pagesOf(dependencies.store, runReportsPath(runId), deadline)) {
    for (const document of page) yield* await readRows(document, dependencies);
  }
}

/**
 * The bad lines of a run's next files by the files' ids: of about a page of reports, and of each file all, or more than
 * are remembered. Files that are left out come in a later call.
 * @param after the report to go on after, by its id; null: the beginning
 * @returns the lines, in any order, and what to go on after; null at the end
 * @throws ObjectGone when they are no longer kept
 */
export async function readBadLines(
  runId: string,
  after: string | null,
  deadline: () => Deadline,
  dependencies: ReportDependencies,
): Promise<{ readonly linesOf: ReadonlyMap<string, readonly number[]>; readonly next: string | null }> {
  const linesOf = new Map<string, number[]>();
  for (let index = after; ;) {
    const from = index === null ? {} : { after: runReportPath(runId, index) };
    const limit = REPLAY_PAGE_REPORTS;
    const page = await dependencies.store.list(runReportsPath(runId), { limit, ...from }, deadline());
    // After the first page only the rest of its last file.
    const open = [...linesOf.keys()].at(-1);
    const reports = open === undefined ? page : page.filter(({ path }) => toFileId(path) === open);
    for (const { path } of reports) linesOf.set(toFileId(path), linesOf.get(toFileId(path)) ?? []);
    await inParallel(reports, REPLAY_READS_AT_ONCE, async (report) => {
      const rows = await readRows(report, dependencies);
      linesOf.get(toFileId(report.path))?.push(...rows.map(({ line }) => line));
    });
    index = reports.map(({ path }) => idOf(path)).at(-1) ?? index;
    if (reports.length < page.length) return { linesOf, next: index };
    if (page.length < limit) return { linesOf, next: null };
    const [fileId = '', lines = []] = [...linesOf].at(-1) ?? [];
    if (lines.length > MAX_REPLAY_LINES) return { linesOf, next: toReportId(fileId, LAST_LINE) };
  }
}

async function readRows(
  { data }: StoredDocument,
  { storage, reportsBucket }: Pick<ReportDependencies, 'storage' | 'reportsBucket'>,
): Promise<BadRowReport[]> {
  const decoder = new TextDecoder();
  const share = new EventLoopShare();
  const rows: BadRowReport[] = [];
  let file: Pick<BadRowReport, 'object' | 'generation'> | undefined;
  let text = '';
  const object = data as unknown as ReportObject;
  for await (const piece of storage.read(reportsBucket, object, 0)) text += decoder.decode(piece, { stream: true });
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (file) rows.push({ ...file, ...(JSON.parse(line) as ReportedRow) });
    else file = JSON.parse(line) as Pick<BadRowReport, 'object' | 'generation'>;
    if (share.isUsedUp) await share.renew();
  }
  return rows;
}

/** The file that a report is about. */
function toFileId(path: string): string {
  const [fileId = ''] = idOf(path).split('.');
  return fileId;
}
