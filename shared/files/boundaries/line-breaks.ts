import { CODE } from '../../platform/ascii';

// Local constants: at run time an import is a getter, too slow for a loop over bytes.
const { newline: NEWLINE, carriageReturn: RETURN, space: SPACE, tab: TAB } = CODE;

/**
 * Recognizes the line breaks between records: LF, CRLF and CR, also mixed. A piece of the file, or an earlier reading,
 * may have ended between the two bytes of a CRLF.
 */
export class LineBreaks {
  /** Blank lines that the last `skipBlankLines` skipped. */
  skippedLines = 0;

  /** @param isAfterReturn whether the byte before is a carriage return, which has ended a line. */
  constructor(public isAfterReturn: boolean) {}

  /**
   * Returns the index after the blank lines at `from`. A line that has not ended yet is not skipped.
   * @param hasBlankTabs false: a tab separates cells, so that a line of tabs is not blank
   */
  skipBlankLines(bytes: Buffer, from: number, hasBlankTabs = true): number {
    let start = from;
    let lines = 0;
    let isAfterReturn = this.isAfterReturn;
    for (let index = from; index < bytes.length; index += 1) {
      const byte = bytes[index];
      if (byte === NEWLINE && !isAfterReturn) {
        lines += 1;
        start = index + 1;
      } else if (byte === NEWLINE || byte === RETURN) {
        const isSecondHalf = byte === NEWLINE && isAfterReturn && index === start;
        if (!isSecondHalf) lines += 1;
        isAfterReturn = byte === RETURN;
        start = index + 1;
      } else if (byte !== SPACE && !(byte === TAB && hasBlankTabs)) break;
    }
    this.skippedLines = lines;
    this.isAfterReturn = isAfterReturn && start === bytes.length;
    return start;
  }

  /** Returns the index after the line break at `index`. */
  skipBreak(bytes: Buffer, index: number): number {
    if (bytes[index] === NEWLINE) return index + 1;
    this.isAfterReturn = index + 1 === bytes.length;
    return bytes[index + 1] === NEWLINE ? index + 2 : index + 1;
  }
}
