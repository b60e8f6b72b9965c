import type { RecurringTransfer, JobId } from '../domain/transfer';

/** Where recurring transfers are scheduled. Both calls may be repeated. */
export interface TransferScheduler {
  /**
   * Creates the job, or gives the existing one this schedule and trigger.
   * @throws AllRegionsFull when it would have to be created, and has no room
   */
  schedule(transfer: RecurringTransfer): Promise<void>;
  /** Removes the job; does nothing when there is none. */
  remove(jobId: JobId): Promise<void>;
}

/** A recurring job as it is scheduled. */
export interface ScheduledJob {
  readonly jobId: JobId;
  /** unix-cron */
  readonly schedule: string;
  readonly timeZone: string;
  /** ISO 8601; null while the job is paused. */
  readonly nextRun: string | null;
  /** Null when somebody has replaced the job's message, and it is no trigger. */
  readonly bucketName: string | null;
  /** Empty: the whole bucket (D-38); null as above. */
  readonly folderPaths: readonly string[] | null;
}

/** The scheduled jobs as an operator sees them. */
export interface ScheduledJobs {
  find(jobId: JobId): Promise<ScheduledJob | undefined>;
  /** The jobs of all tenants, in no particular order. They are read page by page, as they are taken. */
  all(): AsyncIterable<ScheduledJob>;
}

/** No region takes another job. */
export class AllRegionsFull extends Error {
  override readonly name = 'AllRegionsFull';
}

/** The jobs of one region of Cloud Scheduler, which holds a bounded number. Every call may be repeated. */
export interface JobRegion extends ScheduledJobs, Pick<TransferScheduler, 'remove'> {
  /** `europe-west1` */
  readonly location: string;
  /** Creates the job, or updates the existing one. @returns false: there is none, and no room for it */
  put(transfer: RecurringTransfer): Promise<boolean>;
  /** Gives the existing job this schedule and trigger. @returns false: there is none */
  update(transfer: RecurringTransfer): Promise<boolean>;
}
