/** The bounds of live transfers. */

/** Live transfers of one bucket that are read at once: a bucket has one tenant, or a few of the same organization. */
export const LIVE_TRANSFERS_OF_A_PAGE = 100;

/** Tenants whose runs are started at once. Each takes a read, two writes and a message: some tens of milliseconds. */
export const LIVE_STARTS_AT_ONCE = 16;

/** What must be left of the time of a message to start the runs of another page of tenants. */
export const MIN_REMAINING_FOR_STARTS_MS = 10_000;

/**
 * Objects that the planning of a run of uploads asks Cloud Storage for at once. A page of them (PLAN_PAGE_OBJECTS)
 * takes about a second.
 */
export const UPLOADS_LOOKED_AT_AT_ONCE = 32;

/**
 * How long an upload waits for a run that can read it: a week is enough to mend a grant. The daily sweep finds the file
 * as long as it is in its bucket.
 */
export const UPLOAD_RETENTION_SECONDS = 7 * 24 * 3600;

/**
 * How long before a sweep a file must have been uploaded for its event to count as missed. A younger one may still be
 * on its way, or wait for its run.
 */
export const UPLOAD_GRACE_SECONDS = 600;

/** Digits of an object's generation, which is a number of 64 bits. */
export const MAX_GENERATION_DIGITS = 19;
