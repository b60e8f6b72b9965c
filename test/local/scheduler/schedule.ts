import { Cron } from 'croner';

/** When a job runs. */
export interface Schedule {
  /** The next run after `afterMs`, both in milliseconds since the epoch; undefined: never. */
  nextRunMs(afterMs: number): number | undefined;
}

/** Only what unix-cron has: numbers, ranges, lists and steps; names of months and days. */
const FIELD = /^[\d*,/-]+$/;
const NAMED_FIELD = /^([\d*,/-]|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)\b)+$/i;

/**
 * Reads a unix-cron expression of five fields and the name of a time zone, as Cloud Scheduler takes them (it also takes
 * sentences such as `every 24 hours`; these are not understood here).
 * @returns undefined when either is invalid.
 */
export function parseSchedule(expression: string, timeZone: string): Schedule | undefined {
  const fields = expression.trim().split(/\s+/);
  const isUnixCron =
    fields.length === 5 && fields.every((field, index) => (index < 3 ? FIELD : NAMED_FIELD).test(field));
  if (!isUnixCron || !/^[A-Za-z]/.test(timeZone)) return undefined;
  try {
    const cron = new Cron(fields.join(' '), { mode: '5-part', timezone: timeZone, paused: true });
    // The time zone is only looked at when a run is computed.
    cron.nextRun(new Date(0));
    return { nextRunMs: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime() };
  } catch {
    return undefined;
  }
}
