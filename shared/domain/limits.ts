/**
 * The bounds of the service, each with its reason; lengths of fields are in `dto/`, those of a protocol in its
 * adapter.
 */

// --- Requests -------------------------------------------------------------------------------------------------------

/** Records in one request (Spec §8, D-31). */
export const MAX_BATCH = { customers: 1000, products: 200, orders: 500 } as const;

/**
 * Deletions in one request, of any kind: ten commits one after the other. Each takes a fraction of the work of
 * an upsert, and whoever may send a thousand customers may take them back at once.
 */
export const MAX_DELETION_BATCH = 1000;

/** Bytes of a request body, as sent and after inflating (D-33). */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Nesting of a request body; the deepest valid one has 4 levels, and unknown fields may have some of their own. */
export const MAX_BODY_DEPTH = 32;

/**
 * Values in a request body, an array or object counting as two. A full body of ordinary records has about 400,000;
 * without a bound 16 MiB of `[],[],…` becomes several hundred megabytes of memory.
 */
export const MAX_BODY_VALUES = 2_000_000;

/**
 * Members of one object in a body or a record of a file. The largest known object has 15; JSON.parse takes seconds for
 * one with a million.
 */
export const MAX_OBJECT_MEMBERS = 1_000;

/**
 * Bytes of a JSON text that is parsed before it is looked at: an object of as many members as it holds takes a few
 * milliseconds, one of a megabyte 200.
 */
export const SHORT_JSON_BYTES = 64 * 1024;

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
 * How long one computation holds the event loop before everything else that the instance does has its turn, in
 * milliseconds: far below what anybody notices, and long against the turn itself.
 */
export const EVENT_LOOP_SHARE_MS = 10;

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
export const REPEAT_LATER_SECONDS = 5;

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

/**
 * Folder prefixes in one registration, and characters of each (Cloud Storage: 1,024 bytes an object name; Scheduler: 1
 * MB a job).
 */
export const MAX_FOLDER_PATHS = 100;
export const MAX_FOLDER_PATH_LENGTH = 1024;

// --- Erasing a tenant -----------------------------------------------------------------------------------------------

/**
 * By then a function has ended its work on a message, or was ended: Pub/Sub waits for an acknowledgement no longer, and
 * the functions' time limits, within which a unit of work ends (TRANSFER_UNIT_SECONDS), are a minute below it.
 */
export const MAX_STEP_MS = 600_000;

/**
 * For the mark's own commit, a call that was cut off and is applied all the same, a process that stood still, and the
 * clocks of two operators who erase a tenant one after the other.
 */
export const ERASURE_MARGIN_MS = 120_000;

/**
 * How long what was admitted for a tenant before it was marked as being erased may still write: a request whose body
 * takes its time, waits for memory and then is worked on, or a step of a transfer. Fifteen minutes.
 */
export const ERASURE_QUIET_MS =
  Math.max(MAX_REQUEST_MS + WORK_WAIT_MS + REQUEST_DEADLINE_MS, MAX_STEP_MS) + ERASURE_MARGIN_MS;

/** Runs of a tenant that are removed at once, and report objects of each. */
export const ERASED_RUNS_AT_ONCE = 8;
export const ERASED_OBJECTS_AT_ONCE = 16;

/** Report objects of a page: as many as Cloud Storage lists in one call. */
export const OBJECTS_PAGE = 1_000;

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

// --- Stored records -------------------------------------------------------------------------------------------------

/**
 * Records that an instance remembers as written, 10 full batches and up to twice as many, of about 200 bytes, 4 MB;
 * and tenants that have what it does not remember.
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

/**
 * Parts of a record that are merged, indexed or measured before others may have the event loop: each takes a few
 * microseconds, so that a step takes about one millisecond.
 */
export const PARTS_IN_STEP = 250;

/** Documents in one read, so that a batch is read by parallel calls. */
export const READ_CHUNK_DOCUMENTS = 250;

/** Calls at once of a read that is bounded by bytes: what they receive beyond the bound is thrown away, and paid. */
export const BOUNDED_READS_AT_ONCE = 4;

/**
 * About how many bytes of records a batch reads, merges and sends at a time, and how many windows of larger batches an
 * instance works on at once. An ordinary batch takes a few hundred kilobytes and so is one window. Decoded, merged and
 * encoded, a window takes about six times its bytes, and one record more. With 16 requests at once, which all begin
 * with one, that stays below 300 MB.
 */
