/** Lists as tables for a terminal: numbers to the right, no line longer than the terminal is wide. */
import type { Columns, Elements } from './printing';
import { toTerminalJson, toTerminalText } from './terminal-json';
import { cut, widthOf } from './text-width';

export interface TableOptions {
  /** Characters in a line. */
  readonly width: number;
  readonly isColoured: boolean;
}

/** The rows that decide which columns there are, and how wide: a few screens. Longer cells of later rows are cut. */
const MEASURED_ROWS = 200;

const GAP = '  ';

/** No column gives way below this width: its values could not be told from each other. */
const LEAST_WIDTH = 10;

/** What stands for an absent value. */
const NOTHING = '-';

/** The colours of states, as the numbers of their escape sequences: green, yellow, red. */
const COLOURS: ReadonlyMap<string, number> = new Map([
  ['succeeded', 32],
  ['finished', 32],
  ['running', 33],
  ['partial', 33],
  ['skipped', 33],
  ['failed', 31],
  ['cancelled', 31],
]);
/** The field whose values have colours. */
const STATE = 'status';
const BOLD = 1;

interface Cell {
  readonly text: string;
  readonly isNumber: boolean;
  readonly isNothing: boolean;
}

interface Name {
  readonly field: string;
  readonly title: string;
}

interface Column extends Name {
  /** Which cell of an element it shows: columns before it may be left out. */
  readonly index: number;
  readonly width: number;
  readonly isNumeric: boolean;
}

/**
 * The lines of a table: its header, and one for each element, also where the elements end with an error. They have no
 * characters that a terminal obeys.
 */
export async function* toTable(elements: Elements, chosen: Columns, options: TableOptions): AsyncGenerator<string> {
  const names = chosen.map((column) => (typeof column === 'string' ? { field: column, title: column } : column));
  let columns: readonly Column[] | undefined;
  const measured: Cell[][] = [];
  const whole = () => toBlock(measure(names, measured, options), measured, options);
  try {
    for await (const element of elements) {
      const cells = names.map(({ field }) => toCell(valueAt(element, field)));
      if (columns) {
        yield toLine(columns, cells, options);
        continue;
      }
      measured.push(cells);
      if (measured.length < MEASURED_ROWS) continue;
      columns = measure(names, measured, options);
      yield* toBlock(columns, measured, options);
    }
  } catch (error) {
    if (!columns && measured.length > 0) yield* whole();
    throw error;
  }
  if (!columns) yield* whole();
}

function* toBlock(columns: readonly Column[], rows: readonly Cell[][], options: TableOptions): Generator<string> {
  const header = columns.map(({ title, width, isNumeric }) => pad(cut(title, width), width, isNumeric));
  yield paint(header.join(GAP).trimEnd(), BOLD, options);
  for (const row of rows) yield toLine(columns, row, options);
}

function toLine(columns: readonly Column[], cells: readonly Cell[], options: TableOptions): string {
  const shown = columns.map(({ field, index, width, isNumeric }, position) => {
    const { text } = cells[index] ?? toCell(undefined);
    const isLast = position === columns.length - 1;
    const short = cut(text, width);
    const padded = isLast && !isNumeric ? short : pad(short, width, isNumeric);
    return paint(padded, field === STATE ? COLOURS.get(text) : undefined, options);
  });
  return shown.join(GAP);
}

/**
 * Columns as wide as what they hold. Where that is too much, they give way, the last ones first, or are left out, those
 * without a value before the others. The first one, which names the elements, stays whole, so that its ids can be
 * copied, if the terminal is as wide as it is.
 */
function measure(names: readonly Name[], rows: readonly Cell[][], { width: available }: TableOptions): Column[] {
  let columns = names.map((name, index) => {
    const cells = rows.flatMap((row) => row[index] ?? []);
    const width = cells.reduce((most, { text }) => Math.max(most, widthOf(text)), widthOf(name.title));
    const isEmpty = cells.every(({ isNothing }) => isNothing);
    return { ...name, index, width, isEmpty, isNumeric: !isEmpty && cells.every(isNumberOrNothing) };
  });
  const least = (width: number, index: number) => (index === 0 ? width : Math.min(width, LEAST_WIDTH));
  while (columns.length > 1 && widthOfAll(columns, least) > available) {
    const leaving = columns.slice(1).findLast(({ isEmpty }) => isEmpty) ?? columns.at(-1);
    columns = columns.filter((column) => column !== leaving);
  }
  let excess = widthOfAll(columns) - available;
  for (const [index, column] of [...columns.entries()].reverse()) {
    const given = Math.max(0, Math.min(excess, index === 0 ? excess : column.width - LEAST_WIDTH));
    column.width -= given;
    excess -= given;
  }
  return columns;
}

function widthOfAll(
  columns: readonly Column[],
  toWidth: (width: number, index: number) => number = (width) => width,
): number {
  return columns.reduce((sum, { width }, index) => sum + toWidth(width, index) + GAP.length, -GAP.length);
}

function isNumberOrNothing({ isNumber, isNothing }: Cell): boolean {
  return isNumber || isNothing;
}

/** The value of a field such as `rows.read`; undefined: there is none. */
function valueAt(element: object, name: string): unknown {
  return name.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], element);
}

function toCell(value: unknown): Cell {
  const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  return { text: isNothing ? NOTHING : toText(value), isNumber: typeof value === 'number', isNothing };
}

function toText(value: unknown): string {
  if (typeof value === 'string') return toTerminalText(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toText).join(', ');
  return toTerminalJson(value);
}

function pad(text: string, width: number, isRight: boolean): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return isRight ? blanks + text : text + blanks;
}

function paint(text: string, colour: number | undefined, { isColoured }: TableOptions): string {
  return isColoured && colour !== undefined ? `\u001b[${colour}m${text}\u001b[0m` : text;
}
