const PARTS = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
} as const;

/** The locale whose dates are `2026-03-01 09:30:05`, which sort and line up. */
const ISO_LIKE = 'sv-SE';

/** A time as the viewer's clock shows it. @param timeZone of tests; by default the viewer's */
export function toLocalTime(time: string, timeZone?: string): string {
  return new Date(time).toLocaleString(ISO_LIKE, { ...PARTS, ...(timeZone !== undefined && { timeZone }) });
}

/** `2026-03-01 09:30:05 UTC` */
export function toUtcTime(time: string): string {
  return `${toLocalTime(time, 'UTC')} UTC`;
}

/** A time as a field of dates and times has it, by the viewer's clock: `2026-03-01T09:30`. */
export function toTimeInput(time: string, timeZone?: string): string {
  return toLocalTime(time, timeZone).slice(0, 16).replace(' ', 'T');
}

/** The time in such a field; undefined: it has none. */
export function fromTimeInput(text: string): string | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The zone of the viewer's clock, such as `Europe/Berlin`. */
export function viewersZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1000;
}
