/**
 * Answers whose body is sent while it is made. Their memory does not grow with their length: the next piece is
 * made once the caller has taken the one before. A body has neither a length nor an envelope. When it cannot be sent to
 * its end, the connection is closed without the mark of the end, so that no caller takes a part for the whole.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { STREAM_IDLE_MS, STREAM_MS } from '../limits/requests';
import { withFairTimeout } from '../platform/async/fair-timeout';
import type { Clock } from '../platform/clock';
import type { Deadline, ExtendableDeadline } from '../platform/deadline';
import { deadlineIn } from '../platform/deadline';
import { RetryLater } from '../platform/retry-later';
import type { StreamedSuccess } from './answer';
import { RequestAborted, streamNeedsNewerHttp } from './problems';

/** A stream whose first piece is made. Nothing of it is sent yet. */
export interface BegunStream {
  readonly contentType: string;
  readonly first: IteratorResult<string, unknown>;
  readonly rest: AsyncIterator<string, unknown>;
}

/**
 * Makes the first piece, so that its errors can still be answered.
 * @throws HttpProblem 400 for a request of HTTP/1.0; whatever making the piece throws
 */
export async function beginStream(
  { httpVersionMajor, httpVersionMinor }: IncomingMessage,
  { contentType, pieces }: StreamedSuccess,
): Promise<BegunStream> {
  if (httpVersionMajor < 1 || (httpVersionMajor === 1 && httpVersionMinor < 1)) throw streamNeedsNewerHttp();
  const rest = pieces[Symbol.asyncIterator]();
  return { contentType, first: await rest.next(), rest };
}

/**
 * Sends a stream with status 200, as fast as the caller takes it. What makes the pieces is ended in any case. After an
 * error the connection is closed.
 * @param deadline is renewed for each piece, and so bounds the making of one
 * @throws RequestAborted when the caller left; RetryLater when the caller, or the whole stream, took too long; errors
 * of the pieces as they are
 */
export async function sendStream(
  response: ServerResponse,
  { contentType, first, rest }: BegunStream,
  headers: Readonly<Record<string, string | number>>,
  deadline: ExtendableDeadline,
  clock: Clock,
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const whole = deadlineIn(STREAM_MS, clock);
  try {
    if (response.destroyed) throw callerLeft();
    response.writeHead(200, { 'Content-Type': contentType, ...headers });
    for (let next = first; !next.done; next = await rest.next()) {
      if (!response.write(next.value)) await taken(response, left.signal, whole);
      if (whole.remainingMs() === 0) throw new RetryLater('A stream was not sent to its end in time.');
      deadline.renew();
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    await rest.return?.();
  }
}

/** Resolves when the caller has taken what was written. @throws RequestAborted, RetryLater */
async function taken(response: ServerResponse, left: AbortSignal, whole: Deadline): Promise<void> {
  const ms = Math.min(STREAM_IDLE_MS, whole.remainingMs());
  try {
    await withFairTimeout(once(response, 'drain', { signal: left }), ms);
  } catch (error) {
    throw left.aborted ? callerLeft() : new RetryLater('The caller of a stream took nothing of it.', { cause: error });
  }
}

function callerLeft(): RequestAborted {
  return new RequestAborted('The caller of a stream left.');
}
