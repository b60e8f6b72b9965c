/** The peak of requests over HTTP: the functions of batches as stations, and what an instance remembers of keys. */
import { USAGE_INTERVAL_MS } from '../../../shared/limits/usage';
import { MAX_REMEMBERED_KEYS } from '../../../shared/limits/requests';
import { BoundedMap } from '../../../shared/platform/bounded-map';
import type { Random } from '../../../shared/platform/random';
import { exponential, oneOf } from '../engine/draws';
import { Histogram } from '../engine/histogram';
import { SimulatedClock } from '../engine/simulated-clock';
import { Station } from '../engine/station';
import type { DeployedFunction } from '../figures/terraform';
import type { RequestProbes } from './probe-requests';
import type { Workload } from './workload';

export interface PeakOptions {
  readonly requestsASecond: number;
  readonly seconds: number;
  readonly deployed: Pick<DeployedFunction, 'maxInstances' | 'concurrency'>;
  /** Milliseconds of the processor for a request. */
  readonly processorMs: number;
}

export interface Peak {
  /** From a request's arrival to its answer. */
  readonly answers: Histogram;
  readonly waits: Histogram;
  /** The share of all places that is taken on average, and of all processors. */
  readonly placesTaken: number;
  readonly processorsTaken: number;
  /** Instances that are at work at once, at most. */
  readonly mostInstances: number;
  /** The share of requests whose caller the instance has admitted before. */
  readonly knownShare: number;
  /** Tenants whose requests an instance counts between two writes of its counters. */
  readonly tenantsCounted: number;
}

/** Requests come independently of each other, from tenants as their sizes are, to instances in turn. */
export function simulatePeak(workload: Workload, probes: RequestProbes, options: PeakOptions, random: Random): Peak {
  const { requestsASecond, seconds, deployed, processorMs } = options;
  const { maxInstances, concurrency } = deployed;
  const instances = Math.min(maxInstances, instancesFor(requestsASecond, probes, processorMs, concurrency));
  const knownShare = shareOfKnown(workload, random);
  const clock = new SimulatedClock();
  const station = new Station(maxInstances * concurrency, clock);
  const answers = new Histogram();
  const arrive = () => {
    if (clock.nowMs() >= seconds * 1_000) return;
    const arrivedMs = clock.nowMs();
    const probe = random.fraction() < knownShare ? probes.known : probes.unknown;
    station.arrive(
      () => oneOf(probe.durationsMs, random) + processorMs,
      () => answers.add(clock.nowMs() - arrivedMs),
    );
    clock.after(exponential(1_000 / requestsASecond, random), arrive);
  };
  clock.after(exponential(1_000 / requestsASecond, random), arrive);
  clock.run();
  return {
    answers,
    waits: station.waits,
    placesTaken: station.busyMs / (seconds * 1_000 * maxInstances * concurrency),
    processorsTaken: (requestsASecond * processorMs) / 1_000 / maxInstances,
    mostInstances: instances,
    knownShare,
    tenantsCounted: Math.min(workload.tenants, (requestsASecond / instances) * (USAGE_INTERVAL_MS / 1_000)),
  };
}

/** Instances that so many requests need: places and processors at most seven tenths taken. */
export function instancesFor(
  requestsASecond: number,
  { unknown }: RequestProbes,
  processorMs: number,
  concurrency: number,
): number {
  const meanMs = unknown.durationsMs.reduce((sum, ms) => sum + ms, 0) / unknown.durationsMs.length + processorMs;
  const places = (requestsASecond * meanMs) / 1_000 / concurrency;
  const processors = (requestsASecond * processorMs) / 1_000;
  return Math.max(1, Math.ceil(Math.max(places, processors) / 0.7));
}

/** The share of an instance's requests whose key its memory of keys holds. */
function shareOfKnown({ records }: Workload, random: Random): number {
  const remembered = new BoundedMap<number, true>(MAX_REMEMBERED_KEYS);
  const sums = cumulated(records);
  const draws = 4 * MAX_REMEMBERED_KEYS;
  let known = 0;
  for (let draw = 0; draw < 2 * draws; draw += 1) {
    const tenant = indexAt(sums, random.fraction());
    if (draw >= draws && remembered.get(tenant)) known += 1;
    remembered.set(tenant, true);
  }
  return known / draws;
}

function cumulated(values: Float64Array): Float64Array {
  let sum = 0;
  return values.map((value) => (sum += value));
}

/** The first index whose sum is beyond this share of the whole. */
function indexAt(sums: Float64Array, share: number): number {
  const sought = share * (sums.at(-1) ?? 0);
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! > sought) high = middle;
    else low = middle + 1;
  }
  return low;
}
