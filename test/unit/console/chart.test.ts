/** Where the lines, bars and labels of the charts are, and how steps of time are named. */
import * as fc from 'fast-check';
import { parseRange, RANGES, timesOf, toChartSteps } from '../../../functions/console/app/pages/overview/range';
import { barHeight, gridlinesTo, labelDistance } from '../../../functions/console/app/parts/chart/scale';

describe('gridlines', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [4, [0, 1, 2, 3, 4]],
    [5, [0, 2, 4, 6]],
    [7, [0, 2, 4, 6, 8]],
    [100, [0, 50, 100]],
    [1_234, [0, 500, 1_000, 1_500]],
    [2_000_000, [0, 500_000, 1_000_000, 1_500_000, 2_000_000]],
  ])('for counts up to %i are round numbers (R-353)', (most, lines) => {
    expect(gridlinesTo(most)).toEqual(lines);
  });

  it('are few whole numbers that reach the highest count (R-353)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), (most) => {
        const lines = gridlinesTo(most);
        expect(lines[0]).toBe(0);
        expect(lines.at(-1)).toBeGreaterThanOrEqual(Math.max(most, 1));
        expect(lines.length).toBeLessThanOrEqual(5);
        expect(lines.every(Number.isInteger)).toBe(true);
      }),
    );
  });
});

it('a bar is as high as its count, is seen where that is not zero, and is none where it is (R-353)', () => {
  expect([0, 1, 50, 100].map((count) => barHeight(count, 100, 120))).toEqual([0, 1, 60, 120]);
  expect(barHeight(1, 1_000_000, 120)).toBe(1);
  expect(barHeight(0, 0, 120)).toBe(0);
});

it('labels stand as close as they can without touching (R-353)', () => {
  const choices = [1, 2, 3, 6, 12, 24];
  expect(labelDistance(24, { width: 1_200, labelWidth: 50, choices })).toBe(1);
  expect(labelDistance(24, { width: 600, labelWidth: 50, choices })).toBe(2);
  expect(labelDistance(24, { width: 260, labelWidth: 50, choices })).toBe(6);
  expect(labelDistance(168, { width: 260, labelWidth: 50, choices })).toBe(24);
});

describe('steps of time', () => {
  it('are hours by the viewer’s clock, with the date at midnight (R-353)', () => {
    const steps = ['2026-03-01T22:00:00.000Z', '2026-03-01T23:00:00.000Z'].map((time) => ({ time }));
    expect(toChartSteps(steps, 'hour', 'Europe/Berlin')).toEqual([
      { name: '2026-03-01 23:00', label: '23:00', place: 23 },
      { name: '2026-03-02 00:00', label: '03-02', place: 0 },
    ]);
  });

  it('are hours of zones that begin between those of UTC, too (R-353)', () => {
    const steps = [{ time: '2026-03-01T10:00:00.000Z' }];
    expect(toChartSteps(steps, 'hour', 'Asia/Kolkata')).toEqual([
      { name: '2026-03-01 15:30', label: '15:30', place: 15 },
    ]);
  });

  it('are days of UTC, wherever the viewer is, with a label for today (R-353)', () => {
    const steps = ['2026-02-28T00:00:00.000Z', '2026-03-01T00:00:00.000Z'].map((time) => ({ time }));
    expect(toChartSteps(steps, 'day', 'America/New_York')).toEqual([
      { name: '2026-02-28 UTC', label: '02-28', place: 1 },
      { name: '2026-03-01 UTC', label: '03-01', place: 0 },
    ]);
  });
});

it('a range is that of the address, or a day (R-353)', () => {
  expect(RANGES.map(parseRange)).toEqual(RANGES);
  for (const text of [undefined, '', '24', '<b>', 'constructor']) expect(parseRange(text)).toBe('24h');
  const now = new Date('2026-03-08T10:30:00Z');
  expect(timesOf('7d', now)).toEqual({ from: '2026-03-01T10:30:00.000Z', to: '2026-03-08T10:30:00.000Z' });
});
