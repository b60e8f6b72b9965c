/** What operators alone do with tenants. The deployed console has none of these routes. */
import type { TenantId } from '../../../../shared/domain/tenant';
import type { CallerRoute } from '../../../../shared/endpoint/route';
import { ERASE_STEP_MS } from '../../../../shared/limits/erasure';
import { eraseTenant } from '../../../../shared/operations/erasure/erase';
import type { Operator } from '../../../../shared/operations/operator';
import { findTenants } from '../../../../shared/operations/tenants/find-tenants';
import { resumeTenant, suspendTenant } from '../../../../shared/operations/tenants/suspension';
import { managementRoute } from '../../../console/management/management-route';
import { readTenantId } from '../../../console/management/tenants/reachable-tenant';
import { toTenantDto } from '../../../console/session/list-tenants';
import { createTenantsRoute } from './create-tenants-route';

const ROW = { tenantFrom: 'caller', read: readTenantId } as const;

export function operatorTenantRoutes(operator: Operator): readonly CallerRoute<never>[] {
  return [
    managementRoute<string>({
      ...ROW,
      operationId: 'findTenants',
      method: 'GET',
      path: '/tenants',
      query: ['search'],
      successMessage: 'Tenants found.',
      failureMessage: 'Failed to find tenants.',
      read: (request) => request.query('search') ?? '',
      run: async (search) => ({ data: { tenants: (await findTenants(search, operator)).map(toTenantDto) } }),
    }),
    createTenantsRoute(operator),
    managementRoute<TenantId>({
      ...ROW,
      operationId: 'suspendTenant',
      method: 'POST',
      path: '/tenants/:tenantId/suspend',
      successMessage: 'Tenant suspended.',
      failureMessage: 'Failed to suspend the tenant.',
      run: async (tenantId) => {
        const { suspendedSince } = await suspendTenant(tenantId, operator);
        return { data: { suspendedSince } };
      },
    }),
    managementRoute<TenantId>({
      ...ROW,
      operationId: 'resumeTenant',
      method: 'POST',
      path: '/tenants/:tenantId/resume',
      successMessage: 'Tenant resumed.',
      failureMessage: 'Failed to resume the tenant.',
      run: async (tenantId) => ({ data: { runsResumed: (await resumeTenant(tenantId, operator)).runsResumed } }),
    }),
    managementRoute<TenantId>({
      ...ROW,
      operationId: 'describeErasure',
      method: 'GET',
      path: '/tenants/:tenantId/erasure',
      successMessage: 'Looked through what is stored.',
      failureMessage: 'Failed to look through what is stored.',
      run: async (tenantId) => ({ data: { ...(await eraseTenant(tenantId, {}, operator)) } }),
    }),
    managementRoute<TenantId>({
      ...ROW,
      operationId: 'eraseTenant',
      method: 'POST',
      path: '/tenants/:tenantId/erasure',
      successMessage: 'Erased as far as the time reached.',
      failureMessage: 'Failed to erase the tenant.',
      run: async (tenantId) => {
        const report = await eraseTenant(tenantId, { yes: true, stepMs: ERASE_STEP_MS }, operator);
        return { data: { ...report } };
      },
    }),
  ];
}
