/** The times of which usage is shown, and how their steps are named. Pure. */
import type { UsageStep } from '../../../../../client/src/index';
import { toLocalTime } from '../../format/times';
import type { ChartStep } from '../../parts/chart/scale';

const HOUR_MS = 3_600_000;

/** Hours by the name that the address has. Those of up to a week are told by the hour, the others by the day. */
const HOURS = { '24h': 24, '48h': 48, '7d': 168, '30d': 720, '90d': 2_160 } as const;

export type RangeName = keyof typeof HOURS;
export const RANGES = Object.keys(HOURS) as readonly RangeName[];

/** The range of this name; a day for any other text. */
export function parseRange(text: string | undefined): RangeName {
  return RANGES.find((name) => name === text) ?? '24h';
}

/** The time from its beginning until now. */
export function timesOf(range: RangeName, now: Date): { readonly from: string; readonly to: string } {
  return { from: new Date(now.getTime() - HOURS[range] * HOUR_MS).toISOString(), to: now.toISOString() };
}

/** Whether summing it for all tenants reads so much that a person has to ask for it. */
export function isLong(range: RangeName): boolean {
  return HOURS[range] > HOURS['48h'];
}

/** Distances of labels that look well. */
export const DISTANCES = { hour: [1, 2, 3, 6, 12, 24], day: [1, 2, 5, 10, 15, 30] } as const;

/** Hours by the viewer's clock; days of UTC, by which they are counted. @param timeZone of tests */
export function toChartSteps(
  steps: readonly Pick<UsageStep, 'time'>[],
  step: 'hour' | 'day',
  timeZone?: string,
): readonly ChartStep[] {
  return steps.map(({ time }, index) => {
    if (step === 'day') {
      const day = time.slice(0, 10);
      return { name: `${day} UTC`, label: day.slice(5), place: steps.length - 1 - index };
    }
    const local = toLocalTime(time, timeZone);
    const hour = Number(local.slice(11, 13));
    return { name: local.slice(0, 16), label: hour === 0 ? local.slice(5, 10) : local.slice(11, 16), place: hour };
  });
}