export const MERGE_WINDOW_BYTES = 2_000_000;
export const MERGE_WINDOWS_AT_ONCE = 4;

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

/** From when the database receives a commit until it is done, at most: no call waits for so long. */
export const LONGEST_COMMIT_MS = 60_000;

/** Values of a field that one query looks for: as many as the database takes. */
export const QUERY_VALUES = 30;

/**
 * Customers that the entries of one deletion name. Beyond, the deletion is worked through page by page instead, so that
 * accepting it stays short, and upserts look whether they write one that it means.
 */
export const MAX_NAMED_CUSTOMERS = 100;

/**
 * Customers up to which all that QUERY_VALUES deletions match are read together, by either identifier: less than 2 MB,
 * as the largest customer takes 7 kB. Where they match more, half of the deletions are looked up; one that matches more
 * by itself is accepted for so many requests of an instance at once.
 */
export const MATCHES_AT_ONCE = MAX_NAMED_CUSTOMERS;
export const MANY_MATCHES_AT_ONCE = 4;

/** Customers that one row of a file names; rows are looked up DELETIONS_AT_ONCE at a time. */
export const FEW_MATCHING_CUSTOMERS = 25;

/** Customers that one commit of such a deletion removes, with a tombstone each. */
export const WIDE_DELETION_PAGE = 200;

/** Entries that one commit of accepted deletions writes, but for those of its last deletion. */
export const ENTRIES_IN_COMMIT = 200;

/**
 * Stored bytes of deletions of parts that are pending for one product or order: they fit a document. More are accepted
 * once these are applied.
 */
export const MAX_PENDING_BYTES = 900_000;

/**
 * Stored bytes that are read for one commit of deletions, and one document beyond. Decoded that is about six times as
 * much, and at most DELETION_STEPS_AT_ONCE such commits are in the memory of an instance: about 150 MB.
 */
export const DELETION_READ_BYTES = 4 * 1024 * 1024;
export const DELETION_STEPS_AT_ONCE = 4;

/** Ids of deletions in one event: it is a unit of work, of some commits. */
export const DELETIONS_IN_EVENT = 100;

/** Pending deletions of a kind that a writer looks through, where it writes more records than this. */
export const FEW_PENDING_DELETIONS = 100;

/**
 * Deletions of customers, or records of other deletions, that one commit accepts: far more than arrive while one is
 * written.
 */
export const ACCEPTED_IN_COMMIT = 100;

/** Pending deletions that one commit applies, and commits of them at once. */
export const DELETIONS_IN_COMMIT = 100;
export const DELETIONS_AT_ONCE = 8;

/**
 * Variants of a product that is matched by Sku: the commit that writes, moves or deletes it writes an index entry for
 * each, of up to 400 bytes with its path, and the emulator takes 4 MiB in one call (Firestore: 10 MiB).
 */
export const MAX_VARIANTS_BY_SKU = 8_750;

/**
 * Products that the index entry of a Sku lists, the first that took it: usually there is one, and some where the tenant
 * was re-keyed. Each takes 44 bytes of an entry, of which one commit writes as many as a product has variants.
 */
export const MAX_SKU_HOLDERS = 5;

/** Bytes that an index entry with one product takes in a commit, with its path: what a plan reckons with. */
export const SKU_ENTRY_BYTES = 420;

/**
 * Stored bytes that one commit takes of products that cannot be written apart because they exchange ids or Skus: as
 * many as the largest product with its index entries, which has to fit anyway.
 */
export const SKU_COMMIT_BYTES = MAX_RECORD_BYTES + MAX_VARIANTS_BY_SKU * SKU_ENTRY_BYTES;

/**
 * Stored bytes that one commit takes beside the product that takes the most of it, where that is more than
 * COMMIT_BYTES: small changes between those of one product of many variants do not have it written again for each of
 * them. Entries rarely take what is reckoned with, so that both stay below 4 MiB.
 */
export const SKU_BESIDE_BYTES = 300_000;

/**
 * What is in memory at once while a batch of products that are matched by Sku is planned: stored bytes of products that
 * are read, which take about six times as much in memory; index entries of the Skus that are sent; stored bytes of
 * changes, with index entries, of which a body of full size makes fewer unless it moves large products; and products
 * that are tried at once where a batch is larger.
 */
export const SKU_PLAN_BYTES = 4_000_000;
export const SKU_PLAN_ENTRIES = 20_000;
export const SKU_PLAN_CHANGES = 24_000_000;
export const SKU_GROUPS_AT_ONCE = 4;

