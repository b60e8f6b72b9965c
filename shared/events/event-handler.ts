import type { Deadline } from '../platform/deadline';

/**
 * Handles one event, a parsed JSON value. After any error but `UnprocessableEvent` the event is delivered again.
 * @throws UnprocessableEvent, RedeliverLater
 */
export type EventHandler = (event: unknown, deadline: Deadline, message: MessageIdentity) => Promise<void>;

/** The same for every delivery of a message. */
export interface MessageIdentity {
  readonly messageId: string;
  readonly publishedAt: Date;
  /** The attribute of this name, as it was published; absent: it has none. `traceOfMessage` reads it. */
  readonly traceparent?: unknown;
}

/** The event can never succeed. The message is the reason, for operators. */
export class UnprocessableEvent extends Error {
  override readonly name = 'UnprocessableEvent';
}

/** The function is busy. The event is to be delivered again a little later. */
export class RedeliverLater extends Error {
  override readonly name = 'RedeliverLater';
}
