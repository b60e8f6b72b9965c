/** How long a change of a tenant takes to be known everywhere. */
import { REQUEST_DEADLINE_MS } from '../domain/limits';
import { MAX_REQUEST_MS, WORK_WAIT_MS } from './requests';

/**
 * The longest time that a function works on one message. Pub/Sub waits no longer for an acknowledgement. A step ends
 * within its function's time limit (TRANSFER_STEP_SECONDS), which is a minute shorter.
 */
export const MAX_STEP_MS = 600_000;

/**
 * Margin for the commit that changes the tenant, for a call that was cut off and is applied nevertheless, for a process
 * that was paused, and for the clocks of two operators who work on a tenant one after the other.
 */
export const STALE_TENANT_MARGIN_MS = 120_000;

/**
 * How long work that was admitted before a tenant's document changed may still write by what it was: fifteen minutes.
 * It is either a step of a transfer, or a request whose body arrives slowly, then waits for memory and is then worked
 * on. An erasure waits for that, and so does re-keying.
 */
export const STALE_TENANT_MS =
  Math.max(MAX_REQUEST_MS + WORK_WAIT_MS + REQUEST_DEADLINE_MS, MAX_STEP_MS) + STALE_TENANT_MARGIN_MS;

/**
 * Lines of a list of tenants that one request of the console creates, one after the other: two writes each, so some
 * seconds at most.
 */
export const MAX_TENANT_LINES = 50;

/** Bytes of a body that changes settings, or has these lines: more than 2,000 bytes for each. */
export const MAX_TENANT_BODY_BYTES = 128 * 1024;

/** Tenants that a search finds: a longer text tells fewer. */
export const MAX_FOUND_TENANTS = 100;
