import { useEffect } from 'preact/hooks';
import type { TenantSummary } from '../api/door';
import { useConsole } from './console-context';
import type { Pages } from './use-pages';
import { usePages } from './use-pages';

/** So many that match are enough to choose from: no further page is asked for. */
const ENOUGH = 20;

/** The tenants whose id, name or organization has the text. Pages are asked for until enough match. */
export function useMatchingTenants(text: string): {
  readonly pages: Pages<TenantSummary>;
  readonly shown: readonly TenantSummary[];
} {
  const { door } = useConsole();
  const pages = usePages((signal) => door.tenants(signal), []);
  const wanted = text.trim().toLowerCase();
  const shown = pages.items.filter((tenant) => textOf(tenant).includes(wanted));
  const { isLoading, mayHaveMore, loadMore, failure } = pages;
  useEffect(() => {
    if (wanted !== '' && shown.length < ENOUGH && mayHaveMore && !isLoading && !failure) loadMore();
  }, [wanted, shown.length, mayHaveMore, isLoading, failure]);
  return { pages, shown };
}

function textOf({ tenantId, organizationId, displayName }: TenantSummary): string {
  return `${tenantId} ${organizationId} ${displayName ?? ''}`.toLowerCase();
}
