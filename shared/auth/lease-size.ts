/** How many requests an instance leases at once. */
import {
  LEASE_INSTANCES,
  LEASE_SECONDS,
  LEASE_SHARE_OF_INSTANCES,
  LEASE_SHARE_OF_LEFT,
  LEASE_SHARE_OF_USED,
} from '../limits/requests';

/** What an instance knows of a key in a minute when it leases. */
export interface LeaseNeed {
  /** Requests that wait for the lease. */
  readonly waiting: number;
  /** Requests that the instance has admitted under its leases so far. */
  readonly used: number;
  /** Requests that were leased in reserve, but whose lease was not answered: the counter may have them. */
  readonly lost: number;
  /** The instance's number among those that have leased, from 1; 0 before its first lease. */
  readonly instance: number;
  /** Requests in the stored counter, as last known: there may be more. */
  readonly counted: number;
  /** Requests that the instance has admitted since its last lease, and the time since then, in milliseconds. */
  readonly recent: number;
  readonly recentMs: number;
}

/**
 * Requests to lease: those that wait, and in reserve what the instance is likely to get in the next LEASE_SECONDS, as
 * far as it may have that and leaves a part to others. At least 1, and else no more than are known to be left.
 */
export function leaseSize(limit: number, need: LeaseNeed): number {
  const left = limit - need.counted;
  const likely = (need.recent / Math.max(1, need.recentMs / 1000)) * LEASE_SECONDS;
  const most = Math.min(reserveOf(limit, need), (left - need.waiting) * LEASE_SHARE_OF_LEFT);
  const reserve = Math.floor(Math.max(0, Math.min(likely, most)));
  return Math.max(1, Math.min(need.waiting + reserve, left));
}

/**
 * How many requests the instance may have leased without a use for them. All instances together never have more than a
 * tenth of the limit, however many there are: the first summand is a twentieth over all numbers from 1 to infinity, and
 * the second one a twentieth of what is used.
 */
function reserveOf(limit: number, { used, lost, instance }: LeaseNeed): number {
  return (instance === 0 ? 0 : limit * LEASE_SHARE_OF_INSTANCES * partOf(instance)) + used * LEASE_SHARE_OF_USED - lost;
}

/** The part of an instance in what is for all of them; the parts of all numbers from 1 add up to 1. */
function partOf(instance: number): number {
  return LEASE_INSTANCES / ((instance + LEASE_INSTANCES - 1) * (instance + LEASE_INSTANCES));
}
