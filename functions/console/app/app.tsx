import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Session, SignInBy } from './api/door';
import { Door } from './api/door';
import type { Failure } from './api/failure';
import { toFailure } from './api/failure';
import { Frame } from './frame/frame';
import { SignIn } from './frame/sign-in';
import { Loading } from './parts/list-end';
import { Problem } from './parts/problem';
import { ConsoleContext } from './state/console-context';
import { ROOT } from './state/address';
import { replaceWith, useAddress } from './state/history';

/** What is known of the viewer. */
type Viewer =
  | { readonly is: 'asked' }
  | { readonly is: 'unreachable'; readonly failure: Failure }
  | { readonly is: 'stranger'; readonly by: SignInBy; readonly wasSignedIn: boolean }
  | { readonly is: 'signedIn'; readonly session: Session };

/** The whole application: the sign-in, or the pages of a session. The address stays while one signs in again. */
export function App() {
  const [viewer, setViewer] = useState<Viewer>({ is: 'asked' });
  const wasSignedIn = useRef(false);
  const address = useAddress();
  const welcome = (session: Session) => {
    wasSignedIn.current = true;
    setViewer({ is: 'signedIn', session });
  };
  const door = useMemo(
    () => new Door((by) => setViewer({ is: 'stranger', by, wasSignedIn: wasSignedIn.current }), welcome),
    [],
  );
  const ask = () => {
    setViewer({ is: 'asked' });
    door
      .current()
      .then(welcome)
      .catch((error: unknown) => {
        const failure = toFailure(error);
        if (failure.status !== 401) setViewer({ is: 'unreachable', failure });
      });
  };
  useEffect(ask, []);

  switch (viewer.is) {
    case 'asked':
      return (
        <main class="alone">
          <Loading />
        </main>
      );
    case 'unreachable':
      return (
        <main class="alone">
          <Problem failure={viewer.failure} onRetry={ask} />
        </main>
      );
    case 'stranger':
      return (
        <SignIn by={viewer.by} wasSignedIn={viewer.wasSignedIn} signIn={(key) => door.signIn(key).then(welcome)} />
      );
    case 'signedIn':
      return (
        <ConsoleContext.Provider value={{ door, session: viewer.session, address }}>
          <Frame
            onSignOut={async () => {
              await door.signOut();
              wasSignedIn.current = false;
              replaceWith(ROOT); // the next one to sign in has other tenants
              setViewer({ is: 'stranger', by: 'key', wasSignedIn: false });
            }}
          />
        </ConsoleContext.Provider>
      );
  }
}
