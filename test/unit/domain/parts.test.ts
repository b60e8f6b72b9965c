import * as fc from 'fast-check';
import { PARTS_BETWEEN_YIELDS } from '../../../shared/domain/limits';
import { MergedParts, mergeParts, runToEnd } from '../../../shared/domain/records/parts';

interface Part {
  readonly key: string;
  readonly values: readonly number[];
}

const keyOf = ({ key }: Part) => key;
const append = (stored: Part | undefined, sent: Part): Part => ({
  key: sent.key,
  values: [...(stored?.values ?? []), ...sent.values],
});
const merge = (stored: readonly Part[], sent: readonly Part[]) => mergeParts(stored, sent, keyOf, append);
const part = (key: string, ...values: number[]): Part => ({ key, values });

const parts = fc.array(
  fc.record({
    key: fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'),
    values: fc.array(fc.nat(9), { maxLength: 2 }),
  }),
  { maxLength: 8 },
);
const distinctParts = fc.uniqueArray(parts.map((list) => list[0] ?? part('z')), { selector: keyOf, maxLength: 4 }); // prettier-ignore

describe('mergeParts', () => {
  it('keeps parts that are not mentioned, and merges the others in their place (D-06)', () => {
    const stored = [part('a', 1), part('b', 2), part('c', 3)];
    expect(merge(stored, [part('b', 4), part('d', 5)])).toStrictEqual([
      part('a', 1),
      part('b', 2, 4),
      part('c', 3),
      part('d', 5),
    ]);
  });

  it('changes nothing for an empty list (D-06)', () => {
    expect(merge([part('a', 1)], [])).toStrictEqual([part('a', 1)]);
  });

  it('applies parts of one key one after the other (D-07)', () => {
    expect(merge([], [part('a', 1), part('b', 2), part('a', 3), part('a', 4)])).toStrictEqual([
      part('a', 1, 3, 4),
      part('b', 2),
    ]);
  });

  it('merges into the first of two stored parts that share a key', () => {
    expect(merge([part('a', 1), part('a', 2)], [part('a', 3)])).toStrictEqual([part('a', 1, 3), part('a', 2)]);
  });

  it('equals one call for each part (D-07)', () => {
    fc.assert(
      fc.property(distinctParts, parts, (stored, sent) => {
        const oneByOne = sent.reduce<readonly Part[]>((merged, next) => merge(merged, [next]), stored);
        expect(merge(stored, sent)).toStrictEqual(oneByOne);
      }),
    );
  });

  it('keeps every stored part, its place and the order of first appearance (D-06, D-07)', () => {
    fc.assert(
      fc.property(distinctParts, parts, (stored, sent) => {
        const expected = [...new Set([...stored, ...sent].map(keyOf))];
        expect(merge(stored, sent).map(keyOf)).toStrictEqual(expected);
      }),
    );
  });

  it('leaves the stored list as it is', () => {
    const stored = Object.freeze([Object.freeze(part('a', 1))]);
    merge(stored, [part('a', 2), part('b', 3)]);
    expect(stored).toStrictEqual([part('a', 1)]);
  });
});

describe('MergedParts', () => {
  const many = Array.from({ length: 4 * PARTS_BETWEEN_YIELDS }, (_, index) => part(`${index}`, index));

  /** How many parts a generator works on between its pauses, at most. */
  function mostBetweenPauses(steps: Generator<void, unknown>, worked: () => number): number {
    let [most, last] = [0, worked()];
    for (let isDone = false; !isDone;) {
      isDone = steps.next().done === true;
      most = Math.max(most, worked() - last);
      last = worked();
    }
    return most;
  }

  it('lets others have the event loop while many parts are looked up, merged and measured', () => {
    let [keys, merges] = [0, 0];
    const counting = (one: Part) => ((keys += 1), keyOf(one));
    const merging = (stored: Part | undefined, sent: Part) => ((merges += 1), append(stored, sent));
    const parts = new MergedParts<Part, Part>(many, counting);
    expect(mostBetweenPauses(parts.adding([part('x')], merging), () => keys)).toBe(PARTS_BETWEEN_YIELDS);
    expect(keys).toBe(many.length + 1);
    expect(mostBetweenPauses(parts.adding(many, merging), () => merges)).toBe(PARTS_BETWEEN_YIELDS);
    expect([...parts.measuring()]).toHaveLength(Math.floor((many.length + 1) / PARTS_BETWEEN_YIELDS));
  });

  it('pauses for no few parts', () => {
    const parts = new MergedParts<Part, Part>([], keyOf);
    expect([...parts.adding(many.slice(0, 10), append)]).toHaveLength(0);
    expect([...parts.measuring()]).toHaveLength(0);
  });

  it('knows the parts that it had before, after it has taken some back', () => {
    const parts = new MergedParts<Part, Part>([part('a', 1)], keyOf);
    runToEnd(parts.adding([part('b', 2), part('a', 3), part('b', 4), part('a', 5)], append));
    runToEnd(parts.measuring());
    parts.undo();
    expect(parts.all).toStrictEqual([part('a', 1)]);
    expect(parts.hasChanged).toBe(false);
    runToEnd(parts.adding([part('b', 5), part('a', 6)], append));
    expect(parts.all).toStrictEqual([part('a', 1, 6), part('b', 5)]);
    expect(runToEnd(parts.measuring())).toBe(runToEnd(new MergedParts<Part, Part>(parts.all, keyOf).measuring()));
  });

  it('looks parts up after it has taken back an addition of none', () => {
    const parts = new MergedParts<Part, Part>([part('a', 1)], keyOf);
    runToEnd(parts.adding([], append));
    parts.undo();
    runToEnd(parts.adding([part('a', 2)], append));
    expect(parts.all).toStrictEqual([part('a', 1, 2)]);
  });
});
