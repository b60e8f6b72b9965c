import type { RecordKind } from '../domain/identity';
import { MAX_UNREADABLE_ROWS } from '../limits/transfers';
import { DamagedFile } from './damaged-file';
import type { FileFormat } from './file-kind';
import { KIND_FIELDS, namesField } from './kind-fields';
import type { BadRow, Checkpoint, Row, DecodedRecord } from './row';
import { badRow } from './row';

const EXPECTED_CONTENT: Readonly<Record<FileFormat, string>> = {
  ndjson: 'By its name it holds one JSON object a line.',
  json: 'By its name it holds an array of JSON objects, or one JSON object a line.',
  avro: 'By its name it holds Avro records.',
  parquet: 'By its name it holds Parquet records.',
  csv: 'By its name it holds rows of as many cells as the header row has.',
};

/**
 * Holds back the bad rows at the start of a file until one row can be read.
 *
 * A file of which no row can be read is not of the kind that its name says. It fails as a whole, with the first bad row
 * as the reason, instead of an error for each line. Until a row can be read, JSON without any field of the kind counts
 * as a bad row, just as a CSV header row without an identifier is refused.
 */
export class UnreadableFileGuard {
  /** Bad rows held back. Undefined: a row could be read, and nothing is held back any more. */
  private held: readonly BadRow[] | undefined;
  /** The checkpoint after the last row that was held back. */
  private lastCheckpoint: Checkpoint;

  constructor(
    from: Checkpoint,
    private readonly kind: RecordKind,
    private readonly format: FileFormat,
  ) {
    this.held = from.form.of === 'start' ? [] : from.unreadable;
    this.lastCheckpoint = from;
  }

  /** Returns what is not held back, in order. @throws DamagedFile when too many rows cannot be read */
  filter(decoded: readonly DecodedRecord[]): readonly DecodedRecord[] {
    return this.held === undefined ? decoded : decoded.flatMap((one) => this.holdBack(one));
  }

  /** Checks at the end of the file. @throws DamagedFile when the file has rows and none could be read */
  requireReadable(): void {
    if (this.held !== undefined && this.held.length > 0) this.fail(this.held, 'No row');
  }

  /** Returns what is held back: a row can be read now, or the file is damaged and its bad rows are reported. */
  release(): readonly DecodedRecord[] {
    const { held = [], lastCheckpoint } = this;
    this.held = undefined;
    // Reading may continue between two of these rows, so each checkpoint keeps the rows after it.
    return held.map((row, index) => ({ row, checkpoint: { ...lastCheckpoint, unreadable: held.slice(index + 1) } }));
  }

  private holdBack(decoded: DecodedRecord): readonly DecodedRecord[] {
    const { row, isTooLarge = false, checkpoint } = decoded;
    if (this.held === undefined) return [decoded];
    const unreadable = row && this.toUnreadable(row);
    const isReadable = isTooLarge || (row && !unreadable);
    if (isReadable || checkpoint.damage !== undefined) return [...this.release(), decoded];
    if (unreadable) this.held = [...this.held, unreadable];
    if (this.held.length >= MAX_UNREADABLE_ROWS) this.fail(this.held, `None of the first ${this.held.length} rows`);
    this.lastCheckpoint = checkpoint.form.of === 'start' ? checkpoint : { ...checkpoint, unreadable: this.held };
    return [{ checkpoint: this.lastCheckpoint }];
  }

  /** Returns the bad row to hold back. Undefined: the row can be read. */
  private toUnreadable(row: Row): BadRow | undefined {
    if ('messages' in row) return row;
    if (this.format === 'csv' || namesField(this.kind, row.record)) return undefined;
    const needed = KIND_FIELDS[this.kind].identifiers.join(' or ');
    return badRow({ line: row.line }, `The record is no object with a field of ${this.kind}, such as ${needed}.`);
  }

  private fail([first]: readonly BadRow[], subject: string): never {
    this.held = undefined; // so that `release` does not report them as well
    const reasons = Object.values(first?.messages ?? {}).flat();
    throw new DamagedFile(
      `${subject} of the file can be read. ${EXPECTED_CONTENT[this.format]} Line ${first?.line ?? 1}: ${reasons.join(' ')}`,
    );
  }
}
