/** The bounds of erasing a tenant. */
import { REQUEST_DEADLINE_MS } from '../domain/limits';
import { MAX_REQUEST_MS, WORK_WAIT_MS } from './requests';

/**
 * The longest time that a function works on one message. Pub/Sub waits no longer for an acknowledgement. A step ends
 * within its function's time limit (TRANSFER_STEP_SECONDS), which is a minute shorter.
 */
export const MAX_STEP_MS = 600_000;

/**
 * Margin for the commit that marks the tenant, for a call that was cut off and is applied nevertheless, for a process
 * that was paused, and for the clocks of two operators who erase a tenant one after the other.
 */
export const ERASURE_MARGIN_MS = 120_000;

/**
 * How long work that was admitted before the tenant was marked as being erased may still write: fifteen minutes. It is
 * either a step of a transfer, or a request whose body arrives slowly, then waits for memory and is then worked on.
 */
export const ERASURE_QUIET_MS =
  Math.max(MAX_REQUEST_MS + WORK_WAIT_MS + REQUEST_DEADLINE_MS, MAX_STEP_MS) + ERASURE_MARGIN_MS;

/** Runs of a tenant that are removed at once, and report objects of each run. */
export const ERASED_RUNS_AT_ONCE = 8;
export const ERASED_OBJECTS_AT_ONCE = 16;

/** Report objects in a page: as many as Cloud Storage lists in one call. */
export const OBJECTS_PAGE = 1_000;
