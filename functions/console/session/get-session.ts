import type { CallerRoute } from '../../../shared/endpoint/route';
import { callerRoute } from '../../../shared/endpoint/route';
import type { SessionCookie } from './cookie';
import { setCookie } from './cookie';
import type { SignIn } from './problems';
import { sessionEnded } from './problems';
import type { Sessions } from './session';
import type { AboutService } from './session-answer';
import { toSessionDto } from './session-answer';

export interface SessionDependencies extends AboutService {
  readonly signIn: SignIn;
  readonly cookie: SessionCookie;
  readonly sessions: Sessions;
}

/** The route that says who is signed in. */
export function getSessionRoute({ signIn, sessions, ...about }: SessionDependencies): CallerRoute<never> {
  return callerRoute<undefined>({
    operationId: 'getSession',
    method: 'GET',
    path: '',
    successMessage: 'Session found.',
    failureMessage: 'Failed to find the session.',
    tenantFrom: 'caller',
    read: () => undefined,
    run: async (_input, caller, { deadline }) => {
      const session = await sessions.find(caller.hash, deadline);
      if (!session) throw sessionEnded(signIn); // since the request was admitted
      return { data: { ...toSessionDto(caller, session, caller.hash, about) } };
    },
  });
}

/** The route that ends the session, and has the browser forget it. A repeat is 401. */
export function endSessionRoute({ cookie, sessions }: SessionDependencies): CallerRoute<never> {
  return callerRoute<undefined>({
    operationId: 'endSession',
    method: 'DELETE',
    path: '',
    successMessage: 'Signed out.',
    failureMessage: 'Failed to sign out.',
    tenantFrom: 'caller',
    read: () => undefined,
    run: async (_input, caller, { deadline }) => {
      await sessions.end(caller.hash, deadline);
      return { data: {}, headers: { 'Set-Cookie': setCookie(cookie, '', 0) } };
    },
  });
}
