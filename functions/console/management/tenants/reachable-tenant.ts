import { fromTenantDocument } from '../../../../shared/auth/tenant-documents';
import type { DocumentReads } from '../../../../shared/documents/document-store';
import { tenantPath } from '../../../../shared/documents/paths';
import type { Caller } from '../../../../shared/domain/api-key';
import { EVERY_ORGANIZATION, reaches } from '../../../../shared/domain/api-key';
import type { Tenant, TenantId } from '../../../../shared/domain/tenant';
import { parseTenantId } from '../../../../shared/domain/tenant';
import type { Call, RouteRequest } from '../../../../shared/endpoint/route';
import { foreignTenant, invalidTenant, tenantNotFound } from '../../../../shared/http/problems';

/** The tenant that a path names. @throws HttpProblem 400 */
export function readTenantId(request: RouteRequest): TenantId {
  const tenantId = parseTenantId(request.param('tenantId'));
  if (!tenantId) throw invalidTenant();
  return tenantId;
}

/**
 * A tenant of the caller's organization, also one that is suspended. One that is being erased is there for operators
 * alone. @throws HttpProblem 404, 403
 */
export async function requireReachable(
  tenantId: TenantId,
  caller: Caller,
  { deadline }: Call,
  store: DocumentReads,
): Promise<Tenant> {
  const document = await store.get(tenantPath(tenantId), deadline);
  const tenant = document && fromTenantDocument(tenantId, document.data);
  const isHidden = tenant?.erasingSince !== undefined && caller.organizationId !== EVERY_ORGANIZATION;
  if (!tenant || isHidden) throw tenantNotFound();
  if (!reaches(caller, tenant.organizationId)) throw foreignTenant();
  return tenant;
}
