/** To what the chapters of the story are told: tables, each row a check that holds (✓) or not (✗). */
import type { Terminal } from './terminal';

export interface Row {
  /** Numbers are aligned to the right. Free text belongs into the last one. */
  readonly cells: readonly (string | number)[];
  /** Why the check fails; empty: it holds. Absent: the row checks nothing. */
  readonly problems?: readonly string[];
  /** Further lines below the row. */
  readonly details?: readonly string[];
}

export interface Report {
  /** Begins a chapter. */
  chapter(title: string, ...explanation: readonly string[]): void;
  note(text: string): void;
  /** What is being done now, for whoever waits. */
  progress(status: string): void;
  /** A table; `headers` empty: none are shown. */
  table(headers: readonly string[], rows: readonly Row[]): void;
}

const SHOWN_PROBLEMS = 20;

/** Why a check fails, line by line. */
export function printProblems(terminal: Terminal, problems: readonly string[], indent: string): void {
  for (const problem of problems.slice(0, SHOWN_PROBLEMS)) {
    terminal.line(`${indent}${terminal.colour(problem, 'red')}`);
  }
  const more = problems.length - SHOWN_PROBLEMS;
  if (more > 0) terminal.line(`${indent}${terminal.colour(`and ${more} more`, 'red')}`);
}

/** The account that the demo gives: everything that is told. */
export class FullReport implements Report {
  passed = 0;
  failed = 0;

  constructor(private readonly terminal: Terminal) {}

  chapter(title: string, ...explanation: readonly string[]): void {
    this.terminal.line();
    this.terminal.line(this.terminal.colour(title, 'bold'));
    for (const line of explanation) this.note(line);
  }

  note(text: string): void {
    this.terminal.line(`  ${this.terminal.colour(text, 'dim')}`);
  }

  progress(status: string): void {
    this.terminal.progress(status);
  }

  table(headers: readonly string[], rows: readonly Row[]): void {
    const cells = [headers, ...rows.map((row) => row.cells)];
    const widths = Array.from({ length: Math.max(...cells.map(({ length }) => length)) }, (_, column) =>
      Math.max(...cells.map((row) => String(row[column] ?? '').length)),
    );
    const isNumber = (column: number) =>
      rows.length > 0 && rows.every(({ cells: row }) => typeof row[column] === 'number');
    const align = (row: Row['cells']) =>
      row
        .map((cell, i) => (isNumber(i) ? String(cell).padStart(widths[i] ?? 0) : String(cell).padEnd(widths[i] ?? 0)))
        .join('  ')
        .trimEnd();
    if (headers.length > 0) this.terminal.line(`    ${this.terminal.colour(align(headers), 'dim')}`);
    for (const row of rows) this.row(row, align(row.cells));
  }

  private row({ problems, details = [] }: Row, text: string): void {
    if (problems) this.count(problems);
    const mark = problems ? this.mark(problems.length === 0) : ' ';
    this.terminal.line(`  ${mark} ${text}`);
    for (const detail of details) this.terminal.line(`      ${this.terminal.colour(detail, 'dim')}`);
    printProblems(this.terminal, problems ?? [], '      ');
  }

  private mark(holds: boolean): string {
    return holds ? this.terminal.colour('✓', 'green') : this.terminal.colour('✗', 'red');
  }

  private count(problems: readonly string[]): void {
    if (problems.length === 0) this.passed += 1;
    else this.failed += 1;
  }

  /** The last line. */
  summary(facts: readonly string[]): void {
    this.terminal.progress(undefined);
    this.terminal.line();
    const holds = this.failed === 0;
    const verdict = holds
      ? `Demo passed: ${this.passed} checks.`
      : `Demo failed: ${this.failed} of ${this.passed + this.failed} checks (marked ✗ above).`;
    this.terminal.line(`${this.mark(holds)} ${this.terminal.colour(verdict, 'bold')} ${facts.join(', ')}.`);
  }
}
