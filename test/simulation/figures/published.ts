/**
 * What the platform publishes of its limits, as it was read on 2026-11-26 in copies of its pages. Where the newest
 * text of a page may have another number, or none any more, this is that of an earlier one: the lower, careful one.
 */

export interface Published {
  readonly value: number;
  readonly source: string;
}

const FIRESTORE_LIMITS = 'https://cloud.google.com/firestore/quotas';
const FIRESTORE_PRACTICES = 'https://cloud.google.com/firestore/docs/best-practices';
const SCHEDULER_QUOTAS = 'https://docs.cloud.google.com/scheduler/quotas';

export const PUBLISHED = {
  /** Jobs of Cloud Scheduler in a region, at most. */
  jobsInRegion: { value: 5_000, source: SCHEDULER_QUOTAS },
  /** Calls of Cloud Scheduler a minute that change jobs, and that look at them. */
  jobWritesAMinute: { value: 500, source: SCHEDULER_QUOTAS },
  jobReadsAMinute: { value: 1_250, source: SCHEDULER_QUOTAS },
  /** Sustained writes a second to one document of Firestore. Bursts may be faster, with longer waits. */
  documentWritesASecond: { value: 1, source: FIRESTORE_LIMITS },
  /** Writes a second to a collection whose documents have an indexed value that grows with time; a run's id is one. */
  sequentialWritesASecond: { value: 500, source: FIRESTORE_PRACTICES },
  /** Of the rule 500/50/5: operations a second on a new collection in its first 5 minutes. */
  newCollectionASecond: { value: 500, source: FIRESTORE_PRACTICES },
  rampSeconds: { value: 300, source: FIRESTORE_PRACTICES },
  /** Bytes a second that a project publishes in a large region, of which europe-west1 is one. */
  publishedBytesASecond: { value: 200_000_000, source: 'https://cloud.google.com/pubsub/quotas' },
  /** As the quota counts a small message. */
  messageBytes: { value: 1_000, source: 'https://cloud.google.com/pubsub/pricing' },
} as const satisfies Record<string, Published>;
