import { useState } from 'preact/hooks';
import type { RowCounts } from '../../../../../client/src/index';
import type { DeadLetters, KeysToLookAt, OperatorRun, WaitingDeletions } from '../../api/management-answers';
import { deadLetters, keysToLookAt, lastRuns, waitingDeletions } from '../../api/management';
import { MEASURES } from '../../api/management-answers';
import { toCount, toSpan } from '../../format/numbers';
import { secondsBetween } from '../../format/times';
import { Badge } from '../../parts/badge';
import { Loading } from '../../parts/list-end';
import { Empty } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { toLink } from '../../state/address';
import { useConsole } from '../../state/console-context';
import { useLoaded } from '../../state/use-loaded';
import { TEXTS } from '../../texts';
import { rowColumns } from '../runs/row-columns';
import type { Concern } from './attention';
import { Attention } from './attention';
import { DeadLetterCard } from './dead-letter-card';
import { concernsOfKeys } from './key-concerns';
import { MarkedKeys } from './marked-keys';
import type { RangeName } from './range';
import { isLong, timesOf } from './range';
import { RangeField, useRange } from './range-field';
import { TenantLink } from './tenant-link';
import { UsageCharts } from './usage-charts';
import { useAllUsage } from './use-all-usage';
import { WaitingCard } from './waiting-card';

/** What operators see of all tenants: what needs attention first, the sums when they are added up. */
export function AllOverview() {
  const { door } = useConsole();
  const range = useRange();
  const [round, setRound] = useState(0);
  const useRunsWith = (status: OperatorRun['status']) =>
    useLoaded((signal) => lastRuns(door, { status, since: timesOf(range, new Date()).from }, signal), [range, round]);
  const failed = useRunsWith('failed');
  const partial = useRunsWith('partial');
  const runs = useLoaded((signal) => lastRuns(door, {}, signal), [round]);
  const waiting = useLoaded((signal) => waitingDeletions(door, undefined, signal), [round]);
  const letters = useLoaded((signal) => deadLetters(door, signal), [round]);
  const keys = useLoaded((signal) => keysToLookAt(door, signal), [round]);
  const texts = TEXTS.overview;
  return (
    <>
      <RangeField onRefresh={() => setRound(round + 1)} />
      <Attention
        sources={[failed, partial, waiting, letters, keys]}
        concerns={concernsOf(failed.value, partial.value, waiting.value, letters.value, keys.value)}
      />
      <AllUsageSums key={`${range} ${round}`} range={range} />
      <section class="card" aria-labelledby="last-runs">
        <h2 id="last-runs">{texts.lastRuns}</h2>
        <Problem failure={runs.failure} onRetry={runs.reload} />
        {runs.value ? <OperatorRunTable label={TEXTS.runs.table} runs={runs.value} /> : runs.isLoading && <Loading />}
      </section>
      <OperatorRunCard name="failed-runs" title={texts.failedRuns} label={texts.failedRunsTable} runs={failed.value} />
      <OperatorRunCard
        name="partial-runs"
        title={texts.partialRuns}
        label={texts.partialRunsTable}
        runs={partial.value}
      />
      <WaitingCard key={`waiting ${round}`} waiting={waiting} />
      <DeadLetterCard key={`letters ${round}`} letters={letters} />
      <section class="card" aria-labelledby="marked-keys">
        <h2 id="marked-keys">{TEXTS.markedKeys.title}</h2>
        {keys.value ? <MarkedKeys found={keys.value} /> : keys.isLoading && <Loading />}
      </section>
    </>
  );
}

