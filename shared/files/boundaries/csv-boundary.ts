import { CODE } from '../../platform/ascii';
import type { Boundary, RecordEnd, RecordSummary } from './boundary';
import { LineBreaks } from './line-breaks';

// An import is a getter at run time; a loop over bytes wants constants.
const { newline: NEWLINE, carriageReturn: RETURN, quote: QUOTE, comma: COMMA } = CODE;

/** Where in a row the last byte was. */
const enum CellState {
  CellStart,
  Bare,
  Quoted,
  /** After a carriage return in a quoted cell: a newline that follows ends no line of its own. */
  QuotedReturn,
  /** After a quotation mark in a quoted cell: its end, or the first half of a doubled mark. */
  AfterQuote,
}

const TEXT_AFTER_QUOTED = 'A quoted cell must be followed by a comma or the end of the row.';
const MARK_IN_BARE = 'A cell that holds a quotation mark must be quoted, and the mark doubled.';
const NOT_CLOSED = 'A quoted cell is not closed.';

/**
 * A row ends at a line break outside quotes (RFC 4180, strictly: it also finds the rows whose quoting is wrong, so that
 * the parser of the cells only ever sees well-formed ones). Wrong quoting costs its own row; the next line break
 * outside quotes is a fresh start. A cell that is never closed has swallowed the rest of the file: that is damage.
 */
export class CsvBoundary implements Boundary {
  readonly arrayNext = 'element';
  private readonly breaks: LineBreaks;
  private state: CellState = CellState.CellStart;
  private lines = 1;
  private cells = 1;
  private flaw: string | undefined;

  constructor(isAfterReturn = false) {
    this.breaks = new LineBreaks(isAfterReturn);
  }

  get isAfterReturn(): boolean {
    return this.breaks.isAfterReturn;
  }

  get skippedLines(): number {
    return this.breaks.skippedLines;
  }

  skipToRecord(bytes: Buffer, from: number): number {
    return this.breaks.skipBlankLines(bytes, from);
  }

  findEnd(bytes: Buffer, from: number): RecordEnd | undefined {
    let { state, cells } = this;
    for (let index = from; index < bytes.length; index += 1) {
      const byte = bytes[index];
      if (state === CellState.Quoted || state === CellState.QuotedReturn) {
        if (byte === RETURN || (byte === NEWLINE && state === CellState.Quoted)) this.lines += 1;
        if (byte === QUOTE) state = CellState.AfterQuote;
        else state = byte === RETURN ? CellState.QuotedReturn : CellState.Quoted;
      } else if (byte === NEWLINE || byte === RETURN) {
        this.cells = cells;
        return { endIndex: index, nextIndex: this.breaks.skipBreak(bytes, index), ...this.finishRow() };
      } else if (byte === COMMA) {
        state = CellState.CellStart;
        cells += 1;
      } else if (byte === QUOTE) {
        if (state === CellState.Bare) this.flaw ??= MARK_IN_BARE;
        else state = CellState.Quoted;
      } else {
        if (state === CellState.AfterQuote) this.flaw ??= TEXT_AFTER_QUOTED;
        state = CellState.Bare;
      }
    }
    this.state = state;
    this.cells = cells;
    return undefined;
  }

  endOfFile(): RecordSummary {
    if (this.state !== CellState.Quoted && this.state !== CellState.QuotedReturn) return this.finishRow();
    return { ...this.finishRow(), flaw: NOT_CLOSED, damage: 'A quoted cell is never closed; its row begins in line' };
  }

  private finishRow(): RecordSummary {
    const end = { lines: this.lines, cells: this.cells, flaw: this.flaw };
    this.state = CellState.CellStart;
    this.lines = 1;
    this.cells = 1;
    this.flaw = undefined;
    return end;
  }
}
