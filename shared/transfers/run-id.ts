/** Ids of runs: each begins with a time to the second, so that the last ones are the newest. */
import type { TransferTrigger } from '../domain/transfer';
import { oneTimePart } from '../domain/transfer';
import type { MessageIdentity } from '../events/push-handler';

/** An id of this time; `unique` has only letters, digits and `-`. */
export function timedId(at: Date, unique: string): string {
  return `${at.toISOString().replace(/\D/g, '').slice(0, 14)}${unique}`;
}

/**
 * The run that a trigger starts: of a one-time job always the same, else one for each message, however often it
 * is delivered.
 */
export function runIdOf({ jobId }: TransferTrigger, { messageId, publishedAt }: MessageIdentity): string {
  return oneTimePart(jobId) ?? timedId(publishedAt, `-${messageId.replace(/\W/g, '')}`);
}
