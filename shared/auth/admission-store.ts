import type { ApiKey, ApiKeyHash } from '../domain/api-key';
import type { Tenant, TenantId } from '../domain/tenant';
import type { Deadline } from '../platform/deadline';

/**
 * What admitting a request needs of the database. Always the stored truth: a change counts from the next request on.
 */
export interface AdmissionStore {
  findKey(hash: ApiKeyHash, deadline: Deadline): Promise<ApiKey | undefined>;
  /** Undefined, too, for a tenant that is being erased. */
  findTenant(tenantId: TenantId, deadline: Deadline): Promise<Tenant | undefined>;
  /**
   * Counts one request of the key in this minute and returns how many there are now, over all instances. Takes at most
   * `CALL_TIMEOUT_MS`.
   */
  countRequest(hash: ApiKeyHash, minute: number): Promise<number>;
  /** Requests of the key that were counted in this minute; counts none. */
  findCount(hash: ApiKeyHash, minute: number, deadline: Deadline): Promise<number>;
}
