const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-]\d{2})(?::?(\d{2}))?)?)?$/;

/**
 * Parses an ISO 8601 date or date-time to the millisecond; without an offset it is UTC (D-18). Undefined for any other
 * text, for a day or time that does not exist (30 February, 24:00), and for a year before 1.
 * @example parseDateTime('2026-03-01T10:00+02:00') // 2026-03-01T08:00:00.000Z
 */
export function parseDateTime(text: string): Date | undefined {
  const match = ISO_8601.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', offsetHour = '+00', offsetMinute = 0] =
    match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // `Date` rolls 30 February over into March. A day that exists stays in its month.
  if (date.getUTCMonth() !== Number(month) - 1) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Math.abs(Number(offsetHour)) > 23 || Number(offsetMinute) > 59) return undefined;
  const offset = Math.abs(Number(offsetHour)) * 60 + Number(offsetMinute);
  const minutes = Number(hour) * 60 + Number(minute) + (offsetHour.startsWith('-') ? offset : -offset);
  const milliseconds = Number(second) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
  const utc = new Date(date.getTime() + minutes * 60_000 + milliseconds);
  return utc.getUTCFullYear() >= 1 && utc.getUTCFullYear() <= 9999 ? utc : undefined;
}

/** The later of two optional times; undefined when both are. */
export function later(one: Date | undefined, other: Date | undefined): Date | undefined {
  return one && other ? (one > other ? one : other) : (one ?? other);
}
