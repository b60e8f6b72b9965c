/** The figures of a series of measurements. */

/** Of paired measurements: the quotient of each pair, and their spread. */
export interface RatioSummary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly rounds: number;
}

/** The middle value, of an even number the mean of the two in the middle. @throws RangeError when there are none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('A median needs at least one value.');
  return (lower + upper) / 2;
}

/**
 * The smallest value that at least this share of all values does not exceed (nearest rank).
 * @param share above 0, at most 1: 0.99 for p99.
 * @throws RangeError when there are no values.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.ceil(share * sorted.length) - 1];
  if (value === undefined) throw new RangeError('A percentile needs at least one value and a share above 0.');
  return value;
}

/**
 * The quotients of measurements that were taken alternately: what slows the machine for a while slows both sides of a
 * pair.
 * @throws RangeError when there are none, or not as many on both sides.
 */
export function pairedRatios(numerators: readonly number[], denominators: readonly number[]): RatioSummary {
  if (numerators.length !== denominators.length) throw new RangeError('Every measurement needs its partner.');
  const ratios = numerators.map((value, index) => value / (denominators[index] ?? NaN));
  return { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios), rounds: ratios.length };
}

/** The median of the quotients, with the smallest and the largest. */
export function describeRatio({ median: middle, min, max }: RatioSummary): string {
  return `${middle.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}
