/** What an input costs at three sizes, and whether that grows faster than the input. */
import { ofTier } from '../tier';
import type { Traffic } from './metered-store';
import type { StepCounter } from './step-counter';
import type { TurnMeter, TurnTimes } from './turn-meter';

/** An input of some size, ready to be handed in. */
export interface Prepared {
  /** Bytes that are sent, and bytes stored of the records that are named: work is linear in them. */
  readonly bytes: number;
  readonly traffic: Traffic;
  readonly meter: TurnMeter;
  /** @throws Error when the service does not answer as it has to */
  readonly work: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export type Prepare = (size: number) => Promise<Prepared>;

export interface Cost extends TurnTimes {
  readonly bytes: number;
  readonly steps: number;
  /** Read and written. */
  readonly documents: number;
  /** Of what was read and written. */
  readonly documentBytes: number;
  /** Of a tenant's files, and of reports of bad rows. */
  readonly bytesFetched: number;
  readonly bytesReported: number;
}

/** What has to be linear, with the cost below which it says nothing, and how far above linear it may grow. */
const MEASURES = [
  { of: 'steps', least: 20_000, most: 1.3 },
  { of: 'documents', least: 50, most: 1.3 },
  { of: 'documentBytes', least: 100_000, most: 1.3 },
  { of: 'bytesFetched', least: 100_000, most: 1.3 },
  { of: 'bytesReported', least: 10_000, most: 1.3 },
  // Time is noisy, also that of the processor: a doubled exponent shows as 4.
  { of: 'cpuMs', least: 150, most: 2.2 },
] as const satisfies readonly { of: keyof Cost; least: number; most: number }[];

/** The smallest of as many runs: whatever else happens only adds to a time. */
const TIMED_RUNS = ofTier(1, 3);

/** How often times that grow too fast are measured again: noise passes, growth stays. What is counted has no noise. */
const REPEATS = 6;

const SIZES = [1, 2, 4] as const;

/**
 * The costs at n, 2n and 4n.
 * @param timedRuns the times are those of the best of as many
 * @param repeats how often times that grow too fast are measured again
 */
export async function costsOf(
  prepare: Prepare,
  size: number,
  counter: StepCounter,
  { timedRuns = TIMED_RUNS, repeats = REPEATS } = {},
): Promise<readonly Cost[]> {
  await withPrepared(prepare, size, ({ work }) => work()); // compiles, and fills caches
  let costs: Cost[] = [];
  for (const times of SIZES) costs.push(await costAt(prepare, size * times, counter, timedRuns));
  for (let repeat = 0; repeat < repeats && mayBeNoise(costs); repeat += 1) {
    const again: Cost[] = [];
    for (const [index, times] of SIZES.entries()) {
      const before = costs[index];
      if (before) again.push({ ...before, ...(await turnsOf(prepare, size * times, 1, undefined, before)) });
    }
    costs = again;
  }
  return costs;
}

async function costAt(prepare: Prepare, size: number, counter: StepCounter, timedRuns: number): Promise<Cost> {
  const cost = await withPrepared(prepare, size, async ({ work, bytes, traffic, meter }) => {
    const [steps, turns] = await counter.count(() => meter.measure(work));
    const { documentsRead, documentsWritten, bytesRead, bytesWritten, bytesFetched, bytesReported } = traffic;
    const documents = documentsRead + documentsWritten;
    return { bytes, steps, documents, documentBytes: bytesRead + bytesWritten, bytesFetched, bytesReported, ...turns };
  });
  return { ...cost, ...(await turnsOf(prepare, size, timedRuns - 1, undefined, cost)) };
}

/**
 * The turns of some runs, the best of each. @param isEnough whether no further run is needed
 * @param before the best of earlier runs
 */
export async function turnsOf(
  prepare: Prepare,
  size: number,
  runs: number,
  isEnough: (best: TurnTimes) => boolean = () => false,
  before: TurnTimes = { cpuMs: Infinity, blockMs: Infinity, delayMs: Infinity },
): Promise<TurnTimes> {
  let best: TurnTimes = { cpuMs: before.cpuMs, blockMs: before.blockMs, delayMs: before.delayMs };
  for (let run = 0; run < runs && !isEnough(best); run += 1) {
    const { cpuMs, blockMs, delayMs } = await withPrepared(prepare, size, ({ meter, work }) => meter.measure(work));
    best = {
      cpuMs: Math.min(best.cpuMs, cpuMs),
      blockMs: Math.min(best.blockMs, blockMs),
      delayMs: Math.min(best.delayMs, delayMs),
    };
  }
  return best;
}

async function withPrepared<T>(prepare: Prepare, size: number, use: (prepared: Prepared) => Promise<T>): Promise<T> {
  const prepared = await prepare(size);
  try {
    return await use(prepared);
  } finally {
    await prepared.close();
  }
}

/** What grows faster than linear from the first to the last cost, in words; empty: nothing. */
export function excessesOf(costs: readonly Cost[]): string[] {
  return excessiveGrowthsOf(costs).map(
    ({ of, growth }) => `${of} grow ${growth.toFixed(1)} times as fast as the input: ${listOf(costs, of)}`,
  );
}

/** Whether times grow too fast, and nothing that is counted does. */
function mayBeNoise(costs: readonly Cost[]): boolean {
  const growths = excessiveGrowthsOf(costs);
  return growths.length > 0 && growths.every(({ of }) => of === 'cpuMs');
}

function excessiveGrowthsOf(costs: readonly Cost[]) {
  const [first, last] = [costs.at(0), costs.at(-1)];
  if (!first || !last) throw new Error('There are no costs.');
  return MEASURES.flatMap(({ of, least, most }) => {
    if (last[of] < least) return [];
    const growth = last[of] / Math.max(first[of], 1) / (last.bytes / first.bytes);
    return growth <= most ? [] : [{ of, growth }];
  });
}

const listOf = (costs: readonly Cost[], measure: keyof Cost) =>
  costs.map((cost) => Math.round(cost[measure])).join(', ');

/** The costs in one line. */
export function describeCosts(costs: readonly Cost[]): string {
  const columns = ['bytes', ...MEASURES.map(({ of }) => of), 'blockMs'] as const;
  return columns.map((column) => `${column} ${listOf(costs, column)}`).join('; ');
}
