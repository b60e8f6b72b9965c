/** How many deletions are accepted, applied and swept at once. */

/**
 * Customers that the entries of one deletion name. A deletion of more customers is wide: it is worked through page by
 * page, so accepting it stays short. Until it is done, upserts check whether it covers the customer they write.
 */
export const MAX_NAMED_CUSTOMERS = 100;

/**
 * Customers that deletions may match and still be read together, by either identifier. They take less than 2 MB,
 * because the largest customer takes 7 kB. If QUERY_VALUES deletions match more, they are looked up in two halves.
 */
export const MATCHES_AT_ONCE = MAX_NAMED_CUSTOMERS;

/** Requests of an instance that at once accept a deletion which alone matches more than MATCHES_AT_ONCE customers. */
export const MANY_MATCHES_AT_ONCE = 4;

/** Customers that one commit of a wide deletion removes, with a tombstone each. */
export const WIDE_DELETION_PAGE = 200;

/** Earlier acceptances of a wide deletion that are told apart. Their times are all that they take in its document. */
export const MAX_EARLIER_ACCEPTANCES = 20;

/** Pending deletions and tombstones that one commit of acceptances writes, not counting those of its last deletion. */
export const ENTRIES_IN_COMMIT = 200;

/**
 * Stored bytes of the part deletions that are pending for one product or order: they fit one document. Further ones are
 * accepted after these are applied.
 */
export const MAX_PENDING_BYTES = 900_000;

/**
 * Stored bytes that are read for one commit of deletions, plus at most one document. Decoded, they take about six times
 * as much. An instance has at most DELETION_COMMITS_AT_ONCE such commits in memory: about 150 MB.
 */
export const DELETION_READ_BYTES = 4 * 1024 * 1024;
export const DELETION_COMMITS_AT_ONCE = 4;

/**
 * Stored bytes of entries that are read together, plus at most one entry. Each of the eight messages that an instance
 * of `deletion-consumer` handles at once has as much in memory, also while it waits for commits: about 150 MB in all.
 */
export const ENTRIES_READ_BYTES = 2 * 1024 * 1024;

/** Ids of deletions in one event. The consumer applies them in a few commits. */
export const DELETIONS_IN_EVENT = 100;

/** Pending deletions of a kind that a writer looks through, if it writes more records than this. */
export const FEW_PENDING_DELETIONS = 100;

/**
 * Pending wide deletions of a tenant that a writer or reader of customers lists. They are rare. If as many are pending,
 * it reads those of its own customers: at most four for each, as each has two identifiers, stored and sent.
 */
export const FEW_WIDE_DELETIONS = 20;

/**
 * Writers of a tenant that do not list its pending deletions after a list that was full, slow or failed. A list costs
 * 100 reads, and a backlog takes many batches to be worked off.
 */
export const LISTS_SKIPPED = 20;

/**
 * A list of pending deletions that took longer, in milliseconds, is slow; of one that is made beside the read of the
 * flag, longer than that. Usually it takes some hundredths of a second. For an hour, the database goes through what was
 * removed before it finds what is left.
 */
export const SLOW_LIST_MS = 500;

/**
 * A list of pending deletions that takes longer, in milliseconds, is given up: what it would have told is asked for by
 * ids. Far more than the event loop is ever held, and little of a request's time.
 */
export const LONGEST_LIST_MS = 2_000;

/**
 * Deletions of customers, or records of other deletions, that one commit accepts: far more than arrive while a commit
 * is written.
 */
export const ACCEPTED_IN_COMMIT = 100;

/**
 * After this time, in milliseconds, a commit of acceptances looks no further customers up, and is written with those
 * that it has: queries may be slow, and a request with very many deletions has to come forward.
 */
export const LOOKUPS_IN_COMMIT_MS = 4_000;

/** Pending deletions that one commit applies, and commits that run at once. */
export const DELETIONS_IN_COMMIT = 100;
export const DELETIONS_AT_ONCE = 8;

/**
 * How long the receipt of an accepted deletion is kept, and the receipt of a deletion that was set aside and retried.
 * An acceptance is repeated for seconds only (REQUEST_DEADLINE_MS).
 */
export const DELETION_RECEIPT_SECONDS = 3600;

/** Pending deletions that are read and applied before the next page is read. */
export const PENDING_DELETIONS_PAGE = 200;

/**
 * A page of pending deletions is applied only if this much time is left, in milliseconds. A page takes a second or two.
 * With less time left, the consumer asks for the rest by another event.
 */
export const MIN_REMAINING_FOR_DELETIONS_MS = 8_000;

/**
 * How long a flag stays raised before a sweep lowers it, in seconds. A shorter time would write the flag more often.
 */
export const FLAG_LOWERED_AFTER_SECONDS = 30;

/**
 * Flags that a sweep looks at side by side. One after the other, those of 10,000 tenants would take longer than the
 * five minutes between two sweeps (docs/scale.md). Each holds the names of at most SWEPT_DELETIONS deletions twice.
 */
export const FLAGS_SWEPT_AT_ONCE = 20;

/** Pending deletions of a tenant and kind, and as many wide ones, that one sweep checks for being overdue. */
export const SWEPT_DELETIONS = 20;

/** How long an accepted deletion may be pending before the sweep publishes it again. */
export const DELETION_REPUBLISH_AFTER_SECONDS = 120;

/**
 * How long after it was requested, or went on, a drain counts as under way. It goes on after 20 s at most, by a message
 * of its own. One that is delivered later than this has another beside it, which does no harm.
 */
export const DRAIN_UNDER_WAY_SECONDS = 30;

/**
 * How long a sweep works on one flag, in milliseconds. It takes some hundredths of a second; one whose documents are
 * locked, or slow to list, is left to the next sweep.
 */
export const SWEEP_OF_FLAG_MS = 4_000;

/** A sweep that has less time left than this, in milliseconds, hands over to another message. */
export const MIN_REMAINING_FOR_SWEEP_MS = 5_000;

/** Set-aside deletions of one record that are looked up by one call. Nearly always there are none. */
export const SET_ASIDE_PAGE = 20;

/** Set-aside deletions of a tenant that a reader looks through. If there are more, it asks for each record's. */
export const FEW_SET_ASIDE = 100;

/** Set-aside deletions that a command has in memory: each may take 1 MiB, and decoded six times that. */
export const SET_ASIDE_IN_MEMORY = 10;

/** Deletions set aside that one sweep reminds the operator of, with one log line each. */
export const MAX_REMINDERS = 20;

/**
 * What an operator's list of deletions that wait looks at: tenants and kinds, deletions of each (names alone), and
 * deletions that were set aside. Beyond them the list says that there are more.
 */
export const MAX_WAITING_FLAGS = 100;
export const MAX_WAITING_DELETIONS = 1_000;
export const MAX_SHOWN_SET_ASIDE = 20;

/** Tenants and kinds whose waiting deletions are looked at together. */
export const WAITING_FLAGS_AT_ONCE = 10;
