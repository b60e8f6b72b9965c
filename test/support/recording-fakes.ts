/** Fakes that remember what they were told, and fail when a test wants them to. */
import type { JobId, RecurringTransfer } from '../../shared/domain/transfer';
import type { EventPublisher } from '../../shared/events/event-publisher';
import type { LogDetails, Logger, Severity } from '../../shared/platform/logger';
import type { BucketAccess, BucketLook } from '../../shared/transfers/bucket-look';
import type { ObjectStorage } from '../../shared/transfers/object-storage';
import { ObjectGone } from '../../shared/transfers/object-storage';
import type { ScheduledJob, ScheduledJobs, TransferScheduler } from '../../shared/transfers/transfer-scheduler';

export interface PublishedEvent {
  readonly topic: string;
  readonly event: object;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Keeps what is published, so that a test decides when, how often and in which order it is delivered. */
export class RecordingPublisher implements EventPublisher {
  readonly published: PublishedEvent[] = [];
  /** Thrown by every publish while it is set. */
  failure: Error | undefined;

  publish(topic: string, event: object, attributes: Readonly<Record<string, string>> = {}): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    this.published.push({ topic, event, attributes });
    return Promise.resolve();
  }
}

/** When a job of a `RecordingScheduler` fires next. */
export const NEXT_RUN = '2026-03-02T03:00:00.000Z';

/** Holds the jobs as Cloud Scheduler would: one a job id, the last registration counts. */
export class RecordingScheduler implements TransferScheduler, ScheduledJobs {
  readonly jobs = new Map<JobId, RecurringTransfer>();
  /** Jobs that were there before the test. */
  readonly before = new Map<JobId, RecurringTransfer>();
  /** Thrown by every call while it is set. */
  failure: Error | undefined;

  find(jobId: JobId): Promise<ScheduledJob | undefined> {
    if (this.failure) return Promise.reject(this.failure);
    const job = this.jobs.get(jobId) ?? this.before.get(jobId);
    if (!job) return Promise.resolve(undefined);
    const { schedule, trigger } = job;
    const source = { bucketName: trigger.bucketName, folderPaths: trigger.folderPaths };
    return Promise.resolve({ jobId, schedule, timeZone: 'Etc/UTC', nextRun: NEXT_RUN, ...source });
  }

  async *all(): AsyncGenerator<ScheduledJob> {
    for (const jobId of new Set([...this.before.keys(), ...this.jobs.keys()])) {
      const job = await this.find(jobId);
      if (job) yield job;
    }
  }

  schedule(transfer: RecurringTransfer): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    this.jobs.set(transfer.trigger.jobId, transfer);
    return Promise.resolve();
  }

  remove(jobId: JobId): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    this.jobs.delete(jobId);
    this.before.delete(jobId);
    return Promise.resolve();
  }
}

/** Objects in memory, by bucket and name, given out in pieces of some bytes. */
export class MemoryObjects implements Pick<ObjectStorage, 'read'> {
  readonly contents = new Map<string, string>();
  /** Thrown by every call while it is set. */
  failure: Error | undefined;

  put(bucket: string, name: string, content: string): void {
    this.contents.set(`${bucket}/${name}`, content);
  }

  async *read(bucket: string, { name }: { readonly name: string }): AsyncGenerator<Buffer> {
    if (this.failure) throw this.failure;
    const content = this.contents.get(`${bucket}/${name}`);
    if (content === undefined) throw new ObjectGone(name);
    const bytes = Buffer.from(content);
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      yield await Promise.resolve(bytes.subarray(start, start + PIECE_BYTES));
    }
  }
}

/** Says of every bucket what a test wants it to say. */
export class RecordingBucketLook implements BucketLook {
  readonly looks: { readonly bucket: string; readonly prefix: string }[] = [];
  answer: BucketAccess = 'ok';
  /** Thrown by every look while it is set. */
  failure: Error | undefined;

  accessTo(bucket: string, prefix: string): Promise<BucketAccess> {
    this.looks.push({ bucket, prefix });
    return this.failure ? Promise.reject(this.failure) : Promise.resolve(this.answer);
  }
}

const PIECE_BYTES = 61;

export interface LogEntry {
  readonly severity: Severity;
  readonly message: string;
  readonly details: LogDetails;
}

export class CollectingLogger implements Logger {
  readonly entries: LogEntry[] = [];

  log(severity: Severity, message: string, details: LogDetails = {}): void {
    this.entries.push({ severity, message, details });
  }
}
