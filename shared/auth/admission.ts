/**
 * Admits a request: key (401), rate limit (429), tenant (400, 404, 403), in this order (D-34). The types enforce the
 * order: counting and the tenant check take the `Caller` that only `authenticate` returns, and a use case takes the
 * `Tenant` that only the tenant check returns. Who a caller is, and what counts, is the store's to say.
 */
import type { ApiKeyHash, Caller, Permission } from '../domain/api-key';
import { EVERY_ORGANIZATION, hashApiKey, isValidKey, reaches } from '../domain/api-key';
import { DEFAULT_REQUESTS_PER_MINUTE } from '../domain/limits';
import type { RateStatus, RateWindow } from '../domain/rate-window';
import { rateStatus, rateWindowAt } from '../domain/rate-window';
import type { Tenant, TenantId } from '../domain/tenant';
import { parseTenantId } from '../domain/tenant';
import type { HttpProblem } from '../http/problems';
import {
  foreignTenant,
  invalidTenant,
  missingPermission,
  rateLimitExceeded,
  tenantNotFound,
  tenantSuspended,
  unauthorized,
} from '../http/problems';
import { RATE_COUNTER_TIMEOUT_MS } from '../limits/requests';
import { withFairTimeout } from '../platform/async/fair-timeout';
import type { Clock } from '../platform/clock';
import type { Deadline } from '../platform/deadline';
import type { Logger } from '../platform/logger';
import { errorDetails } from '../platform/logger';
import type { Trace } from '../platform/trace';
import { toTrace } from '../platform/trace';
import { AdmissionReads } from './admission-reads';
import type { AdmissionStore } from './admission-store';
import type { Place } from './rate-leases';
import { RateLeases } from './rate-leases';
import { RememberedKeys } from './remembered-keys';

export interface AdmissionDependencies {
  readonly admissionStore: AdmissionStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The request that asks for admission. */
export interface AdmissionCall extends Trace {
  readonly deadline: Deadline;
}

/** The tenant that a request names. */
export interface NamedTenant {
  /** Undefined: no GUID is known. */
  readonly tenantId: TenantId | undefined;
  /** Whether it belongs to the key's organization; before it is looked up, whether it did last time. */
  readonly isOwn: boolean;
  /** Whether it was looked up for this request, and exists. */
  readonly isFound: boolean;
}

/** Admits the requests of one instance. */
export class Gatekeeper {
  private readonly keys = new RememberedKeys();
  private readonly leases: RateLeases;

  /** @param refusal the 401 of a request without a caller */
  constructor(
    private readonly dependencies: AdmissionDependencies,
    private readonly refusal: () => HttpProblem = unauthorized,
  ) {
    this.leases = new RateLeases(dependencies.admissionStore, dependencies.clock);
  }

  /**
   * Begins the admission of one request. For a key that was admitted before, the reads begin at once.
   * @param tenantText the tenant in the request's path; undefined when the path has none
   */
  begin(keyText: string | undefined, tenantText: string | undefined, call: AdmissionCall): Admission {
    const window = this.currentWindow();
    const reads = this.readsFor(keyText, window, call.deadline);
    const { hash } = reads;
    const tenantId = parseTenantId(tenantText ?? '');
    const lastTenant =
      hash !== undefined && tenantId ? this.keys.admittedTo.get(keyAndTenant(hash, tenantId)) : undefined;
    const isLikely = hash !== undefined && this.keys.admitted.has(hash);
    if (isLikely) reads.readAhead(tenantId, this.keys.limits.get(hash) ?? DEFAULT_REQUESTS_PER_MINUTE);
    const admission = this.admissionOf(reads, window, call, isLikely ? lastTenant : undefined);
    admission.subject = { tenantId, isOwn: lastTenant !== undefined, isFound: false };
    return admission;
  }

  /** The rate status of a request that counts against no key (D-34). Writes nothing, and never rejects. */
  async readRateStatus(keyText: string | undefined, call: AdmissionCall): Promise<RateStatus> {
    const window = this.currentWindow();
    const reads = this.readsFor(keyText, window, call.deadline);
    const admission = this.admissionOf(reads, window, call);
    await admission.readStatus();
    return admission.status;
  }

