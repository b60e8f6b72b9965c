const ISO_8601 =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)?)?$/;

/**
 * Reads an ISO 8601 date or date-time to the millisecond; without an offset it is UTC (D-18). Undefined for another text
 * and for a day or time that does not exist (30 February, 24:00), or a year before 1.
 * @example parseDateTime('2026-03-01T10:00+02:00') // 2026-03-01T08:00:00.000Z
 */
export function parseDateTime(text: string): Date | undefined {
  const match = ISO_8601.exec(text.trim());
  if (!match) return undefined;
  const [, day = '', time = '00:00', second = '00', fraction = '', sign, offsetHour = '00', offsetMinute = '00'] =
    match;
  const wall = `${day}T${time}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
  const date = new Date(wall);
  // `Date` knows no 13th month, but rolls 30 February over into March: a time that exists comes back as it went in.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== wall) return undefined;
  if (offsetHour > '23' || offsetMinute > '59') return undefined;
  const minutes = Number(offsetHour) * 60 + Number(offsetMinute);
  const utc = new Date(date.getTime() + (sign === '-' ? minutes : -minutes) * 60_000);
  return utc.getUTCFullYear() >= 1 && utc.getUTCFullYear() <= 9999 ? utc : undefined;
}
