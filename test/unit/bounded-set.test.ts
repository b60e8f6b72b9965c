import * as fc from 'fast-check';
import { BoundedSet } from '../../shared/platform/bounded-set';

/** A set of these members, added in their order. */
function setOf(capacity: number, ...members: string[]): BoundedSet<string> {
  const set = new BoundedSet<string>(capacity);
  for (const member of members) set.add(member);
  return set;
}

describe('BoundedSet', () => {
  it('keeps all members up to its capacity', () => {
    const set = setOf(3, 'a', 'b', 'c');
    expect(['a', 'b', 'c'].every((member) => set.has(member))).toBe(true);
  });

  it('takes a member that is added again for a new one', () => {
    const set = setOf(2, 'a', 'b', 'a', 'c', 'd');
    expect(['a', 'b', 'c', 'd'].map((member) => set.has(member))).toStrictEqual([true, false, true, true]);
  });

  it('does not count a member that is asked for as newer', () => {
    const set = setOf(2, 'a', 'b', 'c');
    expect(set.has('a')).toBe(true);
    set.add('d');
    expect(set.has('a')).toBe(false);
  });

  it('forgets a member that is deleted, new or old, and none for one that it does not have', () => {
    const set = setOf(2, 'a', 'b', 'c');
    for (const member of ['a', 'c', 'never added']) set.delete(member);
    expect(['a', 'b', 'c'].map((member) => set.has(member))).toStrictEqual([false, true, false]);
    set.add('d');
    expect([set.has('b'), set.has('d')]).toStrictEqual([true, true]);
  });

  it('holds the members added last, and fewer than twice as many in all, whatever is added (memory is bounded)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat(20).map(String), { maxLength: 60 }),
        (capacity, added) => {
          const set = setOf(capacity, ...added);
          const newestFirst = [...new Set(added.toReversed())];
          const held = newestFirst.filter((member) => set.has(member));
          expect(held).toStrictEqual(newestFirst.slice(0, held.length));
          expect(held.length).toBeGreaterThanOrEqual(Math.min(capacity, newestFirst.length));
          expect(held.length).toBeLessThan(2 * capacity);
        },
      ),
    );
  });
});
