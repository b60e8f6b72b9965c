/** Parsing of the `Size` text into a number and a metric (Spec §2.4, D-20). */

export interface ParsedSize {
  /** Null when no number can be read from the text. */
  readonly SizeNumeric: number | null;
  /** The unit in lower case; for a text of letters only, the text itself; null when there is no unit. */
  readonly SizeMetric: string | null;
}

const UNKNOWN: ParsedSize = { SizeNumeric: null, SizeMetric: null };

/** The units of a multipack that are converted to a larger unit, with the divisor. */
const LARGER_UNIT: ReadonlyMap<string, readonly [string, number]> = new Map([
  ['ml', ['l', 1000]],
  ['cl', ['l', 100]],
  ['dl', ['l', 10]],
  ['mg', ['kg', 1_000_000]],
  ['g', ['kg', 1000]],
  ['mm', ['m', 1000]],
  ['cm', ['m', 100]],
]);

// Each alternative begins with a character of another class, so no pattern can backtrack over the same text twice.
const SINGLE = /^(\d+(?:[.,]\d+)?)(?:\s*([\p{L}%]+))?$/u;
const MULTIPACK = /^(\d+(?:[.,]\d+)?)\s*[xX×*]\s*(\d+(?:[.,]\d+)?)\s*([\p{L}%]+)$/u;
const LETTERS = /^\p{L}[\p{L}\p{M}\s-]*$/u;

/**
 * Parses a size. Never throws; a text of no known shape gives two nulls.
 * @example parseSize('500ml')   // { SizeNumeric: 500, SizeMetric: 'ml' }
 * @example parseSize('4x500ml') // { SizeNumeric: 2, SizeMetric: 'l' }
 * @example parseSize('XL')      // { SizeNumeric: null, SizeMetric: 'XL' }
 */
export function parseSize(size: string): ParsedSize {
  const text = size.trim();
  const single = SINGLE.exec(text);
  if (single) return withNumber(toNumber(single[1] ?? ''), single[2]?.toLowerCase() ?? null);
  const multipack = MULTIPACK.exec(text);
  if (multipack) return parseMultipack(multipack[1] ?? '', multipack[2] ?? '', multipack[3] ?? '');
  if (LETTERS.test(text) && !text.endsWith('-')) return { SizeNumeric: null, SizeMetric: text };
  return UNKNOWN;
}

function parseMultipack(count: string, each: string, unitText: string): ParsedSize {
  const unit = unitText.toLowerCase();
  const [metric, divisor] = LARGER_UNIT.get(unit) ?? [unit, 1];
  return withNumber(round((toNumber(count) * toNumber(each)) / divisor), metric);
}

/** A text of hundreds of digits overflows to Infinity, which is no size. */
function withNumber(value: number, metric: string | null): ParsedSize {
  return Number.isFinite(value) ? { SizeNumeric: value, SizeMetric: metric } : UNKNOWN;
}

function toNumber(text: string): number {
  return Number(text.replace(',', '.'));
}

/** Rounds to 12 significant digits: this hides the binary fraction of `3 × 0.1` and keeps every digit of a size. */
function round(value: number): number {
  return Number(value.toPrecision(12));
}
