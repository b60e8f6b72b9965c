/**
 * When documents of transfers expire: Firestore removes them within a few days after that. Only `expireAt` tells; the
 * policies are in terraform/firestore.tf.
 */
import { LONGEST_RUN_SECONDS, RUN_RETENTION_SECONDS, TAKEN_FILE_RETENTION_SECONDS } from '../../limits/transfers';

/** A run's document, by when the run started or, once it has ended, by its end. */
export function runExpiry(time: Date): Date {
  return after(time, RUN_RETENTION_SECONDS);
}

/**
 * What is below a run's document, by when the run started: known from its first write on, so that no document is
 * written again only to live on when the run ends.
 */
export function runPartExpiry({ startedAt }: { readonly startedAt: Date }): Date {
  return after(startedAt, LONGEST_RUN_SECONDS + RUN_RETENTION_SECONDS);
}

/** The note that a file was taken, by when it was last seen in its bucket. */
export function takenFileExpiry(seenAt: Date): Date {
  return after(seenAt, TAKEN_FILE_RETENTION_SECONDS);
}

function after(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}
