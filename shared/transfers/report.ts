/** The report of a run's bad rows: NDJSON objects in the service's own bucket, one for each slice that had some (D-52). */
import { TextDecoder } from 'node:util';
import type { ValidationErrors } from '../validation/validation-failed';
import type { ObjectStorage } from './object-storage';

export interface BadRowReport {
  readonly object: string;
  readonly generation: string;
  readonly line: number;
  readonly messages: ValidationErrors;
}

/** Writes the bad rows of a slice. Repeating it replaces the same object, so that no crash reports a row twice. */
export async function writeReport(
  storage: ObjectStorage,
  bucket: string,
  slice: { readonly runId: string; readonly fileId: string; readonly firstLine: number },
  rows: readonly BadRowReport[],
): Promise<void> {
  const name = `${reportPrefix(slice.runId)}${slice.fileId}/${String(slice.firstLine).padStart(15, '0')}.ndjson`;
  await storage.write(bucket, name, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** All bad rows of a run, file by file, in the order of their lines. */
export async function* readReport(storage: ObjectStorage, bucket: string, runId: string): AsyncGenerator<BadRowReport> {
  for (let pageToken: string | undefined; ;) {
    const page = await storage.list(bucket, reportPrefix(runId), 500, pageToken);
    for (const object of page.objects) yield* readRows(storage, bucket, object);
    pageToken = page.nextPageToken;
    if (pageToken === undefined) return;
  }
}

async function* readRows(
  storage: ObjectStorage,
  bucket: string,
  object: { readonly name: string; readonly generation: string },
): AsyncGenerator<BadRowReport> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of storage.read(bucket, object, 0)) text += decoder.decode(piece, { stream: true });
  for (const line of text.split('\n')) if (line !== '') yield JSON.parse(line) as BadRowReport;
}

function reportPrefix(runId: string): string {
  return `runs/${runId}/`;
}
