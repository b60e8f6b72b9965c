/** Operators' use case about the audit log. */
import type { ShownEntry } from '../audit/entry';
import { entryTime, isEntryId, toShownEntry } from '../audit/entry';
import type { Page } from '../documents/document-store';
import { documentsAfter } from '../documents/pages';
import { AUDIT_LOG, auditEntryPath, idOf } from '../documents/paths';
import { DEFAULT_AUDIT_ENTRIES, MAX_AUDIT_ENTRIES, MAX_AUDIT_ENTRIES_READ } from '../limits/audit';
import { LIST_PAGE_DOCUMENTS } from '../limits/records';
import { requireWholeNumber } from './inputs';
import type { Operator } from './operator';
import { InvalidInput } from './operator-error';
import { requireGuid } from './tenants';

export interface AuditQuery {
  /** Entries about a tenant, also one that was erased. */
  readonly tenant?: string | undefined;
  /** The whole name of an actor. */
  readonly actor?: string | undefined;
  /** Entries from then on. */
  readonly since?: Date | undefined;
  /** At most MAX_AUDIT_ENTRIES; DEFAULT_AUDIT_ENTRIES when it is absent. */
  readonly limit?: number;
  /** The id of an entry: only older ones. */
  readonly after?: string | undefined;
}

export interface AuditPage {
  /** The newest first. */
  readonly entries: readonly ShownEntry[];
  /** `after` of the next page; null: there is none. */
  readonly next: string | null;
}

/** A page of the audit log. @throws OperatorError */
export async function listAudit(query: AuditQuery, operator: Operator): Promise<AuditPage> {
  const { actor, since, after } = query;
  const { store, deadline } = operator;
  const limit = requireWholeNumber('limit', query.limit ?? DEFAULT_AUDIT_ENTRIES, MAX_AUDIT_ENTRIES);
  const tenantId = query.tenant === undefined ? undefined : requireGuid(query.tenant);
  if (after !== undefined && !isEntryId(after)) throw new InvalidInput('after', 'must be the id of an entry', after);
  const list = (page: Page) => {
    if (tenantId !== undefined) return store.findWhere(AUDIT_LOG, 'tenantId', tenantId, page, deadline());
    if (actor !== undefined) return store.findWhere(AUDIT_LOG, 'actor', actor, page, deadline());
    return store.list(AUDIT_LOG, page, deadline());
  };
  const atOnce = Math.min(limit + 1, LIST_PAGE_DOCUMENTS); // one more tells whether there is a next page
  const entries: ShownEntry[] = [];
  let read = 0;
  let last: string | null = null;
  for await (const document of documentsAfter(after && auditEntryPath(after), atOnce, list)) {
    if (since && entryTime(document) < since) break;
    if (entries.length === limit || read === MAX_AUDIT_ENTRIES_READ) return { entries, next: last };
    read += 1;
    last = idOf(document.path);
    if (actor === undefined || document.data.actor === actor) entries.push(toShownEntry(document));
  }
  return { entries, next: null };
}
