/** What separates the cells of a CSV file. */

/** Those that are known, in the order in which a header row is tried. */
export const SEPARATORS = [',', ';', '\t'] as const;
export type Separator = (typeof SEPARATORS)[number];

const NAMES: Readonly<Record<Separator, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab' };
const CODES: readonly number[] = SEPARATORS.map((separator) => separator.charCodeAt(0));

/** What the decoder learns from the header row, and the boundary has to know. */
export class CsvDialect {
  /** @param separator undefined: the header row is not read yet */
  constructor(public separator: Separator | undefined) {}

  /** Whether the separator is this one. Before the header row is read, any of them ends a cell. */
  isSeparator(code: number): boolean {
    return this.separator === undefined ? CODES.includes(code) : code === this.separator.charCodeAt(0);
  }

  /** Whether a tab is as blank as a space. */
  get hasBlankTabs(): boolean {
    return this.separator !== '\t';
  }

  get separatorName(): string {
    return NAMES[this.separator ?? ','];
  }
}
