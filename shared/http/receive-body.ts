import type { IncomingMessage } from 'node:http';
import { BODY_BYTES_PER_SECOND, BODY_FLOOR_MS, BODY_IDLE_MS, BODY_SLOW_MS } from '../limits/requests';
import { MAX_BODY_BYTES } from '../domain/limits';
import { FairTimer } from '../platform/async/fair-timeout';
import type { Reservation } from './capacity';
import { bodyRefused, bodyTooLarge, bodyTooSlow, RequestAborted } from './problems';

/** Time between two checks of a body's pace. */
const CHECK_INTERVAL_MS = 500;

/**
 * Receives the bytes of a request's body as they were sent. A body that stops arriving, or arrives more slowly than
 * over a poor line, is given up. Once the request is answered, the rest of its body is dropped: the connection then
 * carries the caller's next request.
 * @throws HttpProblem 408, 413, 503, after which the connection is closed; RequestAborted when the caller left.
 */
export function receiveBody(
  request: IncomingMessage,
  reservation: Reservation,
  maxBytes = MAX_BODY_BYTES,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    reservation.beginBody(() => fail(bodyRefused()));
    const { socket } = request;
    const chunks: Buffer[] = [];
    let bytes = 0;
    let waitedMs = 0;
    let lastByteMs = 0;
    const pace = new Pace();

    const timer = new FairTimer((ms) => {
      waitedMs = ms;
      const isIdle = waitedMs - lastByteMs >= BODY_IDLE_MS;
      if (isIdle || pace.isTooSlow(waitedMs, bytes)) fail(bodyTooSlow());
      else if (waitedMs >= BODY_SLOW_MS) reservation.reportSlow(() => fail(bodyTooSlow()));
    }, CHECK_INTERVAL_MS);

    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      lastByteMs = waitedMs;
      if (bytes > maxBytes) fail(bodyTooLarge(maxBytes));
      else if (reservation.isAnswered) chunks.length = 0;
      else keep(chunk);
    };
    const onEnd = () => {
      stop();
      const [first, ...more] = chunks;
      resolve(first && more.length === 0 ? first : Buffer.concat(chunks));
    };
    const onClose = () => fail(new RequestAborted('The request was aborted.'));

    request.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
    socket.on('close', onClose); // an answered request emits no event of its own when the connection closes

    function keep(chunk: Buffer): void {
      try {
        reservation.addBodyBytes(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        fail(error as Error);
      }
    }

    function fail(error: Error): void {
      stop();
      request.pause();
      if (reservation.isAnswered) socket.destroy(); // nobody waits for an answer any more
      reject(error);
    }

    function stop(): void {
      timer.end();
      reservation.endBody();
      request.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
      socket.off('close', onClose);
    }
  });
}

/** How fast a body arrives: since its beginning, and over the last BODY_FLOOR_MS. */
class Pace {
  private readonly checks = [{ ms: 0, bytes: 0 }];

  /** To be called at each check, with the time waited and the bytes received so far. */
  isTooSlow(ms: number, bytes: number): boolean {
    const { checks } = this;
    checks.push({ ms, bytes });
    while (checks[1] && checks[1].ms <= ms - BODY_FLOOR_MS) checks.shift();
    const oldest = checks[0] ?? { ms, bytes };
    return bytes < minBytesIn(ms) || bytes - oldest.bytes < minBytesIn(ms - oldest.ms);
  }
}

/** The bytes that must arrive in this time. */
function minBytesIn(ms: number): number {
  return (Math.max(0, ms - BODY_SLOW_MS) / 1_000) * BODY_BYTES_PER_SECOND;
}
