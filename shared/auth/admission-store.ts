import type { ApiKeyHash, Caller } from '../domain/api-key';
import type { Tenant, TenantId } from '../domain/tenant';
import type { Deadline } from '../platform/deadline';

/** The stored counter after a lease. */
export interface CountedLease {
  /** Requests over all instances, those of this lease included. */
  readonly count: number;
  /** Instances that have leased in this minute. For the first lease of an instance that is its number, from 1. */
  readonly instances: number;
}

/**
 * Who is asking, and what their requests count against. Nothing is cached: a change takes effect with the next request.
 * A hash is that of a key, or of what another door gives its callers in place of one (`endpoint/door.ts`).
 */
export interface AdmissionStore {
  /** Undefined: nobody has it any more, or ever had. Nobody will have it later. */
  findKey(hash: ApiKeyHash, deadline: Deadline): Promise<Caller | undefined>;
  /** Undefined also for a tenant that is being erased. */
  findTenant(tenantId: TenantId, deadline: Deadline): Promise<Tenant | undefined>;
  /**
   * Counts one request of the key in this minute, and returns the number of requests over all instances. A repeat
   * counts twice. Takes at most `CALL_TIMEOUT_MS`.
   */
  countRequest(hash: ApiKeyHash, minute: number): Promise<number>;
  /**
   * Counts as many requests of the key in this minute at once, for an instance to admit. A repeat counts them twice.
   * Takes at most `CALL_TIMEOUT_MS`.
   * @param isFirst whether the instance leases for the first time in this minute
   */
  countLease(hash: ApiKeyHash, minute: number, requests: number, isFirst: boolean): Promise<CountedLease>;
  /** Requests of the key that were counted in this minute, leased ones among them. Does not count one. */
  findCount(hash: ApiKeyHash, minute: number, deadline: Deadline): Promise<number>;
}
