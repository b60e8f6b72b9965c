import { timingSafeEqual } from 'node:crypto';
import type { AdmissionStore } from '../../../shared/auth/admission-store';
import type { ApiKeyHash, Caller } from '../../../shared/domain/api-key';
import { API_KEY_BYTES, EVERY_ORGANIZATION, PERMISSIONS } from '../../../shared/domain/api-key';
import { MAX_REQUESTS_PER_MINUTE } from '../../../shared/domain/limits';
import type { Tenant, TenantId } from '../../../shared/domain/tenant';
import type { Clock } from '../../../shared/platform/clock';
import type { Deadline } from '../../../shared/platform/deadline';
import type { Random } from '../../../shared/platform/random';
import { InstanceCounts } from '../../console/doors/instance-counts';
import type { BegunSession, Session, Sessions } from '../../console/session/session';
import { newSession } from '../../console/session/session';

interface Dependencies {
  readonly clock: Clock;
  readonly random: Random;
  /** Knows the tenants. */
  readonly admissionStore: Pick<AdmissionStore, 'findTenant'>;
}

/**
 * The one session of an operator's console, in this process's memory. It may do everything in every
 * organization, and begins with a token that works once.
 */
export class OperatorSessions extends InstanceCounts implements AdmissionStore, Sessions {
  /** What begins the session. */
  readonly token: string;
  private isTokenUsed = false;
  private begun: BegunSession | undefined;
  private readonly createdAtMs: number;

  constructor(private readonly dependencies: Dependencies) {
    super();
    this.createdAtMs = dependencies.clock.nowMs();
    this.token = dependencies.random.bytes(API_KEY_BYTES).toString('base64url');
  }

  /** Begins the session. @returns undefined for another token, or when it was used */
  redeem(token: string): BegunSession | undefined {
    const [given, expected] = [Buffer.from(token), Buffer.from(this.token)];
    if (this.isTokenUsed || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    this.isTokenUsed = true;
    return (this.begun = newSession(this.dependencies));
  }

  find(hash: ApiKeyHash): Promise<Session | undefined> {
    const { begun } = this;
    const isValid = begun?.hash === hash && this.dependencies.clock.nowMs() < begun.endsAtMs;
    return Promise.resolve(isValid ? begun : undefined);
  }

  end(): Promise<void> {
    this.begun = undefined;
    return Promise.resolve();
  }

  async findKey(hash: ApiKeyHash): Promise<Caller | undefined> {
    if (!(await this.find(hash))) return undefined;
    return {
      hash,
      keyId: 'operator',
      name: null,
      organizationId: EVERY_ORGANIZATION,
      permissions: PERMISSIONS,
      requestsPerMinute: MAX_REQUESTS_PER_MINUTE,
      createdAtMs: this.createdAtMs,
      expiresAtMs: null,
      revokedAtMs: null,
    };
  }

  findTenant(tenantId: TenantId, deadline: Deadline): Promise<Tenant | undefined> {
    return this.dependencies.admissionStore.findTenant(tenantId, deadline);
  }
}
