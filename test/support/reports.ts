/** Reports of bad rows in the run that every tenant of a `TestService` has. */
import type { ReportedRow } from '../../shared/transfers/runs/report';
import { aReport, aRunFile, putFile, storedRunId } from './stored-run';
import type { Caller, TestService } from './test-service';

/** A file, and the bad rows of each of its slices. */
export type ReportOfFile = readonly [
  file: { readonly object: string; readonly generation?: string },
  slices: readonly (readonly ReportedRow[])[],
];

export const rowsAt = (...lines: number[]): ReportedRow[] =>
  lines.map((line) => ({ line, messages: { '': [`bad ${line}`] } }));

/** Stores a file of the run with the reports of its slices. */
export async function putReports(
  service: TestService,
  { tenantId }: Caller,
  ...[file, slices]: ReportOfFile
): Promise<void> {
  const { storage, reportsBucket, store } = service;
  const runId = storedRunId(tenantId);
  const reports = slices.map((rows) => aReport({ runId, ...file }, rows));
  for (const { name, content } of reports) storage.put(reportsBucket, name, content);
  await store.commit([putFile(runId, aRunFile(file)), ...reports.map(({ write }) => write)], service.deadline());
  store.calls.length = 0;
}
