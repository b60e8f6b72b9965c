import type { RecordKind } from '../../domain/identity';
import {
  MAX_CSV_GROUP_GAP_BYTES,
  MAX_CSV_HEADER_BYTES,
  MAX_CSV_OWN_FIELDS_BYTES,
  MAX_CSV_REPEATED_BYTES,
  MAX_FILE_RECORD_BYTES,
  MAX_FILE_RECORD_VALUES,
} from '../../limits/transfers';
import { MAX_PARTS } from '../../domain/limits';
import { parseCsvRow } from './csv-row';
import type { Draft } from './csv-table';
import { CsvTable, explainHeader, parseHeader, requireHeaderLength } from './csv-table';
import { DamagedFile } from '../damaged-file';
import type { RecordDecoder } from '../record-decoder';
import { decodeText, toCheckpoint } from '../record-decoder';
import type { FilePosition, RawRecord } from '../record-splitter';
import { isBlankRecord } from '../record-splitter';
import type { CutGroup, Form, Checkpoint, RowPosition, DecodedRecord } from '../row';
import { badRow } from '../row';

/** The rows of one identifier, read so far. */
interface Group extends Draft {
  readonly key: string;
  readonly line: number;
  bytes: number;
  /** Cells that are not empty. */
  values: number;
  /** Bytes of own fields that the parts of the group before this one, and this one, began with. */
  readonly repeatedBytes: number;
  /** Bytes of the file before the end of its last row, and the place after what ended that. */
  endsAt: number;
  checkpoint: Checkpoint;
}

/**
 * Rows of a CSV file (D-51): the first row names the columns; consecutive rows of one product or order form one record.
 *
 * - A place to go on from lies only between groups, so a record never depends on how the file was cut.
 * - A row that cannot be decoded, has no identifier, or deletes what it identifies, belongs to no group, and
 *   cuts the one before it, as a megabyte of blank lines does: rows of the same identifier that come next are a record
 *   of their own. It begins with the known fields that the rows before the cut gave, unless these were deleted with
 *   their record, and merges into it when it is stored (D-06).
 * - A group beyond the bounds is one bad row; the rest of its rows is passed over, also after such a row.
 */
export class CsvDecoder implements RecordDecoder {
  private table: CsvTable | undefined;
  private form: Form;
  private group: Group | undefined;
  private skippedKey: string | undefined;
  private cutGroup: CutGroup | undefined;

  constructor(
    private readonly kind: RecordKind,
    form: Form,
  ) {
    this.form = form;
    if (form.of === 'csv') {
      this.setColumns(form.columns);
      this.skippedKey = form.skippedKey;
      this.cutGroup = form.cutGroup;
    }
  }

  decode(record: RawRecord): readonly DecodedRecord[] {
    if (isBlankRecord(record)) return this.advanceTo(record);
    if (this.table === undefined) {
      this.setColumns(this.readHeader(record));
      return [{ checkpoint: this.checkpointAfter(record) }];
    }
    const cells = this.readCells(record, this.table.columns.length);
    const before = this.cutAtGap(record.startOffset);
    const steps = typeof cells === 'string' ? this.refuseRow(record, cells) : this.addRow(this.table, record, cells);
    return before.length === 0 ? steps : [...before, ...steps];
  }

  advanceTo(position: FilePosition): readonly DecodedRecord[] {
    const steps = this.cutAtGap(position.offset);
    return this.group === undefined ? [...steps, { checkpoint: this.checkpointAfter(position) }] : steps;
  }

  end(): readonly DecodedRecord[] {
    return this.closeGroup();
  }

  private setColumns(columns: readonly string[]): void {
    this.table = new CsvTable(this.kind, columns);
    this.form = { of: 'csv', columns };
  }

  private readHeader(record: RawRecord): readonly string[] {
    const text = decodeText(record);
    if ('why' in text) {
      const begin = record.flaw && record.bytes?.toString('latin1', 0, MAX_CSV_HEADER_BYTES);
      const likely = begin && explainHeader(this.kind, begin);
      throw new DamagedFile(likely ?? `The header row cannot be read. ${text.why}`);
    }
    requireHeaderLength(text.bytes);
    return parseHeader(this.kind, parseCsvRow(text.text), text.text);
  }

  /** The row's cells, or why it has none. */
  private readCells(record: RawRecord, columns: number): readonly string[] | string {
    const text = decodeText(record);
    if ('why' in text) return text.why;
    if (record.cells === columns) return parseCsvRow(text.text);
    return `The row must have as many cells as the header row: ${columns}, not ${record.cells}.`;
  }

  private refuseRow(record: RawRecord, why: string): readonly DecodedRecord[] {
    const row = badRow(rowPosition(record.line, record), why);
    return [...this.cutOpenGroup(), { row, isTooLarge: record.bytes === undefined, checkpoint: this.checkpointAfter(record) }];
  }

