/**
 * The bounds of the service, each with its reason; lengths of fields are in `dto/`, those of a protocol in its adapter.
 */

// --- Requests -------------------------------------------------------------------------------------------------------

/** Records in one request (Spec §8, D-31). */
export const MAX_BATCH = { customers: 1000, products: 200, orders: 500 } as const;

/** Bytes of a request body, as sent and after inflating (D-33). */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Nesting of a request body; the deepest valid one has 4 levels, and unknown fields may have some of their own. */
export const MAX_BODY_DEPTH = 32;

/**
 * Values in a request body, an array or object counting as two. A full body of ordinary records has about 400,000;
 * without a bound 16 MiB of `[],[],…` becomes several hundred megabytes of memory.
 */
export const MAX_BODY_VALUES = 2_000_000;

/** Messages in one validation answer (D-22). */
export const MAX_VALIDATION_MESSAGES = 100;

/** Paths in `ignoredFields` (D-21), and characters of each: a field name comes from the caller and may be huge. */
export const MAX_IGNORED_FIELDS = 20;
export const MAX_IGNORED_FIELD_LENGTH = 200;

/**
 * Time for the work of one request, in milliseconds: callers are promised an answer within 30 s, and the answer itself
 * needs a margin.
 */
export const REQUEST_DEADLINE_MS = 20_000;

/**
 * Requests that one instance of an HTTP function works on at once; more are answered with 503 at once. Cloud Run
 * sends an instance 16 (`ingestion`: 40) and holds back the rest. So this is reached only where nothing does that:
 * there the queue stays short enough that whoever waits in it is answered within a few seconds, far below the deadline.
 */
export const MAX_REQUESTS_IN_FLIGHT = 64;

/**
 * How long a caller who was refused for overload should wait, in seconds: a queue of the length above takes about as
 * long.
 */
export const OVERLOAD_RETRY_SECONDS = 1;

/** Time for the requests in flight when an instance ends: Cloud Run kills it 10 s after SIGTERM. */
export const DRAIN_MS = 9_000;

/**
 * Folder prefixes in one registration, and characters of each (Cloud Storage: 1,024 bytes an object name; Scheduler: 1
 * MB a job).
 */
export const MAX_FOLDER_PATHS = 100;
export const MAX_FOLDER_PATH_LENGTH = 1024;

// --- Rate limit -----------------------------------------------------------------------------------------------------

/** Requests a minute and key, unless the key's record says otherwise (Spec §8). */
export const DEFAULT_REQUESTS_PER_MINUTE = 100;

/**
 * The highest limit that a key can have: far more than one key's counter takes, so that a slip of the keyboard shows.
 */
export const MAX_REQUESTS_PER_MINUTE = 1_000_000;

/** Characters of an organization's name. */
export const MAX_ORGANIZATION_LENGTH = 100;

/** How long a minute's counter is kept before Firestore's TTL may remove it. */
export const RATE_COUNTER_RETENTION_SECONDS = 3600;

/** The counter must not delay a request: after this time the request is let through (D-36). */
export const RATE_COUNTER_TIMEOUT_MS = 2_000;

/**
 * Keys that an instance remembers as seen, as unknown, as over their limit, and with the tenants to which they were
 * admitted: each 10,000 and up to twice as many, of about 100 bytes, 2 MB each; the tenants of 500 bytes, 10 MB.
 */
export const MAX_REMEMBERED_KEYS = 10_000;

// --- Stored records -------------------------------------------------------------------------------------------------

/**
 * Records that an instance remembers as written, 10 full batches and up to twice as many, of about 200 bytes, 4 MB; and
 * tenants that have what it does not remember.
 */
export const MAX_REMEMBERED_RECORDS = 10_000;
export const MAX_REMEMBERED_TENANTS = 10_000;

/** Bytes of one stored record. Firestore's limit is 1,048,576; the rest is for the service's own fields. */
export const MAX_RECORD_BYTES = 1_040_000;

/** Half of it: whatever is merged of two smaller ones fits. */
export const LARGE_RECORD_BYTES = MAX_RECORD_BYTES / 2;

/**
 * Elements of an array in one record: variants or items, and texts such as categories. Each takes at least 18 and 2
 * stored bytes, and no shop has as many; the bound is checked before they are validated one by one, because every
 * violation takes memory until the answer is cut at 100 messages.
 */
export const MAX_PARTS = 20_000;
export const MAX_TEXTS = 10_000;

/** Documents in one read, so that a batch is read by parallel calls. */
export const READ_CHUNK_DOCUMENTS = 250;

/** Documents of a page of a collection that is read as a whole: a few hundred kilobytes of ordinary records. */
export const LIST_PAGE_DOCUMENTS = 300;

/** Stored bytes in one commit: Firestore takes 10 MiB a call (its emulator 4 MiB), encoding included. */
export const COMMIT_BYTES = 1_500_000;

/**
 * Documents and bytes in one of the calls that write documents side by side. Firestore takes 500 documents a call; and
 * one processor works on a call while the others wait (the emulator takes 52 ms for 200 products in one call, 27 in
 * two), so that a few small calls come to their end together where two large ones do not. With the document that fills
 * it, the largest there is, a call stays below `COMMIT_BYTES`.
 */
export const WRITE_CALL_DOCUMENTS = 500;
export const WRITE_CALL_BYTES = 200_000;

/** Removals in one step of a deletion that matches many customers. */
export const DELETION_STEP_RECORDS = 400;

