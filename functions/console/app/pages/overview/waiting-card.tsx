import { useState } from 'preact/hooks';
import type { RetriedDeletions, WaitingDeletions } from '../../api/management-answers';
import { retryDeletions } from '../../api/management';
import { toCount, toSpan } from '../../format/numbers';
import { secondsBetween } from '../../format/times';
import { Loading } from '../../parts/list-end';
import { Empty, Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { RowButton } from '../../parts/row-button';
import { Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { useConsole } from '../../state/console-context';
import { useAction } from '../../state/use-action';
import type { Loaded } from '../../state/use-loaded';
import { TEXTS } from '../../texts';
import { TenantLink } from './tenant-link';

/** Deletions that are accepted and not applied yet; and those that cannot be applied, to be retried. */
export function WaitingCard({ waiting }: { readonly waiting: Loaded<WaitingDeletions> }) {
  const { door } = useConsole();
  const [done, setDone] = useState<RetriedDeletions>();
  const retrying = useAction(async (tenantIds: readonly string[]) => {
    setDone(undefined);
    let [retried, setAside] = [0, 0];
    const failures: unknown[] = [];
    for (const tenantId of tenantIds) {
      try {
        const of = await retryDeletions(door, tenantId);
        retried += of.retried;
        setAside += of.setAside;
        setDone({ retried, setAside });
      } catch (error) {
        failures.push(error); // one tenant keeps no other one waiting
      }
    }
    waiting.reload();
    if (failures.length > 0) throw failures[0];
  });
  const found = waiting.value;
  const texts = TEXTS.waiting;
  return (
    <section class="card" aria-labelledby="waiting">
      <h2 id="waiting">{texts.title}</h2>
      {done && (
        <Notice kind={done.setAside === 0 ? 'good' : 'warning'}>
          <p>{texts.retried(toCount(done.retried), toCount(done.setAside))}</p>
        </Notice>
      )}
      <Problem failure={retrying.failure} />
      {retrying.isBusy && <Loading text={texts.retrying} />}
      {found && found.pending.length + found.setAside.length === 0 && <Empty>{texts.none}</Empty>}
      {found && found.pending.length > 0 && <PendingTable pending={found.pending} />}
      {found && found.setAside.length > 0 && <SetAside {...found} isBusy={retrying.isBusy} onRetry={retrying.run} />}
      {found?.isMore && <p class="hint">{texts.isMore}</p>}
      {waiting.isLoading && <Loading />}
    </section>
  );
}

function PendingTable({ pending }: Pick<WaitingDeletions, 'pending'>) {
  const now = new Date().toISOString();
  const texts = TEXTS.waiting;
  return (
    <Table
      label={texts.table}
      rows={pending}
      keyOf={({ tenantId, kind }) => `${tenantId} ${kind}`}
      columns={[
        { title: texts.tenant, cell: ({ tenantId }) => <TenantLink tenantId={tenantId} /> },
        { title: texts.kind, cell: ({ kind }) => TEXTS.changes[kind] },
        {
          title: texts.count,
          isNumber: true,
          cell: ({ count, isMore }) => (isMore ? texts.orMore(toCount(count)) : toCount(count)),
        },
        { title: texts.oldest, cell: ({ oldestAt }) => <Time at={oldestAt} /> },
        { title: texts.age, isNumber: true, cell: ({ oldestAt }) => toSpan(secondsBetween(oldestAt, now)) },
      ]}
    />
  );
}

interface SetAsideProps extends Pick<WaitingDeletions, 'setAside' | 'isMore'> {
  readonly isBusy: boolean;
  readonly onRetry: (tenantIds: readonly string[]) => void;
}

/** A row a tenant: all of its deletions are retried together, those that are not shown, too. */
function SetAside({ setAside, isMore, isBusy, onRetry }: SetAsideProps) {
  const tenantIds = [...new Set(setAside.map(({ tenantId }) => tenantId))];
  const rows = tenantIds.map((tenantId) => {
    const own = setAside.filter((deletion) => deletion.tenantId === tenantId);
    return { tenantId, count: own.length, reasons: [...new Set(own.map(({ reason }) => reason))] };
  });
  const texts = TEXTS.waiting;
  return (
    <>
      <Notice kind="bad">{texts.setAside}</Notice>
      {tenantIds.length > 1 && (
        <div class="actions">
          <button type="button" aria-disabled={isBusy} onClick={() => onRetry(tenantIds)}>
            {texts.retryAll}
          </button>
        </div>
      )}
      <Table
        label={texts.setAsideTable}
        rows={rows}
        keyOf={({ tenantId }) => tenantId}
        columns={[
          { title: texts.tenant, cell: ({ tenantId }) => <TenantLink tenantId={tenantId} /> },
          {
            title: texts.count,
            isNumber: true,
            cell: ({ count }) => (isMore ? texts.orMore(toCount(count)) : toCount(count)),
          },
          {
            title: texts.reason,
            cell: ({ reasons }) => (
              <ul class="plain">
                {reasons.map((reason) => (
                  <li key={reason} class="text">
                    {reason}
                  </li>
                ))}
              </ul>
            ),
          },
          {
            title: texts.actions,
            cell: ({ tenantId }) => (
              <RowButton text={texts.retry} of={tenantId} isBusy={isBusy} onClick={() => onRetry([tenantId])} />
            ),
          },
        ]}
      />
    </>
  );
}
