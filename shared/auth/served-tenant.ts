import type { Deadline } from '../platform/deadline';
import type { DocumentReads } from '../documents/document-store';
import { tenantPath } from '../documents/paths';
import type { Tenant } from '../domain/tenant';
import { fromTenantDocument } from './tenant-documents';

/**
 * The tenant as it is stored now; undefined when there is none, or when it is being erased. Everything that
 * begins to write for a tenant calls this first. How long it may write afterwards is bounded (STALE_TENANT_MS).
 */
export async function findServedTenant(
  tenantId: string,
  store: DocumentReads,
  deadline: Deadline,
): Promise<Tenant | undefined> {
  const document = await store.get(tenantPath(tenantId), deadline);
  const tenant = document && fromTenantDocument(tenantId, document.data);
  return tenant?.erasingSince === undefined ? tenant : undefined;
}
