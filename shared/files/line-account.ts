import { DamagedFile } from './damaged-file';
import type { RawRecord } from './record-splitter';
import type { Checkpoint, DecodedRecord } from './row';

/**
 * Verifies that no line (or array element) of a file is lost silently. A line is accounted for if it is
 *
 * - part of a row,
 * - blank, or
 * - reported by the decoder to make no row: a header, or a row of a refused group.
 */
export class LineAccount {
  /** The first line that is not accounted for yet. */
  private nextLine: number;
  /** Lines between rows that the decoder did not report. They must be blank. */
  private unreportedLines = 0;
  /** Blank lines that the splitter returned as records. */
  private blankRecordLines = 0;

  constructor({ line }: Pick<Checkpoint, 'line'>) {
    this.nextLine = line;
  }

  /** Accounts for the lines of decoded records, and returns these unchanged. */
  addDecoded(decoded: readonly DecodedRecord[]): readonly DecodedRecord[] {
    for (const { row, checkpoint } of decoded) {
      if (row === undefined) this.nextLine = checkpoint.line;
      else {
        this.unreportedLines += row.line - this.nextLine;
        this.nextLine = (row.lastLine ?? row.line) + 1;
      }
    }
    return decoded;
  }

  /** Accounts for a blank record that the decoder did not report, because rows of the open group may follow it. */
  addBlankRecord({ line, nextLine }: Pick<RawRecord, 'line' | 'nextLine'>): void {
    this.blankRecordLines += nextLine - line;
  }

  /**
   * Checks the balance at the end of the file.
   * @param counts the line after the last one, and how many blank lines the splitter skipped.
   * @throws DamagedFile when more lines are missing than were blank
   */
  requireComplete(counts: { readonly nextLine: number; readonly blankLines: number }): void {
    const unaccounted = this.unreportedLines + counts.nextLine - this.nextLine;
    const missing = unaccounted - counts.blankLines - this.blankRecordLines;
    if (missing > 0) throw new DamagedFile(`Number of lines that were not read: ${missing}.`);
  }
}
