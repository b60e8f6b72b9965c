import { useState } from 'preact/hooks';
import { systemClock } from '../../../../../shared/platform/clock';
import { messagesOf } from '../../api/failure';
import { fromTimeInput, toTimeInput, viewersZone } from '../../format/times';
import { Dialog } from '../../parts/dialog';
import { TextField } from '../../parts/field';
import { Notice } from '../../parts/notice';
import { Problem } from '../../parts/problem';
import { useConsole } from '../../state/console-context';
import { useAction } from '../../state/use-action';
import { TEXTS } from '../../texts';
import { rotateKey } from './calls';
import type { Key, NewKey } from './key';
import { titleOf } from './key';

interface Props {
  readonly of: Key;
  /** @param replaces the former key, with its end */
  readonly onDone: (key: NewKey, replaces: Key) => void;
  /** Called where a key may have been made whose answer was lost. */
  readonly onFailed: () => void;
  readonly onClose: () => void;
}

/** As long as a daily export may take to come around again. */
const DEFAULT_OVERLAP_MS = 86_400_000;

/** Gives a key a successor. */
export function RotationDialog({ of, onDone, onFailed, onClose }: Props) {
  const { door, session } = useConsole();
  const [until, setUntil] = useState(() =>
    toTimeInput(new Date(systemClock.nowMs() + DEFAULT_OVERLAP_MS).toISOString()),
  );
  const [expires, setExpires] = useState('');
  const { failure, isBusy, run } = useAction(async () => {
    try {
      const { key, replaces } = await rotateKey(door, of, {
        until: fromTimeInput(until),
        expires: fromTimeInput(expires),
      });
      onDone(key, replaces);
    } catch (error) {
      onFailed();
      throw error;
    }
  });
  const texts = TEXTS.rotation;
  return (
    <Dialog title={texts.title(titleOf(of))} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <p>
          {texts.what} <code>{of.keyId}</code>
        </p>
        {of.keyId === session.keyId && (
          <Notice kind="warning">
            <p>{texts.own}</p>
          </Notice>
        )}
        <TextField
          type="datetime-local"
          label={texts.until}
          value={until}
          onChange={setUntil}
          hint={texts.untilHint(viewersZone())}
          errors={messagesOf(failure, 'until')}
          isRequired
        />
        <TextField
          type="datetime-local"
          label={texts.expires}
          value={expires}
          onChange={setExpires}
          hint={TEXTS.newKey.expiresHint(viewersZone(), session.operator)}
          errors={messagesOf(failure, 'expires')}
          isRequired={of.expiresAt !== null}
        />
        <Problem failure={failure} />
        <p class="hint">{TEXTS.newKey.mayBeLost}</p>
        <div class="actions">
          <button type="submit" class="main" aria-disabled={isBusy}>
            {isBusy ? texts.rotating : texts.rotate}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
