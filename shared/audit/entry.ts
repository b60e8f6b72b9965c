/**
 * Entries of the audit log. They say what was decided about whom, and never hold a secret, a record, or a free text of
 * a tenant: so nothing of them has to go when a tenant is erased.
 */
import type { StoredDocument } from '../documents/document-store';
import { auditEntryPath, idOf } from '../documents/paths';
import type { DocumentData } from '../domain/records/document';
import { AUDIT_RETENTION_DAYS } from '../limits/audit';

/** What can be done: by the command line and, what the API does, by operators in their console. */
export type Action =
  | 'customers.upsert'
  | 'customers.delete'
  | 'products.upsert'
  | 'products.delete'
  | 'orders.upsert'
  | 'orders.delete'
  | 'tenants.create'
  | 'tenants.update'
  | 'tenants.suspend'
  | 'tenants.resume'
  | 'tenants.rekey'
  | 'tenants.erase'
  | 'keys.create'
  | 'keys.rotate'
  | 'keys.revoke'
  | 'transfers.run'
  | 'transfers.register-historical'
  | 'transfers.register-daily'
  | 'transfers.register-hourly'
  | 'transfers.register-live'
  | 'transfers.unregister'
  | 'transfers.preview'
  | 'runs.cancel'
  | 'runs.replay'
  | 'runs.resume'
  | 'buckets.release'
  | 'buckets.allow-notifications'
  | 'deletions.retry'
  | 'dead-letters.replay'
  | 'dead-letters.discard'
  | 'restore.replay-deletions';

/** Settings, ids, counts and times. */
export type AuditedState = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** Something that is done, and to what. */
export interface Act {
  readonly action: Action;
  readonly tenantId?: string;
  readonly organizationId?: string;
  /** The public name of a key. */
  readonly keyId?: string;
  /** What was there before, and what is there since; absent: nothing, or the rest of the entry says it. */
  readonly before?: AuditedState;
  readonly after?: AuditedState;
}

/**
 * What became of an act. One that is a single commit is `done`. Any other one has an entry when it is `begun`, and
 * another one at its end: `done`, `failed` (an error), or `stopped` (nobody took the rest of its results). A process
 * that is killed leaves `begun` alone.
 */
export type ActOutcome = 'begun' | 'done' | 'failed' | 'stopped';

/** What an entry holds beside the act. */
export interface EntryFacts {
  readonly at: Date;
  /** An account, a user of the operating system, or the public name of a key. */
  readonly actor: string;
  readonly door: Door;
  readonly outcome: ActOutcome;
  /** The entry of the beginning; absent: there is none. */
  readonly beganAs?: string;
  /** The name of the error by which it failed. Its message may tell of records. */
  readonly error?: string;
}

/** Where an actor came in. */
export type Door = 'command line' | 'console';

/** An entry as it is shown. */
export interface ShownEntry {
  readonly entryId: string;
  readonly at: string;
  readonly actor: string;
  readonly door: Door;
  readonly action: Action;
  readonly outcome: ActOutcome;
  readonly tenantId: string | null;
  readonly organizationId: string | null;
  readonly keyId: string | null;
  readonly before: AuditedState | null;
  readonly after: AuditedState | null;
  readonly beganAs: string | null;
  readonly error: string | null;
}

/** Ids count down, so that a list in the order of ids has the newest entries first. */
const LAST_MS = 99_999_999_999_999;
const ENTRY_ID = /^\d{14}\.[0-9a-f]{12}$/;

/** @param unique 12 hexadecimal digits */
export function entryIdAt(at: Date, unique: string): string {
  return `${LAST_MS - at.getTime()}.${unique}`;
}

/** Whether an entry can have this id. */
export function isEntryId(text: string): boolean {
  return ENTRY_ID.test(text);
}

/** The write of an entry. A repeat writes the same. */
export function toEntryWrite(entryId: string, { before, after, ...act }: Act, facts: EntryFacts) {
  const data: DocumentData = {
    ...act,
    ...facts,
    ...(before && { before }),
    ...(after && { after }),
    expireAt: new Date(facts.at.getTime() + AUDIT_RETENTION_DAYS * 86_400_000),
  };
  return { set: auditEntryPath(entryId), data };
}

/** When the entry in a document was written. */
export function entryTime({ data }: StoredDocument): Date {
  return data.at as Date;
}

// Read without checks, because only the service writes entries.
export function toShownEntry({ path, data }: StoredDocument): ShownEntry {
  const entry = data as unknown as Act & EntryFacts;
  const { at, actor, door, action, outcome } = entry;
  return {
    entryId: idOf(path),
    at: at.toISOString(),
    actor,
    door,
    action,
    outcome,
    tenantId: entry.tenantId ?? null,
    organizationId: entry.organizationId ?? null,
    keyId: entry.keyId ?? null,
    before: entry.before ?? null,
    after: entry.after ?? null,
    beganAs: entry.beganAs ?? null,
    error: entry.error ?? null,
  };
}
