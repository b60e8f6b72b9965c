import { createHash } from 'node:crypto';
import { MAX_DEAD_LETTER_BYTES, SHORTENED_LETTER_BYTES } from '../limits/events';
import type { Message } from './dead-letter-queue';

/** Where a message failed, why, and what it was. */
export interface DeadLetter {
  /** The function that could not handle it, which is also the name of its push subscription; null when unknown. */
  readonly function: string | null;
  /** Null when unknown. */
  readonly reason: string | null;
  /** Its id when it failed, as the function's logs have it; null when unknown. */
  readonly failedMessageId: string | null;
  /** How often it was delivered in vain; null when unknown. */
  readonly attempts: number | null;
  /** The message as it was published first; of one that was shortened, its beginning. */
  readonly original: Message;
  /** What a message was whose dead letter would have been larger than a topic takes: it cannot be replayed. */
  readonly shortened?: Shortened;
}

export interface Shortened {
  /** Of the whole message, as is its hash. */
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/**
 * What a function publishes of a message that can never succeed. Base64 inside of JSON is a third longer than the
 * message itself, which may have been as long as a topic takes: of that its beginning is kept, its size and its hash.
 * @param data in base64
 */
export function toDeadLetterPayload(name: string, messageId: string, data: string): object {
  if (data.length <= MAX_DEAD_LETTER_BYTES) return { function: name, messageId, data };
  const whole = Buffer.from(data, 'base64');
  const shortened: Shortened = {
    bytes: whole.length,
    sha256: createHash('sha256').update(whole).digest('hex'),
  };
  return {
    function: name,
    messageId,
    data: whole.subarray(0, SHORTENED_LETTER_BYTES).toString('base64'),
    shortened,
  };
}

/** What Pub/Sub adds to the attributes of a message that it forwards to a dead-letter topic. */
const FORWARDED = 'CloudPubSubDeadLetterSource';

/**
 * Reads a message of the dead-letter topic. A function publishes `{"function", "messageId", "data"}` (data in base64)
 * with its reason as an attribute; Pub/Sub forwards the message that a subscription gave up on, with more attributes.
 * Anything else is an original of unknown origin.
 */
export function parseDeadLetter(message: Message): DeadLetter {
  return parseForwarded(message) ?? parseRejected(message) ?? parseUnknown(message);
}

function parseForwarded({ data, attributes }: Message): DeadLetter | undefined {
  const subscription = attributes[`${FORWARDED}Subscription`];
  if (subscription === undefined) return undefined;
  const attempts = Number(attributes[`${FORWARDED}DeliveryCount`] ?? NaN);
  const others = Object.entries(attributes).filter(([name]) => !name.startsWith(FORWARDED));
  return {
    function: subscription.split('/').at(-1) ?? null, // the name alone, or projects/P/subscriptions/NAME
    reason: 'The subscription gave up on it after its attempts.',
    failedMessageId: null,
    attempts: Number.isInteger(attempts) ? attempts : null,
    original: { data, attributes: Object.fromEntries(others) },
  };
}

function parseRejected(message: Message): DeadLetter | undefined {
  const { function: name, messageId, data, shortened } = (parseJson(message.data) ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || typeof messageId !== 'string' || typeof data !== 'string') return undefined;
  return {
    function: name,
    reason: message.attributes.reason ?? null,
    failedMessageId: messageId,
    attempts: null,
    original: { data: Buffer.from(data, 'base64'), attributes: {} },
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