/**
 * Deletions of parts that a record did not hold, as many as are remembered of one record, the newest, and characters of
 * the ids of part and record, trimmed: no longer one is ever stored. Together at most 650 kB, so that a tombstone
 * always fits its document. No shop deletes as many lines that it never sent.
 */
export const MAX_BURIED_PARTS = 500;

/**
 * Deletions of parts that a record does not hold, before they are reduced to those that it can remember: a row may have
 * MAX_PARTS of them.
 */
export const MISSED_PARTS_AT_ONCE = 4 * MAX_BURIED_PARTS;
export const MAX_PART_ID_LENGTH = 100;

/**
 * How long the receipt of an accepted deletion is kept, and that of one that was set aside and retried. Its acceptance
 * is repeated for seconds (REQUEST_DEADLINE_MS).
 */
export const DELETION_RECEIPT_SECONDS = 3600;

/** Pending deletions that are read and applied before the next ones are looked for. */
export const PENDING_DELETIONS_PAGE = 200;

/**
 * What must be left of the time of a request, in milliseconds, for another page of pending deletions to be taken up: a
 * page takes a second or two, and the request has work of its own. Below that it is refused until it comes again.
 */
export const DELETIONS_LEAVE_MS = 8_000;

/** How long a flag stays raised, in seconds, before a sweep lowers it: more often would write it more often. */
export const FLAG_LOWERED_AFTER_SECONDS = 30;

/** Pending deletions of a tenant and kind of which one sweep looks whether they are overdue. */
export const SWEPT_DELETIONS = 20;

/** How long an accepted deletion may be pending before the sweep publishes it again. */
export const DELETION_REPUBLISH_AFTER_SECONDS = 120;

/** What must be left of the time of a sweep, in milliseconds; below that another message goes on with it. */
export const SWEEP_LEAVES_MS = 5_000;

/** Deletions that were set aside of which one sweep reminds the operator, each with a line of the log. */
export const MAX_REMINDERS = 20;

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
 * Bytes after which the end of a longer record is not looked for any more: within a record there is no place to go on
 * from, so that it must end within one unit of work. A gigabyte takes some seconds.
 */
export const MAX_FILE_RECORD_SEARCH_BYTES = 1024 ** 3;

/** Bytes of blanks before what a .json file holds: there is no place to go on from, and no export begins with any. */
export const MAX_JSON_LEADING_BLANKS = 1024 * 1024;

/**
 * Rows at the start of a file, none of which can be read, after which the file is given up: it is not what its name
 * says, and an error for each of its rows tells nobody more. They are saved with resume points, about 80 bytes each.
 */
export const MAX_UNREADABLE_ROWS = 500;

/**
 * Values in one record of a JSON file, counted likewise, and cells of all rows of one CSV group. One that fits a stored
 * record has fewer than 130,000, and unknown fields may have some of their own; without a bound 8 MiB of `{},{},…`
 * becomes hundreds of megabytes of memory.
 */
export const MAX_FILE_RECORD_VALUES = 250_000;

/** Bytes and columns of a CSV header row: it is saved with every resume point, in a document of at most 1 MiB. */
export const MAX_CSV_HEADER_BYTES = 32 * 1024;
export const MAX_CSV_COLUMNS = 1_000;

/** Characters of a header row that an error quotes: enough to see how its columns are separated. */
export const MAX_QUOTED_HEADER_LENGTH = 100;

/**
 * Characters of a quoted CSV cell beyond which its doubled marks stay as they are: whatever it means is longer than any
 * record, so that no field takes it.
 */
export const MAX_CSV_UNQUOTED_LENGTH = 2 * MAX_RECORD_BYTES;

/** Characters of an identifier by which CSV rows are grouped, which is saved too; a valid one has at most 100. */
export const MAX_CSV_GROUP_KEY_LENGTH = 500;

/**
 * Bytes of a CSV record's own fields, as JSON, that are remembered across a bad row between its rows: they are saved
 * with resume points, too. Those of a shop have a few hundred; the rest is for long lists of categories.
 */
export const MAX_CSV_OWN_FIELDS_BYTES = 64 * 1024;

/**
 * Bytes of own fields in all parts of one CSV group that bad rows have cut: each part repeats them, so that a hundred
 * kilobytes of file could become hundreds of megabytes of records. A shop's group can be cut some thousand times.
 */
