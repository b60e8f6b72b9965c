import { useState } from 'preact/hooks';
import type { TenantSummary } from '../../api/door';
import { TextField } from '../../parts/field';
import { Filters } from '../../parts/filters';
import { ListEnd, Loading } from '../../parts/list-end';
import { Empty, Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { Table } from '../../parts/table';
import { valueOf } from '../../state/address';
import { useConsole, useLink } from '../../state/console-context';
import { go } from '../../state/history';
import { useLoaded } from '../../state/use-loaded';
import { useMatchingTenants } from '../../state/use-matching-tenants';
import { TEXTS } from '../../texts';
import { CreateTenants } from './create-tenants';
import { Tenants } from './tenant';

/** A search of the service finds so many at most. */
const MOST_FOUND = 100;

/** The tenants that one may look at. An operator searches all of them in the service, and creates some. */
export function TenantList() {
  const { session, address } = useConsole();
  const search = valueOf(address, 'search') ?? '';
  const texts = TEXTS.tenantList;
  return (
    <>
      <p>{session.operator ? texts.introduction.operators : texts.introduction.tenants}</p>
      <SearchForm key={search} search={search} />
      {session.operator && search !== '' ? <Found search={search} /> : <Matching search={search} />}
      {session.operator && <CreateTenants />}
    </>
  );
}

function SearchForm({ search }: { readonly search: string }) {
  const { session } = useConsole();
  const linkTo = useLink();
  const [text, setText] = useState(search);
  const texts = TEXTS.tenantList;
  return (
    <Filters onApply={() => go(linkTo('tenants', undefined, { search: text.trim() }))}>
      <TextField
        type="search"
        label={texts.search}
        value={text}
        onChange={setText}
        hint={session.operator ? texts.searchHint.operators : texts.searchHint.tenants}
      />
      <button type="submit" class="main">
        {texts.find}
      </button>
    </Filters>
  );
}

/** What the service finds without looking through all tenants. */
function Found({ search }: { readonly search: string }) {
  const { door } = useConsole();
  const found = useLoaded((signal) => new Tenants(door).find(search, signal), [search]);
  const texts = TEXTS.tenantList;
  return (
    <>
      {found.isLoading && <Loading />}
      <Problem failure={found.failure} onRetry={found.reload} />
      {found.value?.length === 0 && <Empty>{texts.noMatch}</Empty>}
      {found.value && <TenantTable tenants={found.value} />}
      {(found.value?.length ?? 0) >= MOST_FOUND && <Notice kind="warning">{texts.first(MOST_FOUND)}</Notice>}
    </>
  );
}

/** All tenants, or those of the own organization that match. */
function Matching({ search }: { readonly search: string }) {
  const { pages, shown } = useMatchingTenants(search);
  const isEnd = !pages.isLoading && !pages.mayHaveMore && !pages.failure;
  return (
    <>
      <TenantTable tenants={shown} />
      {isEnd && shown.length === 0 && <Empty>{search === '' ? TEXTS.tenants.none : TEXTS.tenantList.noMatch}</Empty>}
      <ListEnd pages={pages} what={TEXTS.tenants.tenants} />
    </>
  );
}

function TenantTable({ tenants }: { readonly tenants: readonly TenantSummary[] }) {
  const { session } = useConsole();
  const linkTo = useLink();
  const texts = TEXTS.tenantList;
  if (tenants.length === 0) return null;
  const name = (tenant: TenantSummary) => tenant.displayName ?? texts.unnamed;
  return (
    <Table
      label={TEXTS.pages.tenants}
      rows={tenants}
      keyOf={({ tenantId }) => tenantId}
      columns={[
        { title: texts.name, cell: (one) => <a href={linkTo('tenants', one.tenantId)}>{name(one)}</a> },
        { title: texts.id, cell: ({ tenantId }) => <code>{tenantId}</code> },
        ...(session.operator
          ? [{ title: texts.organization, cell: ({ organizationId }: TenantSummary) => <>{organizationId}</> }]
          : []),
        { title: texts.state, cell: ({ state }) => <TenantState state={state} /> },
      ]}
    />
  );
}

/** Told by its word, and shown by its colour. */
function TenantState({ state }: Pick<TenantSummary, 'state'>) {
  const look = { active: 'good', suspended: 'warning', beingErased: 'bad' }[state];
  return <span class={`badge ${look}`}>{TEXTS.tenantList.states[state]}</span>;
}
