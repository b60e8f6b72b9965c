import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionEnd } from '../api/door';
import { TextField } from '../parts/field';
import { Notice } from '../parts/notice';
import { Problem } from '../parts/problem';
import { useAction } from '../state/use-action';
import { TEXTS } from '../texts';

interface Props extends SessionEnd {
  /** Whether a session has ended just now. */
  readonly wasSignedIn: boolean;
  readonly signIn: (key: string) => Promise<void>;
}

/** Where a session begins. The key is exchanged for it, and kept nowhere. */
export function SignIn({ by, hasSeveralCookies, wasSignedIn, signIn }: Props) {
  const [key, setKey] = useState('');
  const signing = useAction(() => signIn(key.trim()));
  const texts = TEXTS.signIn;
  return (
    <main class="alone">
      <h1>{texts.title}</h1>
      {hasSeveralCookies && <Notice kind="bad">{texts.severalCookies}</Notice>}
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

/** Covers the page, and whatever dialog it has open, until somebody has signed in. */
export function Cover({ children }: { readonly children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close(); // gives the focus back
  }, []);
  return (
    <dialog
      ref={element}
      class="cover"
      aria-label={TEXTS.signIn.title}
      onClose={() => element.current?.showModal()} // Escape does not help
    >
      {children}
    </dialog>
  );
}
