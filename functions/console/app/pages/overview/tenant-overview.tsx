import type { ComponentChildren } from 'preact';
import type { Run, Transfer, Usage } from '../../../../../client/src/index';
import type { WaitingDeletions } from '../../api/management-answers';
import { waitingDeletions } from '../../api/management';
import { marksOf } from '../../../../../shared/domain/key-marks';
import { systemClock } from '../../../../../shared/platform/clock';
import { toCount } from '../../format/numbers';
import { Loading } from '../../parts/list-end';
import { Empty, Notice } from '../../parts/notice';
import { toLink } from '../../state/address';
import { useConsole, useLink } from '../../state/console-context';
import { useLoaded } from '../../state/use-loaded';
import { TEXTS } from '../../texts';
import { RunTable } from '../runs/run-table';
import { listKeys } from '../keys/calls';
import type { Key } from '../keys/key';
import type { Concern } from './attention';
import { Attention } from './attention';
import { takeFirst } from './first-page';
import type { CountedMark } from './key-concerns';
import { concernsOfKeys } from './key-concerns';
import { timesOf } from './range';
import { RangeField, useRange } from './range-field';
import { UsageCharts } from './usage-charts';
import { WaitingCard } from './waiting-card';

/** Runs that are looked at: those of one page, of which the newest are shown. */
const LOOKED_RUNS = 100;
const SHOWN_RUNS = 5;

/** Keys that are looked at: those of one page. */
const LOOKED_KEYS = 100;

/** What came of a tenant, how its runs went, and what needs attention. */
export function TenantOverview({ tenantId }: { readonly tenantId: string }) {
  const { door, session } = useConsole();
  const linkTo = useLink();
  const range = useRange();
  const may = (permission: string) => session.permissions.includes(permission);
  const transfersOf = door.client.transfers(tenantId);
  const usage = useLoaded(
    may('records') ? (signal) => door.client.usage(tenantId, { ...timesOf(range, new Date()), signal }) : undefined,
    [tenantId, range],
  );
  const runs = useLoaded(
    may('transfers') ? (signal) => takeFirst(transfersOf.runs({ signal }), LOOKED_RUNS) : undefined,
    [tenantId],
  );
  const transfers = useLoaded(may('transfers') ? (signal) => transfersOf.list({ signal }) : undefined, [tenantId]);
  const deletions = useLoaded(session.operator ? (signal) => waitingDeletions(door, tenantId, signal) : undefined, [
    tenantId,
  ]);
  const keys = useLoaded(
    session.operator
      ? undefined
      : (signal) =>
          takeFirst(
            listKeys(door, undefined, () => undefined, signal),
            LOOKED_KEYS,
          ),
    [],
  );
  const sources = [usage, runs, transfers, deletions, keys];
  const concerns = [
    ...concernsOfRuns(runs.value ?? [], linkTo),
    ...concernsOfTransfers(transfers.value ?? [], linkTo('transfers')),
    ...concernsOfUsage(usage.value),
    ...concernsOfDeletions(deletions.value),
    ...concernsOfKeys(countMarks(keys.value ?? []), linkTo('keys')),
  ];
  const texts = TEXTS.overview;
  return (
    <>
      {session.operator && (
        <p>
          <a href={toLink('overview', undefined, {})}>{texts.allTenants}</a>
        </p>
      )}
      <RangeField onRefresh={() => sources.forEach(({ reload }) => reload())} />
      {isUnused(usage.value, runs.value, transfers.value) && <FirstSteps />}
      <Attention sources={sources} concerns={concerns} />
      <section class="card" aria-labelledby="usage">
        <h2 id="usage">{TEXTS.usage.title}</h2>
        {!may('records') && <Notice kind="plain">{texts.needs('records')}</Notice>}
        {usage.value && <UsageCharts usage={usage.value} />}
        {usage.isLoading && !usage.value && <Loading />}
      </section>
      <section class="card" aria-labelledby="last-runs">
        <h2 id="last-runs">{texts.lastRuns}</h2>
        {!may('transfers') && <Notice kind="plain">{texts.needs('transfers')}</Notice>}
        {runs.value && runs.value.length > 0 && <RunTable runs={runs.value.slice(0, SHOWN_RUNS)} />}
        {runs.value?.length === 0 && (
          <Empty>
            {TEXTS.runs.none} <a href={linkTo('transfers')}>{TEXTS.runs.toTransfers}</a>
          </Empty>
        )}
        {runs.isLoading && !runs.value && <Loading />}
        {runs.value && runs.value.length > SHOWN_RUNS && <a href={linkTo('runs')}>{texts.allRuns}</a>}
      </section>
      {session.operator && <WaitingCard key={tenantId} waiting={deletions} />}
    </>
  );
}

