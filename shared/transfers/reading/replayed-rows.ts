import type { RowPosition } from '../../files/row';
import type { LocatedRow, RowContext } from './located-row';
import { isBySku, isDeleting } from './located-row';

/**
 * Characters of a record's id, 6 bits each, that tell it from the others of a file: one in a million million is taken
 * for another.
 */
const KEY_LENGTH = 10;

/**
 * Which rows of a file a replay takes: those in the lines that were bad, and each later one about a record of
 * theirs, so that the file's last row about a record has the last word. Rows are asked about in their order, some of
 * them again.
 */
export class ReplayedRows {
  private readonly lines: ReadonlySet<number>;
  /** The records of rows that were taken for their lines → the first such line. */
  private readonly firstLines: Map<string, number>;

  /** @param records those of rows that earlier units of work have taken for their lines */
  constructor(lines: Iterable<number>, records: readonly string[] = []) {
    this.lines = new Set(lines);
    this.firstLines = new Map(records.map((record) => [record, 0]));
  }

  /** How many lines there are. */
  get size(): number {
    return this.lines.size;
  }

  /** How many of the lines hold a row: all lines of a CSV group are those of one row. */
  countLines({ line, lastLine = line }: RowPosition): number {
    let count = 0;
    for (let number = line; number <= lastLine; number += 1) if (this.lines.has(number)) count += 1;
    return count;
  }

  /** Notes the record of a row that was taken for its lines. */
  add(record: string, { line }: RowPosition): void {
    if (!this.firstLines.has(record)) this.firstLines.set(record, line);
  }

  /** Whether a row comes after one about the same record that was taken for its lines. */
  follows(record: string, { line }: RowPosition): boolean {
    const isLater = (first: number | undefined) => first !== undefined && first < line;
    return isLater(this.firstLines.get(record)) || isLater(this.firstLines.get(ANY_RECORD));
  }
}

/** What stands for all records of a file, where a row can touch any. */
const ANY_RECORD = 'any record';

/**
 * What tells the record of a row that is taken for its lines. By `Sku`, any product can hold what a row names, and a
 * row that deletes customers touches whatever it matches: then all records count as one.
 */
export function toReplayedRecord(row: LocatedRow, context: RowContext): string {
  const touchesAny = isBySku(context) || (context.kind === 'customers' && isDeleting(row));
  return touchesAny ? ANY_RECORD : row.id.slice(0, KEY_LENGTH);
}
