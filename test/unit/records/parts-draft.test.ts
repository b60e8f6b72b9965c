/** A draft of parts: the same as merging them one after the other, in work that depends on what is brought (D-06). */
import * as fc from 'fast-check';
import { valueBytes } from '../../../shared/domain/records/document';
import { mergeParts, runToEnd } from '../../../shared/domain/records/parts';
import { PartsDraft } from '../../../shared/records/parts-draft';

interface Part {
  readonly key: string;
  readonly text?: string | undefined;
  readonly other?: string | undefined;
}

const keyOf = ({ key }: Part) => key;
const merge = (stored: Part | undefined, sent: Part): Part => ({
  key: sent.key,
  text: sent.text ?? stored?.text,
  other: sent.other ?? stored?.other,
});
const RULES = { keyOf, merge };

const part: fc.Arbitrary<Part> = fc.record(
  { key: fc.constantFrom('a', 'b', 'c', 'd'), text: fc.string({ maxLength: 3 }), other: fc.string({ maxLength: 3 }) },
  { requiredKeys: ['key'] },
);
const parts = fc.array(part, { maxLength: 5 });
const absorbed = (first: readonly Part[], second: readonly Part[]) =>
  mergeParts(first, second, keyOf, (kept, next) => (kept ? merge(next, kept) : next));
const shown = (draft: PartsDraft<Part, Part>) => ({
  parts: draft.toParts().map((each) => ({ ...each })),
  bytes: draft.bytes,
  count: draft.count,
});
const expected = (list: readonly Part[]) => ({
  parts: list.map((each) => ({ ...each })),
  bytes: list.reduce((sum, each) => sum + valueBytes({ ...each }), 0),
  count: list.length,
});

it('merges what is sent as mergeParts does, and always knows its bytes', () => {
  fc.assert(
    fc.property(parts, fc.array(parts, { maxLength: 4 }), (stored, batches) => {
      const draft = new PartsDraft(stored, RULES);
      let list: readonly Part[] = stored;
      for (const sent of batches) {
        runToEnd(draft.merging(sent));
        list = mergeParts(list, sent, keyOf, merge);
        expect(shown(draft)).toEqual(expected(list));
      }
    }),
    { numRuns: 1_000 },
  );
});

it('absorbs another record as mergeParts does, whichever is larger and has keys twice', () => {
  fc.assert(
    fc.property(parts, fc.array(fc.tuple(parts, fc.boolean()), { maxLength: 3 }), parts, (start, others, sent) => {
      let draft = new PartsDraft(start, RULES);
      let list: readonly Part[] = start;
      for (const [stored, isFirst] of others) {
        const other = new PartsDraft(stored, RULES);
        draft = isFirst ? other.absorb(draft) : draft.absorb(other);
        list = isFirst ? absorbed(stored, list) : absorbed(list, stored);
        runToEnd(draft.merging(sent));
        list = mergeParts(list, sent, keyOf, merge);
        expect(shown(draft)).toEqual(expected(list));
      }
    }),
    { numRuns: 1_500 },
  );
});

it('rolls back to a savepoint as if nothing had been done since', () => {
  fc.assert(
    fc.property(parts, parts, parts, parts, (first, second, sent, later) => {
      const [one, other] = [new PartsDraft(first, RULES), new PartsDraft(second, RULES)];
      runToEnd(one.merging(sent));
      const before = [shown(one), shown(other)];
      for (const draft of [one, other]) draft.setSavepoint();
      runToEnd(one.absorb(other).merging(later));
      for (const draft of [one, other]) draft.rollBackToSavepoint();
      expect([shown(one), shown(other)]).toEqual(before);
      runToEnd(one.merging(later));
      const list = mergeParts(mergeParts(first, sent, keyOf, merge), later, keyOf, merge);
      expect(shown(one)).toEqual(expected(list));
    }),
    { numRuns: 1_500 },
  );
});

it('looks at the parts that are brought only, however many are there', () => {
  let looks = 0;
  const counting = { merge, keyOf: (each: Part) => ((looks += 1), each.key) };
  const numbered = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ key: `${from + index}` }));
  let draft = new PartsDraft<Part, Part>(numbered(0, 8_000), counting);
  looks = 0;
  for (let turn = 0; turn < 400; turn += 1) {
    runToEnd(draft.merging(numbered(turn, 2)));
    draft = new PartsDraft<Part, Part>(numbered(10_000 + turn, 1), counting).absorb(draft);
  }
  expect(draft.count).toBe(8_400);
  expect(looks).toBeLessThan(400 * 10);
});
