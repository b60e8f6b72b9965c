/** What counting and logging of requests may cost, and how much of it one answer tells. */
import { MAX_USAGE_DAYS } from '../domain/limits';

/**
 * How often an instance stores what it has counted, at most, in milliseconds: twice a minute. Each document belongs to
 * one instance, so none takes more than one write in this time.
 */
export const USAGE_INTERVAL_MS = 30_000;

/**
 * How often an instance looks whether it has something to store while it gets no requests, in milliseconds. Cloud Run
 * gives an idle instance hardly any CPU, so there the look may come late.
 */
export const USAGE_LOOK_MS = 10_000;

/** Time for a write of counters, with its retries, in milliseconds; for the last one of an instance that ends. */
export const USAGE_WRITE_MS = 20_000;
export const LAST_USAGE_WRITE_MS = 2_000;

/**
 * Counters that an instance holds: one for each tenant, day, hour, key and route. Each takes at most 160 stored bytes,
 * so that all of them fit into one document, and some 300 bytes of memory, 1.5 MB in all. Once a write has left fewer
 * than half of them free, those that are stored make room. A request that needs a further one meanwhile is not counted.
 */
export const MAX_USAGE_ENTRIES = 5_000;

/** Keys whose last use an instance has not stored yet. A further one is noted at its next request. */
export const MAX_USED_KEYS = 5_000;

/**
 * Counts of a request that began longer ago than this, in milliseconds, are stored only if the tenant still exists. An
 * erasure (`STALE_TENANT_MS`, fourteen minutes) removes what was stored earlier.
 */
export const UNCHECKED_USAGE_MS = 600_000;

/** How long counters are kept, in days: an answer tells of as many. */
export const USAGE_RETENTION_DAYS = MAX_USAGE_DAYS;

/**
 * Documents of counters in the first page that is read of a tenant: 40 MB of the largest ones. Further pages have as
 * many as hold so many counters (16 MB) if they are like those before, up to LIST_PAGE_DOCUMENTS: an ordinary document
 * has some hundred bytes. The emulator takes as long for each page as for the whole collection.
 */
export const FIRST_USAGE_PAGE_DOCUMENTS = 50;
export const USAGE_PAGE_ENTRIES = 100_000;

/** Documents that are read for one answer: half a second of Firestore's for a thousand. */
export const MAX_USAGE_DOCUMENTS = 10_000;

/** Answers with usage that an instance makes at once: 160 MB of the largest documents. */
export const USAGE_READS_AT_ONCE = 4;

/** Keys in one answer, those with the most requests: 150 kB. Few organizations have ten. */
export const MAX_USAGE_KEYS = 1_000;

/**
 * Tenants whose counters of a day are looked at for the requests of an organization's keys: each costs a read at least,
 * and all of them together MAX_USAGE_DOCUMENTS at most. So many at once in an instance: 80 MB of the largest documents.
 */
export const MAX_KEY_USAGE_TENANTS = 100;
export const KEY_USAGE_READS_AT_ONCE = 2;

/** Tenants whose usage is summed at once where it is of all tenants, and tenants in a list of the most used ones. */
export const USAGE_TENANTS_AT_ONCE = 32;
export const MAX_TOP_TENANTS = 1_000;

/** Tenants of which one request sums the usage: a second of Firestore's, so that a page shows how far it is. */
export const USAGE_PART_TENANTS = 250;

/**
 * Lines for refused requests in the log of an instance: the first ones of a key and tenant in each minute, then the
 * tenth, hundredth, thousandth and so on. In all so many a minute, about 300 kB; the log of all instances costs less
 * than a dollar an hour, however many requests are refused.
 */
export const REFUSALS_LOGGED_FIRST = 5;
export const REFUSALS_LOGGED_A_MINUTE = 600;

/** Keys and tenants whose refused requests an instance tells apart, and up to twice as many. */
export const MAX_REFUSED_SOURCES = 1_000;

/** Paths of violations in one such line, and characters of each. */
export const MAX_LOGGED_PATHS = 10;
export const MAX_LOGGED_PATH_LENGTH = 100;
