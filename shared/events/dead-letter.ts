import { createHash } from 'node:crypto';
import { MAX_DEAD_LETTER_BYTES, SHORTENED_LETTER_BYTES } from '../limits/events';
import type { Message } from './dead-letter-queue';

/** A message that failed, with where and why. */
export interface DeadLetter {
  /** The function that could not handle it; its push subscription has the same name. Null when unknown. */
  readonly function: string | null;
  /** Null when unknown. */
  readonly reason: string | null;
  /** The message id in the function's logs. Null when unknown. */
  readonly failedMessageId: string | null;
  /** The number of failed deliveries. Null when unknown. */
  readonly attempts: number | null;
  /** The message as it was first published. If it was shortened, only its beginning. */
  readonly original: Message;
  /** Set if the dead letter would have been larger than a topic accepts. A shortened message cannot be replayed. */
  readonly shortened?: Shortened;
}

/** The whole message that was shortened. */
export interface Shortened {
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/**
 * The payload that a function publishes to the dead letters for a message that can never succeed. The message may have
 * been as large as a topic accepts, and base64 in JSON is a third larger. Of such a message the payload holds the
 * beginning, the size and the hash.
 * @param functionName the function that rejected it
 * @param data in base64
 */
export function toDeadLetterPayload(functionName: string, messageId: string, data: string): object {
  if (data.length <= MAX_DEAD_LETTER_BYTES) return { function: functionName, messageId, data };
  const whole = Buffer.from(data, 'base64');
  const shortened: Shortened = {
    bytes: whole.length,
    sha256: createHash('sha256').update(whole).digest('hex'),
  };
  return {
    function: functionName,
    messageId,
    data: whole.subarray(0, SHORTENED_LETTER_BYTES).toString('base64'),
    shortened,
  };
}

/** The prefix of the attributes that Pub/Sub adds to a message when it forwards it to a dead-letter topic. */
const FORWARDED_PREFIX = 'CloudPubSubDeadLetterSource';

/**
 * Parses a message of the dead-letter topic. A function publishes `{"function", "messageId", "data"}` (data in base64)
 * with the reason and the trace of the original as attributes. Pub/Sub forwards a message that a subscription gave up
 * on, with more attributes. Any other message is of unknown origin.
 */
export function parseDeadLetter(message: Message): DeadLetter {
  return parseForwarded(message) ?? parseRejected(message) ?? parseUnknown(message);
}

function parseForwarded({ data, attributes }: Message): DeadLetter | undefined {
  const subscription = attributes[`${FORWARDED_PREFIX}Subscription`];
  if (subscription === undefined) return undefined;
  const attempts = Number(attributes[`${FORWARDED_PREFIX}DeliveryCount`] ?? NaN);
  const others = Object.entries(attributes).filter(([name]) => !name.startsWith(FORWARDED_PREFIX));
  return {
    function: subscription.split('/').at(-1) ?? null, // the name alone, or projects/P/subscriptions/NAME
    reason: 'The subscription gave up on it after its attempts.',
    failedMessageId: null,
    attempts: Number.isInteger(attempts) ? attempts : null,
    original: { data, attributes: Object.fromEntries(others) },
  };
}

function parseRejected(message: Message): DeadLetter | undefined {
  const { traceparent } = message.attributes;
  const { function: name, messageId, data, shortened } = (parseJson(message.data) ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || typeof messageId !== 'string' || typeof data !== 'string') return undefined;
  return {
    function: name,
    reason: message.attributes.reason ?? null,
    failedMessageId: messageId,
    attempts: null,
    original: { data: Buffer.from(data, 'base64'), attributes: traceparent === undefined ? {} : { traceparent } },
    ...(shortened !== undefined && { shortened: shortened as Shortened }),
  };
}

function parseUnknown(message: Message): DeadLetter {
  return { function: null, reason: null, failedMessageId: null, attempts: null, original: message };
}

function parseJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
