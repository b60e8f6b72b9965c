import type { RecordKind } from '../domain/identity';
import { MAX_UNREADABLE_ROWS } from '../limits/transfers';
import { DamagedFile } from './damaged-file';
import type { FileFormat } from './file-kind';
import { KIND_FIELDS, namesField } from './kind-fields';
import type { BadRow, Checkpoint, Row, DecodedRecord } from './row';
import { badRow } from './row';

const EXPECTED: Readonly<Record<FileFormat, string>> = {
  ndjson: 'By its name it holds one JSON object a line.',
  json: 'By its name it holds an array of JSON objects, or one JSON object a line.',
  csv: 'By its name it holds rows of cells that are separated by commas, as many as in the header row.',
};

/**
 * Holds back the bad rows at the start of a file until a row can be read. A file of which nothing can be read is no
 * such file at all: it fails with what was seen, in place of an error for each line. JSON that names no field of the
 * kind counts as a bad row until then, as a CSV header row that names none is refused.
 */
export class UnreadableFileGuard {
  /** Undefined: a row has been read. */
  private held: readonly BadRow[] | undefined;
  private last: Checkpoint;

  constructor(
    from: Checkpoint,
    private readonly kind: RecordKind,
    private readonly format: FileFormat,
  ) {
    this.held = from.form.of === 'start' ? [] : from.unreadable;
    this.last = from;
  }

  /** What these steps let out. @throws DamagedFile when too many rows cannot be read */
  filter(steps: readonly DecodedRecord[]): readonly DecodedRecord[] {
    return this.held === undefined ? steps : steps.flatMap((step) => this.holdBack(step));
  }

  /** The end of the file. @throws DamagedFile when it has rows, and none of them could be read */
  requireReadable(): void {
    if (this.held !== undefined && this.held.length > 0) this.giveUp(this.held, 'No row');
  }

  /** Lets out what is held, because the file is damaged: so much of it was seen. */
  release(): readonly DecodedRecord[] {
    const { held = [], last } = this;
    this.held = undefined;
    // In between it can be gone on: the rows that are still to come are kept with the place.
    return held.map((row, index) => ({ row, checkpoint: { ...last, unreadable: held.slice(index + 1) } }));
  }

  private holdBack(step: DecodedRecord): readonly DecodedRecord[] {
    const { row, isTooLarge = false, checkpoint } = step;
    if (this.held === undefined) return [step];
    const bad = row && this.toBad(row);
    const isRead = isTooLarge || (row && !bad);
    if (isRead || checkpoint.damage !== undefined) return [...this.release(), step];
    if (bad) this.held = [...this.held, bad];
    if (this.held.length >= MAX_UNREADABLE_ROWS) this.giveUp(this.held, `None of the first ${this.held.length} rows`);
    this.last = checkpoint.form.of === 'start' ? checkpoint : { ...checkpoint, unreadable: this.held };
    return [{ checkpoint: this.last }];
  }

  /** The row as a bad one; undefined: it is read. */
  private toBad(row: Row): BadRow | undefined {
    if ('messages' in row) return row;
    if (this.format === 'csv' || namesField(this.kind, row.record)) return undefined;
    const needed = KIND_FIELDS[this.kind].identifiers.join(' or ');
    return badRow({ line: row.line }, `The record is no object with a field of ${this.kind}, such as ${needed}.`);
  }

  private giveUp([first]: readonly BadRow[], which: string): never {
    this.held = undefined; // they are not let out
    const why = Object.values(first?.messages ?? {}).flat();
    throw new DamagedFile(
      `${which} of the file can be read. ${EXPECTED[this.format]} Line ${first?.line ?? 1}: ${why.join(' ')}`,
    );
  }
}
