/** Sizes of messages and dead letters. */

/**
 * Bytes of an event as JSON. The largest that the service publishes, a trigger with all folders of their greatest
 * length, takes two thirds of it. Read into objects the largest messages that a topic takes would fill the memory.
 */
export const MAX_EVENT_BYTES = 1024 * 1024;

/**
 * Characters of a message's data in its dead letter, and bytes that are kept of a longer one: a topic takes 10 MB, and
 * a person reads the beginning.
 */
export const MAX_DEAD_LETTER_BYTES = 9_000_000;
export const SHORTENED_LETTER_BYTES = 64 * 1024;
