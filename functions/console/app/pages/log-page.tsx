import { useState } from 'preact/hooks';
import type { AuditEntry } from '../api/management-answers';
import { auditEntries } from '../api/management';
import { messagesOf } from '../api/failure';
import { TextField } from '../parts/field';
import { Filters } from '../parts/filters';
import { ListEnd } from '../parts/list-end';
import { Empty } from '../parts/notice';
import { Table } from '../parts/table';
import { Time } from '../parts/time';
import { Value } from '../parts/value';
import { toLink, valueOf } from '../state/address';
import { useConsole } from '../state/console-context';
import { go } from '../state/history';
import { usePages } from '../state/use-pages';
import { TEXTS } from '../texts';
import { TenantLink } from './overview/tenant-link';

const OUTCOMES = { begun: 'busy', done: 'good', failed: 'bad', stopped: 'warning' } as const;

/** Who did what: the audit log, the newest entries first. */
export function LogPage() {
  const { door, address } = useConsole();
  const [tenant, actor, since] = [valueOf(address, 'tenant'), valueOf(address, 'actor'), valueOf(address, 'since')];
  const pages = usePages(
    (signal) => auditEntries(door, { tenant, actor, since: since && toStartOfDay(since) }, signal),
    [tenant, actor, since],
  );
  const texts = TEXTS.log;
  const errorsOf = (field: string) => messagesOf(pages.failure, field);
  return (
    <>
      <p>{texts.introduction}</p>
      <LogFilters key={JSON.stringify([tenant, actor, since])} filters={{ tenant, actor, since }} errorsOf={errorsOf} />
      {pages.items.length > 0 && <EntryTable entries={pages.items} />}
      {pages.items.length === 0 && !pages.isLoading && !pages.failure && (
        <Empty>{tenant === undefined && actor === undefined && since === undefined ? texts.none : texts.noMatch}</Empty>
      )}
      <ListEnd pages={pages} what={texts.what} />
    </>
  );
}

type FilterTexts = Readonly<Record<'tenant' | 'actor' | 'since', string | undefined>>;

interface LogFiltersProps {
  readonly filters: FilterTexts;
  readonly errorsOf: (field: string) => readonly string[];
}

function LogFilters({ filters, errorsOf }: LogFiltersProps) {
  const [tenant, setTenant] = useState(filters.tenant ?? '');
  const [actor, setActor] = useState(filters.actor ?? '');
  const [since, setSince] = useState(filters.since ?? '');
  const texts = TEXTS.log;
  return (
    <Filters onApply={() => go(toLink('log', undefined, { tenant: tenant.trim(), actor: actor.trim(), since }))}>
      <TextField label={texts.tenant} value={tenant} onChange={setTenant} errors={errorsOf('tenant')} isCode />
      <TextField label={texts.actor} value={actor} onChange={setActor} />
      <TextField label={texts.since} type="date" value={since} onChange={setSince} />
      <button type="submit">{texts.apply}</button>
      <a href={toLink('log', undefined, {})}>{texts.all}</a>
    </Filters>
  );
}

function EntryTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const texts = TEXTS.log;
  return (
    <Table
      label={texts.table}
      rows={entries}
      keyOf={({ entryId }) => entryId}
      columns={[
        { title: texts.at, cell: ({ at }) => <Time at={at} /> },
        {
          title: texts.actor,
          cell: ({ actor, door }) => (
            <>
              <span class="text">{actor}</span> <span class="soft">({door})</span>
            </>
          ),
        },
        { title: texts.action, cell: ({ action }) => <code>{action}</code> },
        {
          title: texts.outcome,
          cell: ({ outcome, error }) => (
            <>
              <span class={`badge ${OUTCOMES[outcome]}`}>{texts.outcomes[outcome]}</span> {error}
            </>
          ),
        },
        { title: texts.about, cell: (entry) => <About entry={entry} /> },
        { title: texts.changes, cell: (entry) => <Changes entry={entry} /> },
      ]}
    />
  );
}

/** Of what an entry is: a tenant, an organization, a key. */
function About({ entry: { tenantId, organizationId, keyId } }: { readonly entry: AuditEntry }) {
  return (
    <>
      {tenantId !== null && <TenantLink tenantId={tenantId} />}
      {organizationId !== null && <div class="soft">{organizationId}</div>}
      {keyId !== null && <code>{keyId}</code>}
    </>
  );
}

/** What was there before, and what is there since, field by field. */
function Changes({ entry: { before, after } }: { readonly entry: AuditEntry }) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <ul class="changes">
      {fields.map((field) => (
        <li key={field}>
          <code>{field}</code>{' '}
          {before && (
            <>
              <Value value={before[field]} /> <span aria-hidden="true">→</span>{' '}
              <span class="unseen">{TEXTS.log.became}</span>{' '}
            </>
          )}
          {after ? <Value value={after[field]} /> : <span class="soft">{TEXTS.log.gone}</span>}
        </li>
      ))}
    </ul>
  );
}

/** A day by the viewer's clock; any other text as it is, which the service refuses. */
function toStartOfDay(day: string): string {
  const start = new Date(`${day}T00:00`);
  return Number.isNaN(start.getTime()) ? day : start.toISOString();
}
