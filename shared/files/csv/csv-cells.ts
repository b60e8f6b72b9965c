/** From the text of a CSV cell to the value of a field (D-51), by the type that the field has in its DTO's schema. */

import { MAX_TEXTS } from '../../domain/limits';

/** A cell's value; never called with an empty cell, which means: omitted. */
export type CellReader = (cell: string) => unknown;

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const asText: CellReader = (cell) => cell;

/** A cell that is no number stays text, so that validation names its field. */
const asNumber: CellReader = (cell) => {
  const text = cell.trim();
  const value = NUMBER.test(text) ? Number(text) : NaN;
  return Number.isFinite(value) ? value : cell;
};

const asBoolean: CellReader = (cell) => BOOLEANS.get(cell.trim().toLowerCase()) ?? cell;

/** Exactly what is between the bars: `Shoes|Summer`. One text more than is valid is enough to refuse the rest. */
const asTexts: CellReader = (cell) => cell.split('|', MAX_TEXTS + 1);

/**
 * How a field's cells are read. An unknown field (D-21), and one that no cell can hold, stay text.
 * @param field the field's JSON Schema, whose `type` is a name or a list of a name and `null`
 */
export function cellReaderOf(field: unknown): CellReader {
  const { type, items } = (field ?? {}) as { type?: unknown; items?: unknown };
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (names.includes('integer') || names.includes('number')) return asNumber;
  if (names.includes('boolean')) return asBoolean;
  if (names.includes('array') && (items as { type?: unknown } | undefined)?.type === 'string') return asTexts;
  return asText;
}
