import type { ApiKeyHash, Caller } from '../domain/api-key';
import type { RateWindow } from '../domain/rate-window';
import type { Tenant, TenantId } from '../domain/tenant';
import type { Deadline } from '../platform/deadline';
import { MAX_COUNTED_SINGLY } from '../limits/requests';
import type { AdmissionStore } from './admission-store';
import type { Place, RateLeases } from './rate-leases';

/** The calls to the store of one admission. Key, count, counter and tenant are requested once each. */
export class AdmissionReads {
  private keyRead: Promise<Caller | undefined> | undefined;
  private counting: Promise<Place> | undefined;
  private counterRead: Promise<number> | undefined;
  private readonly tenantReads = new Map<TenantId, Promise<Tenant | undefined>>();

  constructor(
    private readonly store: AdmissionStore,
    private readonly leases: RateLeases,
    /** Undefined: the text that was sent is no key, and only `hash` may be used. */
    readonly hash: ApiKeyHash | undefined,
    private readonly window: RateWindow,
    private readonly deadline: Deadline,
  ) {}

  /**
   * Begins all reads of an admission at once, so they take the time of one.
   * @param limit the key's limit when it was last looked up
   */
  readAhead(tenantId: TenantId | undefined, limit: number): void {
    const reads = [this.key(), this.count(limit), ...(tenantId ? [this.tenant(tenantId)] : [])];
    // A stage that awaits a read sees its failure. The failure of a read that no stage reaches must not end the
    // process.
    for (const read of reads) read.catch(() => undefined);
  }

  key(): Promise<Caller | undefined> {
    return (this.keyRead ??= this.store.findKey(this.requireHash(), this.deadline));
  }

  /** Counts the request: by a write of its own, or under a lease of this instance if the limit is high. */
  count(limit: number): Promise<Place> {
    return (this.counting ??= limit > MAX_COUNTED_SINGLY ? this.countLeased(limit) : this.countSingly());
  }

  /** Whether the request was or is being counted. */
  get isCounting(): boolean {
    return this.counting !== undefined;
  }

  /** Requests in the stored counter, leased ones among them, without counting this one. */
  storedCount(): Promise<number> {
    return (this.counterRead ??= this.store.findCount(this.requireHash(), this.window.minute, this.deadline));
  }

  /** Requests that were counted, but for those that this instance has leased and not admitted yet. */
  async unreservedCount(): Promise<number> {
    const count = await this.storedCount();
    return count - this.leases.reserve(this.requireHash(), this.window.minute, count); // later leases are not in it
  }

  tenant(tenantId: TenantId): Promise<Tenant | undefined> {
    const read = this.tenantReads.get(tenantId) ?? this.store.findTenant(tenantId, this.deadline);
    this.tenantReads.set(tenantId, read);
    return read;
  }

  private async countSingly(): Promise<Place> {
    const number = await this.store.countRequest(this.requireHash(), this.window.minute);
    return { number, reserve: 0, isLast: true };
  }

  /** Begins to read the counter where the place alone does not tell how many are left. */
  private async countLeased(limit: number): Promise<Place> {
    const hash = this.requireHash();
    const { minute } = this.window;
    const place = await this.leases.take(hash, minute, limit);
    const learn = (count: number) => this.leases.raiseTo(hash, minute, count);
    if (!place.isLast) this.storedCount().then(learn, () => undefined); // whoever awaits it sees its failure
    return place;
  }

  private requireHash(): ApiKeyHash {
    if (this.hash === undefined) throw new Error('There is no key to look up.');
    return this.hash;
  }
}
