/** What reading a file yields: rows in the order of their lines, in chunks that end where a later reader can go on. */
import type { ValidationErrors } from '../validation/validation-failed';
import type { ArrayNext } from './boundaries/boundary';

/** A decoded record, still to be validated; or why there is none, at the path `""` (D-52). */
export type Row = GoodRow | BadRow;

export interface RowPosition {
  /** The record's first line, from 1 (a CSV header is line 1); in a JSON array the element's position, from 1. */
  readonly line: number;
  /** Its last line, where it takes several (CSV). */
  readonly lastLine?: number;
}

export interface GoodRow extends RowPosition {
  readonly record: unknown;
}

export interface BadRow extends RowPosition {
  readonly messages: ValidationErrors;
}

export interface RowChunk {
  /** May be empty: then the chunk only tells how far the reader has come. */
  readonly rows: readonly Row[];
  /** Where to go on after these rows. */
  readonly checkpoint: Checkpoint;
}

/**
 * A place between two records. A plain value: it survives JSON and fits a document (at most about 150 KB). A reader
 * that is given it, and the inflated bytes from `offset` on, yields exactly the rows that were still to come.
 */
export interface Checkpoint {
  /** Bytes of the inflated file before this place. */
  readonly offset: number;
  /** The line, or the position in the array, of what comes next. */
  readonly line: number;
  readonly form: Form;
  /** The byte before is a carriage return: a newline that comes next ends no line of its own. */
  readonly isAfterReturn?: true;
  /**
   * Nothing before this place could be read as a record: these rows are the file's only when a later one can. Absent
   * after the first record.
   */
  readonly unreadable?: readonly BadRow[];
  /** The file's structure is lost here: a reader only throws DamagedFile with this reason. */
  readonly damage?: string;
}

/**
 * What is known of the file's form at some place. `start`: nothing (of a CSV file: not its header); `lines`: JSON, one
 * record a line; `array`: behind the opening bracket, a comma, or the closing bracket of a JSON array.
 */
export type Form =
  | { readonly of: 'start' }
  | { readonly of: 'lines' }
  | { readonly of: 'array'; readonly next: ArrayNext }
  | {
      readonly of: 'csv';
      readonly columns: readonly string[];
      /** The rows of this identifier that come next belong to a group that was too large, and are passed over. */
      readonly skippedKey?: string;
      readonly cutGroup?: CutGroup;
    };

/** A CSV group that a bad row has just cut: if rows of its identifier come next, they go on with it. */
export interface CutGroup {
  readonly key: string;
  /** The record's own fields so far, as JSON; null: they are too long to be repeated once more. */
  readonly fields: string | null;
  /** Bytes of own fields that parts of the group began with so far. */
  readonly repeatedBytes: number;
}

/** The beginning of a file. */
export const FILE_START: Checkpoint = { offset: 0, line: 1, form: { of: 'start' } };

/** One record's outcome: a row, or none (a blank line, a row of an unfinished group), and the place after it. */
export interface DecodedRecord {
  readonly row?: Row;
  /** The row is refused for its size only: it is one of such a file. */
  readonly isTooLarge?: boolean;
  readonly checkpoint: Checkpoint;
}

/** A row that could not be decoded. */
export function badRow(position: RowPosition, message: string): BadRow {
  return { ...position, messages: { '': [message] } };
}
