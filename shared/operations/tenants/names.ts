/**
 * The index of tenants by their display names. An entry is a document whose id begins with the name, so that a
 * list of ids from a text on finds the names that begin with it. It is written by the commit that names the tenant.
 */
import type { DocumentChange } from '../../documents/document-store';
import { TENANT_NAMES } from '../../documents/paths';
import type { Tenant } from '../../domain/tenant';

type Named = Pick<Tenant, 'tenantId' | 'displayName'>;

/** The writes that keep the index right when a tenant gets, changes or loses its name. Empty: it keeps its name. */
export function renameWrites(before: Named | undefined, after: Named | undefined): DocumentChange[] {
  const [former, present] = [before && entryPath(before), after && entryPath(after)];
  if (former === present) return [];
  return [
    ...(former === undefined ? [] : [{ delete: former }]),
    ...(present === undefined ? [] : [{ set: present, data: { tenantId: after?.tenantId } }]),
  ];
}

/** How the path begins of each entry of a name that begins with this text, in any case. */
export function nameEntriesFrom(text: string): string {
  return `${TENANT_NAMES}/${encodeURIComponent(text.trim().normalize('NFKC').toLowerCase())}`;
}

function entryPath({ tenantId, displayName }: Named): string | undefined {
  return displayName === null ? undefined : `${nameEntriesFrom(displayName)}.${tenantId}`;
}
