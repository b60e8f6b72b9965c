/** The table of a smoke test: a line for each chapter of the story, and below it the checks that fail. */
import type { Report, Row } from '../demo/report';
import { printProblems } from '../demo/report';
import type { Terminal } from '../demo/terminal';

interface Step {
  readonly title: string;
  readonly rows: Row[];
}

export class StepTable implements Report {
  passed = 0;
  failed = 0;
  /** What was begun last. */
  doing = '';
  private step: Step | undefined;
  private sinceMs = performance.now();

  constructor(private readonly terminal: Terminal) {
    terminal.line(terminal.colour('  passed  failed     time  step', 'dim'));
  }

  chapter(title: string): void {
    this.end();
    this.step = { title, rows: [] };
  }

  note(): void {
    // What explains a chapter to whoever watches the demo is not said here.
  }

  progress(status: string): void {
    this.end();
    this.doing = status;
    this.terminal.progress(status);
  }

  table(_headers: readonly string[], rows: readonly Row[]): void {
    this.step?.rows.push(...rows);
  }

  /** A step that is one check. */
  check(title: string, problems: readonly string[]): void {
    this.chapter(title);
    this.table([], [{ cells: [], problems }]);
    this.end();
  }

  /** Ends the step that is being told; each step is printed when it has ended. */
  end(): void {
    if (!this.step) return;
    const { title, rows } = this.step;
    this.step = undefined;
    const checks = rows.filter(({ problems }) => problems !== undefined);
    const failing = checks.filter(({ problems = [] }) => problems.length > 0);
    const passed = checks.length - failing.length;
    this.passed += passed;
    this.failed += failing.length;
    const time = `${((performance.now() - this.sinceMs) / 1_000).toFixed(1)} s`;
    this.sinceMs = performance.now();
    const mark = failing.length === 0 ? this.terminal.colour('✓', 'green') : this.terminal.colour('✗', 'red');
    const cells = [String(passed).padStart(6), String(failing.length).padStart(6), time.padStart(7), title];
    this.terminal.line(`${mark} ${cells.join('  ')}`);
    for (const row of failing) this.printFailing(row);
  }

  private printFailing({ cells, problems = [] }: Row): void {
    if (cells.length > 0) this.terminal.line(`    ${this.terminal.colour('✗', 'red')} ${cells.join('  ').trimEnd()}`);
    printProblems(this.terminal, problems, '      ');
  }
}
