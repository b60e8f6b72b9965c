/** The simulation of one number of tenants: what they send, a night and a peak, and what that uses and costs. */
import { ASSUMED } from './figures/assumptions';
import { millionCost, processorTime } from './figures/measured';
import { FastRandom } from './engine/draws';
import type { BillLine, Day } from './model/bill';
import { billOfMonth, workOfDay } from './model/bill';
import type { Deployment, Situation } from './model/deployment';
import { defaultDeployment, nightOf, peakOf, processorMsOfBatch, raisedDeployment } from './model/deployment';
import type { RequestProbes } from './model/probe-requests';
import { probeRequests } from './model/probe-requests';
import type { TransferProbes } from './model/probe-transfers';
import { probeTransfers } from './model/probe-transfers';
import { probeSweep } from './model/probe-sweep';
import { loadOfCounter } from './model/rate-counters';
import type { Peak } from './model/requests';
import { simulatePeak } from './model/requests';
import type { Observed, Resource } from './model/resources';
import { bySaturation, resourcesOf } from './model/resources';
import type { HandingOut, Night } from './model/transfers';
import type { Workload } from './model/workload';
import { drawWorkload } from './model/workload';
import { DEFAULT_REQUESTS_PER_MINUTE } from '../../shared/domain/limits';

export interface SimulationOptions {
  readonly tenants: number;
  readonly seed: string;
  readonly handingOut: HandingOut;
  /** Another way of handing out files, to compare it with. */
  readonly other: HandingOut;
  /** Hours of the night, and seconds of the peak over HTTP. */
  readonly hours: number;
  readonly peakSeconds: number;
}

/** What a deployment has come to. */
export interface Outcome {
  readonly deployment: Deployment;
  readonly night: Night;
  /** The most saturated one first. */
  readonly resources: readonly Resource[];
}

export interface SimulationResult {
  readonly workload: Workload;
  readonly probes: { readonly requests: RequestProbes; readonly transfers: TransferProbes };
  readonly day: Day;
  readonly bill: readonly BillLine[];
  /** By Terraform's defaults, and with what is raised. */
  readonly byDefault: Outcome;
  readonly raised: Outcome;
  /** The night of what is raised, with the other way of handing out files. */
  readonly otherNight: Night;
  /** Of `customers`, with what is raised. */
  readonly peak: Peak;
}

/** A key that an agency uses for many shops: as much as one may send in a second of many instances. */
const HIGH_LIMIT = 60_000;

const PROBED_FILES = { inFolder: ASSUMED.filesInFolder, areKnown: ASSUMED.filesAreKnown };

/** How often each piece of the service's own work is done, to know how long it takes. */
const PROBES = 24;

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { tenants, seed, handingOut, hours } = options;
  const random = (name: string) => new FastRandom(`${seed} ${name}`);
  const time = processorTime();
  const workload = drawWorkload(tenants, random('workload'));
  const requests = await probeRequests(ASSUMED.recordsOfBatch, DEFAULT_REQUESTS_PER_MINUTE, PROBES, seed);
  const transfers = await probeTransfers(PROBED_FILES, PROBES, seed);
  const sweptFlagMs = await probeSweep(seed);
  const situation: Situation = { workload, requests, transfers, time, hours };
  const start = defaultDeployment(handingOut);
  const first = { deployment: start, night: nightOf(start, situation, random('night')) };
  const raised = raisedDeployment(start, situation, () => random('night'));
  const outcomeOf = async ({ deployment, night }: Pick<Outcome, 'deployment' | 'night'>) => {
    const peaks = peaksOf(deployment, situation, options);
    const { writesASecond } = await loadOfCounter(HIGH_LIMIT, peaks.customers.mostInstances, seed);
    const leased = { limit: HIGH_LIMIT, writesASecond };
    const observed: Observed = { ...situation, deployment, night, peaks, sweptFlagMs, leased };
    return { deployment, night, peaks, resources: bySaturation(resourcesOf(observed)) };
  };
  const byDefault = await outcomeOf(first);
  const { peaks, ...withRaised } = await outcomeOf(raised);
  const otherNight = nightOf({ ...raised.deployment, handingOut: options.other }, situation, random('night'));
  const day = workOfDay(workload, requests, transfers, time);
  const deletions = millionCost('deletes of customers, one after the other');
  const bill = billOfMonth(workload, day, deletions, start.functions['transfer-runner'].concurrency);
  return {
    ...{ workload, probes: { requests, transfers }, day, bill, byDefault },
    ...{ raised: withRaised, otherNight, peak: peaks.customers },
  };
}

function peaksOf(deployment: Deployment, { workload, requests, time }: Situation, options: SimulationOptions) {
  const peakOfKind = (kind: keyof typeof ASSUMED.shareOfKind) =>
    simulatePeak(
      workload,
      requests,
      {
        requestsASecond: peakOf(kind, workload),
        seconds: options.peakSeconds,
        deployed: deployment.functions[kind],
        processorMs: processorMsOfBatch(time),
      },
      new FastRandom(`${options.seed} ${kind}`),
    );
  return { customers: peakOfKind('customers'), orders: peakOfKind('orders'), products: peakOfKind('products') };
}
