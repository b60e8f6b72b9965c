/** The jobs of Cloud Scheduler: in which regions those of all tenants are, by the service's own order of regions. */
import { rendezvousOrder } from '../../../shared/domain/rendezvous';
import type { RecurringTransferKind } from '../../../shared/domain/transfer';
import { FastRandom } from '../engine/draws';
import { PUBLISHED } from '../figures/published';

/** Jobs of a tenant: a daily one and an hourly one. */
export const KINDS_OF_JOBS: readonly RecurringTransferKind[] = ['daily', 'hourly'];

export interface JobPlacement {
  /** Jobs in each region, without the service's own. */
  readonly jobs: readonly number[];
  /** Jobs for which no region had room. */
  readonly refused: number;
}

/** Places the jobs of tenants, each in the first region of its order that has room, as `RegionalScheduler` does. */
export function placeJobs(tenantIds: Iterable<string>, regions: readonly string[], quota: number): JobPlacement {
  const jobs = new Map(regions.map((region) => [region, 0]));
  let refused = 0;
  for (const tenantId of tenantIds) {
    const order = rendezvousOrder(tenantId, regions);
    for (const _kind of KINDS_OF_JOBS) {
      const region = order.find((name) => (jobs.get(name) ?? 0) < quota);
      if (region === undefined) refused += 1;
      else jobs.set(region, (jobs.get(region) ?? 0) + 1);
    }
  }
  return { jobs: [...jobs.values()], refused };
}

/**
 * Jobs in each region when all tenants have registered theirs.
 * @throws Error where a job finds no room
 */
export function jobsOfRegions(tenants: number, regions: number): readonly number[] {
  const names = Array.from({ length: regions }, (_, index) => `region-${index}`);
  const random = new FastRandom('tenants');
  const tenantIds = Array.from({ length: tenants }, () => random.bytes(16).toString('hex'));
  const { jobs, refused } = placeJobs(tenantIds, names, PUBLISHED.jobsInRegion.value);
  if (refused > 0) throw new Error(`${regions} regions have no room for ${refused} jobs.`);
  return jobs;
}

/** How often a registration looks into each region but the one where it writes. */
export const READS_OF_REGION = 2;

/** Regions that hold the jobs of so many tenants and the service's own. */
export function regionsFor(tenants: number): number {
  return Math.ceil((tenants * KINDS_OF_JOBS.length + 1) / PUBLISHED.jobsInRegion.value);
}

/**
 * Hours that registering all tenants takes at least, by the quotas of Cloud Scheduler's API: each registration writes a
 * job, and looks into all other regions before and after (`RegionalScheduler`). The quotas are taken as a project's.
 */
export function hoursToRegister(tenants: number, regions: number): number {
  const jobs = tenants * KINDS_OF_JOBS.length;
  const byWrites = jobs / PUBLISHED.jobWritesAMinute.value;
  const byReads = (jobs * READS_OF_REGION * (regions - 1)) / PUBLISHED.jobReadsAMinute.value;
  return Math.max(byWrites, byReads) / 60;
}
