import type { RowPlace } from '../files/row';
import type { LocatedRow, RowContext } from '../records/place-row';
import { isBySku } from '../records/place-row';
import type { RunFile } from './run';

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

  constructor({ onlyLines = [], replayedRecords = [] }: Pick<RunFile, 'onlyLines' | 'replayedRecords'>) {
    this.lines = new Set(onlyLines);
    this.firstLines = new Map(replayedRecords.map((record) => [record, 0]));
  }

  /** How many lines there are. */
  get size(): number {
    return this.lines.size;
  }

  /** How many of the lines hold a row: all lines of a CSV group are those of one row. */
  countLines({ line, lastLine = line }: RowPlace): number {
    let count = 0;
    for (let number = line; number <= lastLine; number += 1) if (this.lines.has(number)) count += 1;
    return count;
  }

  /** Notes the record of a row that was taken for its lines. */
  add(record: string, { line }: RowPlace): void {
    if (!this.firstLines.has(record)) this.firstLines.set(record, line);
  }

  /** Whether a row comes after one about the same record that was taken for its lines. */
  follows(record: string, { line }: RowPlace): boolean {
    const first = this.firstLines.get(record);
    return first !== undefined && first < line;
  }
}

/** What tells the record of a row. By `Sku`, any product can hold what a row names: all count as one. */
export function toReplayedRecord({ id }: LocatedRow, context: RowContext): string {
  return isBySku(context) ? 'any product' : id.slice(0, KEY_LENGTH);
}
