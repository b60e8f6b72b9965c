import type { UsageCounts, UsageRange, UsageStep } from '../domain/usage';
import { addUsage, NO_USAGE, stepAt, stepsOf } from '../domain/usage';
import { MAX_USAGE_KEYS } from '../limits/usage';
import type { Usage } from './usage-documents';

/** What was counted in a range, as it is shown. */
export interface ShownUsage {
  readonly from: string;
  /** What follows is before this time. */
  readonly to: string;
  /** Of what length `steps` are. */
  readonly step: UsageStep;
  readonly totals: UsageCounts;
  /** Every step of the range in its order, also those in which nothing was counted. */
  readonly steps: readonly ({ readonly time: string } & UsageCounts)[];
  /** Those with the most requests first. */
  readonly keys: readonly ({ readonly keyId: string } & UsageCounts)[];
  /** Those with the most requests first. */
  readonly routes: readonly ({ readonly route: string } & UsageCounts)[];
}

/** Adds up what was counted in a range. */
export class UsageSum {
  totals = NO_USAGE;
  private readonly steps = new Map<number, UsageCounts>();
  private readonly keys = new Map<string, UsageCounts>();
  private readonly routes = new Map<string, UsageCounts>();

  constructor(private readonly range: UsageRange) {}

  /** Adds what was counted in one hour. What is outside of the range changes nothing. */
  add({ hourMs, keyId, route, counts }: Usage): void {
    const { from, to, step } = this.range;
    if (hourMs < from.getTime() || hourMs >= to.getTime()) return;
    this.totals = addUsage(this.totals, counts);
    addTo(this.steps, stepAt(hourMs, step), counts);
    addTo(this.routes, route, counts);
    if (keyId !== null) addTo(this.keys, keyId, counts);
  }

  /** Adds another sum of the same range. */
  addAll(other: UsageSum): void {
    this.totals = addUsage(this.totals, other.totals);
    for (const [step, counts] of other.steps) addTo(this.steps, step, counts);
    for (const [key, counts] of other.keys) addTo(this.keys, key, counts);
    for (const [route, counts] of other.routes) addTo(this.routes, route, counts);
  }

  toShown(): ShownUsage {
    const { from, to, step } = this.range;
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      step,
      totals: this.totals,
      steps: stepsOf(this.range).map((ms) => ({
        time: new Date(ms).toISOString(),
        ...(this.steps.get(ms) ?? NO_USAGE),
      })),
      keys: byRequests(this.keys)
        .slice(0, MAX_USAGE_KEYS)
        .map(([keyId, counts]) => ({ keyId, ...counts })),
      routes: byRequests(this.routes).map(([route, counts]) => ({ route, ...counts })),
    };
  }
}

function addTo<Name>(sums: Map<Name, UsageCounts>, name: Name, counts: UsageCounts): void {
  sums.set(name, addUsage(sums.get(name) ?? NO_USAGE, counts));
}

function byRequests(sums: ReadonlyMap<string, UsageCounts>): (readonly [string, UsageCounts])[] {
  return [...sums].sort(([a, one], [b, other]) => other.requests - one.requests || (a < b ? -1 : 1));
}
