import type { Gatekeeper } from '../../../shared/auth/admission';
import type { CallerRoute } from '../../../shared/endpoint/route';
import { callerRoute } from '../../../shared/endpoint/route';
import { MAX_SIGN_IN_BYTES, SESSION_MS } from '../../../shared/limits/console';
import type { SessionCookie } from './cookie';
import { setCookie } from './cookie';
import { keyRequired } from './problems';
import type { AboutService } from './session-answer';
import { toSessionDto } from './session-answer';
import type { StoredSessions } from './stored-sessions';

export interface BeginSessionDependencies extends AboutService {
  readonly cookie: SessionCookie;
  readonly sessions: StoredSessions;
  /** Knows keys, as the API does. It counts nothing: who signs in is counted by the door. */
  readonly keys: Gatekeeper;
}

/** The route that exchanges a key for a session. The key is looked at once, and kept nowhere. */
export function beginSessionRoute({ cookie, sessions, keys, ...about }: BeginSessionDependencies): CallerRoute<never> {
  return callerRoute<string>({
    operationId: 'beginSession',
    method: 'POST',
    path: '',
    maxBodyBytes: MAX_SIGN_IN_BYTES,
    successMessage: 'Signed in.',
    failureMessage: 'Failed to sign in.',
    tenantFrom: 'caller',
    read: async (request) => requireKey(await request.body('object')),
    run: async (keyText, _anybody, call) => {
      const key = await keys.begin(keyText, undefined, call).authenticate();
      const { secret, hash, ...session } = await sessions.begin(key.hash, call.deadline);
      return {
        data: { ...toSessionDto(key, session, hash, about) },
        headers: { 'Set-Cookie': setCookie(cookie, secret, SESSION_MS / 1_000) },
      };
    },
  });
}

/** @throws HttpProblem 400 */
function requireKey(body: unknown): string {
  const key = typeof body === 'object' && body !== null && 'key' in body ? body.key : undefined;
  if (typeof key !== 'string') throw keyRequired();
  return key.trim();
}
