import { useState } from 'preact/hooks';
import { messagesOf } from '../api/failure';
import { TextField } from '../parts/field';
import { Problem } from '../parts/problem';
import { valueOf } from '../state/address';
import { useConsole, useLink, useTenant } from '../state/console-context';
import { go, replaceWith } from '../state/history';
import { useAction } from '../state/use-action';
import { useLoaded } from '../state/use-loaded';
import { TEXTS } from '../texts';
import { toFolders } from './transfers/registration';

/** Chooses what a preview reads. What it would change is shown by the page of its run. */
export function PreviewPage() {
  const { door, address } = useConsole();
  const tenantId = useTenant();
  const linkTo = useLink();
  const transfers = door.client.transfers(tenantId);
  const [bucket, setBucket] = useState(valueOf(address, 'bucket') ?? '');
  const [folders, setFolders] = useState((address.query['folder'] ?? []).join('\n'));
  const [rows, setRows] = useState('');
  const registered = useLoaded((signal) => transfers.list({ signal }), [tenantId]);
  const buckets = [...new Set((registered.value ?? []).flatMap(({ BucketName }) => BucketName ?? []))];
  const starting = useAction(async () => {
    const paths = toFolders(folders);
    replaceWith(linkTo('preview', undefined, { bucket: bucket.trim(), folder: paths }));
    const { RunId } = await transfers.preview({
      BucketName: bucket.trim(),
      HistoricalDataFolderPaths: paths.length > 0 ? paths : null,
      SampleRowsPerFile: rows === '' ? null : Number(rows),
    });
    go(linkTo('runs', RunId));
  });
  const { failure, isBusy, run } = starting;
  const texts = TEXTS.preview;
  return (
    <>
      <p>{texts.introduction}</p>
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <TextField
          label={TEXTS.registration.bucket}
          value={bucket}
          onChange={setBucket}
          hint={texts.bucketHint}
          errors={messagesOf(failure, 'BucketName')}
          suggestions={buckets}
          isRequired
          isCode
        />
        <TextField
          label={TEXTS.registration.folders}
          value={folders}
          onChange={setFolders}
          hint={TEXTS.registration.foldersHint}
          errors={messagesOf(failure, 'HistoricalDataFolderPaths')}
          lines={3}
          isCode
        />
        <TextField
          type="number"
          label={texts.rows}
          value={rows}
          onChange={setRows}
          hint={texts.rowsHint}
          errors={messagesOf(failure, 'SampleRowsPerFile')}
          min={1}
        />
        <Problem failure={failure} />
        <div class="actions">
          <button type="submit" class="main" aria-disabled={isBusy}>
            {isBusy ? texts.starting : texts.start}
          </button>
        </div>
      </form>
    </>
  );
}
