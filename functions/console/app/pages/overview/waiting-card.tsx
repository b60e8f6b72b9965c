import type { WaitingDeletions } from '../../api/management-answers';
import { toCount, toSpan } from '../../format/numbers';
import { secondsBetween } from '../../format/times';
import { Empty, Notice } from '../../parts/notice';
import { Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { TEXTS } from '../../texts';
import { TenantLink } from './tenant-link';

/** Deletions that are accepted and not applied yet, and for how long they wait; and those that cannot be applied. */
export function WaitingTable({ waiting }: { readonly waiting: WaitingDeletions }) {
  const { pending, setAside, isMore } = waiting;
  const now = new Date().toISOString();
  const texts = TEXTS.waiting;
  return (
    <>
      {pending.length === 0 && setAside.length === 0 && <Empty>{texts.none}</Empty>}
      {pending.length > 0 && (
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
              cell: ({ count, isMore: areMore }) => (areMore ? texts.orMore(toCount(count)) : toCount(count)),
            },
            { title: texts.oldest, cell: ({ oldestAt }) => <Time at={oldestAt} /> },
            { title: texts.age, isNumber: true, cell: ({ oldestAt }) => toSpan(secondsBetween(oldestAt, now)) },
          ]}
        />
      )}
      {setAside.length > 0 && (
        <>
          <Notice kind="bad">{texts.setAside}</Notice>
          <Table
            label={texts.setAsideTable}
            rows={setAside}
            keyOf={({ tenantId, deletionId }) => `${tenantId} ${deletionId}`}
            columns={[
              { title: texts.tenant, cell: ({ tenantId }) => <TenantLink tenantId={tenantId} /> },
              { title: texts.reason, cell: ({ reason }) => <span class="text">{reason}</span> },
            ]}
          />
        </>
      )}
      {isMore && <p class="hint">{texts.isMore}</p>}
    </>
  );
}
