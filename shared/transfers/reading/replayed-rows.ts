import type { RowPosition } from '../../files/row';
import type { LocatedRow, RowContext } from './rows/located-row';
import { isBySku, isDeleting } from './rows/located-row';

/**
 * Characters of a record's id, 6 bits each, by which a replay knows it. A record is taken for another one with a
 * probability of one in a million million.
 */
const KEY_LENGTH = 10;

/**
 * The rows of a file that a replay takes: those in the lines that were bad, and each later row about one of
 * their records, because the file's last row about a record has to win. Rows are asked about in their order, some
 * repeatedly.
 */
export class ReplayedRows {
  private readonly lines: ReadonlySet<number>;
  /** The records of rows that were taken for their lines, with the first of these lines. */
  private readonly firstLines: Map<string, number>;

  /** @param records those of rows that earlier steps have taken for their lines */
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

/** Stands for all records of a file, where a row can touch any of them. */
const ANY_RECORD = 'any record';

/**
 * The key by which a replay knows the record of a row. By `Sku` a row can touch any product, and a row that deletes
 * customers can touch any customer: then all records count as one.
 */
export function toReplayedRecord(row: LocatedRow, context: RowContext): string {
  const touchesAny = isBySku(context) || (context.kind === 'customers' && isDeleting(row));
  return touchesAny ? ANY_RECORD : row.id.slice(0, KEY_LENGTH);
}
