import type { TenantId } from '../../../shared/domain/tenant';
import { parseTenantId } from '../../../shared/domain/tenant';
import type { RouteRequest } from '../../../shared/endpoint/route';
import { ValidationFailed } from '../../../shared/validation/validation-failed';

/** A query parameter; undefined: absent or blank. */
export function textIn(request: RouteRequest, name: string): string | undefined {
  return request.query(name)?.trim() || undefined;
}

/** A query parameter that names a tenant; undefined: absent or blank. @throws ValidationFailed */
export function tenantIn(request: RouteRequest, name: string): TenantId | undefined {
  const text = textIn(request, name);
  const tenantId = text === undefined ? undefined : parseTenantId(text);
  if (text !== undefined && !tenantId)
    throw new ValidationFailed({ [name]: [`${name} must be the GUID of a tenant.`] });
  return tenantId;
}
