import { CODE } from '../../platform/ascii';

// An import is a getter at run time; a loop over bytes wants constants.
const { newline: NEWLINE, carriageReturn: RETURN, space: SPACE, tab: TAB } = CODE;

/**
 * Line breaks between records: LF, CRLF and CR, also mixed. A piece of the file may end between the two bytes of a
 * CRLF, and a reader may go on there.
 */
export class LineBreaks {
  /** Blank lines that the last `skipBlank` passed over. */
  skippedLines = 0;

  /** @param isAfterReturn whether the byte before is a carriage return that has ended a line */
  constructor(public isAfterReturn: boolean) {}

  /** The index after the blank lines at `from`; a line that may still prove not to be blank is not passed over. */
  skipBlankLines(bytes: Buffer, from: number): number {
    let start = from;
    let lines = 0;
    let isAfterReturn = this.isAfterReturn;
    for (let position = from; position < bytes.length; position += 1) {
      const byte = bytes[position];
      if (byte === NEWLINE && !isAfterReturn) {
        lines += 1;
        start = position + 1;
      } else if (byte === NEWLINE || byte === RETURN) {
        const isSecondHalf = byte === NEWLINE && isAfterReturn && position === start;
        if (!isSecondHalf) lines += 1;
        isAfterReturn = byte === RETURN;
        start = position + 1;
      } else if (byte !== SPACE && byte !== TAB) break;
    }
    this.skippedLines = lines;
    this.isAfterReturn = isAfterReturn && start === bytes.length;
    return start;
  }

  /** The index after the line break at `place`. */
  skipBreak(bytes: Buffer, position: number): number {
    if (bytes[position] === NEWLINE) return position + 1;
    this.isAfterReturn = position + 1 === bytes.length;
    return bytes[position + 1] === NEWLINE ? position + 2 : position + 1;
  }
}
