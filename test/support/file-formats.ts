/** Records as the files of a tenant's export hold them. */

export const FILE_FORMATS = ['ndjson', 'json', 'csv'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

type Fields = Readonly<Record<string, unknown>>;

/** The content of a file. CSV: the field that holds a list of objects becomes one row for each of them (D-51). */
export function encodeRecords(records: readonly object[], format: FileFormat): string {
  switch (format) {
    case 'ndjson':
      return records.map((record) => `${JSON.stringify(record)}\n`).join('');
    case 'json':
      return JSON.stringify(records, null, 1);
    case 'csv':
      return toCsv(records as readonly Fields[]);
  }
}

function toCsv(records: readonly Fields[]): string {
  const rows = records.flatMap(toRows);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => toCell(row[column])))];
  return lines.map((cells) => `${cells.map(quote).join(',')}\r\n`).join('');
}

function toRows(record: Fields): Fields[] {
  const entries = Object.entries(record);
  const own = Object.fromEntries(entries.filter(([, value]) => !isPartList(value)));
  const parts = entries.flatMap(([field, value]) =>
    isPartList(value)
      ? value.map((part) => Object.fromEntries(Object.entries(part).map(([name, cell]) => [`${field}.${name}`, cell])))
      : [],
  );
  return parts.length === 0 ? [own] : parts.map((part) => ({ ...own, ...part }));
}

function isPartList(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every((element) => typeof element === 'object');
}

function toCell(value: unknown): string {
  if (Array.isArray(value)) return value.join('|');
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
