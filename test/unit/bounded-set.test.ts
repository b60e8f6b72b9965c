import * as fc from 'fast-check';
import { BoundedSet } from '../../shared/bounded-set';

/** A set of these members, added in their order. */
function setOf(capacity: number, ...members: string[]): BoundedSet<string> {
  const set = new BoundedSet<string>(capacity);
  for (const member of members) set.add(member);
  return set;
}

describe('BoundedSet', () => {
  it('forgets the oldest member beyond its capacity, and only that', () => {
    const set = setOf(2, 'a', 'b', 'c');
    expect(['a', 'b', 'c'].map((member) => set.has(member))).toStrictEqual([false, true, true]);
  });

  it('keeps all members up to its capacity', () => {
    const set = setOf(3, 'a', 'b', 'c');
    expect(['a', 'b', 'c'].every((member) => set.has(member))).toBe(true);
  });

  it('takes a member that is added again for its newest', () => {
    const set = setOf(2, 'a', 'b', 'a', 'c');
    expect(['a', 'b', 'c'].map((member) => set.has(member))).toStrictEqual([true, false, true]);
  });

  it('does not count a member that is asked for as newer', () => {
    const set = setOf(2, 'a', 'b');
    expect(set.has('a')).toBe(true);
    set.add('c');
    expect(set.has('a')).toBe(false);
  });

  it('makes room for another member when one is deleted', () => {
    const set = setOf(2, 'a', 'b');
    set.delete('b');
    set.delete('never added');
    set.add('c');
    expect(['a', 'b', 'c'].map((member) => set.has(member))).toStrictEqual([true, false, true]);
  });

  it('holds exactly the members added last, whatever is added (memory is bounded)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat(8).map(String), { maxLength: 30 }),
        (capacity, added) => {
          const set = setOf(capacity, ...added);
          const newest = [...new Set(added.toReversed())].slice(0, capacity);
          const held = Array.from({ length: 9 }, (_, member) => String(member)).filter((member) => set.has(member));
          expect(held).toStrictEqual(newest.sort());
        },
      ),
    );
  });
});
