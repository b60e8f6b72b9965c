/** What the columns of a CSV file mean: its header row, the identifier of a row, and the fields of a record (D-51). */
import type { RecordKind } from '../../domain/identity';
import {
  MAX_CSV_COLUMNS,
  MAX_CSV_GROUP_KEY_LENGTH,
  MAX_CSV_HEADER_BYTES,
  MAX_QUOTED_HEADER_LENGTH,
} from '../../limits/transfers';
import { DELETED_AT, UPDATED_AT } from '../../domain/records/row-times';
import { isPresent, toMatchingId } from '../../domain/values/text';
import type { CellReader } from './csv-cells';
import { cellReaderOf } from './csv-cells';
import { DamagedFile } from '../damaged-file';
import type { KindFields } from '../kind-fields';
import { KIND_FIELDS } from '../kind-fields';

/** A record on its way: its own fields, and its nested elements so far. */
export interface Draft {
  readonly fields: Record<string, unknown>;
  readonly parts: Record<string, unknown>[];
}

interface Column {
  readonly field: string;
  readonly isPart: boolean;
  readonly read: CellReader;
}

export class CsvTable {
  /** Undefined: cells of a column without a name, which have no field to go to. */
  private readonly readers: readonly (Column | undefined)[];
  private readonly keyColumn: number;
  private readonly deletedAtColumn: number;
  private readonly partIdColumns: readonly number[];
  private readonly kind: KindFields;

  /** @param columns the header row's names, as `parseHeader` gives them */
  constructor(
    kind: RecordKind,
    readonly columns: readonly string[],
  ) {
    this.kind = KIND_FIELDS[kind];
    this.readers = columns.map((name) => toColumn(this.kind, name));
    this.keyColumn = this.kind.parts === undefined ? -1 : columns.indexOf(this.kind.identifiers[0]);
    this.deletedAtColumn = columns.indexOf(DELETED_AT);
    this.partIdColumns = this.kind.partIds.map((field) => columns.indexOf(field));
  }

  /** What the kind's nested elements, and the identifier that groups their rows, are called. */
  get partsField(): string {
    return this.kind.parts ?? '';
  }

  get keyField(): string {
    return this.kind.identifiers[0];
  }

  /**
   * The identifier by which consecutive rows form one record, compared like all identifiers (D-01); undefined: the row
   * is a record of its own, because its kind has no parts, or it has no (valid) identifier.
   */
  groupKeyOf(cells: readonly string[]): string | undefined {
    const key = toMatchingId(cells[this.keyColumn] ?? '');
    return key === '' || key.length > MAX_CSV_GROUP_KEY_LENGTH ? undefined : key;
  }

  /** What the row deletes by its own columns; then it is a record of its own. Undefined: nothing. */
  deletionOf(cells: readonly string[]): 'record' | 'part' | undefined {
    if (!isPresent(cells[this.deletedAtColumn])) return undefined;
    return this.partIdColumns.some((column) => isPresent(cells[column])) ? 'part' : 'record';
  }

  /**
   * Adds a row to a record. Empty cells say nothing; where rows of one record contradict each other about its own
   * fields, the last cell that is not empty counts. A row with any cell of a nested element adds that element.
   */
  addCells({ fields, parts }: Draft, cells: readonly string[]): number {
    let values = 0;
    let part: Record<string, unknown> | undefined;
    for (const [index, column] of this.readers.entries()) {
      const cell = cells[index];
      if (cell === undefined || cell === '' || column === undefined) continue;
      if (column.field === DELETED_AT && !isPresent(cell)) continue; // blank is no time, and makes no element
      const target = column.isPart ? (part ??= {}) : fields;
      target[column.field] = column.read(cell);
      values += 1;
    }
    if (part !== undefined) parts.push(part);
    return values;
  }

  /** The record's own fields without those that nothing reads: unknown columns are only named. */
  knownFields({ fields }: Draft): Record<string, unknown> {
    const { properties } = this.kind.schema;
    const isKnown = ([name]: [string, unknown]) => Object.hasOwn(properties, name) || name === UPDATED_AT;
    return Object.fromEntries(Object.entries(fields).filter(isKnown));
  }