/** Deletions of one record that one commit applies, and records whose deletions are applied at once. */
export const DELETIONS_IN_COMMIT = 100;
export const DELETIONS_AT_ONCE = 8;

/**
 * Variants of a product that is matched by Sku: the commit that writes, moves or deletes it writes an index entry for
 * each, of up to 400 bytes with its path, and the emulator takes 4 MiB in one call (Firestore: 10 MiB).
 */
export const MAX_VARIANTS_BY_SKU = 8_750;

/**
 * Deletions of parts that a record did not hold, as many as are remembered of one record, the newest, and characters of
 * the ids of part and record, trimmed: no longer one is ever stored. Together at most 650 kB, so that a tombstone
 * always fits its document. No shop deletes as many lines that it never sent.
 */
export const MAX_BURIED_PARTS = 500;
export const MAX_PART_ID_LENGTH = 100;

/**
 * How long the receipt of an applied deletion is kept; its acceptance is repeated for seconds (REQUEST_DEADLINE_MS).
 */
export const DELETION_RECEIPT_SECONDS = 3600;

/** How long an accepted deletion may be pending before the sweep publishes it again. */
export const DELETION_REPUBLISH_AFTER_SECONDS = 120;

/** Pending deletions that a sweep reads at once, a few hundred bytes each. */
export const SWEEP_PAGE = 1_000;

// --- Calls to Google Cloud ------------------------------------------------------------------------------------------

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

// --- Files ----------------------------------------------------------------------------------------------------------

/**
 * Bytes of one record of a file, or of all the rows of one CSV group. What is stored has at most 1 MB
 * (MAX_RECORD_BYTES); as JSON it is at most about six times as long (letters as \u escapes, indentation), so that
 * nothing longer can be stored.
 */
export const MAX_FILE_RECORD_BYTES = 8 * 1024 * 1024;

/**
 * Values in one record of a JSON file, counted likewise. One that fits a stored record has fewer than 130,000, and
 * unknown fields may have some of their own; without a bound 8 MiB of `{},{},…` becomes hundreds of megabytes of
 * memory.
 */
export const MAX_FILE_RECORD_VALUES = 250_000;

/** Bytes and columns of a CSV header row: it is saved with every resume point, in a document of at most 1 MiB. */
export const MAX_CSV_HEADER_BYTES = 32 * 1024;
export const MAX_CSV_COLUMNS = 1_000;

/** Characters of an identifier by which CSV rows are grouped, which is saved too; a valid one has at most 100. */
export const MAX_CSV_GROUP_KEY_LENGTH = 500;

/**
 * Bytes of a CSV record's own fields, as JSON, that are remembered across a bad row between its rows: they are saved
 * with resume points, too. Those of a shop have a few hundred; the rest is for long texts in columns that are not read.
 */
export const MAX_CSV_OWN_FIELDS_BYTES = 64 * 1024;

/**
 * Bytes that one gzip file may inflate to. Going on in such a file means inflating it from its start again; this much
 * takes a few minutes and so still fits one unit of work. A 32 MB gzip bomb gets this far and no further.
 */
export const MAX_INFLATED_BYTES = 32 * 1024 ** 3;

/**
 * Rows of a slice of a file: their records and the file's progress are one commit. Larger ones are not faster
 * (test/bench/README.md).
 */
export const FILE_SLICE_ROWS = 400;

/** Rows below which a slice in conflict is not made smaller: most of the time of a commit does not depend on them. */
export const FILE_SLICE_LEAST_ROWS = 25;

/**
 * Rows, and about how many bytes of the file, of one chunk: two slices, which are prepared together. Three chunks are
 * in memory at once, the one that is written, the one that is prepared and the one that is parsed, and a slice of the
 * one before.
 */
export const FILE_CHUNK_ROWS = 2 * FILE_SLICE_ROWS;
export const FILE_CHUNK_BYTES = 1024 * 1024;

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
 * How long a run that is still running keeps a file from other recurring runs, from when it took it. A step that fails
 * is delivered for about 16 hours, so that by then nobody reads it any more; and the next day's run finds it free.
 */
export const FILE_HOLD_SECONDS = 20 * 3600;

/**
 * How long a download may be silent before it counts as lost; its step comes again and goes on from its progress. A
 * connection that is cut off is silent for ever: the Storage library does not tell. Far longer than Cloud Storage
 * pauses in a download that goes on, and short against a unit of work.
 */
export const DOWNLOAD_IDLE_MS = 30_000;

/** Objects in one page of planning: each becomes a document and a message. */
export const PLAN_PAGE_OBJECTS = 300;

/**
 * How long, and how often, a worker whose file another one went on with looks whether that is at work: far longer than
 * the commits of some slices take, and short against a unit of work.
 */
export const OVERTAKEN_WATCH_MS = 10_000;
export const OVERTAKEN_LOOK_MS = 500;

/**
 * Lines that a replay remembers of one file, with the records that they are about (8 and 11 bytes each, in a document
 * of at most 1 MiB); beyond, it reads all of them.
 */
export const MAX_REPLAY_LINES = 25_000;

/**
 * Reports in one page of planning a replay, of which each is read, and may be of a file that is looked for in the
 * bucket and becomes a document; and how many files or reports are taken up at once. A step reads all reports of its
 * last file, in the worst case one for each line that is remembered, which takes a minute or two.
 */
export const REPLAY_PAGE_REPORTS = 300;
export const REPLAY_READS_AT_ONCE = 16;

/** Runs of a tenant that one list shows, the newest: what a person reads, and four days of hourly and daily ones. */
export const MAX_LISTED_RUNS = 100;
