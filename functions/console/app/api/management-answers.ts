/** What the routes below `/console/management` tell operators. */
import type { Run, UsageCounts, UsageStep } from '../../../../client/src/index';
import type { MarkedKey } from '../../../../shared/domain/key-marks';

/** A run of any tenant. */
export interface OperatorRun {
  readonly tenantId: string;
  readonly runId: string;
  readonly status: Run['Status'];
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Null: its files could not be counted. */
  readonly rows: Readonly<Record<'read' | 'stored' | 'invalid' | 'stale' | 'deleted', number>> | null;
  readonly error: string | null;
}

export type TenantUsage = { readonly tenantId: string; readonly organizationId: string } & UsageCounts;

export const MEASURES = ['requests', 'records', 'errors'] as const;
export type Measure = (typeof MEASURES)[number];

/** What was counted of some tenants. */
export interface UsagePart {
  readonly from: string;
  readonly to: string;
  readonly step: 'hour' | 'day';
  readonly totals: UsageCounts;
  readonly steps: readonly UsageStep[];
  /** Tenants of which anything was counted. */
  readonly tenants: number;
  readonly top: Readonly<Record<Measure, readonly TenantUsage[]>>;
  /** Tenants that were looked at. */
  readonly looked: number;
  /** Tenants in all; null: the first part says it. */
  readonly ofTenants: number | null;
  readonly next: string | null;
}

export interface WaitingDeletions {
  readonly pending: readonly {
    readonly tenantId: string;
    readonly kind: 'customers' | 'products' | 'orders';
    readonly count: number;
    readonly isMore: boolean;
    readonly oldestAt: string;
  }[];
  readonly setAside: readonly { readonly tenantId: string; readonly deletionId: string; readonly reason: string }[];
  readonly isMore: boolean;
}

/** What became of a tenant's deletions that had been set aside. */
export interface RetriedDeletions {
  readonly retried: number;
  /** Those that still cannot be applied. */
  readonly setAside: number;
}

export interface DeadLetters {
  readonly count: number;
  readonly isMore: boolean;
  /** The oldest ones. */
  readonly letters: readonly {
    readonly id: string;
    readonly function: string | null;
    readonly reason: string | null;
    readonly attempts: number | null;
    readonly publishedAt: string;
  }[];
}

export type DeadLetterAct = 'replay' | 'discard';

/** All that there are, or some by their ids. */
export type DeadLetterSelection = { readonly all: true } | { readonly ids: readonly string[] };

export interface DeadLetterResult {
  /** For how many it was done. */
  readonly count: number;
  /** Why it was not done for others; null: it was done for all. */
  readonly problem: string | null;
}

/** A key of any organization. */
export interface OperatorKey extends MarkedKey {
  readonly keyId: string;
  readonly organizationId: string;
  readonly name: string | null;
}

interface OperatorKeys {
  readonly count: number;
  /** Some of them. */
  readonly keys: readonly OperatorKey[];
}

/** Keys that need attention. */
export interface KeysToLookAt {
  readonly unused: OperatorKeys;
  readonly endsSoon: OperatorKeys;
  readonly looked: number;
  readonly isMore: boolean;
}

type AuditedState = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  readonly entryId: string;
  readonly at: string;
  readonly actor: string;
  readonly door: string;
  readonly action: string;
  readonly outcome: 'begun' | 'done' | 'failed' | 'stopped';
  readonly tenantId: string | null;
  readonly organizationId: string | null;
  readonly keyId: string | null;
  readonly before: AuditedState | null;
  readonly after: AuditedState | null;
  readonly error: string | null;
}

export interface AuditFilter {
  readonly tenant: string | undefined;
  readonly actor: string | undefined;
  readonly since: string | undefined;
}
