import { toCount } from '../../format/numbers';
import { TEXTS } from '../../texts';
import type { Concern } from './attention';

/** Keys that nobody uses, and keys whose programs need another one soon. */
export const COUNTED_MARKS = ['unused', 'endsSoon'] as const;
export type CountedMark = (typeof COUNTED_MARKS)[number];

/** @param isMore whether there may be more than were counted */
export function concernsOfKeys(counts: Readonly<Record<CountedMark, number>>, link: string, isMore = false): Concern[] {
  const { keys, toKeys } = TEXTS.attention;
  return COUNTED_MARKS.filter((mark) => counts[mark] > 0).map((mark) => {
    const count = toCount(counts[mark]);
    return {
      name: mark,
      text: (
        <>
          {keys[mark](isMore ? TEXTS.waiting.orMore(count) : count)} <a href={link}>{toKeys}</a>
        </>
      ),
    };
  });
}
