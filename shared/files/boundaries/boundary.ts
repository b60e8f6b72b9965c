/** Finds where records end, with one implementation for each form of file. It sees only bytes. */

/** What may come next in a JSON array. A file of lines is always at `element`. */
export type ArrayNext = 'first' | 'element' | 'end';

/** What the boundary learned about a record while it looked for its end. */
export interface RecordSummary {
  /** The number of lines that the record takes; an array element counts as one. */
  readonly lines: number;
  /** The number of cells; only of a CSV row without a flaw. */
  readonly cells?: number | undefined;
  /** Why the record cannot be decoded: the error message of its row. */
  readonly flaw?: string | undefined;
  /** Why nothing after the record can be read. */
  readonly damage?: string | undefined;
}

export interface RecordEnd extends RecordSummary {
  /** Index of the first byte after the record: the line break, comma or bracket that ends it. */
  readonly endIndex: number;
  /** Index of the first byte after that line break, comma or bracket. */
  readonly nextIndex: number;
}

/** Keeps its state between the pieces of a file. */
export interface Boundary {
  readonly arrayNext: ArrayNext;
  /** Whether the byte before is a carriage return. A newline that comes next then ends no line of its own. */
  readonly isAfterReturn: boolean;
  /** Blank lines that the last `skipToRecord` skipped. */
  readonly skippedLines: number;
  /**
   * Returns the index of the first byte, at or after `from`, that may begin a record.
   * @throws DamagedFile when content follows the end of the array
   */
  skipToRecord(bytes: Buffer, from: number): number;
  /** Looks for the end of the current record. Undefined: it does not end in these bytes. */
  findEnd(bytes: Buffer, from: number): RecordEnd | undefined;
  /** Ends the current record, if there is one, because the file ends. */
  endOfFile(): RecordSummary;
}
