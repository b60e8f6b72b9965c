/**
 * Admits a request: key (401), rate limit (429), tenant (400, 404, 403), in this order (D-34). The types hold the
 * order: counting takes the `ApiKey` that only `authenticate` returns, the tenant check takes it too, and a use case
 * takes the `Tenant` that only the tenant check returns.
 */
import { BoundedMap } from '../platform/bounded-map';
import { BoundedSet } from '../platform/bounded-set';
import type { Clock } from '../platform/clock';
import type { Deadline } from '../platform/deadline';
import type { ApiKey, ApiKeyHash, Permission } from '../domain/api-key';
import { hashApiKey } from '../domain/api-key';
import { DEFAULT_REQUESTS_PER_MINUTE } from '../domain/limits';
import { MAX_REMEMBERED_KEYS, RATE_COUNTER_TIMEOUT_MS } from '../limits/requests';
import type { RateStatus, RateWindow } from '../domain/rate-window';
import { rateStatus, rateWindowAt } from '../domain/rate-window';
import type { Tenant, TenantId } from '../domain/tenant';
import { parseTenantId } from '../domain/tenant';
import {
  foreignTenant,
  invalidTenant,
  missingPermission,
  rateLimitExceeded,
  tenantNotFound,
  unauthorized,
} from '../http/problems';
import type { Logger } from '../platform/logger';
import { errorDetails } from '../platform/logger';
import { withFairTimeout } from '../platform/async/fair-timeout';
import type { AdmissionStore } from './admission-store';
import { RememberedCounts } from './remembered-counts';

export interface AdmissionDependencies {
  readonly admissionStore: AdmissionStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The request that asks for admission. */
export interface AdmissionCall {
  readonly deadline: Deadline;
  /** Finds its lines in the log. */
  readonly traceId: string;
}

/** What an instance remembers of the keys that it has seen. */
class RememberedKeys {
  /** Whose last request was admitted: only a hint to begin ahead; what is stored decides. */
  readonly admitted = new BoundedSet<ApiKeyHash>(MAX_REMEMBERED_KEYS);
  /**
   * Tenants as they were when a key was last admitted to them, by both: nothing of a tenant is read ahead for a key
   * that it refuses.
   */
  readonly admittedTo = new BoundedMap<string, Tenant>(MAX_REMEMBERED_KEYS);
  /** Keys that do not exist or are revoked. Keys are random and stay revoked: none of these becomes valid later. */
  readonly unknown = new BoundedSet<ApiKeyHash>(MAX_REMEMBERED_KEYS);
  /** How many requests of a key there were in a minute, at least. */
  readonly counts = new RememberedCounts();
  /** The limits of keys when they were last looked up. */
  readonly limits = new BoundedMap<ApiKeyHash, number>(MAX_REMEMBERED_KEYS);
}

/** Answers "who is asking?" for the requests of one instance. */
export class Gatekeeper {
  private readonly keys = new RememberedKeys();

  constructor(private readonly dependencies: AdmissionDependencies) {}

  /** Begins the admission of one request. `tenantText`: the tenant in its path, where it has one. */
  begin(keyText: string | undefined, tenantText: string | undefined, { deadline, traceId }: AdmissionCall): Admission {
    const window = rateWindowAt(this.dependencies.clock.nowMs());
    const reads = new AdmissionReads(this.dependencies, hashApiKey(keyText ?? ''), window, deadline);
    let likelyTenant: Tenant | undefined;
    if (reads.hash !== undefined && this.keys.admitted.has(reads.hash)) {
      const tenantId = parseTenantId(tenantText ?? '');
      reads.readAhead(tenantId);
      if (tenantId) likelyTenant = this.keys.admittedTo.get(pairOf(reads.hash, tenantId));
    }
    return new Admission(likelyTenant, this.keys, reads, window, this.dependencies.logger, traceId);
  }

