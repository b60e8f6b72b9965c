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
import type { CsvDialect } from './csv-dialect';
import type { CsvHeader } from './csv-header';
import { diagnoseHeader, parseHeader, requireHeaderLength } from './csv-header';
import { readCells } from './csv-row';
import type { RecordDraft } from './csv-table';
import { CsvTable } from './csv-table';
import { DamagedFile } from '../damaged-file';
import type { RecordDecoder } from '../record-decoder';
import { decodeText, toCheckpoint } from '../record-decoder';
import type { FilePosition, RawRecord } from '../record-splitter';
import { isBlankRecord } from '../record-splitter';
import type { CutGroup, Form, Checkpoint, RowPosition, DecodedRecord } from '../row';
import { badRow } from '../row';

/** Consecutive rows of one identifier, as far as they have been read. They become one record. */
interface Group extends RecordDraft {
  readonly key: string;
  readonly line: number;
  /** Bytes of its rows together. */
  bytes: number;
  /** Number of cells that are not empty. */
  values: number;
  /** Bytes of own fields repeated by all earlier pieces of a group that was cut, and by this one. */
  readonly repeatedBytes: number;
  /** Offset of the end of its last row, without the line break. */
  endOffset: number;
  /** The checkpoint after its last row. */
  checkpoint: Checkpoint;
}

/**
 * Decodes the rows of a CSV file (D-51). The first row names the columns. Consecutive rows of one product or order form
 * a group: one record.
 *
 * - Checkpoints lie only between groups. A record therefore never depends on how the file was split into slices.
 * - A row belongs to no group if it cannot be decoded, has no identifier, or deletes what it identifies.
 * - Such a row cuts the group before it. So does more than a megabyte of blank lines.
 * - After a cut, rows of the same identifier form a second record, which is merged into the first when it is stored
 *   (D-06). It begins with the known fields of the rows before the cut, unless the record was deleted in between.
 * - A group that exceeds a bound is one bad row. Its remaining rows are skipped, even after a row of no group.
 */
export class CsvDecoder implements RecordDecoder {
  private table: CsvTable | undefined;
  private form: Form;
  private group: Group | undefined;
  /** The identifier of a refused group, whose remaining rows are skipped. */
  private skippedKey: string | undefined;
  /** The group that the last cut ended. */
  private cutGroup: CutGroup | undefined;

  /**
   * @param dialect gets the separator of the header row
   * @param groupsRows false: each row is a record of its own
   */
  constructor(
    private readonly kind: RecordKind,
    form: Form,
    private readonly dialect: CsvDialect,
    private readonly groupsRows = true,
  ) {
    this.form = form;
    if (form.of === 'csv') {
      this.setHeader({ columns: form.columns, separator: form.separator ?? ',' });
      this.skippedKey = form.skippedKey;
      this.cutGroup = form.cutGroup;
    }
  }

  decode(record: RawRecord): readonly DecodedRecord[] {
    if (isBlankRecord(record)) return this.advanceTo(record);
    if (this.table === undefined) {
      this.setHeader(this.readHeader(record));
      return [{ checkpoint: this.checkpointAfter(record) }];
    }
    const cells = readCells(record, this.table.columns.length, this.table.separator);
    const closed = this.cutAtGap(record.startOffset);
    const decoded = typeof cells === 'string' ? this.refuseRow(record, cells) : this.addRow(this.table, record, cells);
    return closed.length === 0 ? decoded : [...closed, ...decoded];
  }

  advanceTo(position: FilePosition): readonly DecodedRecord[] {
    const closed = this.cutAtGap(position.offset);
    return this.group === undefined ? [...closed, { checkpoint: this.checkpointAfter(position) }] : closed;
  }

  end(): readonly DecodedRecord[] {
    return this.closeGroup();
  }

  private setHeader({ columns, separator }: CsvHeader): void {
    this.table = new CsvTable(this.kind, columns, separator, this.groupsRows);
    this.form = { of: 'csv', columns, ...(separator !== ',' && { separator }) };
    this.dialect.separator = separator;
  }

  private readHeader(record: RawRecord): CsvHeader {
    const decoded = decodeText(record);
    if ('why' in decoded) {
      const beginning = record.flaw && record.bytes?.toString('latin1', 0, MAX_CSV_HEADER_BYTES);
      const diagnosis = beginning && diagnoseHeader(this.kind, beginning);
      throw new DamagedFile(diagnosis ?? `The header row cannot be read. ${decoded.why}`);
    }
    requireHeaderLength(decoded.bytes);
    return parseHeader(this.kind, decoded.text);
  }

