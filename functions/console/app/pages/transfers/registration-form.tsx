import { useState } from 'preact/hooks';
import { messagesOf } from '../../api/failure';
import { TextField } from '../../parts/field';
import { Problem } from '../../parts/problem';
import { useLink, useTenant, useConsole } from '../../state/console-context';
import { useAction } from '../../state/use-action';
import { TEXTS } from '../../texts';
import type { Access } from './access';
import { register } from './register';
import type { RegistrationForm as Form, RegistrationKind } from './registration';
import { EMPTY_FORM, toOptions } from './registration';

interface Props {
  readonly kind: RegistrationKind;
  /** The transfer as it is registered; undefined: it is not. */
  readonly before: Form | undefined;
  readonly onDone: (access: Access) => void;
}

/** Registers a transfer, or changes the one that is registered. */
export function RegistrationForm({ kind, before, onDone }: Props) {
  const { door } = useConsole();
  const tenantId = useTenant();
  const linkTo = useLink();
  const [form, setForm] = useState<Form>(before ?? EMPTY_FORM);
  const set = (part: Partial<Form>) => setForm((old) => ({ ...old, ...part }));
  const registering = useAction(async () => {
    onDone(await register(door.client.transfers(tenantId), kind, toOptions(kind, form)));
  });
  const { failure, isBusy, run } = registering;
  const texts = TEXTS.registration;
  return (
    <section class="card" aria-labelledby="registration">
      <h2 id="registration">{before ? texts.change[kind] : texts.register[kind]}</h2>
      <p>{texts.what[kind]}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <TextField
          label={texts.bucket}
          value={form.bucket}
          onChange={(bucket) => set({ bucket })}
          hint={texts.bucketHint}
          errors={messagesOf(failure, 'BucketName')}
          isRequired
          isCode
        />
        <TextField
          label={texts.folders}
          value={form.folders}
          onChange={(folders) => set({ folders })}
          hint={texts.foldersHint}
          errors={messagesOf(failure, kind === 'historical' ? 'HistoricalDataFolderPaths' : 'DataFolderPaths')}
          lines={3}
          isCode
        />
        {kind === 'daily' && (
          <TextField type="time" label={texts.time} value={form.time} onChange={(time) => set({ time })} isRequired />
        )}
        {kind === 'hourly' && (
          <TextField
            type="number"
            label={texts.minute}
            value={form.minute}
            onChange={(minute) => set({ minute })}
            errors={messagesOf(failure, 'HourlyJobStartingMinuteUTC')}
            min={0}
            max={59}
            isRequired
          />
        )}
        <Problem failure={failure} />
        <div class="actions">
          <button type="submit" class="main" aria-disabled={isBusy}>
            {isBusy ? texts.saving : texts.save[kind]}
          </button>
          <a href={linkTo('transfers')}>{texts.cancel}</a>
        </div>
      </form>
    </section>
  );
}
