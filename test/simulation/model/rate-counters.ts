/** The document that counts a key's requests: the service's own leases, of several instances on a simulated clock. */
import type { AdmissionStore } from '../../../shared/auth/admission-store';
import { RateLeases } from '../../../shared/auth/rate-leases';
import type { ApiKeyHash } from '../../../shared/domain/api-key';
import { MAX_COUNTED_SINGLY } from '../../../shared/limits/requests';
import { LatencyModel } from '../../bench/profiles/latencies';
import { FastRandom } from '../engine/draws';
import { SimulatedClock } from '../engine/simulated-clock';

const SECONDS = 60;
/** Requests come in groups of so many milliseconds: what comes while a lease is fetched shares it in any case. */
const GROUP_MS = 100;

export interface CounterLoad {
  readonly writesASecond: number;
  readonly admitted: number;
}

/** A minute in which as many requests of a key come as its limit allows, to so many instances in turn. */
export async function loadOfCounter(limit: number, instances: number, seed: string): Promise<CounterLoad> {
  if (limit <= MAX_COUNTED_SINGLY) return { writesASecond: limit / SECONDS, admitted: limit };
  const clock = new SimulatedClock();
  const latencies = new LatencyModel(new FastRandom(seed));
  const counter = { count: 0, instances: 0, writes: 0 };
  const store = {
    countLease: async (_hash: ApiKeyHash, _minute: number, requests: number, isFirst: boolean) => {
      await clock.sleep(latencies.drawFor('Commit'));
      counter.count += requests;
      counter.instances += isFirst ? 1 : 0;
      counter.writes += 1;
      return { count: counter.count, instances: counter.instances };
    },
  } satisfies Pick<AdmissionStore, 'countLease'>;
  const leases = Array.from({ length: instances }, () => new RateLeases(store as unknown as AdmissionStore, clock));
  let admitted = 0;
  let arrived = 0;
  const take = async (instance: RateLeases) => {
    const { number } = await instance.take('key' as ApiKeyHash, 0, limit);
    if (number <= limit) admitted += 1;
  };
  const groups = (SECONDS * 1_000) / GROUP_MS;
  const taken: Promise<void>[] = [];
  for (let group = 0; group < groups; group += 1) {
    clock.after(group * GROUP_MS, () => {
      for (const end = Math.floor(((group + 1) * limit) / groups); arrived < end; arrived += 1)
        taken.push(take(leases[arrived % instances]!));
    });
  }
  await clock.runWhile(clock.sleep(SECONDS * 1_000).then(() => Promise.all(taken)));
  return { writesASecond: counter.writes / SECONDS, admitted };
}
