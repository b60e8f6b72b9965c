/** The rows that are on their way, in the order of the file: each is counted when all before it are accounted for. */
import type { ValidationErrors } from '../../../../shared/validation/validation-failed';
import type { Operation } from '../input/operations';
import type { SourceRow } from '../input/source-rows';
import { describe } from '../output/format';
import type { BadRows } from './bad-rows';
import type { Counts, Progress } from './journal';

/**
 * Rows that may be on their way at once. More than the client gathers for its next request must fit, or nothing would
 * ever be sent: 1,000 elements, or 16 MiB.
 */
const MAX_ROWS = 20_000;
const MAX_BYTES = 128 * 1024 * 1024;

/** Messages of rejected rows that are shown at the end. */
const SHOWN_ROWS = 5;

/** A row on its way. */
export class Entry {
  /** Operations that are not accounted for. */
  pending: number;
  errors: Record<string, readonly string[]> | undefined;
  readonly bytes: number;
  readonly isStored: boolean;

  constructor(
    readonly row: SourceRow,
    /** Empty: the row is refused here. */
    operations: readonly Operation[],
    messages: ValidationErrors | undefined,
    /** Bytes of the file, as it is stored, up to the end of the row. Of a compressed file: that were read with it. */
    readonly fileBytes: number,
  ) {
    this.pending = operations.length;
    this.errors = messages;
    this.bytes = row.lines.reduce((sum, line) => sum + (line?.length ?? 0), 0);
    this.isStored = operations.some(({ type }) => type === 'upsert');
  }

  reject(errors: ValidationErrors, toRowPath: (path: string) => string): void {
    this.errors ??= {};
    for (const [path, messages] of Object.entries<readonly string[]>(errors)) {
      const inRow = toRowPath(path);
      this.errors[inRow] = [...(this.errors[inRow] ?? []), ...messages];
    }
  }
}

export interface ShownRow {
  readonly line: number;
  readonly messages: string;
}

export class Account {
  readonly shown: ShownRow[] = [];
  /** Rejected rows with a line that is too long to be written to the file of bad rows. */
  readonly uncopied: number[] = [];
  /** Bytes of the file, as it is stored, that are accounted for. */
  settledBytes = 0;
  private readonly entries: Entry[] = [];
  private bytes = 0;
  private counts: { -readonly [Name in keyof Counts]: Counts[Name] };
  private readonly freed: (() => void)[] = [];

  constructor(
    private progress: Progress,
    private readonly badRows: BadRows | undefined,
    /** Called for every rejected row in the order of the file. */
    private readonly onRejected: (row: SourceRow, messages: ValidationErrors) => void,
  ) {
    this.counts = { ...progress.counts };
  }

  get hasRoom(): boolean {
    return this.entries.length < MAX_ROWS && this.bytes < MAX_BYTES;
  }

  /** Rows that are accounted for. */
  get current(): Counts {
    return this.counts;
  }

  /** What a push goes on from when it is interrupted here. */
  get resumable(): Progress {
    return this.progress;
  }

  /** Resolves when more of the rows are accounted for. */
  untilFreed(): Promise<void> {
    return new Promise((resolve) => this.freed.push(resolve));
  }

  /** Ends all waits: nothing will be accounted for any more. */
  free(): void {
    for (const wake of this.freed.splice(0)) wake();
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.bytes += entry.bytes;
  }

  /** Counts the rows from the first one on that are done. @throws CommandError when a bad row cannot be written */
  settle(): void {
    const end = this.entries.findIndex(({ pending }) => pending > 0);
    for (const entry of this.entries.splice(0, end === -1 ? this.entries.length : end)) this.count(entry);
    this.free();
  }

  private count({ row, errors, bytes, fileBytes, isStored }: Entry): void {
    this.bytes -= bytes;
    this.settledBytes = fileBytes;
    if (errors) {
      this.badRows?.add(row, errors);
      if (row.lines.includes(null)) this.uncopied.push(row.line);
      if (this.shown.length < SHOWN_ROWS && !row.isContinuation) {
        this.shown.push({ line: row.line, messages: describe(errors) });
      }
      this.onRejected(row, errors);
    }
    if (row.isContinuation) return; // it is read again with the row before it
    this.counts[errors ? 'rejected' : isStored ? 'stored' : 'deleted'] += 1;
    // A reader that goes on from there would not know the lines of rows that are still held back.
    if ((row.checkpoint.unreadable ?? []).length > 0) return;
    this.progress = {
      checkpoint: row.checkpoint,
      counts: { ...this.counts },
      badRows: this.badRows?.progress ?? null,
    };
  }
}
