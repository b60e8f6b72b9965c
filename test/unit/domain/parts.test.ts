import * as fc from 'fast-check';
import { mergeParts } from '../../../shared/domain/records/parts';

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
