const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)?)?$/;

/**
 * Reads an ISO 8601 date or date-time to the millisecond; without an offset it is UTC (D-18). Undefined for another text
 * and for a day or time that does not exist (30 February, 24:00), or a year before 1.
 * @example parseDateTime('2026-03-01T10:00+02:00') // 2026-03-01T08:00:00.000Z
 */
export function parseDateTime(text: string): Date | undefined {
  const match = ISO_8601.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction, , sign, offsetHour, offsetMinute] = match;
  const wall = [year, month, day, hour, minute, second].map((part) => Number(part ?? 0)) as Sextuple;
  const milliseconds = Number((fraction ?? '').padEnd(3, '0').slice(0, 3));
  const date = new Date(0);
  date.setUTCFullYear(wall[0], wall[1] - 1, wall[2]);
  date.setUTCHours(wall[3], wall[4], wall[5], milliseconds);
  if (!isSame(date, wall)) return undefined;

  const offset = [Number(offsetHour ?? 0), Number(offsetMinute ?? 0)] as const;
  if (offset[0] > 23 || offset[1] > 59) return undefined;
  const minutes = (offset[0] * 60 + offset[1]) * (sign === '-' ? -1 : 1);
  const utc = new Date(date.getTime() - minutes * 60_000);
  return utc.getUTCFullYear() >= 1 && utc.getUTCFullYear() <= 9999 ? utc : undefined;
}

type Sextuple = [number, number, number, number, number, number];

/** `Date` rolls 30 February over into March; a date that exists comes back as it went in. */
function isSame(date: Date, [year, month, day, hour, minute, second]: Sextuple): boolean {
  return (
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second
  );
}
