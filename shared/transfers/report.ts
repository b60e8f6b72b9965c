/**
 * The report of a run's bad rows (D-52): NDJSON objects in the service's own bucket, one for each slice that had some. What
 * counts is a document of the run that names the object, written in the commit of the slice: an object of a slice that
 * was never committed belongs to no report.
 */
import { TextDecoder } from 'node:util';
import type { Deadline } from '../deadline';
import { pagesOf } from '../documents/pages';
import type { DocumentStore, DocumentWrite } from '../documents/document-store';
import { runReportPath, runReportsPath } from '../documents/paths';
import type { ValidationErrors } from '../validation/validation-failed';
import type { ObjectStorage, StoredObject } from './object-storage';

export interface BadRowReport {
  readonly object: string;
  readonly generation: string;
  readonly line: number;
  readonly messages: ValidationErrors;
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

/**
 * Writes the bad rows of a slice to an object of its own. @param stamp one that no other attempt at the slice has
 * @returns the write that makes them part of the report, for the commit of the slice
 */
export async function writeReport(
  slice: { readonly runId: string; readonly fileId: string; readonly stamp: string },
  rows: readonly [BadRowReport, ...BadRowReport[]],
  { storage, reportsBucket }: Pick<ReportDependencies, 'storage' | 'reportsBucket'>,
): Promise<DocumentWrite> {
  const { runId, fileId, stamp } = slice;
  const reportId = `${fileId}.${String(rows[0].line).padStart(LINE_DIGITS, '0')}`;
  const name = `runs/${runId}/${reportId}.${stamp}.ndjson`;
  const generation = await storage.write(reportsBucket, name, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return { set: runReportPath(runId, reportId), data: { name, generation } satisfies ReportObject };
}

/** All bad rows of a run, file by file, in the order of their lines. @throws ObjectGone when they are no longer kept */
export async function* readReport(
  runId: string,
  deadline: () => Deadline,
  { store, storage, reportsBucket }: ReportDependencies,
): AsyncGenerator<BadRowReport> {
  for await (const page of pagesOf(store, runReportsPath(runId), deadline)) {
    for (const { data } of page) {
      const decoder = new TextDecoder();
      let text = '';
      const object = data as unknown as ReportObject;
      for await (const piece of storage.read(reportsBucket, object, 0)) text += decoder.decode(piece, { stream: true });
      for (const line of text.split('\n')) if (line !== '') yield JSON.parse(line) as BadRowReport;
    }
  }
}
