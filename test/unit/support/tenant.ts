import type { Tenant, TenantSettings } from '../../../shared/domain/tenant';
import { DEFAULT_SETTINGS, parseTenantId } from '../../../shared/domain/tenant';

export const TENANT_ID = parseTenantId('0b7c6f6e-1d2a-4c3b-9e8f-a1b2c3d4e5f6')!;

/** A tenant with the default settings, except for those that are given. */
export function aTenant(settings: Partial<TenantSettings> = {}): Tenant {
  return { ...DEFAULT_SETTINGS, tenantId: TENANT_ID, organizationId: 'org-a', ...settings };
}
