/** What is accepted and applied at once of deletions. */

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
export const MIN_REMAINING_FOR_DELETIONS_MS = 8_000;

/** How long a flag stays raised, in seconds, before a sweep lowers it: more often would write it more often. */
export const FLAG_LOWERED_AFTER_SECONDS = 30;

/** Pending deletions of a tenant and kind of which one sweep looks whether they are overdue. */
export const SWEPT_DELETIONS = 20;

/** How long an accepted deletion may be pending before the sweep publishes it again. */
export const DELETION_REPUBLISH_AFTER_SECONDS = 120;

/** What must be left of the time of a sweep, in milliseconds; below that another message goes on with it. */
export const MIN_REMAINING_FOR_SWEEP_MS = 5_000;

/** Deletions that were set aside of which one sweep reminds the operator, each with a line of the log. */
export const MAX_REMINDERS = 20;
