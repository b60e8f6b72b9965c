/** The bounds of re-keying a tenant's records. */

/**
 * Records of one page, after which is stored how far it is. A page takes a second or two, and most of a step's deadline
 * where all of them are merged into one.
 */
export const REKEY_PAGE_DOCUMENTS = 100;

/** Concurrent records: few enough that records which are merged with each other do not starve in optimistic retries. */
export const REKEYED_AT_ONCE = 8;

/** How long one step begins pages: well below the deadline of the request that asks for it. */
export const REKEY_STEP_MS = 4_000;
