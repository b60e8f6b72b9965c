import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Session, SessionEnd } from './api/door';
import { Door } from './api/door';
import type { Failure } from './api/failure';
import { toFailure } from './api/failure';
import { Frame } from './frame/frame';
import { Cover, SignIn } from './frame/sign-in';
import { Loading } from './parts/list-end';
import { Problem } from './parts/problem';
import { ConsoleContext } from './state/console-context';
import { ROOT } from './state/address';
import { replaceWith, useAddress } from './state/history';

/** What is known of the viewer. */
type Viewer =
  | { readonly is: 'asked' }
  | { readonly is: 'unreachable'; readonly failure: Failure }
  | { readonly is: 'stranger'; readonly end: SessionEnd; readonly former: Session | undefined }
  | { readonly is: 'signedIn'; readonly session: Session };

const SIGNED_OUT: SessionEnd = { by: 'key', hasSeveralCookies: false };

/** The whole application: the sign-in, or the pages of a session. The address stays while one signs in again. */
export function App() {
  const [viewer, setViewer] = useState<Viewer>({ is: 'asked' });
  const shown = useRef<Session | undefined>(undefined);
  const address = useAddress();
  const welcome = (session: Session) => {
    const before = shown.current?.organizationId;
    if (before !== undefined && before !== session.organizationId) replaceWith(ROOT); // it names what is not theirs
    shown.current = session;
    setViewer({ is: 'signedIn', session });
  };
  const door = useMemo(() => new Door((end) => setViewer({ is: 'stranger', end, former: shown.current }), welcome), []);
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
    case 'signedIn': {
      const session = viewer.is === 'signedIn' ? viewer.session : viewer.former;
      const leave = async () => {
        await door.signOut().catch((error: unknown) => {
          if (toFailure(error).status !== 401) throw error; // it has ended already
        });
        shown.current = undefined;
        replaceWith(ROOT); // the next one to sign in has other tenants
        setViewer({ is: 'stranger', end: SIGNED_OUT, former: undefined });
      };
      const signIn = viewer.is === 'stranger' && (
        <SignIn {...viewer.end} wasSignedIn={session !== undefined} signIn={(key) => door.signIn(key).then(welcome)} />
      );
      // What was typed stays while the same key signs in again. Another key, also of another tab, begins anew.
      return (
        <>
          {signIn && (session ? <Cover>{signIn}</Cover> : signIn)}
          {session && (
            <div key={`${session.organizationId} ${session.keyId}`} hidden={viewer.is === 'stranger'}>
              <ConsoleContext.Provider value={{ door, session, address }}>
                <Frame onSignOut={leave} />
              </ConsoleContext.Provider>
            </div>
          )}
        </>
      );
    }
  }
}
