/** Sizes of messages and dead letters. */

/**
 * Bytes of an event as JSON. The largest event that the service publishes takes two thirds of it: a trigger with the
 * most folders, each of the greatest length. A topic takes larger messages, which would fill the memory when parsed.
 */
export const MAX_EVENT_BYTES = 1024 * 1024;

/**
 * Characters of a message's data in its dead letter; a topic takes 10 MB. Of longer data, SHORTENED_LETTER_BYTES are
 * kept, because a person reads only the beginning.
 */
export const MAX_DEAD_LETTER_BYTES = 9_000_000;
export const SHORTENED_LETTER_BYTES = 64 * 1024;
