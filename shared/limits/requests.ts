/** How much an instance works on at once, and how long it waits for its callers. */
import { MAX_BODY_BYTES } from '../domain/limits';

/**
 * Requests that one instance of an HTTP function works on at once, in all and of one key. Further ones are answered
 * with 503 at once. Cloud Run sends an instance 16 requests (`ingestion`: 40) and holds back the rest, so the
 * limit is reached only where no platform does that. There it keeps the queue short: every request in it is answered
 * within a few seconds, far below the deadline.
 */
export const MAX_REQUESTS_IN_FLIGHT = 64;
export const MAX_REQUESTS_OF_KEY = 56;

/** `Retry-After` of a request refused for overload, in seconds. A queue of the length above takes about as long. */
export const OVERLOAD_RETRY_SECONDS = 1;

/**
 * `Retry-After` of a request that was not finished in time, in seconds. The work that delayed it ends by its own
 * deadline, and a part of that time has passed already.
 */
export const UNFINISHED_RETRY_SECONDS = 5;

/** Bodies that are arriving at once, in an instance and of one key. Each connection takes some 30 kB. */
export const MAX_BODIES_ARRIVING = 512;
export const MAX_BODIES_ARRIVING_OF_KEY = 64;

/**
 * When a body counts as lost:
 *
 * - after BODY_IDLE_MS without a byte; or
 * - when it arrives at less than BODY_BYTES_PER_SECOND, measured since its beginning and again over the last
 *   BODY_FLOOR_MS. The second measure means that a fast beginning earns no time for later.
 *
 * In either measure the line may be silent for BODY_SLOW_MS. The rate is that of a line of 256 kbit/s: 32,000 bytes a
 * second, less a quarter for everything around the body. On such a line the largest body takes nine minutes.
 */
export const BODY_IDLE_MS = 10_000;
export const BODY_SLOW_MS = 10_000;
export const BODY_FLOOR_MS = 30_000;
export const BODY_BYTES_PER_SECOND = 24_000;

/** The slowest body that is waited for has arrived by then. It replaces Node's own limit of 5 minutes for a request. */
export const MAX_REQUEST_MS = BODY_SLOW_MS + (1_000 * MAX_BODY_BYTES) / BODY_BYTES_PER_SECOND + 10_000;

/**
 * Bytes of the bodies that are arriving or waiting for work, as they were sent, in an instance and of one key. One key
 * may send four of the largest bodies at once.
 */
export const MAX_ARRIVING_BYTES = 96 * 1024 * 1024;
export const MAX_ARRIVING_BYTES_OF_KEY = 4 * MAX_BODY_BYTES;

/**
 * A body of at most SMALL_BODY_BYTES so far is small; nearly every body that is no full batch is. Small bodies have a
 * total of their own and are not counted above, so large bodies never keep them out. The number of a key's bodies and
 * requests bounds its share to at most half of that total.
 */
export const SMALL_BODY_BYTES = 64 * 1024;
export const MAX_SMALL_ARRIVING_BYTES = 16 * 1024 * 1024;

/**
 * Slow bodies of an instance (those that take longer than BODY_SLOW_MS), and their bytes. That is half of the requests
 * that Cloud Run sends an instance, and half of the bytes above, so slow bodies leave room for others, whoever sends
 * them.
 */
export const MAX_SLOW_BODIES = 8;
export const MAX_SLOW_BYTES = MAX_ARRIVING_BYTES / 2;

/**
 * Memory that the work on a body takes, in bytes: an amount for each byte of the body (the byte itself, its text, and
 * what is read, merged and encoded), and an amount for each JSON value.
 */
export const WORK_BYTES_PER_BYTE = 4;
export const WORK_BYTES_PER_VALUE = 32;

/**
 * Memory that all work of an instance may take at once, in bytes. Work of at most SMALL_WORK_BYTES, as ordinary batches
 * are, shares SMALL_WORK_TOTAL_BYTES; larger work shares LARGE_WORK_BYTES. Two of the largest bodies fit.
 */
export const SMALL_WORK_BYTES = 8 * 1024 * 1024;
export const SMALL_WORK_TOTAL_BYTES = 64 * 1024 * 1024;
export const LARGE_WORK_BYTES = 208 * 1024 * 1024;

/**
 * How long a request whose body has arrived waits for that memory, in milliseconds. Together with the time of its work
 * it stays below the 30 s that callers are promised.
 */
export const WORK_WAIT_MS = 8_000;

/**
 * Bodies that are inflated at once, before they wait for that memory. Each takes up to 32 MiB meanwhile. A body that
 * then has to wait is dropped and inflated again when its turn comes.
 */
