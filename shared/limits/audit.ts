/** The bounds of the audit log. */

/** How long an entry is kept, in days: what was done in a year can be looked up until five weeks after its end. */
export const AUDIT_RETENTION_DAYS = 400;

/** Entries in one list, at most and by default. Each takes about 500 bytes. */
export const MAX_AUDIT_ENTRIES = 1_000;
export const DEFAULT_AUDIT_ENTRIES = 100;

/**
 * Entries that are looked through for one list, where it filters by more than the index does: as many as an operator
 * makes in months. A list that reaches it ends early, and says where to go on.
 */
export const MAX_AUDIT_ENTRIES_READ = 10_000;
