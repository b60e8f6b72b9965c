/** What reading a file yields: rows in the order of their lines, in chunks that each end with a checkpoint. */
import type { ValidationErrors } from '../validation/validation-failed';
import type { ArrayNext } from './boundaries/boundary';
import type { Separator } from './csv/csv-dialect';
import type { TextEncoding } from './text-encoding';

/** A decoded record, not validated yet; or the reason why it cannot be decoded, at the path `""` (D-52). */
export type Row = GoodRow | BadRow;

export interface RowPosition {
  /** The record's first line, from 1, also a CSV header; in a JSON array, Avro and Parquet its position, from 1. */
  readonly line: number;
  /** The record's last line, if it takes several (CSV). */
  readonly lastLine?: number;
}

export interface GoodRow extends RowPosition {
  readonly record: unknown;
}

export interface BadRow extends RowPosition {
  readonly messages: ValidationErrors;
}

export interface RowChunk {
  /** May be empty. The chunk then only reports how far the reader has come. */
  readonly rows: readonly Row[];
  /** Where reading continues after these rows. */
  readonly checkpoint: Checkpoint;
}

/**
 * A position between two records from which reading can continue. A reader that gets it, and the inflated bytes from
 * `offset` on, yields exactly the remaining rows. It is a plain value that survives JSON and fits into a document: at
 * most about 150 KB.
 */
export interface Checkpoint {
  /** Bytes of the inflated file before this position; of Parquet about those of the records before it. */
  readonly offset: number;
  /** The line, or the position in the array, of the next record. */
  readonly line: number;
  readonly form: Form;
  /** The byte before is a carriage return. A newline that comes next then ends no line of its own. */
  readonly isAfterReturn?: true;
  /** Absent: UTF-8. */
  readonly encoding?: TextEncoding;
  /**
   * Bad rows that are held back because no record of the file could be read yet. They count only if a later one can.
   * Absent after the first record.
   */
  readonly unreadable?: readonly BadRow[];
  /** The file's structure is lost here. A reader only throws DamagedFile with this reason. */
  readonly damage?: string;
}

/**
 * What is known of the file's form at a position.
 *
 * - `start`: nothing; of a CSV file not even its header.
 * - `lines`: JSON, one record a line.
 * - `array`: a JSON array, after its opening bracket, a comma or its closing bracket.
 * - `csv`: a CSV file, after its header.
 * - `avro`: an Avro file, before a block.
 * - `parquet`: a Parquet file, in a row group.
 */
export type Form =
  | { readonly of: 'start' }
  | { readonly of: 'lines' }
  | { readonly of: 'array'; readonly next: ArrayNext }
  | {
      readonly of: 'csv';
      readonly columns: readonly string[];
      /** Absent: a comma. */
      readonly separator?: Separator;
      /** Identifier of a group that was refused as too large. Its rows that come next are skipped. */
      readonly skippedKey?: string;
      readonly cutGroup?: CutGroup;
    }
  | {
      readonly of: 'avro';
      /** As JSON. */
      readonly schema: string;
      readonly codec: string;
      /** The bytes that end each block. */
      readonly sync: string;
      /** How many records of the block are done; absent: none. */
      readonly skip?: number;
      /** How many values before it take no bytes of the file, at most MAX_AVRO_EMPTY_VALUES; absent: none. */
      readonly emptyValues?: number;
      /** What the packed blocks before it were inflated to, at most MAX_INFLATED_BYTES; absent: none was packed. */
      readonly inflatedBytes?: number;
    }
  | {
      readonly of: 'parquet';
      /** The number of the row group, from 0. */
      readonly group: number;
      /** How many of its records are done. */
      readonly skip: number;
    };

/** A CSV group that was just cut, for example by a bad row. Rows of its identifier that come next continue it. */
export interface CutGroup {
  readonly key: string;
  /** The record's own fields so far, as JSON. Null: they are too long to be repeated once more. */
  readonly fields: string | null;
  /** Bytes of own fields repeated so far by all pieces of the group. */
  readonly repeatedBytes: number;
}

/** The beginning of a file. */
export const FILE_START: Checkpoint = { offset: 0, line: 1, form: { of: 'start' } };

/** What became of a record: a row, or none (a header, a blank line, a skipped row); and the checkpoint after it. */
export interface DecodedRecord {
  readonly row?: Row;
  /** The row is refused only for its size. It still shows that the file is of the kind that its name says. */
  readonly isTooLarge?: boolean;
  readonly checkpoint: Checkpoint;
  /** Bytes that it takes in memory, about, where its bytes in the file do not tell; absent: they do. */
  readonly bytes?: number;
}

/** A row that could not be decoded. */
export function badRow(position: RowPosition, message: string): BadRow {
  return { ...position, messages: { '': [message] } };
}
