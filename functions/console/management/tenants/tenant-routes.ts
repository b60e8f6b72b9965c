/** A tenant's settings: read by everybody of its organization, changed with the permission `settings`. */
import type { DocumentReads } from '../../../../shared/documents/document-store';
import type { Tenant, TenantId } from '../../../../shared/domain/tenant';
import type { Call, CallerRoute } from '../../../../shared/endpoint/route';
import { MAX_TENANT_BODY_BYTES, STALE_TENANT_MS } from '../../../../shared/limits/tenants';
import type { KeyKeeper } from '../../../../shared/operations/operator';
import { readRekeying, rekeyStep } from '../../../../shared/operations/rekey';
import type { TenantOptions } from '../../../../shared/operations/tenants';
import { countRecordsOf } from '../../../../shared/operations/tenants/configuration';
import { toTenantOptions } from '../../../../shared/operations/tenants/tenant-values';
import type { Clock } from '../../../../shared/platform/clock';
import { ValidationFailed } from '../../../../shared/validation/validation-failed';
import { isObject } from '../../../../shared/validation/values';
import type { KeeperOf } from '../authority';
import { managementRoute } from '../management-route';
import { readTenantId, requireReachable } from './reachable-tenant';

interface Dependencies {
  readonly store: DocumentReads;
  readonly clock: Clock;
  readonly keeperOf: KeeperOf;
  /** Changes settings, as far as whoever asks may. */
  readonly change: (tenantId: TenantId, options: TenantOptions, keeper: KeyKeeper) => Promise<Tenant>;
}

const ROW = { tenantFrom: 'caller', read: readTenantId } as const;

export function tenantRoutes(dependencies: Dependencies): readonly CallerRoute<never>[] {
  const { store, keeperOf, change } = dependencies;
  return [
    managementRoute<TenantId>({
      ...ROW,
      operationId: 'getTenant',
      method: 'GET',
      path: '/tenants/:tenantId',
      successMessage: 'Tenant found.',
      failureMessage: 'Failed to find the tenant.',
      run: async (tenantId, caller, call) => {
        const tenant = await requireReachable(tenantId, caller, call, store);
        return { data: await toAnswer(tenant, call, dependencies) };
      },
    }),
    managementRoute<{ readonly tenantId: TenantId; readonly body: object }>({
      ...ROW,
      operationId: 'changeTenant',
      method: 'POST',
      path: '/tenants/:tenantId',
      maxBodyBytes: MAX_TENANT_BODY_BYTES,
      successMessage: 'Settings saved.',
      failureMessage: 'Failed to save the settings.',
      read: async (request) => ({ tenantId: readTenantId(request), body: requireObject(await request.body('object')) }),
      run: async ({ tenantId, body }, caller, call) => {
        await requireReachable(tenantId, caller, call, store);
        const tenant = await change(tenantId, toTenantOptions(body), await keeperOf(caller, call));
        return { data: await toAnswer(tenant, call, dependencies) };
      },
    }),
    managementRoute<TenantId>({
      ...ROW,
      operationId: 'countTenantRecords',
      method: 'GET',
      path: '/tenants/:tenantId/records',
      successMessage: 'Records counted.',
      failureMessage: 'Failed to count the records.',
      run: async (tenantId, caller, call) => {
        await requireReachable(tenantId, caller, call, store);
        return { data: { ...(await countRecordsOf(tenantId, await keeperOf(caller, call))) } };
      },
    }),
    managementRoute<TenantId>({
      ...ROW,
      operationId: 'rekeyTenant',
      method: 'POST',
      path: '/tenants/:tenantId/rekey',
      successMessage: 'Records re-keyed as far as the time reached.',
      failureMessage: 'Failed to re-key the records.',
      run: async (tenantId, caller, call) => {
        await requireReachable(tenantId, caller, call, store);
        return { data: { ...(await rekeyStep(tenantId, await keeperOf(caller, call))) } };
      },
    }),
  ];
}

function requireObject(body: unknown): object {
  if (isObject(body)) return body;
  throw new ValidationFailed({ '': ['The request body must be a JSON object.'] });
}

/** The tenant with its settings and how far its re-keying is. */
async function toAnswer(
  tenant: Tenant,
  { deadline }: Call,
  { store, clock }: Pick<Dependencies, 'store' | 'clock'>,
): Promise<Readonly<Record<string, unknown>>> {
  const { hasLargeRecords: _internal, suspendedSince, erasingSince, ...settings } = tenant;
  const goesOnAt = erasingSince && new Date(erasingSince.getTime() + STALE_TENANT_MS);
  return {
    ...settings,
    suspendedSince: suspendedSince ?? null,
    /** Since when it is being erased, and from when on the rest can be removed. */
    erasure: erasingSince ? { since: erasingSince, goesOnAt } : null,
    rekeying: await readRekeying(tenant, { store, clock, deadline: () => deadline }),
  };
}
