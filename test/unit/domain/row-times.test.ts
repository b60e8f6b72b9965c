/** The times of rows in files (D-58, R-27). */
import { DELETED_AT, isDeleted, parseRowTime, UPDATED_AT } from '../../../shared/domain/records/row-times';
import { WHITE_SPACE } from '../support/white-space';

const LATEST = new Date('2026-03-01T12:00:00.000Z');

it.each([undefined, null, '', ...WHITE_SPACE])('is no deletion with the time %j, which counts as missing (R-27)', (time) => {
  expect(isDeleted({ [DELETED_AT]: time })).toBe(false);
}); // prettier-ignore

it.each(['2026-03-01', 'yesterday', 0, false, {}])('is a deletion with the time %j, right or wrong (R-27)', (time) => {
  expect(isDeleted({ [DELETED_AT]: time })).toBe(true);
});

it('is no deletion without a time', () => {
  expect(isDeleted({})).toBe(false);
});

it.each([
  ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.000Z'],
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
])('takes the time %j, which is not in the future (D-58)', (text, expected) => {
  expect(parseRowTime({ [UPDATED_AT]: text }, UPDATED_AT, LATEST)).toStrictEqual(new Date(expected));
});

it('names the field whose time is in the future (D-58)', () => {
  const row = { [UPDATED_AT]: '2026-03-01T12:00:00.001Z', [DELETED_AT]: '2027-01-01' };
  for (const field of [UPDATED_AT, DELETED_AT]) {
    expect(parseRowTime(row, field, LATEST)).toBe(`The field ${field} must not be in the future.`);
  }
});

it.each([undefined, null, '', 'yesterday', '2026-02-30', 20260301, {}])('names the field whose time is %j (D-58)', (time) => {
  const message = 'The field UpdatedAt must be an ISO 8601 date or date-time.';
  expect(parseRowTime({ [UPDATED_AT]: time }, UPDATED_AT, LATEST)).toBe(message);
}); // prettier-ignore
