import { toLink } from '../../state/address';

/** A tenant, and the way to its overview. */
export function TenantLink({ tenantId }: { readonly tenantId: string }) {
  return (
    <a href={toLink('overview', undefined, { tenant: tenantId })}>
      <code>{tenantId}</code>
    </a>
  );
}
