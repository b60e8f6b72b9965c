/** The bounds of erasing a tenant. */
/** Runs of a tenant that are removed at once, and report objects of each run. */
export const ERASED_RUNS_AT_ONCE = 8;
export const ERASED_OBJECTS_AT_ONCE = 16;

/** Report objects in a page: as many as Cloud Storage lists in one call. */
export const OBJECTS_PAGE = 1_000;

/** How long a step of an erasure begins removals, for the console. After each step the page shows how far it is. */
export const ERASE_STEP_MS = 8_000;
