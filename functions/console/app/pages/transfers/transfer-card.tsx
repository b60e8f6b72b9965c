import { useState } from 'preact/hooks';
import type { Transfer } from '../../../../../client/src/index';
import { ActionButton } from '../../parts/action-button';
import { Badge } from '../../parts/badge';
import { Confirm } from '../../parts/dialog';
import { Facts } from '../../parts/facts';
import { Folders } from '../../parts/folders';
import { Problem } from '../../parts/problem';
import { Time } from '../../parts/time';
import { useConsole, useLink, useTenant } from '../../state/console-context';
import { go } from '../../state/history';
import { useAction } from '../../state/use-action';
import { TEXTS } from '../../texts';
import type { Access } from './access';
import { AccessNotice } from './access';
import { register } from './register';
import { formOf, toOptions } from './registration';

/** A transfer that is registered: what it reads and when, how it went, and what can be done. */
export function TransferCard({ transfer, onChanged }: { readonly transfer: Transfer; readonly onChanged: () => void }) {
  const { door } = useConsole();
  const transfers = door.client.transfers(useTenant());
  const linkTo = useLink();
  const [access, setAccess] = useState<Access>();
  const [isEnding, setIsEnding] = useState(false);
  const { JobId, Kind, BucketName } = transfer;
  const form = formOf(transfer);
  const testing = useAction(async () => {
    if (form) setAccess(await register(transfers, Kind, toOptions(Kind, form)));
  });
  const starting = useAction(async () => {
    const { RunId } = await transfers.start(JobId);
    go(linkTo('runs', RunId));
  });
  const texts = TEXTS.transfers;
  return (
    <section class="card" aria-labelledby={Kind}>
      <h2 id={Kind}>{texts.kinds[Kind]}</h2>
      <TransferFacts transfer={transfer} />
      {!form && <p class="hint">{texts.changedByHand}</p>}
      <div class="actions">
        <ActionButton action={starting} text={texts.runNow} busyText={texts.starting} />
        <a class="button" href={linkTo('transfers', undefined, { form: Kind })}>
          {texts.change}
        </a>
        {form && <ActionButton action={testing} text={texts.test} busyText={texts.testing} />}
        <a href={linkTo('runs', undefined, { job: JobId })}>{texts.runs}</a>
        <button type="button" class="danger" onClick={() => setIsEnding(true)}>
          {texts.unregister}
        </button>
      </div>
      <Problem failure={starting.failure ?? testing.failure} />
      {access && <AccessNotice access={access} />}
      {isEnding && (
        <Confirm
          title={texts.unregisterTitle(texts.kinds[Kind])}
          action={texts.unregister}
          name={BucketName ?? Kind}
          act={async () => {
            await transfers.unregister(JobId);
            onChanged();
          }}
          onClose={() => setIsEnding(false)}
        >
          <p>{texts.unregisterWhat}</p>
        </Confirm>
      )}
    </section>
  );
}

function TransferFacts({ transfer }: { readonly transfer: Transfer }) {
  const linkTo = useLink();
  const { BucketName, DataFolderPaths, Schedule, TimeZone, NextRunAt, LastRun } = transfer;
  const texts = TEXTS.transfers;
  const form = formOf(transfer);
  const schedule = form ? texts.schedule[transfer.Kind](form) : `${Schedule} ${TimeZone}`;
  return (
    <Facts
      facts={[
        { name: texts.bucket, value: BucketName === null ? texts.unknown : <code>{BucketName}</code> },
        { name: texts.folders, value: <Folders paths={DataFolderPaths ?? []} /> },
        { name: texts.when, value: schedule },
        { name: texts.nextRun, value: NextRunAt === null ? texts.paused : <Time at={NextRunAt} /> },
        {
          name: texts.lastRun,
          value: LastRun ? (
            <>
              <a href={linkTo('runs', LastRun.RunId)}>
                <Time at={LastRun.StartedAt} />
              </a>{' '}
              <Badge status={LastRun.Status} />
            </>
          ) : (
            texts.noRun
          ),
        },
      ]}
    />
  );
}
