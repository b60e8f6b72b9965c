/**
 * Receives the messages of a Pub/Sub push subscription. An event that is handled is acknowledged; one that fails for a
 * passing reason is not, and comes again; one that can never succeed goes to the dead-letter topic with its reason.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock';
import type { Deadline } from '../deadline';
import { deadlineIn } from '../deadline';
import { REQUEST_DEADLINE_MS } from '../domain/limits';
import { readJsonBody } from '../http/body';
import { leaveFrameworkDomain } from '../http/framework-domain';
import { HttpProblem, RequestAborted } from '../http/problems';
import '../http/raw-request';
import { traceIdOf } from '../http/trace';
import type { Logger } from '../logger';
import { errorDetails } from '../logger';
import type { Random } from '../random';
import { ValidationFailed } from '../validation/validation-failed';
import type { EventPublisher } from './event-publisher';

/** An event that can never succeed, with the reason for operators. */
export class UnprocessableEvent extends Error {
  override readonly name = 'UnprocessableEvent';
}

export interface PushDependencies {
  readonly publisher: EventPublisher;
  readonly deadLettersTopic: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The function has enough to do; the event is to come again a little later. */
export class TryLater extends Error {
  override readonly name = 'TryLater';
}

/**
 * Handles one event, a parsed JSON value. @throws UnprocessableEvent, TryLater; any other error makes it come again,
 * too.
 */
export type EventHandler = (event: unknown, deadline: Deadline, message: MessageIdentity) => Promise<void>;

/** The same for every delivery of a message. */
export interface MessageIdentity {
  readonly messageId: string;
  readonly publishedAt: Date;
}

interface PushedMessage extends MessageIdentity {
  /** base64 */
  readonly data: string;
}

/**
 * Makes the handler of a function that a push subscription calls. `name`: the function's, for logs and dead letters.
 */
export function createPushHandler(name: string, handle: EventHandler, dependencies: PushDependencies) {
  const { clock, random, logger } = dependencies;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    leaveFrameworkDomain();
    const traceId = traceIdOf(request.headers, random);
    const status = await receive(request, traceId).catch((error: unknown) => {
      logger.log('ERROR', 'A push could not be handled; it will come again.', {
        function: name,
        traceId,
        ...errorDetails(error),
      });
      return 500;
    });
    response.writeHead(status).end();
  };

  async function receive(request: IncomingMessage, traceId: string): Promise<number> {
    const message = await readMessage(request);
    if (!message) {
      logger.log('WARNING', 'A request that is no push message was refused.', { function: name, traceId });
      return 400;
    }
    try {
      await handle(parseEvent(message), deadlineIn(REQUEST_DEADLINE_MS, clock), message);
    } catch (error) {
      if (error instanceof TryLater) return 429;
      if (!(error instanceof UnprocessableEvent)) throw error;
      const details = { function: name, traceId, messageId: message.messageId, reason: error.message };
      logger.log('ERROR', 'An event can never succeed; it goes to the dead letters.', details);
      const { messageId, data } = message;
      await dependencies.publisher.publish(
        dependencies.deadLettersTopic,
        { function: name, messageId, data },
        { function: name, reason: error.message },
      );
    }
    return 204;
  }
}

/** The message of a push; undefined when the request is none. */
async function readMessage(request: IncomingMessage): Promise<PushedMessage | undefined> {
  try {
    const body = (await readJsonBody(request, 'object')) as { message?: Record<string, unknown> } | null;
    const { messageId, publishTime, data } = body?.message ?? {};
    if (typeof messageId !== 'string') return undefined;
    const publishedAt = new Date(typeof publishTime === 'string' ? publishTime : 0);
    return { messageId, publishedAt, data: typeof data === 'string' ? data : '' };
  } catch (error) {
    const isMalformed =
      error instanceof ValidationFailed || error instanceof HttpProblem || error instanceof RequestAborted;
    if (isMalformed) return undefined;
    throw error;
  }
}

function parseEvent({ data }: PushedMessage): unknown {
  try {
    return JSON.parse(Buffer.from(data, 'base64').toString('utf8')) as unknown;
  } catch {
    throw new UnprocessableEvent('The data of the message is not JSON.');
  }
}