/** The charts and the tenants that stand out. A long time is added up when somebody asks for it. */
function AllUsageSums({ range }: { readonly range: RangeName }) {
  const { door } = useConsole();
  const [round, setRound] = useState(isLong(range) ? 0 : 1);
  const { sum, isAdding, failure } = useAllUsage(door, range, round);
  const texts = TEXTS.usage;
  return (
    <section class="card" aria-labelledby="usage">
      <h2 id="usage">{texts.title}</h2>
      {round === 0 && (
        <p>
          {texts.longRange}{' '}
          <button type="button" onClick={() => setRound(1)}>
            {texts.addUp}
          </button>
        </p>
      )}
      <Problem failure={failure} onRetry={() => setRound(round + 1)} />
      {isAdding && (
        <div role="status">
          <p class="loading">{texts.adding(toCount(sum?.looked ?? 0), toCount(sum?.ofTenants ?? 0))}</p>
          <progress aria-label={texts.progress} max={Math.max(sum?.ofTenants ?? 1, 1)} value={sum?.looked ?? 0} />
        </div>
      )}
      {sum?.ofTenants === 0 && <Empty>{TEXTS.tenants.none}</Empty>}
      {sum && sum.looked > 0 && (
        <>
          <p>{texts.ofTenants(toCount(sum.tenants), toCount(sum.looked))}</p>
          <UsageCharts usage={sum} />
          <h3>{texts.top}</h3>
          <div class="columns">
            {MEASURES.map((measure) => (
              <Table
                key={measure}
                label={texts.topBy(texts.counts[measure])}
                rows={sum.top[measure]}
                keyOf={({ tenantId }) => tenantId}
                columns={[
                  {
                    title: texts.topBy(texts.counts[measure]),
                    cell: ({ tenantId }) => <TenantLink tenantId={tenantId} />,
                  },
                  { title: texts.organization, cell: ({ organizationId }) => organizationId },
                  { title: texts.counts[measure], isNumber: true, cell: (tenant) => toCount(tenant[measure]) },
                ]}
              />
            ))}
          </div>
        </>
      )}
    </section>
  );
}

interface RunCard {
  readonly name: string;
  readonly title: string;
  readonly label: string;
  readonly runs: readonly OperatorRun[] | undefined;
}

/** Runs that somebody should look at. Nothing, where there are none. */
function OperatorRunCard({ name, title, label, runs = [] }: RunCard) {
  if (runs.length === 0) return null;
  return (
    <section class="card" aria-labelledby={name}>
      <h2 id={name}>{title}</h2>
      <OperatorRunTable label={label} runs={runs} />
    </section>
  );
}

function OperatorRunTable({ label, runs }: { readonly label: string; readonly runs: readonly OperatorRun[] }) {
  const texts = TEXTS.runs;
  if (runs.length === 0) return <Empty>{TEXTS.overview.noRuns}</Empty>;
  return (
    <Table
      label={label}
      rows={runs}
      keyOf={({ runId }) => runId}
      columns={[
        {
          title: texts.started,
          cell: ({ runId, tenantId, startedAt }) => (
            <a href={toLink('runs', runId, { tenant: tenantId })}>
              <Time at={startedAt} />
            </a>
          ),
        },
        { title: texts.status, cell: ({ status }) => <Badge status={status} /> },
        { title: TEXTS.tenants.tenant, cell: ({ tenantId }) => <TenantLink tenantId={tenantId} /> },
        ...rowColumns<OperatorRun>(toRowCounts),
        {
          title: texts.took,
          isNumber: true,
          cell: ({ startedAt, finishedAt }) =>
            finishedAt === null ? '–' : toSpan(secondsBetween(startedAt, finishedAt)),
        },
        { title: TEXTS.files.why, cell: ({ error }) => <span class="text">{error ?? ''}</span> },
      ]}
    />
  );
}

function toRowCounts({ rows }: OperatorRun): RowCounts | null {
  if (!rows) return null;
  const { read, stored, invalid, stale, deleted } = rows;
  return { Read: read, Stored: stored, Invalid: invalid, Stale: stale, Deleted: deleted };
}

function concernsOf(
  failed: readonly OperatorRun[] | undefined,
  partial: readonly OperatorRun[] | undefined,
  waiting: WaitingDeletions | undefined,
  letters: DeadLetters | undefined,
  keys: KeysToLookAt | undefined,
): Concern[] {
  const texts = TEXTS.attention;
  const [setAside, dead] = [waiting?.setAside.length ?? 0, letters?.count ?? 0];
  const marked = { unused: keys?.unused.count ?? 0, endsSoon: keys?.endsSoon.count ?? 0 };
  return [
    ...(failed?.length ? [{ name: 'failed', isBad: true, text: texts.failedOfAll }] : []),
    ...(partial?.length ? [{ name: 'partial', text: texts.partialOfAll }] : []),
    ...(setAside > 0 ? [{ name: 'setAside', isBad: true, text: texts.setAside(toCount(setAside)) }] : []),
    ...(dead > 0 ? [{ name: 'dead', isBad: true, text: texts.deadLetters(toCount(dead)) }] : []),
    ...concernsOfKeys(marked, toLink('keys', undefined, {}), keys?.isMore),
  ];
}
