/**
 * A batch of which a record would outgrow its document is refused before anything of it is stored. Where neither what
 * is sent nor what the tenant holds is large, no record can, and none has to be read for it. So a tenant is marked
 * before it gets its first large record.
 */
import type { Deadline } from '../platform/deadline';
import type { DocumentStore } from '../documents/document-store';
import { tenantPath } from '../documents/paths';
import { LARGE_RECORD_BYTES } from '../limits/records';
import type { Tenant, TenantId } from '../domain/tenant';

/** Whether a record of these bytes might outgrow its document when it is merged with another one. */
export function isLarge(bytes: number): boolean {
  return bytes > LARGE_RECORD_BYTES;
}

/** Whether the tenant may hold large records by now. */
export async function mayHoldLargeRecords(
  tenantId: TenantId,
  store: DocumentStore,
  deadline: Deadline,
): Promise<boolean> {
  const tenant = await store.get(tenantPath(tenantId), deadline);
  return tenant?.data.hasLargeRecords === true;
}

/** Marks the tenant as one that may hold large records. Called before one is stored; repeating it is safe. */
export async function flagLargeRecords(tenant: Tenant, store: DocumentStore, deadline: Deadline): Promise<void> {
  if (tenant.hasLargeRecords === true) return;
  const data = { hasLargeRecords: true };
  await store.commit(
    [{ set: tenantPath(tenant.tenantId), data, fields: Object.keys(data), when: 'present' }],
    deadline,
  );
}
