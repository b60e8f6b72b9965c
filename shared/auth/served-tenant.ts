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
  const tenant = await findTenant(tenantId, store, deadline);
  return tenant?.erasingSince === undefined ? tenant : undefined;
}

/** Whether there is a tenant that is being erased: what is still to be done for it goes with it. */
export async function isBeingErased(tenantId: string, store: DocumentReads, deadline: Deadline): Promise<boolean> {
  return (await findTenant(tenantId, store, deadline))?.erasingSince !== undefined;
}

async function findTenant(tenantId: string, store: DocumentReads, deadline: Deadline): Promise<Tenant | undefined> {
  const document = await store.get(tenantPath(tenantId), deadline);
  return document && fromTenantDocument(tenantId, document.data);
}
