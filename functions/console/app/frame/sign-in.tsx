import { useState } from 'preact/hooks';
import type { SignInBy } from '../api/door';
import { TextField } from '../parts/field';
import { Notice } from '../parts/notice';
import { Problem } from '../parts/problem';
import { useAction } from '../state/use-action';
import { TEXTS } from '../texts';

interface Props {
  readonly by: SignInBy;
  /** Whether a session has ended just now. */
  readonly wasSignedIn: boolean;
  readonly signIn: (key: string) => Promise<void>;
}

/** Where a session begins. The key is exchanged for it, and kept nowhere. */
export function SignIn({ by, wasSignedIn, signIn }: Props) {
  const [key, setKey] = useState('');
  const signing = useAction(() => signIn(key.trim()));
  const texts = TEXTS.signIn;
  return (
    <main class="alone">
      <h1>{texts.title}</h1>
      {wasSignedIn && by === 'key' && <Notice kind="warning">{texts.ended}</Notice>}
      {by === 'command' ? (
        <p>{texts.byCommand}</p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            signing.run();
          }}
        >
          <TextField
            label={texts.key}
            type="password"
            value={key}
            onChange={setKey}
            hint={texts.hint}
            isRequired
            isCode
          />
          <Problem failure={signing.failure} />
          <button type="submit" class="main" aria-disabled={signing.isBusy}>
            {signing.isBusy ? texts.signingIn : texts.signIn}
          </button>
        </form>
      )}
    </main>
  );
}
