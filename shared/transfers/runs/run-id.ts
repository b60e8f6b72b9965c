/** Ids of runs, and the forms of ids. A run's id begins with a time to the second, so that ids sort by time. */
import type { TransferTrigger } from '../../domain/transfer';
import { oneTimePart } from '../../domain/transfer';
import type { MessageIdentity } from '../../events/event-handler';

/** An id that begins with a time. @param unique only letters, digits and `-` */
export function timedId(at: Date, unique: string): string {
  return `${at.toISOString().replace(/\D/g, '').slice(0, 14)}${unique}`;
}

/** A run's id has far fewer characters; the part that identifies a message is cut at MAX_MESSAGE_ID_LENGTH. */
const RUN_ID = /^[A-Za-z0-9-]{1,128}$/;
const MAX_MESSAGE_ID_LENGTH = 64;

/** Whether a run can have this id. A text that cannot be an id is never looked up. */
export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}

/** Whether a file of a run can have this id (`fileIdOf`). */
export function isFileId(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** Whether a report can have this id, which begins with the id of its file. */
export function isReportId(text: string): boolean {
  return /^[\w-]{43}\.[\w.-]{1,64}$/.test(text);
}

/**
 * The id of the run that a trigger starts. A one-time job has always the same run, any other job the one that
 * its trigger names, or one for each message, however often that is delivered.
 */
export function runIdOf({ jobId, runId }: TransferTrigger, { messageId, publishedAt }: MessageIdentity): string {
  const message = messageId.replace(/[^A-Za-z0-9]/g, '').slice(0, MAX_MESSAGE_ID_LENGTH);
  return oneTimePart(jobId) ?? runId ?? timedId(publishedAt, `-${message}`);
}
