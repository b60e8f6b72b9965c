/**
 * The jobs of all regions as one scheduler. A tenant's jobs are in the region that its id prefers among those
 * with room, and stay where they are: also when a region gets room again, or is added to the list. Nothing says where a
 * job is; it is looked for, first in the region that its tenant prefers.
 *
 * Registrations of one job may run at once, and each may create it in another region. So each looks at all other
 * regions after its own write. Of two, the one that looks last sees both copies. Whoever sees several keeps the one in
 * the region that the tenant prefers most, gives it its own schedule, and removes the others. All agree on that
 * region, so one copy stays.
 */
import { rendezvousOrder } from '../domain/rendezvous';
import type { JobId, RecurringTransfer } from '../domain/transfer';
import { tenantOfJob } from '../domain/transfer';
import { FULL_REGION_SECONDS } from '../limits/transfers';
import type { Clock } from '../platform/clock';
import type { JobRegion, ScheduledJob, ScheduledJobs, TransferScheduler } from './transfer-scheduler';
import { AllRegionsFull } from './transfer-scheduler';

export class RegionalScheduler implements TransferScheduler, ScheduledJobs {
  private readonly regions: ReadonlyMap<string, JobRegion>;
  /** Until when a region that has refused a job is passed over, by its location. */
  private readonly fullUntilMs = new Map<string, number>();

  /** @param regions at least one, each once */
  constructor(
    regions: readonly JobRegion[],
    private readonly clock: Clock,
  ) {
    this.regions = new Map(regions.map((region) => [region.location, region]));
  }

  async schedule(transfer: RecurringTransfer): Promise<void> {
    const regions = this.preferredBy(transfer.trigger.jobId);
    const written = (await this.update(transfer, regions)) ?? (await this.create(transfer, regions));
    await leaveOne(transfer, written, regions);
  }

  /** Removes the job from every region that has it. */
  async remove(jobId: JobId): Promise<void> {
    const regions = this.preferredBy(jobId);
    const others = await copiesIn(regions.slice(1), jobId);
    const holders = [...regions.slice(0, 1), ...others.map(({ region }) => region)];
    await Promise.all(holders.map((region) => region.remove(jobId)));
  }

  async find(jobId: JobId): Promise<ScheduledJob | undefined> {
    const [first, ...others] = this.preferredBy(jobId);
    return (await first?.find(jobId)) ?? (await copiesIn(others, jobId))[0]?.job;
  }

  async *all(): AsyncGenerator<ScheduledJob> {
    for (const region of this.regions.values()) yield* region.all();
  }

  /**
   * Updates the job where it is. @returns undefined when no region is known to have it. The preferred one is not asked
   * while it may have room: creating the job there tells, and costs no more where there is one region.
   */
  private async update(transfer: RecurringTransfer, regions: readonly JobRegion[]): Promise<JobRegion | undefined> {
    const asked = regions.filter((region, index) => index > 0 || this.isFull(region));
    for (const { region } of await copiesIn(asked, transfer.trigger.jobId))
      if (await region.update(transfer)) return region;
    return undefined;
  }

  /** @throws AllRegionsFull */
  private async create(transfer: RecurringTransfer, regions: readonly JobRegion[]): Promise<JobRegion> {
    for (const region of regions) {
      if (this.isFull(region)) continue;
      if (await region.put(transfer)) return region;
      this.fullUntilMs.set(region.location, this.clock.nowMs() + FULL_REGION_SECONDS * 1_000);
    }
    throw new AllRegionsFull(`None of ${regions.length} regions has room for another job.`);
  }

  private isFull({ location }: JobRegion): boolean {
    return this.clock.nowMs() < (this.fullUntilMs.get(location) ?? 0);
  }

  /** All regions, in the order in which the job's tenant prefers them. */
  private preferredBy(jobId: JobId): JobRegion[] {
    return rendezvousOrder(tenantOfJob(jobId), [...this.regions.keys()]).flatMap(
      (location) => this.regions.get(location) ?? [],
    );
  }
}

/** Removes the job from all regions but one, which has this schedule and trigger. */
async function leaveOne(transfer: RecurringTransfer, written: JobRegion, regions: readonly JobRegion[]): Promise<void> {
  const { jobId } = transfer.trigger;
  const others = await copiesIn(
    regions.filter((region) => region !== written),
    jobId,
  );
  const copies = regions.filter((region) => region === written || others.some((copy) => copy.region === region));
  for (const [index, region] of copies.entries()) {
    // A copy that is gone was removed by somebody who has kept, or has seen, a preferred one.
    if (region !== written && !(await region.update(transfer))) continue;
    await Promise.all(copies.slice(index + 1).map((copy) => copy.remove(jobId)));
    return;
  }
}

/** The copies of a job in these regions, in their order. */
async function copiesIn(
  regions: readonly JobRegion[],
  jobId: JobId,
): Promise<{ readonly region: JobRegion; readonly job: ScheduledJob }[]> {
  const found = await Promise.all(regions.map(async (region) => ({ region, job: await region.find(jobId) })));
  return found.flatMap(({ region, job }) => (job ? [{ region, job }] : []));
}
