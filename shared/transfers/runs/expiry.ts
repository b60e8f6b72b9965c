/**
 * When documents of transfers expire. Firestore removes them within a few days after their `expireAt`; the policies are
 * in terraform/firestore.tf.
 */
import { LONGEST_RUN_SECONDS, RUN_RETENTION_SECONDS, TAKEN_FILE_RETENTION_SECONDS } from '../../limits/transfers';

/** Of a run's document. @param time the run's start or, once it has ended, its end */
export function runExpiry(time: Date): Date {
  return after(time, RUN_RETENTION_SECONDS);
}

/**
 * Of the documents below a run's document. It depends on the run's start alone and is known from the first write on, so
 * that no document has to be written again when the run ends.
 */
export function runPartExpiry({ startedAt }: { readonly startedAt: Date }): Date {
  return after(startedAt, LONGEST_RUN_SECONDS + RUN_RETENTION_SECONDS);
}

/** Of the document that says that a file is taken. @param seenAt when the file was last seen in its bucket */
export function takenFileExpiry(seenAt: Date): Date {
  return after(seenAt, TAKEN_FILE_RETENTION_SECONDS);
}

function after(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}
