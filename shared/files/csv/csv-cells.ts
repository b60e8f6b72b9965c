/** Converts CSV cells to values (D-51), by the type that the field has in the schema of its DTO. */
import { MAX_TEXTS } from '../../domain/limits';
import type { Separator } from './csv-dialect';

/** Converts a cell to a value. Never called with an empty cell: that means that the field is omitted. */
export type CellReader = (cell: string) => unknown;

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const asText: CellReader = (cell) => cell;

/** A cell that is no number stays text. Validation then names the field. */
const asNumber: CellReader = (cell) => {
  const text = cell.trim();
  const value = DECIMAL.test(text) ? Number(text) : NaN;
  return Number.isFinite(value) ? value : cell;
};

/** `12,50`, as spreadsheets write numbers between semicolons. A point is as good; both are no number. */
const asNumberWithComma: CellReader = (cell) => {
  const value = asNumber(cell.replace(',', '.'));
  return typeof value === 'number' ? value : cell;
};

const asBoolean: CellReader = (cell) => BOOLEANS.get(cell.trim().toLowerCase()) ?? cell;

/** Splits at vertical bars and trims nothing: `Shoes|Summer`. One text beyond the bound is enough to be refused. */
const asTexts: CellReader = (cell) => cell.split('|', MAX_TEXTS + 1);

/**
 * Returns the reader of a field's cells. Cells stay text if the field is unknown (D-21), or has a type that no cell can
 * hold.
 * @param field JSON Schema of the field; its `type` is a name, or a list of a name and `null`.
 */
export function cellReaderOf(field: unknown, separator: Separator): CellReader {
  const { type, items } = (field ?? {}) as { type?: unknown; items?: unknown };
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (names.includes('integer') || names.includes('number')) return separator === ';' ? asNumberWithComma : asNumber;
  if (names.includes('boolean')) return asBoolean;
  if (names.includes('array') && (items as { type?: unknown } | undefined)?.type === 'string') return asTexts;
  return asText;
}
