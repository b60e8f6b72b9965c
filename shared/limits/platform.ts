/** How long calls are repeated, how long the event loop is held, and what the heap takes. */

/**
 * Bytes of a JSON text that is parsed before it is looked at: an object of as many members as it holds takes a few
 * milliseconds, one of a megabyte 200.
 */
export const SHORT_JSON_BYTES = 64 * 1024;

/**
 * How long one computation holds the event loop before everything else that the instance does has its turn, in
 * milliseconds: far below what anybody notices, and long against the turn itself.
 */
export const EVENT_LOOP_SHARE_MS = 10;

/** First and longest wait before a failed call is repeated; the wait is jittered between zero and that. */
export const RETRY_FIRST_WAIT_MS = 50;
export const RETRY_LONGEST_WAIT_MS = 2_000;

/** One attempt of a call: after this time it counts as lost and is repeated. */
export const CALL_TIMEOUT_MS = 8_000;

/**
 * First and longest wait before a connection that failed is tried again. Calls meanwhile fail at once: the wait is
 * shorter than every deadline by which they are repeated, so that they get through as soon as the service is back.
 */
export const RECONNECT_FIRST_WAIT_MS = 100;
export const RECONNECT_LONGEST_WAIT_MS = 2_000;

/**
 * How far the heap of a function that reads files may grow beyond what is alive before garbage is collected, in per
 * cent. By its default V8 waits for up to three times as much, so that a long file takes twice the memory of a short
 * one. It costs about a fifth more of CPU.
 */
export const FILES_HEAP_GROWTH_PERCENT = 30;

/**
 * The same for the functions that take batches, whose garbage is most of their heap. By its default V8 chooses it by
 * how fast they make garbage, between a tenth and three times: some instances then look through their heap at every
 * third batch, others hardly ever (test/bench/README.md). However high, V8 leaves half of what is free of its memory.
 */
export const BATCHES_HEAP_GROWTH_PERCENT = 200;

/**
 * MiB of the larger part of V8's young generation. By its default of 16 a long file takes a fifth more memory than a
 * short one, for the same CPU.
 */
export const MAX_SEMI_SPACE_MEBIBYTES = 4;

/**
 * MiB of V8's old generation in each function. All work on bodies, records and
 * slices is bounded to fit. Without it V8 takes the size from the machine and leaves garbage until far more is used;
 * with it such a function takes at most 512 MiB, buffers and code included.
 */
export const MAX_OLD_SPACE_MEBIBYTES = 384;
