import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import type { BenchKind } from './sample-records';
import { sampleRecords } from './sample-records';

export type RowFormat = 'ndjson' | 'csv';

/** Rows of one piece of writing. */
const PIECE = 500;

/**
 * Writes a file of customers of about this many bytes and returns how many rows it has.
 * @param notesLength characters of a further field that the service does not know and leaves out, as exports have them;
 *   0: no such field.
 */
export function writeCustomerFile(file: string, format: RowFormat, bytes: number, notesLength: number): number {
  const notes = notesLength === 0 ? {} : { Notes: 'n'.repeat(notesLength) };
  const descriptor = openSync(file, 'w');
  try {
    let rows = 0;
    let written =
      format === 'csv' ? writeSync(descriptor, `${headerOf({ ...sampleRecords('customers', 1)[0], ...notes })}\n`) : 0;
    while (written < bytes) {
      const aRow = rows === 0 ? 300 + notesLength : written / rows;
      const count = Math.max(1, Math.min(PIECE, Math.ceil((bytes - written) / aRow)));
      const records = sampleRecords('customers', count, rows).map((record) => ({ ...record, ...notes }));
      written += writeSync(descriptor, records.map((record) => `${toLine(record, format)}\n`).join(''));
      rows += count;
    }
    return rows;
  } finally {
    closeSync(descriptor);
  }
}

/** Writes sample records of a kind as NDJSON, `count` from number `first` on. */
export function writeRecordFile(file: string, kind: BenchKind, count: number, first: number): void {
  const lines = sampleRecords(kind, count, first).map((record) => `${toLine(record, 'ndjson')}\n`);
  writeFileSync(file, lines.join(''));
}

function headerOf(record: object): string {
  return Object.keys(record).join(',');
}

/** The sample's values have no commas and no quotes. */
function toLine(record: object, format: RowFormat): string {
  return format === 'csv' ? Object.values(record).join(',') : JSON.stringify(record);
}
