import type { ApiKey, ApiKeyHash } from '../domain/api-key';
import type { RateWindow } from '../domain/rate-window';
import type { Tenant, TenantId } from '../domain/tenant';
import type { Deadline } from '../platform/deadline';
import type { AdmissionStore } from './admission-store';

/** The calls to the store of one admission. Key, count and tenant are requested once each. */
export class AdmissionReads {
  private keyRead: Promise<ApiKey | undefined> | undefined;
  private counting: Promise<number> | undefined;
  private readonly tenantReads = new Map<TenantId, Promise<Tenant | undefined>>();

  constructor(
    private readonly store: AdmissionStore,
    /** Undefined: the text that was sent is no key, and only `hash` may be used. */
    readonly hash: ApiKeyHash | undefined,
    private readonly window: RateWindow,
    private readonly deadline: Deadline,
  ) {}

  /** Begins all reads of an admission at once, so they take the time of one. */
  readAhead(tenantId: TenantId | undefined): void {
    const reads = [this.key(), this.count(), ...(tenantId ? [this.tenant(tenantId)] : [])];
    // A stage that awaits a read sees its failure. The failure of a read that no stage reaches must not end the
    // process.
    for (const read of reads) read.catch(() => undefined);
  }

  key(): Promise<ApiKey | undefined> {
    return (this.keyRead ??= this.store.findKey(this.requireHash(), this.deadline));
  }

  /** Counts the request. */
  count(): Promise<number> {
    return (this.counting ??= this.store.countRequest(this.requireHash(), this.window.minute));
  }

  /** Whether the request was or is being counted. */
  get isCounting(): boolean {
    return this.counting !== undefined;
  }

  /** Requests in the stored counter, without counting this one. */
  storedCount(): Promise<number> {
    return this.store.findCount(this.requireHash(), this.window.minute, this.deadline);
  }

  tenant(tenantId: TenantId): Promise<Tenant | undefined> {
    const read = this.tenantReads.get(tenantId) ?? this.store.findTenant(tenantId, this.deadline);
    this.tenantReads.set(tenantId, read);
    return read;
  }

  private requireHash(): ApiKeyHash {
    if (this.hash === undefined) throw new Error('There is no key to look up.');
    return this.hash;
  }
}
