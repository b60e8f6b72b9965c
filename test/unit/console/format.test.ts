/** How the console shows numbers and times. */
import { toBytes, toCount, toSpan } from '../../../functions/console/app/format/numbers';
import {
  fromTimeInput,
  secondsBetween,
  toLocalTime,
  toTimeInput,
  toUtcTime,
  viewersZone,
} from '../../../functions/console/app/format/times';

it.each([
  [0, '0'],
  [1_234_567, '1,234,567'],
])('shows the number %d as %s', (value, text) => expect(toCount(value)).toBe(text));

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [1_240, '1.2 kB'],
  [34_000_000, '34 MB'],
  [5e15, '5000 TB'],
])('shows %d bytes as %s', (value, text) => expect(toBytes(value)).toBe(text));

it.each([
  [-3, '0 s'],
  [0.4, '0 s'],
  [59.4, '59 s'],
  [59.6, '1 min 0 s'],
  [200, '3 min 20 s'],
  [7_500, '2 h 5 min'],
])('shows %d seconds as %s', (value, text) => expect(toSpan(value)).toBe(text));

it("shows a time in the viewer's zone, and in UTC beside it (R-252)", () => {
  const time = '2026-03-01T23:30:05.123Z';
  expect(toLocalTime(time, 'Europe/Berlin')).toBe('2026-03-02 00:30:05');
  expect(toUtcTime(time)).toBe('2026-03-01 23:30:05 UTC');
});

it('says how long something took', () => {
  expect(secondsBetween('2026-03-01T23:59:59.000Z', '2026-03-02T00:01:00.500Z')).toBe(61.5);
});

it('fills fields of dates and times by the viewer’s clock, and reads them by it (R-335)', () => {
  const time = '2026-03-01T23:30:00.000Z';
  expect(toTimeInput(time, 'Europe/Berlin')).toBe('2026-03-02T00:30');
  expect(fromTimeInput(toTimeInput(time))).toBe(time);
  expect(toTimeInput(time, viewersZone())).toBe(toTimeInput(time));
  for (const text of ['', 'soon']) expect(fromTimeInput(text)).toBeUndefined();
});
