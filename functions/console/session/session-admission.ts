import type { AdmissionStore, CountedLease } from '../../../shared/auth/admission-store';
import type { ApiKeyHash, Caller } from '../../../shared/domain/api-key';
import type { Tenant, TenantId } from '../../../shared/domain/tenant';
import { CONSOLE_REQUESTS_PER_MINUTE } from '../../../shared/limits/console';
import { MAX_REMEMBERED_KEYS } from '../../../shared/limits/requests';
import { BoundedMap } from '../../../shared/platform/bounded-map';
import type { Deadline } from '../../../shared/platform/deadline';
import type { StoredSessions } from './stored-sessions';

/**
 * Admits sessions for the keys that they were begun with. Session and key are read for every request, so that a session
 * ends with its key. What a key's sessions ask for counts against one limit of their own.
 */
export class SessionAdmission implements AdmissionStore {
  /** The keys of sessions, which never change. */
  private readonly keyHashes = new BoundedMap<ApiKeyHash, ApiKeyHash>(MAX_REMEMBERED_KEYS);

  constructor(
    private readonly sessions: Pick<StoredSessions, 'find'>,
    private readonly keys: AdmissionStore,
  ) {}

  async findKey(hash: ApiKeyHash, deadline: Deadline): Promise<Caller | undefined> {
    const session = await this.sessions.find(hash, deadline);
    if (!session) return undefined;
    this.keyHashes.set(hash, session.keyHash);
    const key = await this.keys.findKey(session.keyHash, deadline);
    return key && { ...key, hash, keyHash: session.keyHash, requestsPerMinute: CONSOLE_REQUESTS_PER_MINUTE };
  }

  findTenant(tenantId: TenantId, deadline: Deadline): Promise<Tenant | undefined> {
    return this.keys.findTenant(tenantId, deadline);
  }

  countRequest(hash: ApiKeyHash, minute: number): Promise<number> {
    return this.keys.countRequest(this.countedAs(hash), minute);
  }

  countLease(hash: ApiKeyHash, minute: number, requests: number, isFirst: boolean): Promise<CountedLease> {
    return this.keys.countLease(this.countedAs(hash), minute, requests, isFirst);
  }

  findCount(hash: ApiKeyHash, minute: number, deadline: Deadline): Promise<number> {
    return this.keys.findCount(this.countedAs(hash), minute, deadline);
  }

  /** The counter of the key's sessions. A session that this instance has not looked up yet has its own. */
  private countedAs(hash: ApiKeyHash): ApiKeyHash {
    return `console-${this.keyHashes.get(hash) ?? hash}` as ApiKeyHash;
  }
}