  /** What is true of the limit for a request that counts against no key (D-34). Writes nothing, and never rejects. */
  async readRateStatus(keyText: string | undefined, { deadline, traceId }: AdmissionCall): Promise<RateStatus> {
    const window = rateWindowAt(this.dependencies.clock.nowMs());
    const reads = new AdmissionReads(this.dependencies, hashApiKey(keyText ?? ''), window, deadline);
    const admission = new Admission(undefined, this.keys, reads, window, this.dependencies.logger, traceId);
    await admission.readStatus();
    return admission.status;
  }

  /**
   * The same by what this instance remembers of the key alone; nothing is read. The default for one that it has not
   * met.
   */
  recallRateStatus(keyText: string | undefined): RateStatus {
    const window = rateWindowAt(this.dependencies.clock.nowMs());
    const hash = hashApiKey(keyText ?? '');
    const limit = hash && this.keys.limits.get(hash);
    if (hash === undefined || limit === undefined) return rateStatus(window, DEFAULT_REQUESTS_PER_MINUTE, 0);
    return rateStatus(window, limit, this.keys.counts.known(hash, window.minute));
  }
}

/** The admission of one request. */
class Admission {
  /** What the answer says of the limit; the default until the request is counted. */
  status: RateStatus;
  private counted: Promise<number> | undefined;
  /** Requests before this one that the counter was not told of. Later ones take nothing from it. */
  private readonly unreported: number;

  constructor(
    /** The tenant that the request will probably be admitted for, as it was last time. */
    readonly likelyTenant: Tenant | undefined,
    private readonly keys: RememberedKeys,
    private readonly reads: AdmissionReads,
    private readonly window: RateWindow,
    private readonly logger: Logger,
    private readonly traceId: string,
  ) {
    this.status = rateStatus(window, DEFAULT_REQUESTS_PER_MINUTE, 0);
    this.unreported = reads.hash === undefined ? 0 : keys.counts.unreported(reads.hash, window.minute);
  }

  /** @throws HttpProblem 401. A text that is no key, or a key known to be unknown, reads nothing. */
  async authenticate(): Promise<ApiKey> {
    const { hash } = this.reads;
    if (hash === undefined || this.keys.unknown.has(hash)) throw unauthorized();
    const key = await this.reads.key();
    if (!key || key.revokedAtMs !== null) {
      this.keys.admitted.delete(hash);
      this.keys.limits.delete(hash);
      this.keys.unknown.add(hash);
      throw unauthorized();
    }
    this.keys.limits.set(hash, key.requestsPerMinute);
    return key;
  }

  /**
   * Counts the request, once however often it is called. @throws HttpProblem 429. Where the counter cannot be reached,
   * it is let through (D-36), as many times in a minute as the limit of the key is.
   */
  async count(key: ApiKey): Promise<void> {
    const { requestsPerMinute: limit } = key;
    const count = await (this.counted ??= this.countOrAssume(key));
    this.status = rateStatus(this.window, limit, count);
    if (count <= limit) {
      this.keys.admitted.add(key.hash);
      return;
    }
    this.keys.admitted.delete(key.hash); // nothing more is read for it than its refusal takes
    throw rateLimitExceeded(this.window.retryAfterSeconds);
  }

  /**
   * Sets the status to what is true of the key without counting: by a read of the key and one of its counter. A text
   * that is no key, an unknown key, and one that cannot be looked up now keep the default. Never rejects.
   */
  async readStatus(): Promise<void> {
    try {
      const key = await this.authenticate();
      const known = this.keys.counts.known(key.hash, this.window.minute);
      // What this instance knows is enough once the limit is passed: a flood must not read a document each.
      const count = known >= key.requestsPerMinute ? known : Math.max(known, await this.reads.stored());
      this.status = rateStatus(this.window, key.requestsPerMinute, count);
    } catch {
      // The answer is about something else.
    }
  }

