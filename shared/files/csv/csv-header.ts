/** Checks the header row of a CSV file, and explains to the tenant what is wrong with it (D-51). */
import type { RecordKind } from '../../domain/identity';
import { MAX_CSV_COLUMNS, MAX_CSV_HEADER_BYTES, MAX_QUOTED_HEADER_LENGTH } from '../../limits/transfers';
import { DamagedFile } from '../damaged-file';
import { KIND_FIELDS } from '../kind-fields';

/** Refuses a header row that is too long to be parsed. @throws DamagedFile */
export function requireHeaderLength({ length }: Buffer): void {
  if (length > MAX_CSV_HEADER_BYTES) {
    throw new DamagedFile(`The header row must be at most ${MAX_CSV_HEADER_BYTES} bytes long.`);
  }
}

/**
 * Checks the cells of a header row. Returns the names of the columns without surrounding white space.
 * @param text the row as it is in the file.
 * @throws DamagedFile with what the tenant must correct
 */
export function parseHeader(kind: RecordKind, cells: readonly string[], text: string): readonly string[] {
  const names = toColumnNames(cells);
  const { identifiers } = KIND_FIELDS[kind];
  if (!identifiers.some((identifier) => names.includes(identifier))) {
    throw new DamagedFile(explainMissingIdentifier(kind, names, text.trim()));
  }
  requireDistinct(names);
  return names;
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
  if (repeated !== -1) {
    const first = names.indexOf(names[repeated] ?? '');
    throw new DamagedFile(`The header row names one field twice: in columns ${first + 1} and ${repeated + 1}.`);
  }
}

const SEPARATORS: readonly (readonly [separator: string, name: string])[] = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
];

/**
 * Explains what the first row seems to be when it is no header row. Undefined: it resembles nothing known.
 *
 * The row is quoted only when it names a field, because then it holds names. In a file without a header row it may hold
 * personal data.
 */
export function diagnoseHeader(kind: RecordKind, text: string): string | undefined {
  const isField = fieldNameTest(kind);
  if (/^\s*[{[]/.test(text)) {
    return `${requirementOf(kind)}. Does the file hold JSON? Then its name must end in .ndjson or .json.`;
  }
  for (const [separator, name] of SEPARATORS) {
    const cells = text.split(separator);
    if (cells.length === 1) continue;
    if (!cells.some(isField)) {
      return `${requirementOf(kind)}. Are the columns separated by ${name}? They must be by commas.`;
    }
    return `The header names none of the fields of ${kind}: "${truncate(text)}". Are the columns separated by ${name}?`;
  }
  return undefined;
}

/** Explains what is wrong with a header row that names no identifier. */
function explainMissingIdentifier(kind: RecordKind, names: readonly string[], text: string): string {
  const isField = fieldNameTest(kind);
  const diagnosis = names.some(isField) ? undefined : diagnoseHeader(kind, text);
  if (diagnosis !== undefined) return diagnosis;
  const identifiers = KIND_FIELDS[kind].identifiers.map((field) => field.toLowerCase());
  const misspelt = names.find((name) => identifiers.includes(name.toLowerCase()));
  return misspelt === undefined
    ? `${requirementOf(kind)}.`
    : `${requirementOf(kind)}, and names "${misspelt}": upper and lower case matter.`;
}

const requirementOf = (kind: RecordKind) =>
  `The header row must name the field ${KIND_FIELDS[kind].identifiers.join(' or ')}`;

/** Returns a test for names of the kind's fields, in upper or lower case, quoted or not. */
function fieldNameTest(kind: RecordKind): (name: string) => boolean {
  const fields = new Set(Object.keys(KIND_FIELDS[kind].schema.properties).map((field) => field.toLowerCase()));
  return (name) => fields.has(name.trim().replaceAll('"', '').toLowerCase());
}

function truncate(text: string): string {
  return text.length > MAX_QUOTED_HEADER_LENGTH ? `${text.slice(0, MAX_QUOTED_HEADER_LENGTH)}…` : text;
}
