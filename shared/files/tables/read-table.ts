/**
 * Reads a file of rows that are no records: a CSV file with a header row, or NDJSON. It bounds rows and finds damage as
 * `readRows` does, but knows no fields.
 */
import { CsvBoundary } from '../boundaries/csv-boundary';
import { LineBoundary } from '../boundaries/line-boundary';
import { CsvDialect } from '../csv/csv-dialect';
import { requireDistinct, requireHeaderLength, toColumnNames } from '../csv/csv-header';
import { parseCsvRow, readCells } from '../csv/csv-row';
import { DamagedFile } from '../damaged-file';
import { JsonDecoder } from '../json-decoder';
import { openFile } from '../open-file';
import { PeekableBytes } from '../peekable-bytes';
import { decodeText } from '../record-decoder';
import type { RawRecord } from '../record-splitter';
import { isBlankRecord, RecordSplitter } from '../record-splitter';
import { FILE_START } from '../row';

const SEPARATOR = ',';

/**
 * A row of CSV by its columns, without empty cells; or the value in a line of NDJSON, whatever it is. Or why it cannot
 * be read.
 */
export type TableRow = { readonly line: number } & ({ readonly values: unknown } | { readonly problem: string });

/** The rows of a table. @throws DamagedFile, after the rows before */
export async function* readTable(bytes: AsyncIterable<Buffer>, format: 'csv' | 'ndjson'): AsyncGenerator<TableRow> {
  const source = new PeekableBytes(bytes);
  try {
    const { start, text } = await openFile(source, format, FILE_START);
    const boundary = format === 'csv' ? new CsvBoundary(new CsvDialect(SEPARATOR)) : new LineBoundary();
    const splitter = new RecordSplitter(boundary, start);
    const decode = format === 'csv' ? csvRows() : decodeLine;
    for await (const piece of text.rest()) for (const record of splitter.split(piece)) yield* decode(record);
    for (const record of splitter.end()) yield* decode(record);
  } finally {
    await source.close();
  }
}

/** Decodes the rows of one CSV file, of which the first one names the columns. */
function csvRows(): (record: RawRecord) => TableRow[] {
  let columns: readonly string[] | undefined;
  return (record) => {
    if (isBlankRecord(record)) return [];
    if (columns === undefined) {
      columns = readColumns(record);
      return [];
    }
    if (record.damage !== undefined) throw new DamagedFile(record.damage);
    const { line } = record;
    const cells = readCells(record, columns.length, SEPARATOR);
    if (typeof cells === 'string') return [{ line, problem: cells }];
    const values = columns.map((name, index) => [name, cells[index]] as const).filter(([, cell]) => cell !== '');
    return [{ line, values: Object.fromEntries(values) }];
  };
}

function readColumns(record: RawRecord): readonly string[] {
  const decoded = decodeText(record);
  if ('why' in decoded) throw new DamagedFile(`The header row cannot be read. ${decoded.why}`);
  requireHeaderLength(decoded.bytes);
  const names = toColumnNames(parseCsvRow(decoded.text, SEPARATOR));
  requireDistinct(names);
  return names;
}

function decodeLine(record: RawRecord): TableRow[] {
  return new JsonDecoder('lines').decode(record).flatMap(({ row }): TableRow[] => {
    if (!row) return [];
    const { line } = row;
    if ('messages' in row) return [{ line, problem: Object.values(row.messages).flat().join(' ') }];
    return [{ line, values: row.record }];
  });
}
