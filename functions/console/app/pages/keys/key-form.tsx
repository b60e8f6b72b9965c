import { useState } from 'preact/hooks';
import { DEFAULT_REQUESTS_PER_MINUTE } from '../../../../../shared/domain/limits';
import { messagesOf } from '../../api/failure';
import { toCount } from '../../format/numbers';
import { fromTimeInput, viewersZone } from '../../format/times';
import { ChecksField } from '../../parts/checks-field';
import { TextField } from '../../parts/field';
import { Problem } from '../../parts/problem';
import { useConsole, useLink } from '../../state/console-context';
import { useAction } from '../../state/use-action';
import { TEXTS } from '../../texts';
import { createKey } from './calls';
import type { Key, NewKey } from './key';

interface Props {
  /** An operator's choice; undefined: none yet, or the viewer's own. */
  readonly organization: string | undefined;
  /** Beyond which nothing can be given; undefined: the viewer is an operator, or it is not known yet. */
  readonly own: Key | undefined;
  readonly onDone: (key: NewKey, notices: readonly string[]) => void;
  /** Called where a key may have been made whose answer was lost. */
  readonly onFailed: () => void;
}

/** Generates a key. */
export function KeyForm({ organization: chosen, own, onDone, onFailed }: Props) {
  const { door, session } = useConsole();
  const linkTo = useLink();
  const [organization, setOrganization] = useState(chosen ?? '');
  const [name, setName] = useState('');
  const [permissions, setPermissions] = useState<readonly string[]>([]);
  const [limit, setLimit] = useState('');
  const [expires, setExpires] = useState('');
  const { failure, isBusy, run } = useAction(async () => {
    const grant = {
      organization: session.operator ? organization : undefined,
      name,
      permissions,
      limit: limit === '' ? undefined : Number(limit),
      expires: fromTimeInput(expires),
    };
    try {
      const { key, notices } = await createKey(door, grant);
      onDone(key, notices);
    } catch (error) {
      onFailed();
      throw error;
    }
  });
  const texts = TEXTS.newKey;
  return (
    <section class="card" aria-labelledby="new-key">
      <h2 id="new-key">{texts.title}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        {session.operator && (
          <TextField
            label={TEXTS.keys.organization}
            value={organization}
            onChange={setOrganization}
            hint={texts.organizationHint}
            errors={messagesOf(failure, 'organization')}
            isRequired
          />
        )}
        <TextField
          label={texts.name}
          value={name}
          onChange={setName}
          hint={texts.nameHint}
          errors={messagesOf(failure, 'name')}
        />
        <ChecksField
          label={TEXTS.keys.permissions}
          values={permissions}
          onChange={setPermissions}
          choices={session.permissions}
          meaningOf={meaningOf}
          hint={texts.permissionsHint}
          errors={messagesOf(failure, 'permissions')}
        />
        <TextField
          type="number"
          label={texts.limit}
          value={limit}
          onChange={setLimit}
          hint={texts.limitHint(toCount(usualLimit(own)), own && toCount(own.limit))}
          errors={messagesOf(failure, 'limit')}
          min={1}
        />
        <TextField
          type="datetime-local"
          label={texts.expires}
          value={expires}
          onChange={setExpires}
          hint={texts.expiresHint(viewersZone(), session.operator)}
          errors={messagesOf(failure, 'expires')}
        />
        <Problem failure={failure} />
        <p class="hint">{texts.mayBeLost}</p>
        <div class="actions">
          <button type="submit" class="main" aria-disabled={isBusy}>
            {isBusy ? texts.generating : texts.generate}
          </button>
          <a href={linkTo('keys', undefined, { organization: chosen })}>{texts.cancel}</a>
        </div>
      </form>
    </section>
  );
}

/** That of a key for which none is named. */
function usualLimit(own: Key | undefined): number {
  return Math.min(DEFAULT_REQUESTS_PER_MINUTE, own?.limit ?? DEFAULT_REQUESTS_PER_MINUTE);
}

function meaningOf(permission: string): string {
  const meanings: Readonly<Record<string, string>> = TEXTS.newKey.meanings;
  return meanings[permission] ?? '';
}
