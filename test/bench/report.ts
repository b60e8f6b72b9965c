/** The result of a run as Markdown that GitHub shows, which the tables of docs/speed.md are copied from. */
import type { Bar, Chart, SuiteResult, Table } from './suite';
import { isMet } from './suite';

export interface BenchResult {
  /** ISO 8601 date. */
  readonly date: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly memoryGiB: number; readonly node: string };
  readonly rounds: number;
  readonly quick: boolean;
  readonly suites: readonly SuiteResult[];
}

const CHART_WIDTH = 40;

export function toMarkdown({ date, machine, rounds, quick, suites }: BenchResult): string {
  const { cpu, cores, memoryGiB, node } = machine;
  const where = `Measured on ${date}: ${cpu}, ${cores} cores, ${memoryGiB} GiB, Node.js ${node}, ${rounds} rounds.`;
  return [
    quick ? `${where} **Quick run: sizes and rounds are too small for conclusions.**` : where,
    ...suites.flatMap(toSection),
  ].join('\n\n');
}

function toSection({ suite, tables, chart, bars, notes }: SuiteResult): string[] {
  return [
    `#### ${suite}`,
    ...tables.map(tableOf),
    ...(chart ? [toChart(chart)] : []),
    ...(bars.length > 0 ? [tableOf(barTable(bars))] : []),
    ...notes,
  ];
}

export function tableOf({ title, columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    ...(title === '' ? [] : [`**${title}**`, '']),
    line(columns),
    line(columns.map((_, index) => (index === 0 ? '---' : '--:'))),
    ...rows.map((row) => line(row.map(toCell))),
  ].join('\n');
}

function barTable(bars: readonly Bar[]): Table {
  return {
    title: '',
    columns: ['bar', 'measured', 'limit', ''],
    rows: bars.map((bar) => [
      bar.name,
      bar.value,
      `${bar.must === 'reach' ? '≥' : '≤'} ${toCell(bar.limit)}`,
      isMet(bar) ? 'met' : '**missed**',
    ]),
  };
}

/** Bars of text: readable everywhere, and a change of one shows in a diff. */
function toChart({ title, unit, values }: Chart): string {
  const longest = Math.max(...values.map(({ value }) => value));
  const labelWidth = Math.max(...values.map(({ label }) => label.length));
  const lines = values.map(({ label, value }) => {
    const bar = '█'.repeat(Math.max(1, Math.round((value / longest) * CHART_WIDTH)));
    return `${label.padEnd(labelWidth)}  ${bar} ${toCell(value)} ${unit}`;
  });
  return ['```text', title, '', ...lines, '```'].join('\n');
}

/** Three digits that count; nothing measured is more exact. */
function toCell(value: string | number | null): string {
  if (value === null) return '–';
  if (typeof value === 'string') return value;
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}
