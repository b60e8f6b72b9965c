import { useConsole } from '../../state/console-context';
import { TenantList } from './tenant-list';
import { TenantPage } from './tenant-page';

/** The tenants, or one of them with its settings. */
export function TenantsPage() {
  const { address } = useConsole();
  return address.id === undefined ? <TenantList /> : <TenantPage tenantId={address.id} />;
}
