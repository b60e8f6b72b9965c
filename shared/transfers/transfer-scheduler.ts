import type { RecurringTransfer, JobId } from '../domain/transfer';

/** Where recurring transfers are scheduled. Both calls may be repeated. */
export interface TransferScheduler {
  /** Creates the job, or gives the existing one this schedule and trigger. */
  schedule(transfer: RecurringTransfer): Promise<void>;
  /** Removes the job; one that does not exist is fine. */
  remove(jobId: JobId): Promise<void>;
}
