import { fromTenantDocument } from '../../../shared/auth/tenant-documents';
import type { DocumentStore } from '../../../shared/documents/document-store';
import { documentsAfter } from '../../../shared/documents/pages';
import { idOf, tenantPath, TENANTS } from '../../../shared/documents/paths';
import type { Caller } from '../../../shared/domain/api-key';
import { EVERY_ORGANIZATION } from '../../../shared/domain/api-key';
import type { Tenant } from '../../../shared/domain/tenant';
import { parseTenantId } from '../../../shared/domain/tenant';
import type { CallerRoute } from '../../../shared/endpoint/route';
import { callerRoute } from '../../../shared/endpoint/route';
import type { ListPage, ListScope } from '../../../shared/http/list-page';
import { PAGE_PARAMETERS, readListPage, takePage } from '../../../shared/http/list-page';

/** A tenant that one may choose. */
export interface TenantDto {
  readonly tenantId: string;
  readonly organizationId: string;
  /** Null: it has none. */
  readonly displayName: string | null;
  readonly state: 'active' | 'suspended' | 'beingErased';
}

/** The route that lists the tenants of the session's organization, an operator's of all, in the order of their ids. */
export function tenantListRoute({ store }: { readonly store: DocumentStore }): CallerRoute<never> {
  return callerRoute<ListPage>({
    operationId: 'listSessionTenants',
    method: 'GET',
    path: '/tenants',
    query: PAGE_PARAMETERS,
    successMessage: 'Tenants found.',
    failureMessage: 'Failed to find tenants.',
    tenantFrom: 'caller',
    read: (request, caller) => readListPage((name) => request.query(name), scopeOf(caller), isTenantId),
    run: async ({ limit, after }, caller, { deadline }) => {
      const from = after === undefined ? undefined : tenantPath(after);
      const { organizationId } = caller;
      const documents = documentsAfter(from, limit + 1, (page) =>
        organizationId === EVERY_ORGANIZATION
          ? store.list(TENANTS, page, deadline)
          : store.findWhere(TENANTS, 'organizationId', organizationId, page, deadline),
      );
      const { items, nextPageToken } = await takePage(
        documents,
        { limit, scope: scopeOf(caller), deadline },
        ({ path, data }) => {
          const tenant = fromTenantDocument(idOf(path), data);
          return isShown(tenant, caller) ? toTenantDto(tenant) : undefined;
        },
        ({ path }) => idOf(path),
      );
      return { data: { tenants: items, nextPageToken } };
    },
  });
}

/** A tenant that is being erased does not exist for callers; an operator goes on with that. */
function isShown({ erasingSince }: Tenant, { organizationId }: Caller): boolean {
  return erasingSince === undefined || organizationId === EVERY_ORGANIZATION;
}

export function toTenantDto({ tenantId, organizationId, displayName, ...since }: Tenant): TenantDto {
  const state = since.erasingSince ? 'beingErased' : since.suspendedSince ? 'suspended' : 'active';
  return { tenantId, organizationId, displayName, state };
}

function scopeOf({ organizationId }: Caller): ListScope {
  return ['tenants', organizationId === EVERY_ORGANIZATION ? undefined : organizationId];
}

function isTenantId(text: string): boolean {
  return parseTenantId(text) === text;
}
