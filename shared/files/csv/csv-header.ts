/** Reads the header row of a CSV file, and explains to the tenant what is wrong with it (D-51, R-360). */
import { DELETED_AT, UPDATED_AT } from '../../domain/records/row-times';
import type { RecordKind } from '../../domain/identity';
import { MAX_CSV_COLUMNS, MAX_CSV_HEADER_BYTES, MAX_QUOTED_HEADER_LENGTH } from '../../limits/transfers';
import { CsvBoundary } from '../boundaries/csv-boundary';
import { DamagedFile } from '../damaged-file';
import { KIND_FIELDS } from '../kind-fields';
import type { Separator } from './csv-dialect';
import { CsvDialect, SEPARATORS } from './csv-dialect';
import { parseCsvRow } from './csv-row';

export interface CsvHeader {
  /** As the API spells them, where they are known in whatever case. */
  readonly columns: readonly string[];
  readonly separator: Separator;
}

/** Refuses a header row that is too long to be parsed. @throws DamagedFile */
export function requireHeaderLength({ length }: Buffer): void {
  if (length > MAX_CSV_HEADER_BYTES) {
    throw new DamagedFile(`The header row must be at most ${MAX_CSV_HEADER_BYTES} bytes long.`);
  }
}

/**
 * Tells by a header row what separates its cells, and which columns it names: without surrounding white space, in upper
 * or lower case.
 * @param text the row as it is in the file
 * @throws DamagedFile with what the tenant must correct
 */
export function parseHeader(kind: RecordKind, text: string): CsvHeader {
  const headers = SEPARATORS.filter((separator) => isWellFormed(text, separator)).map((separator) => ({
    cells: parseCsvRow(text, separator),
    separator,
  }));
  const [first] = headers;
  if (!first) {
    throw new DamagedFile('The header row cannot be read. Commas, semicolons or tabs must separate all of its cells.');
  }
  const { fields, identifiers } = NAMES[kind];
  const namesOneOf = (names: ReadonlyMap<string, string>) =>
    headers.find(({ cells }) => cells.some((cell) => names.has(toKey(cell))));
  const { cells, separator } = namesOneOf(identifiers) ?? namesOneOf(fields) ?? first;
  const columns = toColumnNames(cells).map((name) => toFieldName(kind, name));
  if (!namesOneOf(identifiers)) throw new DamagedFile(explainMissingIdentifier(kind, columns, text.trim()));
  requireDistinct(columns);
  return { columns, separator };
}

/** Whether quoted cells end where this separator does: the boundary has taken any of them for one. */
function isWellFormed(text: string, separator: Separator): boolean {
  const end = new CsvBoundary(new CsvDialect(separator)).findEnd(Buffer.from(`${text}\n`), 0);
  return end !== undefined && end.flaw === undefined;
}

/** The names of the columns without surrounding white space. @throws DamagedFile for too many */
export function toColumnNames(cells: readonly string[]): readonly string[] {
  if (cells.length > MAX_CSV_COLUMNS) {
    throw new DamagedFile(`The header row must have at most ${MAX_CSV_COLUMNS} columns.`);
  }
  return cells.map((cell) => cell.trim());
}

/** @throws DamagedFile where two columns have the same name */
export function requireDistinct(names: readonly string[]): void {
  const repeated = names.findIndex((name, index) => name !== '' && names.indexOf(name) < index);
  const name = names[repeated];
  if (name === undefined) return;
  const columns = `${names.indexOf(name) + 1} and ${repeated + 1}`;
  throw new DamagedFile(`The header row names the field ${truncate(name)} twice: in columns ${columns}.`);
}

/**
 * Explains what the first row seems to be when it is no header row. Undefined: it resembles nothing known.
 *
 * The row is quoted only when it names a field, because then it holds names. In a file without a header row it may hold
 * personal data.
 */
export function diagnoseHeader(kind: RecordKind, text: string): string | undefined {
  if (/^\s*[{[]/.test(text)) {
    return `${requirementOf(kind)}. Does the file hold JSON? Then its name must end in .ndjson or .json.`;
  }
  const cells = text.split('|');
  if (cells.length === 1) return undefined;
  const question = 'Are the columns separated by vertical bars?';
  if (!cells.some((cell) => NAMES[kind].fields.has(toKey(cell.replaceAll('"', ''))))) {
    return `${requirementOf(kind)}. ${question} They must be by commas, semicolons or tabs.`;
  }
  return `The header names none of the fields of ${kind}: "${truncate(text)}". ${question}`;
}

/** Explains what is wrong with a header row that names no identifier. */
function explainMissingIdentifier(kind: RecordKind, names: readonly string[], text: string): string {
  const namesField = names.some((name) => NAMES[kind].fields.has(toKey(name)));
  return (namesField ? undefined : diagnoseHeader(kind, text)) ?? `${requirementOf(kind)}.`;
}

const requirementOf = (kind: RecordKind) =>
  `The header row must name the field ${KIND_FIELDS[kind].identifiers.join(' or ')}`;

function truncate(text: string): string {
  return text.length > MAX_QUOTED_HEADER_LENGTH ? `${text.slice(0, MAX_QUOTED_HEADER_LENGTH)}…` : text;
}

/** Names in lower case → as the API spells them. */
interface Names {
  readonly identifiers: ReadonlyMap<string, string>;
  /** Those of the record itself. */
  readonly fields: ReadonlyMap<string, string>;
  /** All that a row may have, also those that only a deletion has. */
  readonly columns: ReadonlyMap<string, string>;
}

const NAMES: Readonly<Record<RecordKind, Names>> = {
  customers: namesOf('customers'),
  products: namesOf('products'),
  orders: namesOf('orders'),
};

function namesOf(kind: RecordKind): Names {
  const { schema, identifiers, parts, partIds } = KIND_FIELDS[kind];
  const fields = Object.keys(schema.properties);
  const { items } = (parts === undefined ? {} : schema.properties[parts]) as { items?: { properties: object } };
  const ofParts = [...Object.keys(items?.properties ?? {}), DELETED_AT].map((field) => `${parts}.${field}`);
  const byKey = (names: readonly string[]) => new Map(names.map((name) => [toKey(name), name]));
  return {
    identifiers: byKey(identifiers),
    fields: byKey(fields),
    columns: byKey([...fields, UPDATED_AT, DELETED_AT, ...partIds, ...ofParts]),
  };
}

function toKey(cell: string): string {
  return cell.trim().toLowerCase();
}

/** A name that is not known stays as it is, so that it is ignored by the name that the file has. */
function toFieldName(kind: RecordKind, name: string): string {
  return NAMES[kind].columns.get(toKey(name)) ?? name;
}