  /** The record. Without nested elements it has an empty list only if the DTO requires one. */
  toRecord({ fields, parts }: Draft): Record<string, unknown> {
    const field = this.kind.parts;
    if (field === undefined || field in fields) return fields;
    if (parts.length > 0 || this.kind.schema.required?.includes(field) === true) fields[field] = parts;
    return fields;
  }
}

/** Refuses a header row that is too long, before it is read. @throws DamagedFile */
export function requireHeaderLength({ length }: Buffer): void {
  if (length > MAX_CSV_HEADER_BYTES) {
    throw new DamagedFile(`The header row must be at most ${MAX_CSV_HEADER_BYTES} bytes long.`);
  }
}

/**
 * Checks the cells of a header row; gives the columns' names without the white space around them.
 * @param text the row as it is in the file
 * @throws DamagedFile with what must be mended
 */
export function parseHeader(kind: RecordKind, cells: readonly string[], text: string): readonly string[] {
  if (cells.length > MAX_CSV_COLUMNS) {
    throw new DamagedFile(`The header row must have at most ${MAX_CSV_COLUMNS} columns.`);
  }
  const names = cells.map((cell) => cell.trim());
  const { identifiers } = KIND_FIELDS[kind];
  if (!identifiers.some((identifier) => names.includes(identifier))) {
    throw new DamagedFile(whyNoHeader(kind, names, text.trim()));
  }
  const second = names.findIndex((name, index) => name !== '' && names.indexOf(name) < index);
  if (second !== -1) {
    const first = names.indexOf(names[second] ?? '');
    throw new DamagedFile(`The header row names one field twice: in columns ${first + 1} and ${second + 1}.`);
  }
  return names;
}

const SEPARATORS: readonly (readonly [separator: string, name: string])[] = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
];

/**
 * What a row seems to be that is no header row; undefined: nothing that is known. A file without a header row has
 * somebody's data there, so that the row is quoted only when it names a field: then it holds names.
 */
export function explainHeader(kind: RecordKind, text: string): string | undefined {
  const isField = fieldFinder(kind);
  if (/^\s*[{[]/.test(text)) {
    return `${neededOf(kind)}. Does the file hold JSON? Then its name must end in .ndjson or .json.`;
  }
  for (const [separator, name] of SEPARATORS) {
    const parts = text.split(separator);
    if (parts.length === 1) continue;
    if (!parts.some(isField)) return `${neededOf(kind)}. Are the columns separated by ${name}? They must be by commas.`;
    return `The header names none of the fields of ${kind}: "${shortened(text)}". Are the columns separated by ${name}?`;
  }
  return undefined;
}

/** Why a row without the name of an identifier is no header row. */
function whyNoHeader(kind: RecordKind, names: readonly string[], text: string): string {
  const isField = fieldFinder(kind);
  const likely = names.some(isField) ? undefined : explainHeader(kind, text);
  if (likely !== undefined) return likely;
  const wanted = KIND_FIELDS[kind].identifiers.map((field) => field.toLowerCase());
  const misspelt = names.find((name) => wanted.includes(name.toLowerCase()));
  return misspelt === undefined
    ? `${neededOf(kind)}.`
    : `${neededOf(kind)}, and names "${misspelt}": upper and lower case matter.`;
}

const neededOf = (kind: RecordKind) => `The header row must name the field ${KIND_FIELDS[kind].identifiers.join(' or ')}`;

/** Tells the name of a field, in any case and in quotes or not. */
function fieldFinder(kind: RecordKind): (name: string) => boolean {
  const fields = new Set(Object.keys(KIND_FIELDS[kind].schema.properties).map((field) => field.toLowerCase()));
  return (name) => fields.has(name.trim().replaceAll('"', '').toLowerCase());
}

function shortened(text: string): string {
  return text.length > MAX_QUOTED_HEADER_LENGTH ? `${text.slice(0, MAX_QUOTED_HEADER_LENGTH)}…` : text;
}

function toColumn({ schema, parts }: KindFields, name: string): Column | undefined {
  if (name === '') return undefined;
  const { properties } = schema;
  if (parts === undefined || !name.startsWith(`${parts}.`)) {
    return { field: name, isPart: false, read: cellReaderOf(own(properties, name)) };
  }
  const field = name.slice(parts.length + 1);
  const { items } = properties[parts] as { items: KindFields['schema'] };
  return { field, isPart: true, read: cellReaderOf(own(items.properties, field)) };
}

function own(properties: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(properties, field) ? properties[field] : undefined;
}
