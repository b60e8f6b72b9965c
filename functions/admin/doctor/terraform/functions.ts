/**
 * The functions of Terraform's language of which the resources are made that doctor looks at, and what Terraform's own
 * tests say of them. A set is a sorted list without repetitions.
 */
import type { Value } from './syntax';

type Objects = Readonly<Record<string, Value>>;

export type Functions = Readonly<Record<string, (...args: readonly Value[]) => Value>>;

const list = (value: Value | undefined) => value as readonly Value[];
const keys = (value: Value | undefined) => Object.keys(value as Objects).sort();
const isAbsent = (value: Value) => value === null || value === '';

export const FUNCTIONS: Functions = {
  alltrue: (items) => list(items).every((item) => item === true),
  base64encode: (text) => Buffer.from(toText(text)).toString('base64'),
  base64decode: (text) => Buffer.from(toText(text), 'base64').toString(),
  coalesce: (...values) => found(values.find((value) => !isAbsent(value))),
  coalescelist: (...lists) => found(lists.find((items) => list(items).length > 0)),
  concat: (...lists) => lists.flatMap((items) => [...list(items)]),
  distinct: (items) => [...new Set(list(items))],
  join: (separator, items) => list(items).map(toText).join(toText(separator)),
  jsondecode: (text) => JSON.parse(toText(text)) as Value,
  jsonencode: (value) => JSON.stringify(value),
  keys: (object) => keys(object),
  length: (value) => (Array.isArray(value) ? value.length : keys(value).length),
  merge: (...objects) => merge(objects as readonly Objects[]),
  one: (items) => list(items)[0] ?? null,
  split: (separator, text) => toText(text).split(toText(separator)),
  startswith: (text, start) => toText(text).startsWith(toText(start)),
  sum: (items) => list(items).reduce<number>((sum, item) => sum + Number(item), 0),
  tonumber: (value) => number(value),
  toset: (items) => [...new Set(list(items))].sort(),
  tostring: (value) => toText(value),
  values: (object) => keys(object).map((key) => found((object as Objects)[key])),
};

/** The values stay as they are: some are found only when they are asked for. */
function merge(objects: readonly Objects[]): Value {
  const merged = {};
  for (const object of objects) Object.defineProperties(merged, Object.getOwnPropertyDescriptors(object));
  return merged;
}

/** The text of a value. @throws Error when it has none */
export function toText(value: Value | undefined): string {
  if (value === undefined || typeof value === 'object') throw new Error('It is no text.');
  return String(value);
}

/** What should be there. @throws Error when it is not */
export function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('There is no such value.');
  return value;
}

function number(value: Value | undefined): number {
  if (value === null || value === '' || Number.isNaN(Number(value))) throw new Error('It is no number.');
  return Number(value);
}
