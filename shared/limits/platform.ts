/** The bounds of calls and their retries, of the event loop and of the heap. */

/**
 * Bytes up to which a JSON text is parsed before it is scanned. An object with as many members as fit into this takes a
 * few milliseconds to parse; one of a megabyte takes 200.
 */
export const SHORT_JSON_BYTES = 64 * 1024;

/**
 * How long one computation holds the event loop before all other work of the instance has its turn, in milliseconds.
 * Nobody notices such a pause, and it is long compared with the turn itself.
 */
export const EVENT_LOOP_SHARE_MS = 10;

/** First and longest wait before a failed call is retried; the wait is jittered between zero and that. */
export const RETRY_FIRST_WAIT_MS = 50;
export const RETRY_LONGEST_WAIT_MS = 2_000;

/** The timeout of one attempt of a call. After it the attempt counts as lost and is retried. */
export const CALL_TIMEOUT_MS = 8_000;

/**
 * The timeout of a query whose documents are read as they are taken. The emulator sorts a large collection before it
 * sends anything, and a reader may be slow; who is cut off goes on with another query.
 */
export const STREAM_TIMEOUT_MS = 60_000;

/**
 * How long a caller waits at most for the rollback of its transaction, whatever is left of its deadline. A request
 * works for 20 s (REQUEST_DEADLINE_MS) and is answered within 30 s.
 */
export const ROLLBACK_WAIT_MS = 6_000;

/**
 * How long the database holds the locks of a transaction that nobody ends. Everybody who waits for them runs out of
 * time, so a rollback that failed is tried again until then.
 */
export const LOCKS_HELD_MS = 60_000;

/**
 * First and longest wait before a failed connection is tried again. Meanwhile calls fail at once. The wait is shorter
 * than every deadline of their retries, so they get through as soon as the service is back.
 */
export const RECONNECT_FIRST_WAIT_MS = 100;
export const RECONNECT_LONGEST_WAIT_MS = 2_000;

/**
 * How far the heap of a function that reads files may grow beyond the live objects before garbage is collected, in per
 * cent. By default V8 lets it grow up to three times, and a long file takes twice the memory of a short one. The bound
 * costs about a fifth more CPU.
 */
export const FILES_HEAP_GROWTH_PERCENT = 30;

/**
 * The same for the functions that take batches; most of their heap is garbage. By default V8 chooses the growth by the
 * rate of allocation, between a tenth and three times. Then some instances collect the whole heap at every third batch,
 * and others hardly ever (test/bench/README.md). Whatever the value, V8 leaves half of its free memory unused.
 */
export const BATCHES_HEAP_GROWTH_PERCENT = 200;

/**
 * MiB of the larger part of V8's young generation. With the default of 16, a long file takes a fifth more memory than a
 * short one, for the same CPU.
 */
export const MAX_SEMI_SPACE_MEBIBYTES = 4;

/**
 * MiB of V8's old generation in each function. All work on bodies, records and slices is bounded to fit. Without this
 * limit V8 takes the size from the machine and collects garbage only when far more is used. With it, a function takes
 * at most 512 MiB, buffers and code included.
 */
export const MAX_OLD_SPACE_MEBIBYTES = 384;
