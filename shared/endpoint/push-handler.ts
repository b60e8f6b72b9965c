/**
 * Receives the messages of a Pub/Sub push subscription.
 *
 * - A handled event is acknowledged.
 * - An event that fails for a transient reason is not acknowledged, and is redelivered.
 * - An event that can never succeed goes to the dead-letter topic, with the reason.
 *
 * What is logged of an event, and published after it, is in the trace of its message.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../platform/clock';
import { deadlineIn } from '../platform/deadline';
import { MAX_EVENT_BYTES } from '../limits/events';
import { REQUEST_DEADLINE_MS } from '../domain/limits';
import { readJsonBody } from '../http/body';
import { Capacity } from '../http/capacity';
import { preventFrameworkDomains } from '../http/framework-domain';
import { HttpProblem, RequestAborted } from '../http/problems';
import '../http/raw-request';
import { traceOf } from '../http/trace';
import type { Logger } from '../platform/logger';
import { errorDetails } from '../platform/logger';
import type { Random } from '../platform/random';
import type { Trace } from '../platform/trace';
import { ValidationFailed } from '../validation/validation-failed';
import { toDeadLetterPayload } from '../events/dead-letter';
import type { EventHandler, MessageIdentity } from '../events/event-handler';
import { RedeliverLater, UnprocessableEvent } from '../events/event-handler';
import type { EventPublisher } from '../events/event-publisher';
import { inTrace, traceOfMessage } from '../events/in-trace';

export interface PushDependencies {
  readonly publisher: EventPublisher;
  readonly deadLettersTopic: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface PushedMessage {
  readonly messageId: string;
  /** As it was sent; checked by `identify`. */
  readonly publishTime: unknown;
  /** As it was sent; read by `traceOfMessage`. */
  readonly traceparent: unknown;
  /** base64 */
  readonly data: string;
}

/**
 * Makes the handler of a function that a push subscription calls.
 * @param name of the function, for logs and dead letters
 */
export function createPushHandler(name: string, handle: EventHandler, dependencies: PushDependencies) {
  preventFrameworkDomains();
  const { clock, random, logger } = dependencies;
  const capacity = new Capacity();
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const ofDelivery = traceOf(request.headers, random);
    const message = await readMessage(request).catch((error: unknown) => comesAgain(error, ofDelivery));
    if (message === NO_PUSH_MESSAGE)
      logger.log('WARNING', 'A request that is no push message was refused.', { function: name, ...ofDelivery });
    const status =
      typeof message === 'number'
        ? message
        : await receive(message).catch((error: unknown) => comesAgain(error, traceOfMessage(message)));
    response.writeHead(status).end();
  };

  function comesAgain(error: unknown, trace: Trace): number {
    logger.log('ERROR', 'A push could not be handled; it will come again.', {
      function: name,
      ...trace,
      ...errorDetails(error),
    });
    return 500;
  }

  async function receive(message: PushedMessage): Promise<number> {
    const begunMs = clock.nowMs();
    const { messageId, data } = message;
    const traced = inTrace(dependencies, traceOfMessage(message));
    try {
      await handle(parseEvent(message), deadlineIn(REQUEST_DEADLINE_MS, clock), identify(message));
      const details = { function: name, messageId, tookMs: clock.nowMs() - begunMs };
      traced.logger.log('INFO', 'An event was handled.', details);
    } catch (error) {
      if (error instanceof RedeliverLater) return 429;
      if (!(error instanceof UnprocessableEvent)) throw error;
      const reason = error.message;
      traced.logger.log('ERROR', 'An event can never succeed; it goes to the dead letters.', {
        function: name,
        messageId,
        reason,
      });
      const letter = toDeadLetterPayload(name, messageId, data);
      await traced.publisher.publish(dependencies.deadLettersTopic, letter, { function: name, reason });
    }
    return 204;
  }

  /** The message of a push; or the status to answer, when the request has no message or cannot be read now. */
  async function readMessage(request: IncomingMessage): Promise<PushedMessage | number> {
    const reservation = capacity.begin('');
    try {
      const body = (await readJsonBody(request, 'object', reservation)) as { message?: Record<string, unknown> } | null;
      const { messageId, publishTime, data, attributes } = body?.message ?? {};
      if (typeof messageId !== 'string') return NO_PUSH_MESSAGE;
      const { traceparent } = (attributes ?? {}) as Record<string, unknown>;
      return { messageId, publishTime, traceparent, data: typeof data === 'string' ? data : '' };
    } catch (error) {
      if (error instanceof HttpProblem) return error.status === 503 ? 503 : NO_PUSH_MESSAGE;
      if (error instanceof ValidationFailed || error instanceof RequestAborted) return NO_PUSH_MESSAGE;
      throw error;
    } finally {
      reservation.release();
    }
  }
}

/** The status of a request without a push message. */
const NO_PUSH_MESSAGE = 400;

function parseEvent({ data }: PushedMessage): unknown {
  if (Buffer.byteLength(data, 'base64') > MAX_EVENT_BYTES) {
    throw new UnprocessableEvent(
      `The data of the message is larger than any event: more than ${MAX_EVENT_BYTES} bytes.`,
    );
  }
  try {
    return JSON.parse(Buffer.from(data, 'base64').toString('utf8')) as unknown;
  } catch {
    throw new UnprocessableEvent('The data of the message is not JSON.');
  }
}

function identify({ messageId, publishTime, traceparent }: PushedMessage): MessageIdentity {
  const publishedAt = new Date(typeof publishTime === 'string' ? publishTime : NaN);
  if (Number.isNaN(publishedAt.getTime())) {
    throw new UnprocessableEvent('The message does not say when it was published: its publishTime is no date.');
  }
  return { messageId, publishedAt, traceparent };
}
