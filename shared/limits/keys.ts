/** The bounds of keys. */

const DAY_MS = 86_400_000;

/** How long a rotated key is valid beside its successor: as long as a daily export may take to come around again. */
export const DEFAULT_OVERLAP_MS = DAY_MS;

/** At most a quarter: a key that has to be replaced must not be forgotten. */
export const MAX_OVERLAP_MS = 90 * DAY_MS;
