import type { ApiKey, ApiKeyHash } from '../domain/api-key';
import type { Tenant, TenantId } from '../domain/tenant';
import type { Deadline } from '../platform/deadline';

/** What admitting a request needs of the database. Nothing is cached: a change takes effect with the next request. */
export interface AdmissionStore {
  findKey(hash: ApiKeyHash, deadline: Deadline): Promise<ApiKey | undefined>;
  /** Undefined also for a tenant that is being erased. */
  findTenant(tenantId: TenantId, deadline: Deadline): Promise<Tenant | undefined>;
  /**
   * Counts one request of the key in this minute, and returns the number of requests over all instances. A repeat
   * counts twice. Takes at most `CALL_TIMEOUT_MS`.
   */
  countRequest(hash: ApiKeyHash, minute: number): Promise<number>;
  /** Requests of the key that were counted in this minute. Does not count one. */
  findCount(hash: ApiKeyHash, minute: number, deadline: Deadline): Promise<number>;
}
