/** What warnings are counted and shown as. */
import { MAX_WARNING_EXAMPLES } from '../../../shared/domain/limits';
import type { WarningExample, Warnings } from '../../../shared/domain/warnings/warning';
import {
  addWarnings, NO_WARNINGS, toShownWarnings, warn, WARNING_CODES, withPlace,
} from '../../../shared/domain/warnings/warning'; // prettier-ignore
import { indexesOf, warningOf } from '../../support/warnings';

const indexes = Array.from({ length: MAX_WARNING_EXAMPLES + 2 }, (_, index) => index);
const REACHABLE = 'send Email and CustomerId together to reach that customer';

/** The warnings after one `fieldCase` for each list of examples. */
const ofFields = (...lists: WarningExample[][]) =>
  lists.reduce<Warnings>((sum, examples) => warn(sum, 'fieldCase', examples), NO_WARNINGS);

it('counts all that a code concerns, and keeps the first examples (R-100)', () => {
  const warnings = indexes.reduce<Warnings>((sum, index) => warn(sum, 'emailMissing', [{ index }]), NO_WARNINGS);
  const first = indexesOf(...indexes.slice(0, MAX_WARNING_EXAMPLES));
  expect(toShownWarnings(warnings)).toEqual([warningOf('emailMissing', indexes.length, first)]);
});

it('counts an element once, however many examples it has, and bounds these too (R-100)', () => {
  const examples = indexes.map((index) => ({ index: 0, field: `f${index}`, expected: `F${index}` }));
  const warnings = warn(NO_WARNINGS, 'fieldCase', examples);
  expect(toShownWarnings(warnings)).toEqual([warningOf('fieldCase', 1, examples.slice(0, MAX_WARNING_EXAMPLES))]);
});

it('names a field once, by its first example, and goes on to other fields (R-102)', () => {
  const [email, again, phone] = [{ index: 0, field: 'email' }, { index: 1, field: 'email' }, { index: 1, field: 'PHONE' }];
  expect(toShownWarnings(ofFields([email], [again, phone]))).toEqual([warningOf('fieldCase', 2, [email, phone])]);
}); // prettier-ignore

it('sums the warnings of parts, code by code, and leaves the parts as they were (R-100)', () => {
  const a = warn(warn(NO_WARNINGS, 'emailMissing', indexesOf(0)), 'fileEmpty', [{ object: 'orders.csv' }]);
  const b = warn(warn(NO_WARNINGS, 'emailMissing', indexesOf(4)), 'folderEmpty', [{ folder: 'shop/' }]);
  expect(toShownWarnings(addWarnings(a, b))).toEqual([
    warningOf('emailMissing', 2, indexesOf(0, 4)),
    warningOf('folderEmpty', 1, [{ folder: 'shop/' }]),
    warningOf('fileEmpty', 1, [{ object: 'orders.csv' }]),
  ]);
  expect(toShownWarnings(a)).toEqual([
    warningOf('emailMissing', 1, indexesOf(0)),
    warningOf('fileEmpty', 1, [{ object: 'orders.csv' }]),
  ]);
  expect(addWarnings(a, NO_WARNINGS)).toEqual(a);
  expect(addWarnings(NO_WARNINGS, a)).toEqual(a);
});

it('are shown in one order, whatever was met first, each with a message of its own', () => {
  const met = [...WARNING_CODES].reverse().reduce<Warnings>((sum, code) => warn(sum, code, []), NO_WARNINGS);
  expect(toShownWarnings(met).map(({ code }) => code)).toEqual(WARNING_CODES);
  expect(new Set(toShownWarnings(met).map(({ message }) => message)).size).toBe(WARNING_CODES.length);
});

it.each([
  [[true, false], true],
  [[false, true], true],
  [[false, false], false],
])('says also how to reach stored customers if any of them can be reached: %j (R-101)', (reachable, isSaid) => {
  const warnings = reachable.reduce<Warnings>((sum, is, index) => warn(sum, 'emailMissing', [{ index }], is), NO_WARNINGS);
  const [shown] = toShownWarnings(warnings);
  const [plain] = toShownWarnings(warn(NO_WARNINGS, 'emailMissing', indexesOf(0)));
  expect(shown?.message.startsWith(plain!.message)).toBe(true);
  expect(shown?.message.slice(plain!.message.length).includes(REACHABLE)).toBe(isSaid);
  // What is stored of a run holds the member only where it says something.
  expect('isReachable' in warnings.emailMissing!).toBe(isSaid);
}); // prettier-ignore

it('adds the file to every example, and keeps the line and what else it says (R-100)', () => {
  const placed = withPlace(ofFields([{ line: 2, field: 'email', expected: 'Email' }], [{ line: 9, field: 'PHONE' }]), {
    object: 'customers.csv',
  });
  expect(toShownWarnings(placed)).toEqual([
    warningOf('fieldCase', 2, [
      { object: 'customers.csv', line: 2, field: 'email', expected: 'Email' },
      { object: 'customers.csv', line: 9, field: 'PHONE' },
    ]),
  ]);
});
