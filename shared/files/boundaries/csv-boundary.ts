import { CODE } from '../../platform/ascii';
import type { CsvDialect } from '../csv/csv-dialect';
import type { Boundary, RecordEnd, RecordSummary } from './boundary';
import { LineBreaks } from './line-breaks';

// Local constants: at run time an import is a getter, too slow for a loop over bytes.
const { newline: NEWLINE, carriageReturn: RETURN, quote: QUOTE } = CODE;

/** The state of the current cell after the last byte. */
const enum CellState {
  Start,
  Unquoted,
  Quoted,
  /** After a carriage return in a quoted cell. A newline that follows does not count as another line. */
  QuotedReturn,
  /** After a quotation mark in a quoted cell: either the end of the cell, or the first of a doubled mark. */
  AfterQuote,
}

/** No byte: the separator is not known yet. */
const NONE = -1;

const textAfterQuotedCell = ({ separatorName }: CsvDialect) =>
  `A quoted cell must be followed by a ${separatorName} or the end of the row.`;
const QUOTE_IN_UNQUOTED = 'A cell that holds a quotation mark must be quoted, and the mark doubled.';
const UNCLOSED_QUOTE = 'A quoted cell is not closed.';

/**
 * Splits a CSV file into rows: a row ends at a line break outside quotes (RFC 4180, strictly).
 *
 * - It also finds rows whose quoting is wrong. The parser of cells therefore only sees well-formed rows.
 * - Wrong quoting makes one bad row. The next line break outside quotes ends it.
 * - A quoted cell that is never closed is damage: it has swallowed the rest of the file.
 */
export class CsvBoundary implements Boundary {
  readonly arrayNext = 'element';
  private readonly breaks: LineBreaks;
  private state: CellState = CellState.Start;
  private lines = 1;
  private cells = 1;
  private flaw: string | undefined;

  /** @param dialect may be that of a file whose header row is not read yet; the decoder then completes it */
  constructor(
    private readonly dialect: CsvDialect,
    isAfterReturn = false,
  ) {
    this.breaks = new LineBreaks(isAfterReturn);
  }

  get isAfterReturn(): boolean {
    return this.breaks.isAfterReturn;
  }

  get skippedLines(): number {
    return this.breaks.skippedLines;
  }

  skipToRecord(bytes: Buffer, from: number): number {
    return this.breaks.skipBlankLines(bytes, from, this.dialect.hasBlankTabs);
  }

  findEnd(bytes: Buffer, from: number): RecordEnd | undefined {
    let { state, cells } = this;
    const separator = this.dialect.separator?.charCodeAt(0) ?? NONE;
    for (let index = from; index < bytes.length; index += 1) {
      const byte = bytes[index];
      if (state === CellState.Quoted || state === CellState.QuotedReturn) {
        if (byte === RETURN || (byte === NEWLINE && state === CellState.Quoted)) this.lines += 1;
        if (byte === QUOTE) state = CellState.AfterQuote;
        else state = byte === RETURN ? CellState.QuotedReturn : CellState.Quoted;
      } else if (byte === NEWLINE || byte === RETURN) {
        this.cells = cells;
        return { endIndex: index, nextIndex: this.breaks.skipBreak(bytes, index), ...this.finishRow() };
      } else if (byte === separator || (separator === NONE && this.dialect.isSeparator(byte ?? NONE))) {
        state = CellState.Start;
        cells += 1;
      } else if (byte === QUOTE) {
        if (state === CellState.Unquoted) this.flaw ??= QUOTE_IN_UNQUOTED;
        else state = CellState.Quoted;
      } else {
        if (state === CellState.AfterQuote) this.flaw ??= textAfterQuotedCell(this.dialect);
        state = CellState.Unquoted;
      }
    }
    this.state = state;
    this.cells = cells;
    return undefined;
  }

  endOfFile(): RecordSummary {
    if (this.state !== CellState.Quoted && this.state !== CellState.QuotedReturn) return this.finishRow();
    return {
      ...this.finishRow(),
      flaw: UNCLOSED_QUOTE,
      damage: 'A quoted cell is never closed; its row begins in line',
    };
  }

  private finishRow(): RecordSummary {
    // Cells of the header row cannot be counted before it has told what separates them.
    const cells = this.dialect.separator === undefined ? undefined : this.cells;
    const end = { lines: this.lines, cells, flaw: this.flaw };
    this.state = CellState.Start;
    this.lines = 1;
    this.cells = 1;
    this.flaw = undefined;
    return end;
  }
}
