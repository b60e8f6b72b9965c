import { CODE } from '../ascii';
import type { Boundary, RecordEnd } from './boundary';

// An import is a getter at run time; a loop over bytes wants constants.
const { newline: NEWLINE, carriageReturn: RETURN, quote: QUOTE, comma: COMMA } = CODE;

/** Where in a row the last byte was. */
const enum Place {
  CellStart,
  Bare,
  Quoted,
  /** After a quotation mark in a quoted cell: its end, or the first half of a doubled mark. */
  AfterMark,
  /** After the carriage return behind a quoted cell. */
  AfterReturn,
}

const TEXT_AFTER_QUOTED = 'A quoted cell must be followed by a comma or the end of the row.';
const MARK_IN_BARE = 'A cell that holds a quotation mark must be quoted, and the mark doubled.';
const NOT_CLOSED = 'A quoted cell is not closed.';

/**
 * A row ends at a newline outside quotes (RFC 4180, strictly: it also finds the rows whose quoting is wrong, so that
 * the parser of the cells only ever sees well-formed ones). Wrong quoting costs its own row; the next newline outside
 * quotes is a fresh start. A cell that is never closed has swallowed the rest of the file: that is damage.
 */
export class CsvBoundary implements Boundary {
  readonly closed = false;
  private place: Place = Place.CellStart;
  private lines = 1;
  private flaw: string | undefined;

  skip(_bytes: Buffer, from: number): number {
    return from;
  }

  findEnd(bytes: Buffer, from: number): RecordEnd | undefined {
    let place = this.place;
    for (let index = from; index < bytes.length; index += 1) {
      const byte = bytes[index];
      if (place === Place.Quoted) {
        if (byte === QUOTE) place = Place.AfterMark;
        else if (byte === NEWLINE) this.lines += 1;
      } else if (byte === NEWLINE) return { place: index, ...this.take() };
      else if (byte === COMMA) {
        if (place === Place.AfterReturn) this.flaw ??= TEXT_AFTER_QUOTED;
        place = Place.CellStart;
      } else if (byte === QUOTE) {
        if (place === Place.CellStart || place === Place.AfterMark) place = Place.Quoted;
        else {
          this.flaw ??= place === Place.Bare ? MARK_IN_BARE : TEXT_AFTER_QUOTED;
          place = Place.Bare;
        }
      } else if (place === Place.AfterMark && byte === RETURN) place = Place.AfterReturn;
      else {
        if (place === Place.AfterMark || place === Place.AfterReturn) this.flaw ??= TEXT_AFTER_QUOTED;
        place = Place.Bare;
      }
    }
    this.place = place;
    return undefined;
  }

  endOfFile(): Omit<RecordEnd, 'place'> {
    if (this.place !== Place.Quoted) return this.take();
    return { ...this.take(), flaw: NOT_CLOSED, damage: 'A quoted cell is never closed; its row begins in line' };
  }

  private take(): Omit<RecordEnd, 'place'> {
    const end = { lines: this.lines, flaw: this.flaw };
    this.place = Place.CellStart;
    this.lines = 1;
    this.flaw = undefined;
    return end;
  }
}
