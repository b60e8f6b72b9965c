/** The bounds of the contract, each with its reason; lengths of fields are in `dto/`. */

/** Records in one request (Spec §8, D-31). */
export const MAX_BATCH = { customers: 1000, products: 200, orders: 500 } as const;

/**
 * Deletions in one request, of any kind: ten commits, one after the other. A deletion takes a fraction of the
 * work of an upsert. A caller who may send a thousand customers at once may also delete them at once.
 */
export const MAX_DELETION_BATCH = 1000;

/** Elements in one page of a list, at most and by default. */
export const MAX_PAGE_ITEMS = 100;
export const DEFAULT_PAGE_ITEMS = 20;

/**
 * Days that one answer tells of usage: as long as counters are kept; and of those the most that it tells by the
 * hour, a week: 168 steps.
 */
export const MAX_USAGE_DAYS = 90;
export const MAX_HOURLY_USAGE_DAYS = 7;

/** Bytes of a request body, as sent and after inflating (D-33). */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Nesting of a request body. The deepest valid body has 4 levels, and unknown fields may have some of their own. */
export const MAX_BODY_DEPTH = 32;

/**
 * Values in a request body; an array or object counts as two. A full body of ordinary records has about 400,000.
 * Without a bound, 16 MiB of `[],[],…` takes several hundred megabytes of memory.
 */
export const MAX_BODY_VALUES = 2_000_000;

/**
 * Members of one object in a body or a record of a file. The largest known object has 15. JSON.parse takes seconds for
 * an object of a million members.
 */
export const MAX_OBJECT_MEMBERS = 1_000;

/** Messages in one validation answer (D-22). */
export const MAX_VALIDATION_MESSAGES = 100;

/**
 * Elements that an answer lists where a batch skips its invalid ones, and messages of each of them: together as many
 * as twenty full validation answers, about 200 KB.
 */
export const MAX_REJECTED_ELEMENTS = 100;
export const MAX_REJECTED_MESSAGES = 20;

/** Paths in `ignoredFields` (D-21), and characters of each. A field name comes from the caller and may be huge. */
export const MAX_IGNORED_FIELDS = 20;
export const MAX_IGNORED_FIELD_LENGTH = 200;

/** Examples of one warning: enough to find the mistake, and few enough to be kept with a file's progress. */
export const MAX_WARNING_EXAMPLES = 5;

/**
 * Time for the work of one request, in milliseconds. Callers are promised an answer within 30 s, and sending the answer
 * needs a margin.
 */
export const REQUEST_DEADLINE_MS = 20_000;

/**
 * Folder prefixes in one registration, and characters of each (Cloud Storage: 1,024 bytes an object name; Scheduler: 1
 * MB a job).
 */
export const MAX_FOLDER_PATHS = 100;
export const MAX_FOLDER_PATH_LENGTH = 1024;

/** Rows that a preview reads of each file at most, when it does not read all: an integer has 32 bits (D-15). */
export const MAX_SAMPLE_ROWS = 2_147_483_647;

/** Requests a minute and key, unless the key's record says otherwise (Spec §8). */
export const DEFAULT_REQUESTS_PER_MINUTE = 100;

/** The highest limit that a key can have. It is far more than one key's counter takes, so it catches typing errors. */
export const MAX_REQUESTS_PER_MINUTE = 1_000_000;

/** Characters of an organization's name, and of the names of tenants and keys, which fill a line of a list. */
export const MAX_ORGANIZATION_LENGTH = 100;
export const MAX_NAME_LENGTH = 100;

/**
 * Elements of an array in one record: parts (variants or items), and texts such as categories. A part takes at least 18
 * stored bytes and a text at least 2; no shop has as many. The bound is checked before the elements are validated one
 * by one, because every violation takes memory until the answer is cut at 100 messages.
 */
export const MAX_PARTS = 20_000;
export const MAX_TEXTS = 10_000;

/**
 * Parts of a record that are merged, indexed or measured before other work may have the event loop. Each part takes a
 * few microseconds, so this many take about one millisecond.
 */
export const PARTS_BETWEEN_YIELDS = 250;
