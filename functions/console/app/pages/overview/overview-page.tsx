import { valueOf } from '../../state/address';
import { useConsole } from '../../state/console-context';
import { AllOverview } from './all-overview';
import { TenantOverview } from './tenant-overview';

/** The first page after signing in: of the chosen tenant; of all tenants for an operator who has chosen none. */
export function OverviewPage() {
  const tenantId = valueOf(useConsole().address, 'tenant');
  return tenantId === undefined ? <AllOverview /> : <TenantOverview tenantId={tenantId} />;
}
