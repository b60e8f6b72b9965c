/** The routes below `/console/management` that operators alone may ask for. */
import type { Door } from './door';
import type {
  AuditEntry,
  AuditFilter,
  DeadLetterAct,
  DeadLetterResult,
  DeadLetters,
  DeadLetterSelection,
  KeysToLookAt,
  OperatorRun,
  RetriedDeletions,
  UsagePart,
  WaitingDeletions,
} from './management-answers';

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

export function actOnDeadLetters(
  door: Door,
  act: DeadLetterAct,
  selection: DeadLetterSelection,
): Promise<DeadLetterResult> {
  return door.manage({ method: 'POST', path: `/overview/dead-letters/${act}`, body: JSON.stringify(selection) });
}

/** Retries all of a tenant's deletions that were set aside. */
export function retryDeletions(door: Door, tenantId: string): Promise<RetriedDeletions> {
  return door.manage({ method: 'POST', path: `/overview/deletions/${encodeURIComponent(tenantId)}/retry` });
}

export function keysToLookAt(door: Door, signal: AbortSignal): Promise<KeysToLookAt> {
  return ask(door, '/overview/keys', {}, signal);
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