  /**
   * The rate status by what this instance remembers of the key; the default for a key it does not know. Reads nothing.
   */
  recallRateStatus(keyText: string | undefined): RateStatus {
    const window = this.currentWindow();
    const hash = hashApiKey(keyText ?? '');
    const limit = hash && this.keys.limits.get(hash);
    if (hash === undefined || limit === undefined) return rateStatus(window, DEFAULT_REQUESTS_PER_MINUTE, 0);
    return rateStatus(window, limit, this.keys.counts.known(hash, window.minute));
  }

  private admissionOf(reads: AdmissionReads, window: RateWindow, trace: Trace, likelyTenant?: Tenant): Admission {
    return new Admission(likelyTenant, this.keys, reads, window, this.dependencies, trace, this.refusal);
  }

  private currentWindow(): RateWindow {
    return rateWindowAt(this.dependencies.clock.nowMs());
  }

  private readsFor(keyText: string | undefined, window: RateWindow, deadline: Deadline): AdmissionReads {
    const { admissionStore } = this.dependencies;
    return new AdmissionReads(admissionStore, this.leases, hashApiKey(keyText ?? ''), window, deadline);
  }
}

/** The admission of one request. */
class Admission {
  /**
   * The rate status for the answer; the default until the request is counted. Of a request that was counted under a
   * lease, it says at first only what this instance has left, and all that is left once `settleStatus` has resolved.
   */
  status: RateStatus;
  /** The key that was sent, once it is found, also if it is revoked or has ended. */
  key: Caller | undefined;
  /** What is known of the tenant that the request names. */
  subject: NamedTenant = { tenantId: undefined, isOwn: false, isFound: false };
  private counted: Promise<Place> | undefined;
  /** Requests before this one that are missing in the stored counter. Later ones do not count against this request. */
  private readonly unreported: number;

  constructor(
    /** The tenant that the request will probably be admitted to, as it was last time. */
    readonly likelyTenant: Tenant | undefined,
    private readonly keys: RememberedKeys,
    private readonly reads: AdmissionReads,
    private readonly window: RateWindow,
    private readonly dependencies: Pick<AdmissionDependencies, 'clock' | 'logger'>,
    private readonly trace: Trace,
    private readonly refusal: () => HttpProblem,
  ) {
    this.status = rateStatus(window, DEFAULT_REQUESTS_PER_MINUTE, 0);
    this.unreported = reads.hash === undefined ? 0 : keys.counts.unreported(reads.hash, window.minute);
  }

  /** @throws HttpProblem 401. For a text that is no key, and for a key that was refused before, nothing is read. */
  async authenticate(): Promise<Caller> {
    const { hash } = this.reads;
    if (hash === undefined) throw this.refusal();
    const refused = this.keys.refused.get(hash);
    const key = refused === 'unknown' ? undefined : (refused ?? (await this.reads.key()));
    this.key = key;
    if (!key || !isValidKey(key, this.dependencies.clock.nowMs())) {
      this.keys.admitted.delete(hash);
      this.keys.limits.delete(hash);
      this.keys.refused.set(hash, key ?? 'unknown');
      throw this.refusal();
    }
    this.keys.limits.set(hash, key.requestsPerMinute);
    return key;
  }

  /**
   * Counts the request; a repeat counts it no second time. When the counter cannot be reached, the request is let
   * through (D-36), up to the key's limit in each minute and instance.
   * @throws HttpProblem 429.
   */
  async count(key: Caller): Promise<void> {
    const { requestsPerMinute: limit } = key;
    const place = await (this.counted ??= this.countOrAssume(key));
    this.status = rateStatus(this.window, limit, place.isLast ? place.number : limit - place.reserve);
    if (place.number <= limit) {
      this.keys.admitted.add(key.hash);
      return;
    }
    this.keys.admitted.delete(key.hash); // the next requests read only what their refusal needs
    throw rateLimitExceeded(this.window.retryAfterSeconds);
  }

  /**
   * Waits until `status` says what is left over all instances: what the stored counter has left, and what is left of
   * the lease under which the request was counted. It never says more than there is, because leases of other instances
   * are in the counter. If the counter cannot be read, `status` stays as it is. Never rejects.
   */
  async settleStatus(): Promise<void> {
    const { hash } = this.reads;
    const place = await this.counted;
    const { limit } = this.status;
    if (!place || place.isLast || place.number > limit || hash === undefined) return;
    try {
      const counted = await withFairTimeout(this.reads.storedCount(), RATE_COUNTER_TIMEOUT_MS);
      const count = Math.min(limit, Math.max(counted + this.unreported, place.number + place.reserve)) - place.reserve;
      this.keys.counts.raiseTo(hash, this.window.minute, count);
      this.status = rateStatus(this.window, limit, count);
    } catch {
      // What this instance has left is true, too.
    }
  }