export const MAX_CSV_REPEATED_BYTES = 1024 * 1024;

/** Bytes of blank lines that end a CSV group: within one there is no place to go on from. */
export const MAX_CSV_GROUP_GAP_BYTES = 1024 * 1024;

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

/**
 * Stored bytes that are read for a slice, of records and of tombstones each, but for one document: as many as one
 * commit takes. Rows beyond come with a later slice. Four units of work, which an instance has at once, have up to five
 * slices each in memory, and a stored byte takes about six there: about 200 MB.
 */
export const SLICE_READ_BYTES = COMMIT_BYTES;

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
 * How many times longer a chunk without rows is: it takes no memory, only a commit that records the progress. 64 MiB of
 * blank lines are passed over in less than a second.
 */
export const FILE_EMPTY_CHUNK_FACTOR = 64;

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

/**
 * How long a run that is still running keeps a file from other recurring runs, from when it took it. A step that fails
 * is delivered for about 16 hours, so that by then nobody reads it any more; and the next day's run finds it free.
 */
export const FILE_HOLD_SECONDS = 20 * 3600;

/**
 * How long a download may be silent before it counts as lost; its step comes again and goes on from its progress. Far
 * longer than Cloud Storage pauses in a download that goes on, and short against a unit of work.
 */
export const DOWNLOAD_IDLE_MS = 30_000;

/**
 * How often a download is asked for that fails before its first byte, and the wait after the first failure, which
 * doubles each time: 3.5 s in all, because a short trouble of Cloud Storage should not cost a delivery of the step.
 */
export const DOWNLOAD_TRIES = 4;
export const DOWNLOAD_WAIT_MS = 500;

/** Characters of the message with which Cloud Storage refuses a download: it becomes a run's error. */
export const MAX_REFUSAL_LENGTH = 2_000;

/** Objects in one page of planning: each becomes a document and a message. */
export const PLAN_PAGE_OBJECTS = 300;

/**
 * How long, and how often, a worker whose file another one went on with looks whether that is at work: far longer than
 * the commits of some slices take, and short against a unit of work.
 */
export const OVERTAKEN_WATCH_MS = 10_000;
export const OVERTAKEN_LOOK_MS = 500;

/**
 * Lines that a replay remembers of one file, in a document of their own of at most 1 MiB (8 bytes each, and as much
 * again on its way); beyond, it reads all of them.
 */
export const MAX_REPLAY_LINES = 25_000;

/**
 * Bad rows of one file that a run reports, and their bytes; the rest is counted. A replay remembers as many lines, and
 * nobody reads more. A row of a few bytes can have a hundred messages: without a bound a file of 1 GiB has a report of
 * many times as much.
 */
export const MAX_REPORTED_ROWS = MAX_REPLAY_LINES;
export const MAX_REPORT_BYTES = 16 * 1024 * 1024;

/**
 * Reports in one page of planning a replay, of which each is read, and may be of a file that is looked for in the
 * bucket and becomes a document; and how many files or reports are taken up at once. A step reads all reports of its
 * last file, in the worst case one for each line that is remembered, which takes a minute or two.
 */
export const REPLAY_PAGE_REPORTS = 300;
export const REPLAY_READS_AT_ONCE = 16;

/**
 * How long one worker alone sums the files of a run that ends, unless it ends the run before. Long enough for a million
 * files on a slow day, and short for who waits for the run of a worker that died.
 */
export const SUM_CLAIM_SECONDS = 120;

/**
 * How long a run and what is below it are kept after its end: longer than anybody asks what became of a file, and as
 * long as the reports of its bad rows.
 */
export const RUN_RETENTION_SECONDS = 90 * 24 * 3600;

/** The longest run that is thought of: the files of a run expire so much later than they would by its start. */
export const LONGEST_RUN_SECONDS = 30 * 24 * 3600;

/**
 * How long it is remembered that a file was read (D-53) after a run has last seen it in its bucket; and when, before
 * that, a run that sees it puts the time off: one write for a file in 30 days.
 */
export const TAKEN_FILE_RETENTION_SECONDS = 180 * 24 * 3600;
export const TAKEN_FILE_REFRESH_SECONDS = TAKEN_FILE_RETENTION_SECONDS - 30 * 24 * 3600;

/** Runs of a tenant that one list shows, the newest: what a person reads, and four days of hourly and daily ones. */
export const MAX_LISTED_RUNS = 100;