  /**
   * Requests of the key in this minute, this one included. Once they are known to be too many, the counter is not asked
   * any more: a flood would keep its document hot. Where it cannot be reached, they are those that this instance knows
   * of.
   */
  private async countOrAssume(key: ApiKey): Promise<number> {
    const { counts } = this.keys;
    const { minute } = this.window;
    const known = counts.add(key.hash, minute);
    const isOver = known > key.requestsPerMinute;
    if (isOver && !this.reads.isCounting) {
      counts.addUnreported(key.hash, minute);
      return known;
    }
    try {
      const counting = this.reads.count();
      // Requests that began together are counted in any order: one that this instance would refuse may be within the
      // limit. Only the counter knows, however slow it is.
      const counted = await (isOver ? counting : withFairTimeout(counting, RATE_COUNTER_TIMEOUT_MS));
      const count = counted + this.unreported;
      counts.raiseTo(key.hash, minute, count);
      return count;
    } catch (error) {
      const message = isOver
        ? 'The rate counter cannot be reached; the request is refused, as its key has passed its limit here.'
        : 'The rate counter cannot be reached; the request is let through.'; // counted by terraform/monitoring.tf
      this.logger.log('WARNING', message, { traceId: this.traceId, keyId: key.keyId, ...errorDetails(error) });
      return known;
    }
  }

  /** @throws HttpProblem 400, 404, 403. */
  async requireTenant(key: ApiKey, tenantText: string, permission: Permission): Promise<Tenant> {
    const tenantId = parseTenantId(tenantText);
    if (!tenantId) throw invalidTenant();
    const tenant = await this.reads.tenant(tenantId);
    const pair = pairOf(key.hash, tenantId);
    this.keys.admittedTo.delete(pair); // unless it is admitted again
    if (!tenant) throw tenantNotFound();
    if (tenant.organizationId !== key.organizationId) throw foreignTenant();
    requirePermission(key, permission);
    this.keys.admittedTo.set(pair, tenant);
    return tenant;
  }
}

function pairOf(hash: ApiKeyHash, tenantId: TenantId): string {
  return `${hash}.${tenantId}`;
}

/** @throws HttpProblem 403. */
export function requirePermission(key: ApiKey, permission: Permission): void {
  if (!key.permissions.includes(permission)) throw missingPermission(permission);
}

/** The reads of one admission, each made once; `readAhead` makes them all in the time of one. */
class AdmissionReads {
  private keyRead: Promise<ApiKey | undefined> | undefined;
  private counted: Promise<number> | undefined;
  private readonly tenantReads = new Map<TenantId, Promise<Tenant | undefined>>();

  constructor(
    private readonly dependencies: AdmissionDependencies,
    readonly hash: ApiKeyHash | undefined,
    private readonly window: RateWindow,
    private readonly deadline: Deadline,
  ) {}

  key(): Promise<ApiKey | undefined> {
    return (this.keyRead ??= this.dependencies.admissionStore.findKey(this.knownHash(), this.deadline));
  }

  count(): Promise<number> {
    return (this.counted ??= this.dependencies.admissionStore.countRequest(this.knownHash(), this.window.minute));
  }

  tenant(tenantId: TenantId): Promise<Tenant | undefined> {
    const read = this.tenantReads.get(tenantId) ?? this.dependencies.admissionStore.findTenant(tenantId, this.deadline);
    this.tenantReads.set(tenantId, read);
    return read;
  }

  /** Whether the request was or is being counted. */
  get isCounting(): boolean {
    return this.counted !== undefined;
  }

  /** Requests that the counter has, this one not included. */
  stored(): Promise<number> {
    return this.dependencies.admissionStore.findCount(this.knownHash(), this.window.minute, this.deadline);
  }

  readAhead(tenantId: TenantId | undefined): void {
    const reads = [this.key(), this.count(), ...(tenantId ? [this.tenant(tenantId)] : [])];
    // Whoever needs a read awaits it and sees its failure; one that nobody gets to must not end the process.
    for (const read of reads) read.catch(() => undefined);
  }

  private knownHash(): ApiKeyHash {
    if (this.hash === undefined) throw new Error('There is no key to look up.');
    return this.hash;
  }
}

export type { Admission };
