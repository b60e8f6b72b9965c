/** What the routes below `/console/management` tell operators, who alone may ask for them. */
import type { Run, UsageCounts, UsageStep } from '../../../../client/src/index';
import type { Door } from './door';

/** A run of any tenant. */
export interface OperatorRun {
  readonly tenantId: string;
  readonly runId: string;
  readonly status: Run['Status'];
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Null: its files could not be counted. */
  readonly rows: { readonly read: number; readonly invalid: number } | null;
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

type Query = Readonly<Record<string, string | undefined>>;

function ask<Result>(door: Door, path: string, query: Query, signal: AbortSignal): Promise<Result> {
  return door.manage<Result>({ method: 'GET', path, query, signal });
}

/** The newest runs of all tenants, ten of them. */
export async function lastRuns(door: Door, query: Query, signal: AbortSignal): Promise<readonly OperatorRun[]> {
  return (await ask<{ readonly runs: readonly OperatorRun[] }>(door, '/overview/runs', query, signal)).runs;
}

export function usagePart(door: Door, query: Query, signal: AbortSignal): Promise<UsagePart> {
  return ask(door, '/overview/usage', query, signal);
}

/** @param tenant undefined: of all tenants */
export function waitingDeletions(
  door: Door,
  tenant: string | undefined,
  signal: AbortSignal,
): Promise<WaitingDeletions> {
  return ask(door, '/overview/deletions', { tenant }, signal);
}

export function deadLetters(door: Door, signal: AbortSignal): Promise<DeadLetters> {
  return ask(door, '/overview/dead-letters', {}, signal);
}

/** The entries of the audit log, the newest first, page by page. */
export async function* auditEntries(door: Door, filter: AuditFilter, signal: AbortSignal): AsyncGenerator<AuditEntry> {
  let after: string | undefined;
  do {
    const query = { ...filter, after };
    const page = await ask<{ readonly entries: readonly AuditEntry[]; readonly next: string | null }>(
      door,
      '/audit',
      query,
      signal,
    );
    yield* page.entries;
    after = page.next ?? undefined;
  } while (after !== undefined);
}
