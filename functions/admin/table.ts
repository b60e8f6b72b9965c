/** Lists as tables for a terminal: numbers to the right, lines no longer than the terminal is wide. */
import type { Columns, Elements } from './printing';
import { toTerminalJson, toTerminalText } from './terminal-json';
import { cut, widthOf } from './text-width';

export interface TableOptions {
  /** Characters in a line. */
  readonly width: number;
  readonly isColoured: boolean;
}

/**
 * The rows of a list that comes one at a time which decide how wide columns are: a few screens. Longer cells of later
 * rows are cut, but those of groups stick out: part of a number is another number. Of a list that is at hand, all rows
 * decide.
 */
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
  /** Which element of the chosen columns it is in. Those of one are left out together. */
  readonly group: number;
  /** Whether it gives way to no other column. */
  readonly isWhole: boolean;
}

interface Column extends Name {
  /** Which cell of an element it shows: columns before it may be left out. */
  readonly index: number;
  readonly width: number;
  readonly isNumeric: boolean;
}

interface Measured extends Name {
  /** The width below which it does not give way. */
  readonly least: number;
  /** Whether no row has a value in it. */
  readonly isEmpty: boolean;
}

/**
 * The lines of a table: its header, and one for each element, also where the elements end with an error. They have no
 * characters that a terminal obeys.
 */
export async function* toTable(elements: Elements, chosen: Columns, options: TableOptions): AsyncGenerator<string> {
  const names = toNames(chosen);
  const most = Array.isArray(elements) ? Infinity : MEASURED_ROWS;
  let columns: readonly Column[] | undefined;
  const measured: Cell[][] = [];
  const whole = () => toBlock(measure(names, measured, options, { areAll: true }), measured, options);
  try {
    for await (const element of elements) {
      const cells = names.map(({ field }) => toCell(valueAt(element, field)));
      if (!columns && measured.length < most) {
        measured.push(cells);
        continue;
      }
      if (!columns) {
        columns = measure(names, measured, options, { areAll: false });
        yield* toBlock(columns, measured, options);
      }
      yield toLine(columns, cells, options);
    }
  } catch (error) {
    if (!columns && measured.length > 0) yield* whole();
    throw error;
  }
  if (!columns) yield* whole();
}

function toNames(chosen: Columns): Name[] {
  return chosen.flatMap((one, group) => {
    const isGroup = typeof one === 'object' && !('field' in one);
    return (isGroup ? one : [one]).map((column) => {
      const named = typeof column === 'string' ? { field: column, title: column } : column;
      return { ...named, group, isWhole: isGroup || group === 0 };
    });
  });
}

function* toBlock(columns: readonly Column[], rows: readonly Cell[][], options: TableOptions): Generator<string> {
  const header = columns.map(({ title, width, isNumeric }) => pad(cut(title, width), width, isNumeric));
  yield paint(header.join(GAP).trimEnd(), BOLD, options);
  for (const row of rows) yield toLine(columns, row, options);
}

function toLine(columns: readonly Column[], cells: readonly Cell[], options: TableOptions): string {
  const shown = columns.map(({ field, index, width, isNumeric, isWhole }, position) => {
    const { text } = cells[index] ?? toCell(undefined);
    const isLast = position === columns.length - 1;
    const short = isWhole && position > 0 ? text : cut(text, width);
    const padded = isLast && !isNumeric ? short : pad(short, width, isNumeric);
    return paint(padded, field === STATE ? COLOURS.get(text) : undefined, options);
  });
  return shown.join(GAP);
}

/**
 * Columns as wide as what they hold. Where that is too much, they give way, the last ones first, or are left out. The
 * columns of a group do not give way, so that its numbers can be added up. The first column, which names the elements,
 * stays whole, so that its ids can be copied, if the terminal is as wide as it is.
 * @param areAll whether there are no further rows. A column counts as one without a value only if there are none.
 */
function measure(
  names: readonly Name[],
  rows: readonly Cell[][],
  { width: available }: TableOptions,
  { areAll }: { readonly areAll: boolean },
): readonly Column[] {
  const all = names.map((name, index) => {
    const cells = rows.flatMap((row) => row[index] ?? []);
    const width = cells.reduce((most, { text }) => Math.max(most, widthOf(text)), widthOf(name.title));
    const least = name.isWhole ? width : Math.min(width, LEAST_WIDTH);
    const hasValue = cells.some(({ isNothing }) => !isNothing);
    const isNumeric = hasValue && cells.every(isNumberOrNothing);
    return { ...name, index, width, least, isEmpty: areAll && !hasValue, isNumeric };
  });
  const columns = fitting(all, available);
  let excess = widthOfAll(columns.map(({ width }) => width)) - available;
  for (const [index, column] of [...columns.entries()].reverse()) {
    const given = Math.max(0, Math.min(excess, index === 0 ? excess : column.width - column.least));
    column.width -= given;
    excess -= given;
  }
  return columns;
}

/**
 * The first column, and of the others what has room beside those before it. Those without a value come last, and only
 * where all that have one are shown.
 */
function fitting<One extends Measured>(columns: readonly One[], available: number): readonly One[] {
  const isEmpty = (of: number) => of > 0 && columns.every((column) => column.group !== of || column.isEmpty);
  const groups = [...new Set(columns.map(({ group }) => group))];
  let chosen: readonly One[] = [];
  let isAnyLeftOut = false;
  for (const group of [...groups.filter((of) => !isEmpty(of)), ...groups.filter(isEmpty)]) {
    if (isAnyLeftOut && isEmpty(group)) break;
    const more = columns.filter((column) => column.group === group || chosen.includes(column));
    if (chosen.length === 0 || widthOfAll(more.map(({ least }) => least)) <= available) chosen = more;
    else isAnyLeftOut = true;
  }
  return chosen;
}

function widthOfAll(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
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
