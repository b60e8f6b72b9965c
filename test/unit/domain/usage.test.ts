/** The times of which usage is told. */
import { MAX_HOURLY_USAGE_DAYS, MAX_USAGE_DAYS } from '../../../shared/domain/limits';
import { addUsage, DAY_MS, HOUR_MS, NO_USAGE, stepsOf, toUsageRange } from '../../../shared/domain/usage';

const NOW = Date.parse('2026-03-31T12:00:30.000Z');
const at = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

/** The range as it is shown, with the number of its steps. */
function shown(from: string | undefined, to: string | undefined) {
  const range = toUsageRange(at(from), at(to), NOW);
  if (typeof range === 'string') return range;
  return `${range.from.toISOString()} ${range.to.toISOString()} ${range.step} ${stepsOf(range).length}`;
}

it('is the sum of its parts, count by count (R-180)', () => {
  const all = { requests: 1, records: 20, rejected: 300, deletions: 4_000, errors: 50_000, limited: 600_000 };
  expect(addUsage(NO_USAGE, all)).toEqual(all);
  expect(addUsage(all, all)).toEqual({
    requests: 2,
    records: 40,
    rejected: 600,
    deletions: 8_000,
    errors: 100_000,
    limited: 1_200_000,
  });
  expect(addUsage(all, { requests: 1 })).toEqual({ ...all, requests: 2 });
  expect(addUsage(all, { records: 5, rejected: 1, deletions: 2, errors: 3, limited: 4 })).toEqual({
    ...{ requests: 1, records: 25, rejected: 301, deletions: 4_002, errors: 50_003, limited: 600_004 },
  });
  expect(addUsage(NO_USAGE, {})).toEqual({ requests: 0, records: 0, rejected: 0, deletions: 0, errors: 0, limited: 0 });
});

it.each([
  [undefined, undefined, '2026-03-30T12:00:00.000Z 2026-03-31T13:00:00.000Z hour 25'],
  ['2026-03-31T10:59:59.999Z', '2026-03-31T11:00:00.000Z', '2026-03-31T10:00:00.000Z 2026-03-31T11:00:00.000Z hour 1'],
  ['2026-03-31T11:00:00.000Z', '2026-03-31T11:00:00.001Z', '2026-03-31T11:00:00.000Z 2026-03-31T12:00:00.000Z hour 1'],
  [undefined, '2026-03-10', '2026-03-09T00:00:00.000Z 2026-03-10T00:00:00.000Z hour 24'],
  ['2026-03-03', '2026-03-10', '2026-03-03T00:00:00.000Z 2026-03-10T00:00:00.000Z hour 168'],
  ['2026-03-03', '2026-03-10T00:00:01Z', '2026-03-03T00:00:00.000Z 2026-03-11T00:00:00.000Z day 8'],
  ['2026-03-02T23:00Z', '2026-03-10', '2026-03-02T00:00:00.000Z 2026-03-10T00:00:00.000Z day 8'],
  ['2026-03-31', '9999-12-31', '2026-03-31T00:00:00.000Z 2026-03-31T13:00:00.000Z hour 13'],
  [undefined, '1970-01-01T05:00Z', '1970-01-01T00:00:00.000Z 1970-01-01T05:00:00.000Z hour 5'],
])('has the whole of %s to %s (R-183)', (from, to, range) => {
  expect(shown(from, to)).toBe(range);
});

it.each([
  ['2026-03-31', '2026-03-31'],
  ['2026-03-31', '2026-03-30'],
  ['2027-01-01', undefined],
  ['2027-01-01', '2028-01-01'],
  [undefined, '0001-01-01'],
])('is empty from %s to %s (R-183)', (from, to) => {
  expect(shown(from, to)).toBe('empty');
});

it.each([
  ['2026-03-30T22:30Z', '2026-03-31T00:30Z', ['2026-03-30T22:00', '2026-03-30T23:00', '2026-03-31T00:00']],
  ['2026-03-01', '2026-03-09', Array.from({ length: 8 }, (_, index) => `2026-03-0${index + 1}T00:00`)],
])('has the beginnings of its hours or days, one after the other: %s to %s (R-183)', (from, to, beginnings) => {
  const range = toUsageRange(at(from), at(to), NOW);
  if (typeof range === 'string') throw new Error('It is a range.');
  expect(stepsOf(range).map((timeMs) => new Date(timeMs).toISOString().slice(0, 16))).toEqual(beginnings);
});

it('is bounded, and so are its steps (R-183)', () => {
  const back = (days: number, ms = 0) => toUsageRange(new Date(NOW - days * DAY_MS - ms), undefined, NOW);
  expect(back(MAX_USAGE_DAYS, 1)).toBe('tooLong');
  const days = back(MAX_USAGE_DAYS);
  const hours = back(MAX_HOURLY_USAGE_DAYS);
  if (typeof days === 'string' || typeof hours === 'string') throw new Error('They are ranges.');
  expect(stepsOf(days)).toHaveLength(MAX_USAGE_DAYS + 1);
  expect(stepsOf(hours)).toHaveLength((MAX_HOURLY_USAGE_DAYS * DAY_MS) / HOUR_MS + 1);
});