  /** @throws HttpProblem 400, 404, 403. */
  async requireTenant(key: Caller, tenantText: string, permission: Permission): Promise<Tenant> {
    const tenantId = parseTenantId(tenantText);
    this.subject = { tenantId, isOwn: false, isFound: false };
    if (!tenantId) throw invalidTenant();
    const tenant = await this.reads.tenant(tenantId);
    const pair = keyAndTenant(key.hash, tenantId);
    this.keys.admittedTo.delete(pair); // unless it is admitted again
    if (!tenant) throw tenantNotFound();
    this.subject = { tenantId, isOwn: reaches(key, tenant.organizationId), isFound: true };
    requireOpen(tenant, key);
    requirePermission(key, permission);
    this.keys.admittedTo.set(pair, tenant);
    return tenant;
  }

  /**
   * Sets the status without counting the request, by reading the key and its counter. The default status stays for a
   * text that is no key, for an unknown key, and when the reads fail. Never rejects.
   */
  async readStatus(): Promise<void> {
    try {
      const key = await this.authenticate();
      const known = this.keys.counts.known(key.hash, this.window.minute);
      // Once the limit is passed, the remembered count is enough: the requests of a flood must not each read a
      // document.
      const count = known >= key.requestsPerMinute ? known : Math.max(known, await this.reads.unreservedCount());
      this.status = rateStatus(this.window, key.requestsPerMinute, count);
    } catch {
      // The request is answered for another reason; the default status is good enough.
    }
  }

  /**
   * The request's place among those of the key in this minute. Once these are known to exceed the limit, the counter is
   * not called any more, because a flood would keep its document hot. When the counter cannot be reached, the place is
   * that among the requests that this instance knows of.
   */
  private async countOrAssume(key: Caller): Promise<Place> {
    const { counts } = this.keys;
    const { minute } = this.window;
    const known = counts.add(key.hash, minute);
    const isOverLimit = known > key.requestsPerMinute;
    if (isOverLimit && !this.reads.isCounting) {
      counts.addUnreported(key.hash, minute);
      return { number: known, reserve: 0, isLast: true };
    }
    try {
      const counting = this.reads.count(key.requestsPerMinute);
      // Requests that begin together are counted in any order, so a request that this instance would refuse may be
      // within the limit. Only the counter knows, however slow it is.
      const place = await (isOverLimit ? counting : withFairTimeout(counting, RATE_COUNTER_TIMEOUT_MS));
      const number = place.number + this.unreported;
      counts.raiseTo(key.hash, minute, number);
      return { ...place, number, reserve: Math.max(0, Math.min(place.reserve, key.requestsPerMinute - number)) };
    } catch (error) {
      const message = isOverLimit
        ? 'The rate counter cannot be reached; the request is refused, as its key has passed its limit here.'
        : 'The rate counter cannot be reached; the request is let through.'; // counted by terraform/monitoring.tf
      this.dependencies.logger.log('WARNING', message, {
        ...toTrace(this.trace),
        keyId: key.keyId,
        ...errorDetails(error),
      });
      return { number: known, reserve: 0, isLast: true };
    }
  }
}

/**
 * @throws HttpProblem 403 for a tenant of another organization, and for one that is suspended, which only an operator
 * still reaches.
 */
export function requireOpen({ organizationId, suspendedSince }: Tenant, caller: Caller): void {
  if (!reaches(caller, organizationId)) throw foreignTenant();
  if (suspendedSince !== undefined && caller.organizationId !== EVERY_ORGANIZATION) throw tenantSuspended();
}

/** @throws HttpProblem 403. */
export function requirePermission(key: Caller, permission: Permission): void {
  if (!key.permissions.includes(permission)) throw missingPermission(permission);
}

function keyAndTenant(hash: ApiKeyHash, tenantId: TenantId): string {
  return `${hash}.${tenantId}`;
}

export type { Admission };
