/** Ids of runs, and the forms of ids. A run's id begins with a time to the millisecond, so that ids sort by time. */
import type { TransferTrigger } from '../../domain/transfer';
import { oneTimePart } from '../../domain/transfer';
import type { MessageIdentity } from '../../events/event-handler';

/** An id that begins with a time. @param unique only letters, digits, `-` and `_` */
export function timedId(at: Date, unique: string): string {
  return `${at.toISOString().replace(/\D/g, '').slice(0, 17)}${unique}`;
}

/** Whether the time in a run's id is before this second. */
export function isBefore(runId: string, time: Date): boolean {
  return runId < timedId(time, '');
}

/**
 * The end of a preview's id. Releases that know no previews take no id with a `_`, so that none of them goes on with a
 * preview, and stores what it reads.
 */
export const PREVIEW_SUFFIX = '_preview';

/** A run's id has far fewer characters; the part that identifies a message is cut at MAX_MESSAGE_ID_LENGTH. */
const RUN_ID = /^[A-Za-z0-9-][\w-]{0,127}$/;
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
 * The id of the run that a trigger starts: the one that it names. Else a one-time job has always the same
 * run, and any other job one for each message, however often that is delivered.
 * @param startsAt when it begins; undefined: at once
 */
export function runIdOf(
  { jobId, runId }: TransferTrigger,
  { messageId, publishedAt }: MessageIdentity,
  startsAt?: Date,
): string {
  const message = messageId.replace(/[^A-Za-z0-9]/g, '').slice(0, MAX_MESSAGE_ID_LENGTH);
  return runId ?? oneTimePart(jobId) ?? timedId(startsAt ?? publishedAt, `-${message}`);
}
