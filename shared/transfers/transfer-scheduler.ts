import type { RecurringTransfer, JobId } from '../domain/transfer';

/** Where recurring transfers are scheduled. Both calls may be repeated. */
export interface TransferScheduler {
  /** Creates the job, or gives the existing one this schedule and trigger. */
  schedule(transfer: RecurringTransfer): Promise<void>;
  /** Removes the job; one that does not exist is fine. */
  remove(jobId: JobId): Promise<void>;
}

/** A recurring job as it is scheduled. */
export interface ScheduledJob {
  readonly jobId: JobId;
  /** unix-cron */
  readonly schedule: string;
  readonly timeZone: string;
  /** ISO 8601; null while nothing is planned (a paused job). */
  readonly nextRun: string | null;
  /** Null where somebody has given the job another message than a trigger. */
  readonly bucketName: string | null;
  /** Empty: the whole bucket (D-38); null as above. */
  readonly folderPaths: readonly string[] | null;
}

/** What an operator asks of the scheduled jobs. */
export interface ScheduledJobs {
  find(jobId: JobId): Promise<ScheduledJob | undefined>;
  /** Fires a job now, beside its schedule; false when there is none. */
  runNow(jobId: JobId): Promise<boolean>;
}
