/** What an instance takes on at once, and how long it waits for its callers. */
import { MAX_BODY_BYTES } from '../domain/limits';

/**
 * Requests that one instance of an HTTP function works on at once, and of them those of one key; more are answered
 * with 503 at once. Cloud Run sends an instance 16 (`ingestion`: 40) and holds back the rest. So this is
 * reached only where nothing does that: there the queue stays short enough that whoever waits in it is answered within
 * a few seconds, far below the deadline.
 */
export const MAX_REQUESTS_IN_FLIGHT = 64;
export const MAX_REQUESTS_OF_KEY = 56;

/**
 * How long a caller who was refused for overload should wait, in seconds: a queue of the length above takes about as
 * long.
 */
export const OVERLOAD_RETRY_SECONDS = 1;

/**
 * How long a caller whose request was not finished in time should wait, in seconds: the work that was in its way takes
 * up to the deadline, and some of that time is over.
 */
export const UNFINISHED_RETRY_SECONDS = 5;

/** Requests of an instance, and of one key, whose bodies are arriving: each connection takes some 30 kB. */
export const MAX_BODIES_ARRIVING = 512;
export const MAX_BODIES_ARRIVING_OF_KEY = 64;

/**
 * When a body counts as lost: after BODY_IDLE_MS without a byte; and when, from BODY_SLOW_MS on, fewer bytes a second
 * have come than a line of 256 kbit/s carries, whose 32,000 are a quarter less with all that is around them: since its
 * beginning, and in the last BODY_FLOOR_MS, so that what came at once earns it no time. In each of both a line may be
 * silent for BODY_SLOW_MS. The largest body on such a line takes nine minutes.
 */
export const BODY_IDLE_MS = 10_000;
export const BODY_SLOW_MS = 10_000;
export const BODY_FLOOR_MS = 30_000;
export const BODY_BYTES_PER_SECOND = 24_000;

/**
 * By then the slowest body that is waited for is there: Node's own limit for a whole request, of 5 minutes, is put
 * off.
 */
export const MAX_REQUEST_MS = BODY_SLOW_MS + (1_000 * MAX_BODY_BYTES) / BODY_BYTES_PER_SECOND + 10_000;

/**
 * Bytes of the bodies that are arriving or wait to be worked on, as they were sent, in an instance and of one key: one
 * key may send four of the largest at once.
 */
export const MAX_ARRIVING_BYTES = 96 * 1024 * 1024;
export const MAX_ARRIVING_BYTES_OF_KEY = 4 * MAX_BODY_BYTES;

/**
 * What is not counted among them: the bytes of bodies that have at most SMALL_BODY_BYTES so far, as nearly all have
 * that are no full batches. They have a total of their own, so that large bodies keep none of them out; one key has at
 * most half of it by the number of its bodies and requests.
 */
export const SMALL_BODY_BYTES = 64 * 1024;
export const MAX_SMALL_ARRIVING_BYTES = 16 * 1024 * 1024;

/**
 * Bodies in an instance that take longer than BODY_SLOW_MS, and their bytes: half of the requests that Cloud Run sends
 * an instance, and half of the bytes above, so that slow ones leave room for others, whoever sends them.
 */
export const MAX_SLOW_BODIES = 8;
export const MAX_SLOW_BYTES = MAX_ARRIVING_BYTES / 2;

/**
 * What the work on a body takes of memory, in bytes: so much for each of its bytes (themselves, their text, what is
 * read, merged and encoded), and for each of its values.
 */
export const WORK_BYTES_PER_BYTE = 4;
export const WORK_BYTES_PER_VALUE = 32;

/**
 * Bytes that all work of an instance may take at once: what takes at most SMALL_WORK_BYTES, as ordinary batches do,
 * and what takes more. Two of the largest bodies fit.
 */
export const SMALL_WORK_BYTES = 8 * 1024 * 1024;
export const SMALL_WORK_TOTAL_BYTES = 64 * 1024 * 1024;
export const LARGE_WORK_BYTES = 208 * 1024 * 1024;

/**
 * How long a request whose body is there waits for that memory, in milliseconds: with the time of its work it stays
 * below the 30 s that callers are promised.
 */
export const WORK_WAIT_MS = 8_000;

/**
 * Bodies that are inflated at once, in front of that: each takes up to 32 MiB meanwhile. One that has to wait then is
 * inflated again when its turn comes.
 */
export const INFLATED_AT_ONCE = 2;

/** Time for the requests in flight when an instance ends: Cloud Run kills it 10 s after SIGTERM. */
export const DRAIN_MS = 9_000;

/** How long a minute's counter is kept before Firestore's TTL may remove it. */
export const RATE_COUNTER_RETENTION_SECONDS = 3600;

/**
 * The counter must not delay a request that may be let through: after this time, in which the process was free to read
 * an answer, it counts as out of reach (D-36).
 */
export const RATE_COUNTER_TIMEOUT_MS = 2_000;

/**
 * Keys that an instance remembers as seen, as unknown, by what they sent in a minute, and with the tenants to which
 * they were admitted: each 10,000 and up to twice as many, of about 100 bytes, 2 MB each; the tenants of 500 bytes, 10
 * MB.
 */
export const MAX_REMEMBERED_KEYS = 10_000;
