import { protos } from '@google-cloud/scheduler';
import type { Job } from './scheduled-jobs';

const JobMessage = protos.google.cloud.scheduler.v1.Job;

/** A job as JSON can hold it: bytes in base64, times in seconds, names of enum values. */
export type KeptJob = Readonly<Record<string, unknown>>;

export function toKept(job: Job): KeptJob {
  return JobMessage.toObject(JobMessage.fromObject(job), { bytes: String, longs: Number, enums: String });
}

export function fromKept(kept: KeptJob): Job {
  return JobMessage.toObject(JobMessage.fromObject(kept), { longs: Number, enums: String });
}
