/** What is counted of the use of the service, and the times of which it is told. */
import { MAX_HOURLY_USAGE_DAYS, MAX_USAGE_DAYS } from './limits';

/** Counts of one time, tenant, key or route, or of several together. */
export interface UsageCounts {
  /** Requests of a valid key, refused ones too. */
  readonly requests: number;
  /** Records that were stored. */
  readonly records: number;
  /** Records that were refused as invalid, those of a batch that was refused as a whole too. */
  readonly rejected: number;
  /** Deletions that were accepted, whether or not they met anything. */
  readonly deletions: number;
  /** Requests that were answered with a status of 400 or more. */
  readonly errors: number;
  /** Those of them that were answered with 429: they were over the limit of their key. */
  readonly limited: number;
}

export const NO_USAGE: UsageCounts = { requests: 0, records: 0, rejected: 0, deletions: 0, errors: 0, limited: 0 };

export function addUsage(a: UsageCounts, b: Partial<UsageCounts>): UsageCounts {
  const { requests = 0, records = 0, rejected = 0, deletions = 0, errors = 0, limited = 0 } = b;
  return {
    requests: a.requests + requests,
    records: a.records + records,
    rejected: a.rejected + rejected,
    deletions: a.deletions + deletions,
    errors: a.errors + errors,
    limited: a.limited + limited,
  };
}

/** The route under which the rows of files are counted. All others are names of operations. */
export const TRANSFERS_ROUTE = 'transfers';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export type UsageStep = 'hour' | 'day';

/** Whole hours, or whole days of UTC, from `from` to before `to`. */
export interface UsageRange {
  readonly from: Date;
  readonly to: Date;
  readonly step: UsageStep;
}

const MS_OF_STEP: Readonly<Record<UsageStep, number>> = { hour: HOUR_MS, day: DAY_MS };

/**
 * The range that has all of the time from `from` to `to`: by the hour, or by the day where it is longer than
 * MAX_HOURLY_USAGE_DAYS. It ends now at the latest, also without `to`. Without `from` it is a day long.
 * @returns 'empty' when it does not begin before its end, 'tooLong' when it has more than MAX_USAGE_DAYS
 */
export function toUsageRange(
  from: Date | undefined,
  to: Date | undefined,
  nowMs: number,
): UsageRange | 'empty' | 'tooLong' {
  const toMs = Math.min(to?.getTime() ?? nowMs, nowMs);
  const fromMs = Math.max(from?.getTime() ?? toMs - DAY_MS, 0);
  if (fromMs >= toMs) return 'empty';
  if (toMs - fromMs > MAX_USAGE_DAYS * DAY_MS) return 'tooLong';
  const step = toMs - fromMs > MAX_HOURLY_USAGE_DAYS * DAY_MS ? 'day' : 'hour';
  const last = stepAt(toMs - 1, step);
  return { from: new Date(stepAt(fromMs, step)), to: new Date(last + MS_OF_STEP[step]), step };
}

/** The beginnings of all steps of a range, in milliseconds. */
export function stepsOf({ from, to, step }: UsageRange): number[] {
  const count = (to.getTime() - from.getTime()) / MS_OF_STEP[step];
  return Array.from({ length: count }, (_, index) => from.getTime() + index * MS_OF_STEP[step]);
}

/** The beginning of the step that a time is in. */
export function stepAt(timeMs: number, step: UsageStep): number {
  return Math.floor(timeMs / MS_OF_STEP[step]) * MS_OF_STEP[step];
}