/** What to do first, where nothing was done yet. */
function FirstSteps() {
  const { session } = useConsole();
  const linkTo = useLink();
  const texts = TEXTS.overview.first;
  return (
    <Notice kind="plain">
      <p>
        {texts.nothing} <a href={linkTo('transfers', undefined, { form: 'daily' })}>{texts.register}</a>
        {!session.operator && (
          <>
            {texts.or} <a href={linkTo('send')}>{texts.send}</a>
          </>
        )}
        .
      </p>
    </Notice>
  );
}

/** Whether nothing came, as far as the viewer may know. Whoever looks at this page makes requests, too. */
function isUnused(
  usage: Usage | undefined,
  runs: readonly Run[] | undefined,
  transfers: readonly Transfer[] | undefined,
): boolean {
  const { records, rejected, deletions } = usage?.totals ?? { records: 1, rejected: 0, deletions: 0 };
  return records + rejected + deletions === 0 && runs?.length === 0 && transfers?.length === 0;
}

function concernsOfRuns(runs: readonly Run[], linkTo: ReturnType<typeof useLink>): Concern[] {
  const texts = TEXTS.attention;
  const failed = runs.filter(({ Status }) => Status === 'failed');
  const withFailedFiles = runs.filter(({ Status, Files }) => Status !== 'failed' && (Files?.Failed ?? 0) > 0);
  const withBadRows = runs.filter(({ Rows }) => (Rows?.Invalid ?? 0) > 0);
  const files = withFailedFiles.reduce((sum, { Files }) => sum + (Files?.Failed ?? 0), 0);
  const rows = withBadRows.reduce((sum, { Rows }) => sum + (Rows?.Invalid ?? 0), 0);
  const toLast = ([last]: readonly Run[]) => <a href={linkTo('runs', last?.RunId)}>{texts.seeLast}</a>;
  const toFailed = <a href={linkTo('runs', undefined, { status: 'failed' })}>{texts.seeThem}</a>;
  const concern = (name: string, text: string, link: ComponentChildren, isBad: boolean) => ({
    name,
    isBad,
    text: (
      <>
        {text} {link}
      </>
    ),
  });
  const failedText = texts.failedRuns(toCount(failed.length), toCount(runs.length));
  const filesText = texts.failedFiles(toCount(files), toCount(withFailedFiles.length));
  const rowsText = texts.badRows(toCount(rows), toCount(withBadRows.length));
  return [
    ...(failed.length > 0 ? [concern('failed', failedText, toFailed, true)] : []),
    ...(files > 0 ? [concern('failedFiles', filesText, toLast(withFailedFiles), true)] : []),
    ...(rows > 0 ? [concern('badRows', rowsText, toLast(withBadRows), false)] : []),
  ];
}

function concernsOfTransfers(transfers: readonly Transfer[], link: string): Concern[] {
  return transfers
    .filter(({ NextRunAt, BucketName }) => NextRunAt === null || BucketName === null)
    .map(({ Kind, BucketName }) => ({
      name: Kind,
      text: (
        <>
          {BucketName === null ? TEXTS.attention.changedByHand(Kind) : TEXTS.attention.paused(Kind)}{' '}
          <a href={link}>{TEXTS.runs.toTransfers}</a>
        </>
      ),
    }));
}

function concernsOfUsage(usage: Usage | undefined): Concern[] {
  const limited = usage?.keys.filter((key) => key.limited > 0) ?? [];
  const rejected = usage?.totals.rejected ?? 0;
  return [
    ...limited.map(({ keyId, limited: refused }) => ({
      name: keyId,
      text: (
        <>
          <code>{keyId}</code> {TEXTS.attention.limited(toCount(refused))}
        </>
      ),
    })),
    ...(rejected > 0 ? [{ name: 'rejected', text: TEXTS.attention.rejected(toCount(rejected)) }] : []),
  ];
}

function countMarks(keys: readonly Key[]): Readonly<Record<CountedMark, number>> {
  const nowMs = systemClock.nowMs();
  const count = (mark: CountedMark) => keys.filter((key) => marksOf(key, nowMs).includes(mark)).length;
  return { unused: count('unused'), endsSoon: count('endsSoon') };
}

function concernsOfDeletions(waiting: WaitingDeletions | undefined): Concern[] {
  const count = waiting?.setAside.length ?? 0;
  return count === 0 ? [] : [{ name: 'setAside', isBad: true, text: TEXTS.attention.setAside(toCount(count)) }];
}
