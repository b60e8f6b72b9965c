/** How steadily something goes down to nothing, from looks at how much is left. */

/** How much was left at a moment. */
export interface Look {
  readonly ms: number;
  readonly left: number;
}

/**
 * How long each of `parts` equal parts took, in milliseconds, the first one from the first look on. Between two looks
 * it goes evenly.
 * @throws RangeError when something is left at the last look, or nothing was at the first one
 */
export function partTimes(looks: readonly Look[], parts: number): number[] {
  const [first] = looks;
  if (!first || first.left === 0 || looks.at(-1)?.left !== 0) throw new RangeError('It has to go down to nothing.');
  const moments = Array.from({ length: parts + 1 }, (_, part) => momentOf(looks, first.left * (1 - part / parts)));
  return moments.slice(1).map((moment, part) => moment - (moments[part] ?? NaN));
}

/** When so much was left. */
function momentOf(looks: readonly Look[], left: number): number {
  const after = looks.findIndex((look) => look.left <= left);
  const next = looks[after];
  const before = looks[after - 1];
  if (!next) throw new RangeError('There was never so little left.');
  if (!before) return next.ms;
  return before.ms + ((before.left - left) / (before.left - next.left)) * (next.ms - before.ms);
}
