/**
 * Where records end: one implementation for each form of file. It sees bytes only, and keeps its place between pieces.
 */

export interface RecordEnd {
  /** Index of the byte that ends the record (newline, comma, bracket); it belongs to no record. */
  readonly place: number;
  /** Lines, or positions, that the record takes. */
  readonly lines: number;
  /** Why the record cannot be decoded, as a message of its row. */
  readonly flaw?: string | undefined;
  /** Why nothing after the record can be read. */
  readonly damage?: string | undefined;
}

export interface Boundary {
  /** True after the end of the array: nothing may follow. */
  readonly closed: boolean;
  /**
   * The index of the first byte at or after `from` that may begin a record.
   * @throws DamagedFile for a byte after the end of everything
   */
  skip(bytes: Buffer, from: number): number;
  /** Looks for the end of the record that was begun; undefined: not in these bytes. */
  findEnd(bytes: Buffer, from: number): RecordEnd | undefined;
  /** The end of the file as the end of the record that was begun, if one was (`place` has no meaning). */
  endOfFile(): Omit<RecordEnd, 'place'>;
}
