import type { JobId, RecurringTransfer } from '../../shared/domain/transfer';
import type { JobRegion, ScheduledJob } from '../../shared/transfers/transfer-scheduler';

/** A region of Cloud Scheduler in memory. A refusal is counted, as each is a call that costs time. */
export class MemoryRegion implements JobRegion {
  readonly jobs = new Map<JobId, RecurringTransfer>();
  refusals = 0;

  /**
   * @param quota the most jobs
   * @param turn waited for before and after each call: others may do something meanwhile
   */
  constructor(
    readonly location: string,
    public quota: number,
    private readonly turn?: () => Promise<void>,
  ) {}

  put(transfer: RecurringTransfer): Promise<boolean> {
    return this.call(() => {
      const { jobId } = transfer.trigger;
      const hasRoom = this.jobs.has(jobId) || this.jobs.size < this.quota;
      if (hasRoom) this.jobs.set(jobId, transfer);
      else this.refusals += 1;
      return hasRoom;
    });
  }

  update(transfer: RecurringTransfer): Promise<boolean> {
    return this.call(() => {
      const isThere = this.jobs.has(transfer.trigger.jobId);
      if (isThere) this.jobs.set(transfer.trigger.jobId, transfer);
      return isThere;
    });
  }

  remove(jobId: JobId): Promise<void> {
    return this.call(() => {
      this.jobs.delete(jobId);
    });
  }

  find(jobId: JobId): Promise<ScheduledJob | undefined> {
    return this.call(() => {
      const transfer = this.jobs.get(jobId);
      return transfer && toScheduledJob(transfer);
    });
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async *all(): AsyncGenerator<ScheduledJob> {
    yield* [...this.jobs.values()].map(toScheduledJob);
  }

  private async call<T>(act: () => T): Promise<T> {
    if (this.turn) await this.turn();
    const result = act();
    if (this.turn) await this.turn();
    return result;
  }
}

function toScheduledJob({ schedule, trigger }: RecurringTransfer): ScheduledJob {
  const { jobId, bucketName, folderPaths } = trigger;
  return { jobId, schedule, timeZone: 'Etc/UTC', nextRun: null, bucketName, folderPaths };
}
