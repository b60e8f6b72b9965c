/** What the columns of a CSV file mean: the identifier of a row, its deletion, and the fields of its record (D-51). */
import type { RecordKind } from '../../domain/identity';
import { MAX_CSV_GROUP_KEY_LENGTH } from '../../limits/transfers';
import { DELETED_AT, UPDATED_AT } from '../../domain/records/row-times';
import { isPresent, toMatchingId } from '../../domain/values/text';
import type { CellReader } from './csv-cells';
import { cellReaderOf } from './csv-cells';
import type { Separator } from './csv-dialect';
import type { KindFields } from '../kind-fields';
import { KIND_FIELDS } from '../kind-fields';

/** A record under construction: its own fields and its parts, from the rows so far. */
export interface RecordDraft {
  readonly fields: Record<string, unknown>;
  readonly parts: Record<string, unknown>[];
}

interface Column {
  readonly field: string;
  /** Whether the field is one of a part, not of the record itself. */
  readonly isPart: boolean;
  readonly read: CellReader;
}

export class CsvTable {
  /** Undefined: the column has no name, so its cells have no field. */
  private readonly columnReaders: readonly (Column | undefined)[];
  private readonly keyColumn: number;
  private readonly deletedAtColumn: number;
  private readonly partIdColumns: readonly number[];
  private readonly kind: KindFields;

  /**
   * @param columns names of the header row, as `parseHeader` returns them.
   * @param groupsRows false: each row is a record of its own
   */
  constructor(
    kind: RecordKind,
    readonly columns: readonly string[],
    readonly separator: Separator,
    groupsRows: boolean,
  ) {
    this.kind = KIND_FIELDS[kind];
    this.columnReaders = columns.map((name) => toColumn(this.kind, name, separator));
    this.keyColumn = this.kind.parts === undefined || !groupsRows ? -1 : columns.indexOf(this.kind.identifiers[0]);
    this.deletedAtColumn = columns.indexOf(DELETED_AT);
    this.partIdColumns = this.kind.partIds.map((field) => columns.indexOf(field));
  }

  /** The field that lists the parts; empty when the kind has none. */
  get partsField(): string {
    return this.kind.parts ?? '';
  }

  /** The field by whose value rows are grouped. */
  get keyField(): string {
    return this.kind.identifiers[0];
  }

  /**
   * Returns the identifier in its matching form (D-01): consecutive rows with the same key form one record. Undefined:
   * the row is a record of its own, because rows are not grouped, its kind has no parts or it has no valid identifier.
   */
  groupKeyOf(cells: readonly string[]): string | undefined {
    const key = toMatchingId(cells[this.keyColumn] ?? '');
    return key === '' || key.length > MAX_CSV_GROUP_KEY_LENGTH ? undefined : key;
  }

  /** Returns what the row deletes; such a row is a record of its own. Undefined: nothing. */
  deletionOf(cells: readonly string[]): 'record' | 'part' | undefined {
    if (!isPresent(cells[this.deletedAtColumn])) return undefined;
    return this.partIdColumns.some((column) => isPresent(cells[column])) ? 'part' : 'record';
  }

  /**
   * Adds the cells of a row to a record, and returns how many of them had a value.
   *
   * - Empty cells are ignored.
   * - If rows of one record disagree about one of its own fields, the last cell that is not empty counts.
   * - A row with a value in any column of a part adds that part.
   */
  addCells({ fields, parts }: RecordDraft, cells: readonly string[]): number {
    let values = 0;
    let part: Record<string, unknown> | undefined;
    for (const [index, column] of this.columnReaders.entries()) {
      const cell = cells[index];
      if (cell === undefined || cell === '' || column === undefined) continue;
      if (column.field === DELETED_AT && !isPresent(cell)) continue; // a blank cell is no time, and adds no part
      const target = column.isPart ? (part ??= {}) : fields;
      target[column.field] = column.read(cell);
      values += 1;
    }
    if (part !== undefined) parts.push(part);
    return values;
  }

  /** Returns the record's own fields without unknown ones: nothing reads these, they are only reported by name. */
  knownFields({ fields }: RecordDraft): Record<string, unknown> {
    const { properties } = this.kind.schema;
    const isKnown = ([name]: [string, unknown]) => Object.hasOwn(properties, name) || name === UPDATED_AT;
    return Object.fromEntries(Object.entries(fields).filter(isKnown));
  }

  /** Completes the record. Without parts it has an empty list only if the DTO requires the field. */
  toRecord({ fields, parts }: RecordDraft): Record<string, unknown> {
    const field = this.kind.parts;
    if (field === undefined || field in fields) return fields;
    if (parts.length > 0 || this.kind.schema.required?.includes(field) === true) fields[field] = parts;
    return fields;
  }
}

function toColumn({ schema, parts }: KindFields, name: string, separator: Separator): Column | undefined {
  if (name === '') return undefined;
  const { properties } = schema;
  if (parts === undefined || !name.startsWith(`${parts}.`)) {
    return { field: name, isPart: false, read: cellReaderOf(ownProperty(properties, name), separator) };
  }
  const field = name.slice(parts.length + 1);
  const { items } = properties[parts] as { items: KindFields['schema'] };
  return { field, isPart: true, read: cellReaderOf(ownProperty(items.properties, field), separator) };
}

function ownProperty(properties: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(properties, field) ? properties[field] : undefined;
}
