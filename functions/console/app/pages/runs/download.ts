import type { BadRowFilter, CallOptions, TransferRun } from '../../../../../client/src/index';

export type DownloadFormat = 'csv' | 'ndjson';

const TYPES: Readonly<Record<DownloadFormat, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/** Characters between two reports of the progress. */
const REPORT_EVERY = 100_000;

/**
 * Saves the bad rows of a run as a file, once all of them have come: a file that is cut off would look whole.
 * @param onProgress told now and then how many characters have come
 * @throws IngestionError where the stream ends before its end
 */
export async function downloadBadRows(
  run: TransferRun,
  format: DownloadFormat,
  options: BadRowFilter & CallOptions,
  onProgress: (characters: number) => void,
): Promise<void> {
  const pieces: string[] = [];
  let characters = 0;
  let reported = 0;
  for await (const piece of piecesOf(run, format, options)) {
    pieces.push(piece);
    characters += piece.length;
    if (characters < reported + REPORT_EVERY) continue;
    onProgress(characters);
    reported = characters;
  }
  save(new Blob(pieces, { type: TYPES[format] }), `bad-rows-${run.runId}.${format}`);
}

async function* piecesOf(
  run: TransferRun,
  format: DownloadFormat,
  options: BadRowFilter & CallOptions,
): AsyncGenerator<string, void, undefined> {
  if (format === 'csv') yield* run.errorsAsCsv(options);
  else for await (const row of run.allErrors(options)) yield `${JSON.stringify(row)}\n`;
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
