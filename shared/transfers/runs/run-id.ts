/** Ids of runs, which begin with a time to the second, so that the last ones are the newest; and the shapes of ids. */
import type { TransferTrigger } from '../../domain/transfer';
import { oneTimePart } from '../../domain/transfer';
import type { MessageIdentity } from '../../events/event-handler';

/** An id of this time; `unique` has only letters, digits and `-`. */
export function timedId(at: Date, unique: string): string {
  return `${at.toISOString().replace(/\D/g, '').slice(0, 14)}${unique}`;
}

/** Characters of a run's id, far more than any has; and of the part of it that tells a message. */
const RUN_ID = /^[A-Za-z0-9-]{1,128}$/;
const MAX_MESSAGE_ID_LENGTH = 64;

/** Whether a run can have this id: one that cannot is never looked for. */
export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}

/** Whether a file of a run can have this id (`fileIdOf`). */
export function isFileId(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** Whether a report can have this id: it begins with that of its file. */
export function isReportId(text: string): boolean {
  return /^[\w-]{43}\.[\w.-]{1,64}$/.test(text);
}

/**
 * The run that a trigger starts: of a one-time job always the same, else one for each message, however often it
 * is delivered.
 */
export function runIdOf({ jobId }: TransferTrigger, { messageId, publishedAt }: MessageIdentity): string {
  const message = messageId.replace(/[^A-Za-z0-9]/g, '').slice(0, MAX_MESSAGE_ID_LENGTH);
  return oneTimePart(jobId) ?? timedId(publishedAt, `-${message}`);
}
