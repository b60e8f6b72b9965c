import { useEffect } from 'preact/hooks';
import { ChoiceField } from '../../parts/field';
import { ListEnd } from '../../parts/list-end';
import { Empty } from '../../parts/notice';
import { browserPulse } from '../../state/browser-pulse';
import { startPulse } from '../../state/pulse';
import { valueOf } from '../../state/address';
import { useConsole, useLink, useTenant } from '../../state/console-context';
import { go } from '../../state/history';
import { usePages } from '../../state/use-pages';
import { TEXTS } from '../../texts';
import { RunTable } from './run-table';

const STATUSES = ['running', 'succeeded', 'partial', 'failed', 'cancelled'] as const;

/** The runs of a tenant, the newest first, of one status or job where the address says so. */
export function RunsPage() {
  const { door, address } = useConsole();
  const tenantId = useTenant();
  const linkTo = useLink();
  const status = STATUSES.find((one) => one === valueOf(address, 'status'));
  const jobId = valueOf(address, 'job');
  const pages = usePages(
    (signal) => door.client.transfers(tenantId).runs({ jobId, status, signal }),
    [tenantId, jobId, status],
  );
  const texts = TEXTS.runs;
  const isNothing = pages.items.length === 0 && !pages.failure;
  const isAwaited = isNothing && jobId !== undefined && status === undefined;
  useEffect(() => (isAwaited ? reloadAgainAndAgain(pages.reload) : undefined), [isAwaited]);
  return (
    <>
      <div class="filters">
        <ChoiceField
          label={texts.status}
          value={status ?? ''}
          onChange={(chosen) => go(linkTo('runs', undefined, { job: jobId, status: chosen }))}
          choices={[
            { value: '', text: texts.anyStatus },
            ...STATUSES.map((value) => ({ value, text: TEXTS.status[value] })),
          ]}
        />
        <button type="button" onClick={pages.reload}>
          {texts.refresh}
        </button>
      </div>
      {jobId !== undefined && (
        <p>
          {texts.ofJob} <code>{jobId}</code> <a href={linkTo('runs', undefined, { status })}>{texts.allJobs}</a>
        </p>
      )}
      {pages.items.length > 0 && <RunTable runs={pages.items} />}
      {isAwaited && <Empty>{texts.awaited}</Empty>}
      {isNothing && !isAwaited && !pages.isLoading && (
        <Empty>
          {status === undefined ? texts.none : texts.noneOfFilter} <a href={linkTo('transfers')}>{texts.toTransfers}</a>
        </Empty>
      )}
      <ListEnd pages={pages} what={texts.what} />
    </>
  );
}

/** A job that was registered just now has no run yet. */
function reloadAgainAndAgain(reload: () => void): () => void {
  let isFirst = true;
  return startPulse(() => {
    if (!isFirst) reload();
    isFirst = false;
    return Promise.resolve('same');
  }, browserPulse);
}
