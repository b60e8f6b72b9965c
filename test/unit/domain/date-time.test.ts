import * as fc from 'fast-check';
import { later, parseDateTime } from '../../../shared/domain/values/date-time';

describe('parseDateTime', () => {
  it.each([
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    [' 2026-03-01\n', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T10:00', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01 10:00:59', '2026-03-01T10:00:59.000Z'],
    ['2026-03-01t10:00:00z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00.5', '2026-03-01T10:00:00.500Z'],
    ['2026-03-01T10:00:00,25Z', '2026-03-01T10:00:00.250Z'],
    ['2026-03-01T10:00:00.1239999Z', '2026-03-01T10:00:00.123Z'],
    ['2026-03-01T10:00:00.999999999Z', '2026-03-01T10:00:00.999Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T23:59:59', '2000-02-29T23:59:59.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('reads %j as UTC (D-18)', (text, expected) => {
    expect(parseDateTime(text)?.toISOString()).toBe(expected);
  });

  it.each([
    ['2026-03-01T10:00:00+02:00', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T10:00:00+0200', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T10:00:00+02', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T10:00:00-03:30', '2026-03-01T13:30:00.000Z'],
    ['2026-03-01T00:30+05:45', '2026-02-28T18:45:00.000Z'],
    ['2026-03-01T00:59+00:59', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T23:59+23:59', '2026-03-01T00:00:00.000Z'],
    ['2024-02-29T23:30:00-01:00', '2024-03-01T00:30:00.000Z'],
    ['2026-01-01T00:00:00.001+14:00', '2025-12-31T10:00:00.001Z'],
    ['2026-03-01T10:00:00-00:00', '2026-03-01T10:00:00.000Z'],
  ])('takes the offset of %j into account (D-18)', (text, expected) => {
    expect(parseDateTime(text)?.toISOString()).toBe(expected);
  });

  it.each([
    '2026-02-30', '2026-02-29', '1900-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00', '2026-01-32',
    '2026-12-32', '2026-99-99', '2026-03-01T99:00', '2026-03-01T10:59:60', '2026-03-01T24:00', '2026-03-01T10:60', '2026-03-01T23:59:60', '2026-03-01T10:00:00+24:00', '2026-03-01T10:00+02:60',
    '0000-01-01', '0001-01-01T00:00+00:01', '9999-12-31T23:59-00:01',
  ])('refuses %j, which does not exist (D-18)', (text) => {
    expect(parseDateTime(text)).toBeUndefined();
  }); // prettier-ignore

  it.each([
    '', ' ', 'now', '0', '1772323200', '20260301', '2026-3-1', '26-03-01', '2026-W10-1', '2026-060', '01.03.2026', '03/01/2026',
    'Sun, 01 Mar 2026 10:00:00 GMT', '2026-03-01T', '2026-03-01Z', '2026-03-01T10:00:00.Z', '2026-03-01T10:00:', '2026-03-01  10:00',
    '2026-03-01T10:00:00ZZ', '2026-03-01T10:00:00 +02:00', '+002026-03-01', '-0001-01-01', '２０２６-03-01', '2026‐03‐01',
    '2026-03-01T10:00:00Z\n2026', `2026-03-01${' '.repeat(50_000)}!`, '9'.repeat(50_000),
  ])('refuses a text that is no ISO 8601 date or date-time (D-18): %.40j', (text) => {
    expect(parseDateTime(text)).toBeUndefined();
  }); // prettier-ignore

  const dates = fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  });

  it('reads back every date to the millisecond (D-18)', () => {
    fc.assert(
      fc.property(dates, (date) => {
        expect(parseDateTime(date.toISOString())).toStrictEqual(date);
      }),
    );
  });

  it('gives the same time for every offset in which it is written (D-18)', () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: -1439, max: 1439 }), (date, minutes) => {
        const wall = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
          String(part).padStart(2, '0'),
        );
        expect(parseDateTime(`${wall}${minutes < 0 ? '-' : '+'}${hours!}:${rest!}`)).toStrictEqual(date);
      }),
    );
  });

  it('never throws, and never yields an invalid date', () => {
    const character = fc.constantFrom(...'0123456789-:TZ+., '.split(''));
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 30 }), fc.string(), (near, far) => {
        for (const text of [near, far, `2026-03-${near}`]) {
          expect(parseDateTime(text)?.getTime()).not.toBeNaN();
        }
      }),
    );
  });
});

describe('later', () => {
  const [early, late] = [new Date(5), new Date(6)];

  it('is the later one of two times, and the one that there is', () => {
    expect([later(early, late), later(late, early)]).toEqual([late, late]);
    expect([later(early, undefined), later(undefined, early)]).toEqual([early, early]);
    expect(later(undefined, undefined)).toBeUndefined();
  });
});
