/**
 * When documents of transfers expire. Firestore removes them within a few days after their `expireAt`; the policies are
 * in terraform/firestore.tf.
 */
import type { Clock } from '../../platform/clock';
import {
  LONGEST_RUN_SECONDS,
  PREVIEW_SECONDS,
  RUN_RETENTION_SECONDS,
  TAKEN_FILE_RETENTION_SECONDS,
} from '../../limits/transfers';
import { UPLOAD_RETENTION_SECONDS } from '../../limits/live';

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

/** Of what a preview keeps of records: from then on it is not shown, and no step goes on. */
export function previewExpiry({ startedAt }: { readonly startedAt: Date }): Date {
  return after(startedAt, PREVIEW_SECONDS);
}

/** Whether a preview takes too long, and its data is too old to be shown. */
export function isPreviewOver(run: { readonly startedAt: Date }, clock: Clock): boolean {
  return clock.nowMs() >= previewExpiry(run).getTime();
}

/** Of the document that says that a file is taken. @param seenAt when the file was last seen in its bucket */
export function takenFileExpiry(seenAt: Date): Date {
  return after(seenAt, TAKEN_FILE_RETENTION_SECONDS);
}

/** Of the document of an upload that waits for a run. @param now when Cloud Storage told of it */
export function uploadExpiry(now: Date): Date {
  return after(now, UPLOAD_RETENTION_SECONDS);
}

function after(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}
