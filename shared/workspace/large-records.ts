/**
 * The flag of tenants that may hold large records. A batch is refused, before any of it is stored, if one of its
 * records would outgrow its document. That cannot happen while neither the sent nor the stored records are large; then
 * none has to be read for this check. So the flag is set before a tenant's first large record is stored.
 */
import type { Deadline } from '../platform/deadline';
import type { DocumentStore } from '../documents/document-store';
import { tenantPath } from '../documents/paths';
import { LARGE_RECORD_BYTES } from '../limits/records';
import type { Tenant, TenantId } from '../domain/tenant';

/** Whether a record of this size might outgrow its document when it is merged with another one. */
export function isLarge(bytes: number): boolean {
  return bytes > LARGE_RECORD_BYTES;
}

/** Reads the tenant's current flag. */
export async function mayHoldLargeRecords(
  tenantId: TenantId,
  store: DocumentStore,
  deadline: Deadline,
): Promise<boolean> {
  const tenant = await store.get(tenantPath(tenantId), deadline);
  return tenant?.data.hasLargeRecords === true;
}

/**
 * Tenants whose flag was set since they were read, by the store that holds it: one document must not be written again
 * by each commit of a file.
 */
const flagged = new WeakMap<DocumentStore, WeakSet<Tenant>>();

/** Sets the tenant's flag. Must be called before a large record is stored. A repeat is safe, and writes nothing. */
export async function flagLargeRecords(tenant: Tenant, store: DocumentStore, deadline: Deadline): Promise<void> {
  if (tenant.hasLargeRecords === true || flagged.get(store)?.has(tenant)) return;
  const data = { hasLargeRecords: true };
  await store.commit(
    [{ set: tenantPath(tenant.tenantId), data, fields: Object.keys(data), when: 'present' }],
    deadline,
  );
  flagged.set(store, (flagged.get(store) ?? new WeakSet()).add(tenant));
}
