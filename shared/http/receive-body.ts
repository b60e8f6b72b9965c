import type { IncomingMessage } from 'node:http';
import { BODY_BYTES_PER_SECOND, BODY_FLOOR_MS, BODY_IDLE_MS, BODY_SLOW_MS } from '../limits/requests';
import { MAX_BODY_BYTES } from '../domain/limits';
import { FairTimer } from '../platform/async/fair-timeout';
import type { Reservation } from './capacity';
import { bodyTooLarge, bodyTooSlow, RequestAborted } from './problems';

const LOOK_MS = 500;

/**
 * Takes the bytes of a request's body as they were sent. Whoever sends nothing for a while, or less than a poor line
 * carries, is not waited for. Once the request is answered, what still comes is dropped: the connection then carries
 * the caller's next request.
 * @throws HttpProblem 408, 413, 503, after which the connection is closed; RequestAborted when the caller left.
 */
export function receiveBody(request: IncomingMessage, hold: Reservation): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    hold.beginBody();
    const { socket } = request;
    const chunks: Buffer[] = [];
    let bytes = 0;
    let waitedMs = 0;
    let lastByteMs = 0;
    const pace = new Pace();

    const patience = new FairTimer((ms) => {
      waitedMs = ms;
      const isIdle = waitedMs - lastByteMs >= BODY_IDLE_MS;
      if (isIdle || pace.isTooSlow(waitedMs, bytes)) fail(bodyTooSlow());
      else if (waitedMs >= BODY_SLOW_MS) hold.reportSlow(() => fail(bodyTooSlow()));
    }, LOOK_MS);

    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      lastByteMs = waitedMs;
      if (bytes > MAX_BODY_BYTES) fail(bodyTooLarge(MAX_BODY_BYTES));
      else if (hold.isAnswered) chunks.length = 0;
      else keep(chunk);
    };
    const onEnd = () => {
      retryConflicts();
      const [first, ...more] = chunks;
      resolve(first && more.length === 0 ? first : Buffer.concat(chunks));
    };
    const onClose = () => fail(new RequestAborted('The request was aborted.'));

    request.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
    socket.on('close', onClose); // a request that was answered is not told

    function keep(chunk: Buffer): void {
      try {
        hold.addBodyBytes(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        fail(error as Error);
      }
    }

    function fail(error: Error): void {
      retryConflicts();
      request.pause();
      if (hold.isAnswered) socket.destroy(); // nobody waits for an answer any more
      reject(error);
    }

    function retryConflicts(): void {
      patience.end();
      hold.endBody();
      request.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
      socket.off('close', onClose);
    }
  });
}

/** How fast a body arrives: since its beginning, and lately. */
class Pace {
  private readonly looks = [{ ms: 0, bytes: 0 }];

  /** To be asked at each look. */
  isTooSlow(ms: number, bytes: number): boolean {
    const { looks } = this;
    looks.push({ ms, bytes });
    while (looks[1] && looks[1].ms <= ms - BODY_FLOOR_MS) looks.shift();
    const lately = looks[0] ?? { ms, bytes };
    return bytes < leastIn(ms) || bytes - lately.bytes < leastIn(ms - lately.ms);
  }
}

/** Bytes that arrive in a time at least. */
function leastIn(ms: number): number {
  return (Math.max(0, ms - BODY_SLOW_MS) / 1_000) * BODY_BYTES_PER_SECOND;
}
