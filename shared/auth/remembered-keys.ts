import type { ApiKeyHash, Caller } from '../domain/api-key';
import type { Tenant } from '../domain/tenant';
import { MAX_REMEMBERED_KEYS } from '../limits/requests';
import { BoundedMap } from '../platform/bounded-map';
import { BoundedSet } from '../platform/bounded-set';
import { RememberedCounts } from './remembered-counts';

/** What an instance remembers of the keys that it has seen. */
export class RememberedKeys {
  /**
   * Keys whose last request was admitted. This is only a hint to begin reads ahead; the stored state decides.
   */
  readonly admitted = new BoundedSet<ApiKeyHash>(MAX_REMEMBERED_KEYS);
  /**
   * Tenants as they were when a key was last admitted to them, by key and tenant. Nothing of a tenant is read ahead for
   * a key that was refused.
   */
  readonly admittedTo = new BoundedMap<string, Tenant>(MAX_REMEMBERED_KEYS);
  /**
   * Keys that are revoked or have ended, as they were found, and those that do not exist. Keys are random, and a
   * revocation and an end are final, so none of them becomes valid later.
   */
  readonly refused = new BoundedMap<ApiKeyHash, Caller | 'unknown'>(MAX_REMEMBERED_KEYS);
  /** Known numbers of requests of a key in a minute. */
  readonly counts = new RememberedCounts();
  /** The limits of keys when they were last looked up. */
  readonly limits = new BoundedMap<ApiKeyHash, number>(MAX_REMEMBERED_KEYS);
}
