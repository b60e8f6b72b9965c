/** The bounds of erasing a tenant. */
import { REQUEST_DEADLINE_MS } from '../domain/limits';
import { MAX_REQUEST_MS, WORK_WAIT_MS } from './requests';

/**
 * By then a function has ended its work on a message, or was ended: Pub/Sub waits for an acknowledgement no longer, and
 * the functions' time limits, within which a unit of work ends (TRANSFER_STEP_SECONDS), are a minute below it.
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