export const INFLATED_AT_ONCE = 2;

/**
 * What one page of a list takes at most: bytes of its elements as JSON, plus one element, and documents that are
 * looked through for it. A page that reaches either ends early and has a token for the rest.
 */
export const MAX_PAGE_BYTES = 1024 * 1024;
export const MAX_PAGE_DOCUMENTS = 1_000;

/**
 * A page of a list ends early when less than this is left of the request's time, in milliseconds: as long as one more
 * call may take.
 */
export const PAGE_RESERVE_MS = 8_000;

/** Documents that are read at once for a page of a list. A file can have 150 KB, and an instance reads forty pages. */
export const PAGE_READ_DOCUMENTS = 25;

/** Characters of a page token that is looked at. The service's own have fewer than 300. */
export const MAX_PAGE_TOKEN_LENGTH = 1_000;

/**
 * Streams that an instance sends at once, in all and of one key. A stream has its place until it ends, which may take
 * minutes. So all streams together have a fifth of the requests that Cloud Run sends an instance of `ingestion`, and
 * those of one key leave room for others.
 */
export const MAX_STREAMS = 8;
export const MAX_STREAMS_OF_KEY = 2;

/** `Retry-After` of a stream beyond these (429 or 503), in seconds. An ordinary report takes about as long. */
export const STREAM_RETRY_SECONDS = 10;

/**
 * Time for a whole stream, in milliseconds. Cloud Run gives a request of `ingestion` 300 s (terraform/functions.tf).
 * The rest is for the checks before the stream and for the last piece, each of which is bounded by the time of a
 * request or of a silent download.
 */
export const STREAM_MS = 240_000;

/**
 * How long the caller of a stream may take nothing of what was written, in milliseconds. The system buffers some
 * megabytes and asks for more only when a good part of them is sent. On a line of 256 kbit/s that takes some 40 s.
 */
export const STREAM_IDLE_MS = 60_000;

/** Time for the requests in flight when an instance ends: Cloud Run kills it 10 s after SIGTERM. */
export const DRAIN_MS = 9_000;

/** How long a minute's counter is kept before Firestore's TTL may remove it. */
export const RATE_COUNTER_RETENTION_SECONDS = 3600;

/**
 * How long a request waits for the rate counter, which must not delay a request that may be let through (D-36). After
 * this time the counter counts as out of reach. Only time in which the process was free to read an answer counts.
 */
export const RATE_COUNTER_TIMEOUT_MS = 2_000;

/**
 * Keys with at most this limit a minute are counted request by request. Each writes the key's counter, and so these are
 * at most two writes a second to one document, of which Firestore takes about one for long. Above it an instance takes
 * the requests from the counter in leases.
 */
export const MAX_COUNTED_SINGLY = 120;

/**
 * For how long a lease lasts at the rate at which an instance gets requests, in seconds. A few instances with steady
 * loads then write a counter about once a second together.
 */
export const LEASE_SECONDS = 4;

/**
 * What the instances may have leased without a use for it, as parts of the key's limit and of the requests that they
 * have admitted: together a tenth of the limit. Only so many requests are refused early when instances end or get no
 * more requests.
 */
export const LEASE_SHARE_OF_INSTANCES = 1 / 20;
export const LEASE_SHARE_OF_USED = 1 / 20;

/**
 * How evenly the instances of a key share the first of these. With 4, the first to lease has a fifth, the fifth one an
 * eighteenth, the thirtieth one a 280th. Up to four instances with equal loads then use up 60,000 requests with at most
 * 120 writes to the counter, two a second; thirty with about 900, one in two seconds each. More evenly is worse for
 * few instances, and less evenly for many.
 */
export const LEASE_INSTANCES = 4;

/**
 * What one lease may reserve of what is left of the limit. So leases become small near its end, and whichever instance
 * comes next finds as much. It costs a write each time that what is left halves, some ten in all.
 */
export const LEASE_SHARE_OF_LEFT = 1 / 2;

/**
 * Entries of each memory of keys that an instance has: keys that were seen, unknown keys, what a key sent in a minute,
 * its leases, and the tenants to which a key was admitted. Each holds 10,000 entries and up to twice as many. An entry
 * takes about 100 bytes, 2 MB in all; one of leases 300 bytes, 6 MB in all; one with a tenant, or with a key that has
 * ended, 500 bytes, 10 MB in all.
 */
export const MAX_REMEMBERED_KEYS = 10_000;

/**
 * How long a registration looks at the bucket. A look takes two short requests, and the first one of an instance a
 * token. The transfer is registered already, and its caller must not take a slow look for a failure and repeat it.
 */
export const BUCKET_LOOK_MS = 3_000;
