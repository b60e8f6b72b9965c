import type { Deadline } from '../platform/deadline';

/**
 * Handles one event, a parsed JSON value. @throws UnprocessableEvent, RedeliverLater; any other error makes it come again,
 * too.
 */
export type EventHandler = (event: unknown, deadline: Deadline, message: MessageIdentity) => Promise<void>;

/** The same for every delivery of a message. */
export interface MessageIdentity {
  readonly messageId: string;
  readonly publishedAt: Date;
}

/** An event that can never succeed, with the reason for operators. */
export class UnprocessableEvent extends Error {
  override readonly name = 'UnprocessableEvent';
}

/** The function has enough to do; the event is to come again a little later. */
export class RedeliverLater extends Error {
  override readonly name = 'RedeliverLater';
}
