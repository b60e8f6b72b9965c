/** A table in Markdown. Bars in cells are escaped, because they would begin another cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headings), `|${'---|'.repeat(headings.length)}`, ...rows.map(line)].join('\n');
}

/** The thousands of `10000` are told apart: `10,000`. */
export const grouped = (number: number) => number.toLocaleString('en');

export const code = (text: string) => `\`${text}\``;
