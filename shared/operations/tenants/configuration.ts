/**
 * What the holders of keys with the permission `settings` may do with the tenants of their own organization:
 * change the configuration of Spec §2.1, and have the records re-keyed.
 */
import type { RecordKind } from '../../domain/identity';
import { RECORD_KINDS } from '../../domain/identity';
import { looksAfter } from '../../domain/key-authority';
import { recordsPath } from '../../documents/paths';
import type { Tenant } from '../../domain/tenant';
import { countDocuments } from '../count-documents';
import type { KeyKeeper } from '../operator';
import { NotAllowed } from '../operator-error';
import type { TenantOptions } from '../tenants';
import { changeTenant, requireTenant, toConfiguration } from '../tenants';

/** The settings of Spec §2.1. Everything else of a tenant is the operator's. */
const CONFIGURATION: readonly string[] = [
  'customerIdentifier',
  'productIdentifier',
  'orderCustomer',
  'defaultLanguage',
  'required',
] satisfies (keyof TenantOptions)[];

/** Changes the given settings of Spec §2.1, as `updateTenant` does. @throws OperatorError, NotAllowed */
export async function changeConfiguration(guid: string, options: TenantOptions, keeper: KeyKeeper): Promise<Tenant> {
  requireKeeperOf(await requireTenant(guid, keeper), keeper);
  const beyond = Object.keys(options).filter((name) => !CONFIGURATION.includes(name));
  if (beyond.length > 0) throw new NotAllowed(`Only the operator of the service changes ${beyond.join(', ')}.`);
  return changeTenant(guid, toConfiguration(options), keeper);
}

/** Whether the keeper may change the settings of a tenant. */
export function maySet({ organizationId }: Tenant, { authority }: Pick<KeyKeeper, 'authority'>): boolean {
  return looksAfter(authority, organizationId);
}

/** @throws NotAllowed */
export function requireKeeperOf(tenant: Tenant, keeper: Pick<KeyKeeper, 'authority'>): void {
  if (maySet(tenant, keeper)) return;
  throw new NotAllowed('Settings are changed with the permission settings, within its own organization.');
}

/** How many records a tenant has: so many re-keying looks at. @throws OperatorError, NotAllowed */
export async function countRecordsOf(guid: string, keeper: KeyKeeper): Promise<Readonly<Record<RecordKind, number>>> {
  const tenant = await requireTenant(guid, keeper);
  requireKeeperOf(tenant, keeper);
  const [customers, products, orders] = await Promise.all(
    RECORD_KINDS.map((kind) =>
      countDocuments(recordsPath(tenant.tenantId, kind), { ...keeper, progress: () => undefined }),
    ),
  );
  return { customers: customers ?? 0, products: products ?? 0, orders: orders ?? 0 };
}
