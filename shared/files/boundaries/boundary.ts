/**
 * Where records end: one implementation for each form of file. It sees bytes only, and keeps its place between pieces.
 */

/** What the array may go on with; lines are `element` throughout. */
export type ArrayNext = 'first' | 'element' | 'end';

export interface RecordEnd {
  /** Index of the first byte that belongs to no record: the line break, comma or bracket that ends it. */
  readonly position: number;
  /** Index of the first byte after what ends the record. */
  readonly next: number;
  /** Lines, or positions, that the record takes. */
  readonly lines: number;
  /** Cells of a CSV row that has no flaw. */
  readonly cells?: number | undefined;
  /** Why the record cannot be decoded, as a message of its row. */
  readonly flaw?: string | undefined;
  /** Why nothing after the record can be read. */
  readonly damage?: string | undefined;
}

export interface Boundary {
  readonly next: ArrayNext;
  /** Whether the byte before is a carriage return, so that a newline that comes next ends no line of its own. */
  readonly isAfterReturn: boolean;
  /** Blank lines that the last `skip` passed over. */
  readonly skippedLines: number;
  /**
   * The index of the first byte at or after `from` that may begin a record.
   * @throws DamagedFile for a byte after the end of everything
   */
  skip(bytes: Buffer, from: number): number;
  /** Looks for the end of the record that was begun; undefined: not in these bytes. */
  findEnd(bytes: Buffer, from: number): RecordEnd | undefined;
  /** The end of the file as the end of the record that was begun, if one was. */
  endOfFile(): Omit<RecordEnd, 'position' | 'next'>;
}