  private refuseRow(record: RawRecord, message: string): readonly DecodedRecord[] {
    const row = badRow(rowPosition(record.line, record), message);
    return [
      ...this.cutOpenGroup(),
      { row, isTooLarge: record.bytes === undefined, checkpoint: this.checkpointAfter(record) },
    ];
  }

  private addRow(table: CsvTable, record: RawRecord, cells: readonly string[]): readonly DecodedRecord[] {
    const key = table.groupKeyOf(cells);
    if (key === undefined || table.deletionOf(cells)) return this.addUngroupedRow(table, record, cells, key);
    if (key === this.group?.key) return this.extendGroup(table, this.group, record, cells);
    if (key === this.skippedKey) return [{ checkpoint: this.checkpointAfter(record) }];
    return this.startGroup(table, record, cells, key);
  }

  private startGroup(
    table: CsvTable,
    record: RawRecord,
    cells: readonly string[],
    key: string,
  ): readonly DecodedRecord[] {
    const closed = this.closeGroup();
    const continued = this.cutGroup?.key === key ? this.cutGroup : undefined;
    this.cutGroup = undefined;
    this.skippedKey = continued?.fields === null ? key : undefined;
    const checkpoint = this.checkpointAfter(record);
    if (continued?.fields === null) {
      const row = badRow(rowPosition(record.line, record), fieldsTooLongMessage(table));
      return [...closed, { row, isTooLarge: true, checkpoint }];
    }
    const fields = continued ? (JSON.parse(continued.fields) as Record<string, unknown>) : {};
    const { line, length: bytes, endOffset } = record;
    const repeatedBytes = continued?.repeatedBytes ?? 0;
    this.group = { key, line, bytes, values: 0, repeatedBytes, endOffset, checkpoint, fields, parts: [] };
    this.group.values += table.addCells(this.group, cells);
    return closed;
  }

  /**
   * Makes a record of a row that belongs to no group. It ends the group before it for good if it identifies another
   * record, or deletes the whole record; otherwise it only cuts the group.
   */
  private addUngroupedRow(
    table: CsvTable,
    record: RawRecord,
    cells: readonly string[],
    key: string | undefined,
  ): readonly DecodedRecord[] {
    const draft: RecordDraft = { fields: {}, parts: [] };
    table.addCells(draft, cells);
    const isOfAnotherRecord = key !== undefined && key !== (this.group?.key ?? this.cutGroup?.key ?? this.skippedKey);
    const endsGroup = isOfAnotherRecord || table.deletionOf(cells) === 'record';
    const closed = endsGroup ? this.closeGroup() : this.cutOpenGroup();
    if (endsGroup) this.cutGroup = undefined; // rows that follow must not bring back what was deleted
    if (isOfAnotherRecord) this.skippedKey = undefined;
    const row = { ...rowPosition(record.line, record), record: table.toRecord(draft) };
    return [...closed, { row, checkpoint: this.checkpointAfter(record) }];
  }

  private extendGroup(
    table: CsvTable,
    group: Group,
    record: RawRecord,
    cells: readonly string[],
  ): readonly DecodedRecord[] {
    group.values += table.addCells(group, cells);
    group.bytes += record.length;
    group.endOffset = record.endOffset;
    group.checkpoint = this.checkpointAfter(record);
    const excess = excessOf(group, table);
    if (excess === undefined) return [];
    this.group = undefined;
    this.skippedKey = group.key;
    return [
      {
        row: badRow(rowPosition(group.line, record), excess),
        isTooLarge: true,
        checkpoint: this.checkpointAfter(record),
      },
    ];
  }

  /** Cuts a group that a long gap of blank lines follows: within a group there is no checkpoint to continue from. */
  private cutAtGap(offset: number): readonly DecodedRecord[] {
    const { group } = this;
    return group !== undefined && offset - group.endOffset > MAX_CSV_GROUP_GAP_BYTES ? this.cutOpenGroup() : [];
  }

  /** Ends the group, and remembers the fields with which further rows of its identifier begin. */
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

/** The position of a row that begins in `line` and ends before `nextLine`. */
function rowPosition(line: number, { nextLine }: Pick<RawRecord, 'nextLine'>): RowPosition {
  return nextLine === line + 1 ? { line } : { line, lastLine: nextLine - 1 };
}

function fieldsTooLongMessage({ keyField }: CsvTable): string {
  return (
    `After a bad row, or one that deletes, the rows of one ${keyField} are read on only if its own fields are at most ` +
    `${MAX_CSV_OWN_FIELDS_BYTES} bytes long, and ${MAX_CSV_REPEATED_BYTES} in all parts of it together.`
  );
}

/** Returns the error message of a group that exceeds a bound. */
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
