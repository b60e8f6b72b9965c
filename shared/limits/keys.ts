/** The bounds of keys. */

/**
 * Keys among which the operators' overview looks for those that need attention. Their documents have some 500 bytes, so
 * that one query is half a megabyte.
 */
export const MAX_LOOKED_KEYS = 1_000;

/** Keys that are shown of those that nobody uses, and of those that end soon. */
export const MAX_MARKED_KEYS = 10;

const DAY_MS = 86_400_000;

/** How long a rotated key is valid beside its successor: as long as a daily export may take to come around again. */
export const DEFAULT_OVERLAP_MS = DAY_MS;

/** At most a quarter: a key that has to be replaced must not be forgotten. */
export const MAX_OVERLAP_MS = 90 * DAY_MS;
