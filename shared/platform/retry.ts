/** Retries calls to Google Cloud that failed for a transient reason. Only for calls that may be applied twice. */
import type { Clock } from './clock';
import type { Deadline } from './deadline';
import { CALL_TIMEOUT_MS, RETRY_FIRST_WAIT_MS, RETRY_LONGEST_WAIT_MS } from '../limits/platform';
import type { Random } from './random';
import { RetryLater } from './retry-later';

/** The gRPC status codes that the service uses. */
export const Status = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;

const PASSING: ReadonlySet<unknown> = new Set([
  Status.CANCELLED,
  Status.UNKNOWN,
  Status.DEADLINE_EXCEEDED,
  Status.RESOURCE_EXHAUSTED,
  Status.ABORTED,
  Status.INTERNAL,
  Status.UNAVAILABLE,
]);

/** Whether a call that ended with this status may succeed when it is retried. */
export function isTransientStatus(code: number | undefined): boolean {
  return PASSING.has(code);
}

/** The statuses of a call whose time was over. Which one depends on who notices it first, the client or the server. */
const OUT_OF_TIME: ReadonlySet<unknown> = new Set([Status.DEADLINE_EXCEEDED, Status.CANCELLED]);

export interface RetryDependencies {
  readonly clock: Clock;
  readonly random: Random;
}

/** The gRPC status code of a failed call, undefined for another error. */
export function statusOf(error: unknown): number | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'number' ? code : undefined;
}

/** Whether a call failed because its time was over. */
export function isOutOfTime(error: unknown): boolean {
  return OUT_OF_TIME.has(statusOf(error));
}

/** Whether work that failed with this error may succeed later, unchanged: a service was away, or the time was over. */
export function maySucceedLater(error: unknown): boolean {
  return error instanceof RetryLater || isTransientStatus(statusOf(error));
}

/**
 * Calls `call` with a timeout, and again after each transient failure, until the deadline; then throws the last error.
 * The waits grow from 50 ms to 2 s, each jittered between zero and that.
 * @throws RetryLater when there was no time, or too little, for the first attempt: then nothing has failed; also when
 *   the last attempts were aborted because others changed or locked the same documents
 */
export async function withRetry<T>(
  call: (timeoutMs: number) => Promise<T>,
  deadline: Deadline,
  { clock, random }: RetryDependencies,
): Promise<T> {
  const firstMs = deadline.remainingMs();
  if (firstMs === 0) throw new RetryLater('There was no time left for a call.');
  let isFirst = true;
  let isContended = false;
  for (let longestMs = RETRY_FIRST_WAIT_MS; ; longestMs = Math.min(longestMs * 2, RETRY_LONGEST_WAIT_MS)) {
    try {
      return await call(Math.max(1, Math.min(CALL_TIMEOUT_MS, deadline.remainingMs())));
    } catch (error) {
      const isCutShort = isFirst && firstMs < CALL_TIMEOUT_MS && isOutOfTime(error);
      if (isCutShort && deadline.remainingMs() === 0) throw new RetryLater('A call had too little time left.');
      isFirst = false;
      isContended = statusOf(error) === Status.ABORTED || (isContended && isOutOfTime(error));
      const waitMs = random.fraction() * longestMs;
      const failure = isContended
        ? new RetryLater('Others held what a call needed until the end.', { cause: error })
        : error;
      if (!isTransientStatus(statusOf(error)) || deadline.remainingMs() <= waitMs) throw failure;
      await clock.sleep(waitMs);
      if (deadline.remainingMs() === 0) throw failure; // an instance without CPU wakes late
    }
  }
}
