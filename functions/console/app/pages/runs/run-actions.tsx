import { useState } from 'preact/hooks';
import type { Run } from '../../../../../client/src/index';
import { ActionButton } from '../../parts/action-button';
import { Confirm } from '../../parts/dialog';
import { Problem } from '../../parts/problem';
import { toCount } from '../../format/numbers';
import { useConsole, useLink, useTenant } from '../../state/console-context';
import { go } from '../../state/history';
import { useAction } from '../../state/use-action';
import { TEXTS } from '../../texts';

/** What can be done with a run: end it while it runs, read its bad rows again, or do what was previewed. */
export function RunActions({ run, onChanged }: { readonly run: Run; readonly onChanged: () => void }) {
  if (run.Status === 'running') return <Cancel run={run} onChanged={onChanged} />;
  if (run.Kind === 'preview') return <RunIt run={run} />;
  return (run.Rows?.Invalid ?? 0) > 0 ? <Replay run={run} /> : null;
}

function Cancel({ run, onChanged }: { readonly run: Run; readonly onChanged: () => void }) {
  const { door } = useConsole();
  const [isAsking, setIsAsking] = useState(false);
  const texts = TEXTS.actions;
  return (
    <div class="actions">
      <button type="button" class="danger" onClick={() => setIsAsking(true)}>
        {texts.cancel}
      </button>
      {isAsking && (
        <Confirm
          title={texts.cancelTitle}
          action={texts.cancel}
          act={async () => {
            await door.client.run(run.RunId).cancel();
            onChanged();
          }}
          onClose={() => setIsAsking(false)}
        >
          <p>{texts.cancelWhat}</p>
        </Confirm>
      )}
    </div>
  );
}

function Replay({ run }: { readonly run: Run }) {
  const { door } = useConsole();
  const linkTo = useLink();
  const replaying = useAction(async () => {
    const { RunId } = await door.client.run(run.RunId).replay();
    go(linkTo('runs', RunId));
  });
  const texts = TEXTS.actions;
  return (
    <>
      <div class="actions">
        <ActionButton action={replaying} text={texts.replay} busyText={texts.starting} isMain />
        <span class="hint">{texts.replayWhat}</span>
      </div>
      <Problem failure={replaying.failure} />
    </>
  );
}

/** Stores what a preview has shown. That cannot be undone, so that the name of the bucket has to be typed. */
function RunIt({ run }: { readonly run: Run }) {
  const { door } = useConsole();
  const tenantId = useTenant();
  const linkTo = useLink();
  const [isAsking, setIsAsking] = useState(false);
  const texts = TEXTS.actions;
  const { BucketName, FolderPaths, Rows, Status } = run;
  return (
    <div class="actions">
      {(Status === 'succeeded' || Status === 'partial') && (
        <button type="button" class="main" onClick={() => setIsAsking(true)}>
          {texts.runIt}
        </button>
      )}
      <a href={linkTo('preview', undefined, { bucket: BucketName, folder: FolderPaths })}>{texts.previewAgain}</a>
      {isAsking && (
        <Confirm
          title={texts.runItTitle}
          action={texts.runIt}
          name={BucketName}
          act={async () => {
            const options = { BucketName, HistoricalDataFolderPaths: FolderPaths.length > 0 ? FolderPaths : null };
            const { JobId } = await door.client.transfers(tenantId).registerHistorical(options);
            go(linkTo('runs', undefined, { job: JobId }));
          }}
          onClose={() => setIsAsking(false)}
        >
          <p>{texts.runItWhat(toCount(Rows?.Stored ?? 0), toCount(Rows?.Deleted ?? 0))}</p>
        </Confirm>
      )}
    </div>
  );
}
