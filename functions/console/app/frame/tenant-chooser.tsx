import { useEffect, useState } from 'preact/hooks';
import type { TenantSummary } from '../api/door';
import { Dialog } from '../parts/dialog';
import { TextField } from '../parts/field';
import { Empty } from '../parts/notice';
import { ListEnd } from '../parts/list-end';
import type { PageName } from '../../pages';
import { toLink, valueOf } from '../state/address';
import { useConsole } from '../state/console-context';
import { go, replaceWith } from '../state/history';
import { usePages } from '../state/use-pages';
import { TEXTS } from '../texts';

/** So many that match are enough to choose from: no further page is asked for. */
const ENOUGH = 20;

/**
 * The tenant that pages are about, and the way to another one. A viewer with a single one need not choose.
 * @param isNeeded the page shows nothing without a tenant
 */
export function TenantChooser({ page, isNeeded }: { readonly page: PageName; readonly isNeeded: boolean }) {
  const { door, address } = useConsole();
  const [isOpen, setIsOpen] = useState(false);
  const tenant = valueOf(address, 'tenant');
  const id = tenant === undefined ? address.id : undefined; // a link to a run that names no tenant
  const toTenant = (tenantId: string) => toLink(page, id, { tenant: tenantId });
  useEffect(() => {
    if (tenant !== undefined || !isNeeded) return undefined;
    const ending = new AbortController();
    firstTwo(door.tenants(ending.signal))
      .then(([only, other]) => {
        if (ending.signal.aborted) return;
        if (only && !other) replaceWith(toTenant(only.tenantId));
        else setIsOpen(true);
      })
      .catch(() => setIsOpen(!ending.signal.aborted)); // the list in the dialog says what is wrong
    return () => ending.abort();
  }, [tenant, isNeeded]);
  return (
    <div class="tenant">
      <button type="button" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        <span class="label">{TEXTS.tenants.tenant}</span> <code>{tenant ?? TEXTS.tenants.choose}</code>
      </button>
      {isOpen && (
        <Dialog title={TEXTS.tenants.choose} onClose={() => setIsOpen(false)}>
          <TenantList
            onChoose={(tenantId) => {
              setIsOpen(false);
              go(toTenant(tenantId));
            }}
          />
        </Dialog>
      )}
    </div>
  );
}

/** The tenants whose id, name or organization has the text. Pages are asked for until enough match. */
function TenantList({ onChoose }: { readonly onChoose: (tenantId: string) => void }) {
  const { door, session } = useConsole();
  const [text, setText] = useState('');
  const pages = usePages((signal) => door.tenants(signal), []);
  const wanted = text.trim().toLowerCase();
  const shown = pages.items.filter((tenant) => textOf(tenant).includes(wanted));
  const { isLoading, mayHaveMore, loadMore, failure } = pages;
  useEffect(() => {
    if (wanted !== '' && shown.length < ENOUGH && mayHaveMore && !isLoading && !failure) loadMore();
  }, [wanted, shown.length, mayHaveMore, isLoading, failure]);
  return (
    <>
      <TextField type="search" label={TEXTS.tenants.search} value={text} onChange={setText} />
      <ul class="choices">
        {shown.map(({ tenantId, organizationId, displayName }) => (
          <li key={tenantId}>
            <button type="button" onClick={() => onChoose(tenantId)}>
              {displayName && <span>{displayName}</span>} <code>{tenantId}</code>
              {session.operator && <span class="soft">{organizationId}</span>}
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && !isLoading && !mayHaveMore && (
        <Empty>{pages.items.length === 0 ? TEXTS.tenants.none : TEXTS.tenants.noMatch}</Empty>
      )}
      <ListEnd pages={pages} what={TEXTS.tenants.tenants} />
    </>
  );
}

function textOf({ tenantId, organizationId, displayName }: TenantSummary): string {
  return `${tenantId} ${organizationId} ${displayName ?? ''}`.toLowerCase();
}

async function firstTwo(tenants: AsyncIterable<TenantSummary>): Promise<TenantSummary[]> {
  const first: TenantSummary[] = [];
  for await (const tenant of tenants) if (first.push(tenant) === 2) break;
  return first;
}