  private addRow(table: CsvTable, record: RawRecord, cells: readonly string[]): readonly DecodedRecord[] {
    const key = table.groupKeyOf(cells);
    if (key === undefined || table.deletionOf(cells)) return this.addUngroupedRow(table, record, cells, key);
    if (key === this.group?.key) return this.extendGroup(table, this.group, record, cells);
    if (key === this.skippedKey) return [{ checkpoint: this.checkpointAfter(record) }];
    const closed = this.closeGroup();
    const cut = this.cutGroup?.key === key ? this.cutGroup : undefined;
    this.cutGroup = undefined;
    this.skippedKey = cut?.fields === null ? key : undefined;
    const checkpoint = this.checkpointAfter(record);
    if (cut?.fields === null) {
      const row = badRow(rowPosition(record.line, record), tooLongToGoOn(table));
      return [...closed, { row, isTooLarge: true, checkpoint }];
    }
    const fields = cut ? (JSON.parse(cut.fields) as Record<string, unknown>) : {};
    const { line, length: bytes } = record;
    const repeatedBytes = cut?.repeatedBytes ?? 0;
    const endsAt = record.startOffset + bytes;
    this.group = { key, line, bytes, values: 0, repeatedBytes, endsAt, checkpoint, fields, parts: [] };
    this.group.values += table.addCells(this.group, cells);
    return closed;
  }

  /**
   * A row of no group. One that identifies another record than the group before it, or deletes the whole one, ends that
   * for good.
   */
  private addUngroupedRow(
    table: CsvTable,
    record: RawRecord,
    cells: readonly string[],
    key: string | undefined,
  ): readonly DecodedRecord[] {
    const draft: Draft = { fields: {}, parts: [] };
    table.addCells(draft, cells);
    const isOfAnother = key !== undefined && key !== (this.group?.key ?? this.cutGroup?.key ?? this.skippedKey);
    const endsGroup = isOfAnother || table.deletionOf(cells) === 'record';
    const before = endsGroup ? this.closeGroup() : this.cutOpenGroup();
    if (endsGroup) this.cutGroup = undefined; // what was deleted does not come back with the rows that follow
    if (isOfAnother) this.skippedKey = undefined;
    const row = { ...rowPosition(record.line, record), record: table.toRecord(draft) };
    return [...before, { row, checkpoint: this.checkpointAfter(record) }];
  }

  private extendGroup(
    table: CsvTable,
    group: Group,
    record: RawRecord,
    cells: readonly string[],
  ): readonly DecodedRecord[] {
    group.values += table.addCells(group, cells);
    group.bytes += record.length;
    group.endsAt = record.startOffset + record.length;
    group.checkpoint = this.checkpointAfter(record);
    const why = excessOf(group, table);
    if (why === undefined) return [];
    this.group = undefined;
    this.skippedKey = group.key;
    return [{ row: badRow(rowPosition(group.line, record), why), isTooLarge: true, checkpoint: this.checkpointAfter(record) }];
  }

  /** Cuts a group that nothing but blank lines has followed for long: reading could not go on there otherwise. */
  private cutAtGap(offset: number): readonly DecodedRecord[] {
    const { group } = this;
    return group !== undefined && offset - group.endsAt > MAX_CSV_GROUP_GAP_BYTES ? this.cutOpenGroup() : [];
  }

  /** Ends the group, and remembers what the rows of its identifier that come next go on with. */
  private cutOpenGroup(): readonly DecodedRecord[] {
    const { group, table } = this;
    if (group !== undefined && table !== undefined) {
      const fields = JSON.stringify(table.knownFields(group));
      const bytes = Buffer.byteLength(fields);
      const repeatedBytes = group.repeatedBytes + bytes;
      const isTooLong = bytes > MAX_CSV_OWN_FIELDS_BYTES || repeatedBytes > MAX_CSV_REPEATED_BYTES;
      this.cutGroup = { key: group.key, fields: isTooLong ? null : fields, repeatedBytes };
    }
    return this.closeGroup();
  }

  private closeGroup(): readonly DecodedRecord[] {
    const { group, table } = this;
    if (group === undefined || table === undefined) return [];
    this.group = undefined;
    const checkpoint = { ...group.checkpoint, form: this.currentForm() };
    return [
      { row: { ...rowPosition(group.line, { nextLine: checkpoint.line }), record: table.toRecord(group) }, checkpoint },
    ];
  }

  private checkpointAfter(position: FilePosition): Checkpoint {
    return toCheckpoint(position, this.currentForm());
  }

  private currentForm(): Form {
    const { form, skippedKey, cutGroup } = this;
    if (form.of !== 'csv' || (skippedKey === undefined && cutGroup === undefined)) return form;
    return { ...form, ...(skippedKey !== undefined && { skippedKey }), ...(cutGroup && { cutGroup }) };
  }
}

/** The place of a row that begins in a line and ends with a record. */
function rowPosition(line: number, { nextLine }: Pick<RawRecord, 'nextLine'>): RowPosition {
  return nextLine === line + 1 ? { line } : { line, lastLine: nextLine - 1 };
}

function tooLongToGoOn({ keyField }: CsvTable): string {
  return (
    `After a bad row, or one that deletes, the rows of one ${keyField} are read on only if its own fields are at most ` +
    `${MAX_CSV_OWN_FIELDS_BYTES} bytes long, and ${MAX_CSV_REPEATED_BYTES} in all parts of it together.`
  );
}

function excessOf({ bytes, values, parts }: Group, { keyField, partsField }: CsvTable): string | undefined {
  if (bytes > MAX_FILE_RECORD_BYTES) {
    return `The rows of one ${keyField} must be at most ${MAX_FILE_RECORD_BYTES} bytes long together.`;
  }
  if (values > MAX_FILE_RECORD_VALUES) {
    return `The rows of one ${keyField} must hold at most ${MAX_FILE_RECORD_VALUES} values together.`;
  }
  if (parts.length > MAX_PARTS) return `The rows of one ${keyField} must hold at most ${MAX_PARTS} ${partsField}.`;
  return undefined;
}
