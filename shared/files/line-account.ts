import { DamagedFile } from './damaged-file';
import type { RawRecord } from './record-splitter';
import type { Checkpoint, DecodedRecord } from './row';

/**
 * Holds that no line, or element, of a file is lost without a word. Each is part of a row, or blank, or the decoder
 * says that it makes no row: a header, or a row of a group that was refused.
 */
export class LineAccount {
  /** What comes after the lines that are accounted for. */
  private next: number;
  /** Lines between rows, of which nothing was said: they must be blank. */
  private unsaid = 0;
  /** Blank lines that came as records. */
  private blankLines = 0;

  constructor({ line }: Pick<Checkpoint, 'line'>) {
    this.next = line;
  }

  /** Accounts for what the decoder has made of some lines. */
  addDecoded(steps: readonly DecodedRecord[]): readonly DecodedRecord[] {
    for (const { row, checkpoint } of steps) {
      if (row === undefined) this.next = checkpoint.line;
      else {
        this.unsaid += row.line - this.next;
        this.next = (row.lastLine ?? row.line) + 1;
      }
    }
    return steps;
  }

  /** Accounts for blank lines of which the decoder said nothing: rows of one group may go on after them. */
  addBlankRecord({ line, nextLine }: Pick<RawRecord, 'line' | 'nextLine'>): void {
    this.blankLines += nextLine - line;
  }

  /**
   * The end of a file whose last line comes before `nextLine`.
   * @throws DamagedFile when more lines are missing than were blank
   */
  requireComplete({ nextLine, blankLines }: { readonly nextLine: number; readonly blankLines: number }): void {
    const missing = this.unsaid + nextLine - this.next - blankLines - this.blankLines;
    if (missing > 0) throw new DamagedFile(`Number of lines that were not read: ${missing}.`);
  }
}
