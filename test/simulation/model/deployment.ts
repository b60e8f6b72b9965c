/** What is deployed: Terraform's defaults, and what is raised for more tenants. */
import type { Random } from '../../../shared/platform/random';
import { ASSUMED } from '../figures/assumptions';
import type { ProcessorTime } from '../figures/measured';
import type { FunctionName, Functions } from '../figures/terraform';
import { deployedFunctions } from '../figures/terraform';
import { regionsFor } from './jobs';
import type { RequestProbes } from './probe-requests';
import type { TransferProbes } from './probe-transfers';
import { instancesFor } from './requests';
import type { HandingOut, Night } from './transfers';
import { simulateNight } from './transfers';
import type { Workload } from './workload';
import { requestsASecond } from './workload';

export interface Deployment {
  readonly functions: Functions;
  /** Regions of Cloud Scheduler. */
  readonly regions: number;
  readonly handingOut: HandingOut;
}

/** What is the same for all deployments of a size. */
export interface Situation {
  readonly workload: Workload;
  readonly requests: RequestProbes;
  readonly transfers: TransferProbes;
  readonly time: ProcessorTime;
  readonly hours: number;
}

/** All hourly runs should have ended by then, so that the other half of the hour is left for what goes wrong. */
const LATEST_END_MS = 30 * 60_000;

/** The largest number of instances that is tried. */
const MOST_INSTANCES = 1_000;

export function defaultDeployment(handingOut: HandingOut): Deployment {
  return { functions: deployedFunctions(), regions: 1, handingOut };
}

/** Milliseconds of the processor for a batch. */
export function processorMsOfBatch(time: ProcessorTime): number {
  return time.requestMs + ASSUMED.recordsOfBatch * time.recordMs;
}

export function peakOf(kind: keyof typeof ASSUMED.shareOfKind, workload: Workload): number {
  return requestsASecond(workload) * ASSUMED.peakFactor * ASSUMED.shareOfKind[kind];
}

export function nightOf(deployment: Deployment, situation: Situation, random: Random): Night {
  const { workload, transfers, time, hours } = situation;
  const runner = deployment.functions['transfer-runner'];
  return simulateNight(workload, transfers, { ...deployment.handingOut, runner, rowMs: time.rowMs, hours }, random);
}

/**
 * The deployment with as many regions and instances as these tenants need. Instances of `transfer-runner` are doubled
 * until the runs of a night end in time.
 * @returns it with its night
 */
export function raisedDeployment(
  start: Deployment,
  situation: Situation,
  random: () => Random,
): { readonly deployment: Deployment; readonly night: Night } {
  const { workload, requests, time } = situation;
  const functions = { ...start.functions };
  const raise = (name: FunctionName, needed: number) => {
    const deployed = functions[name];
    functions[name] = { ...deployed, maxInstances: Math.max(deployed.maxInstances, needed) };
  };
  for (const kind of Object.keys(ASSUMED.shareOfKind) as (keyof typeof ASSUMED.shareOfKind)[]) {
    const { concurrency } = functions[kind];
    raise(kind, instancesFor(peakOf(kind, workload), requests, processorMsOfBatch(time), concurrency));
  }
  const regions = Math.max(start.regions, regionsFor(workload.tenants));
  for (;;) {
    const deployment = { ...start, functions, regions };
    const night = nightOf(deployment, situation, random());
    const { maxInstances } = functions['transfer-runner'];
    const isInTime = night.lateness.percentile(0.99) <= LATEST_END_MS + start.handingOut.spreadMinutes * 60_000;
    if (isInTime || 2 * maxInstances > MOST_INSTANCES) return { deployment, night };
    raise('transfer-runner', 2 * maxInstances);
  }
}

/** CPUs that all functions may take together: what the region's quota must allow. */
export function cpusAtMost(functions: Functions): number {
  return Object.values(functions).reduce((sum, { maxInstances, cpu }) => sum + maxInstances * cpu, 0);
}
