import type { AdmissionDependencies } from '../../../shared/auth/admission';
import { Gatekeeper } from '../../../shared/auth/admission';
import { hashApiKey } from '../../../shared/domain/api-key';
import type { Door } from '../../../shared/endpoint/door';
import { Capacity } from '../../../shared/http/capacity';
import type { SessionCookie } from '../session/cookie';
import { hasSeveralCookies, readCookie } from '../session/cookie';
import { requireMeant } from '../session/own-page';
import type { SignIn } from '../session/problems';
import { sessionEnded, severalCookies } from '../session/problems';

/** No other origin may embed an answer, nor take it for something else than it says to be. */
export const FOR_OWN_PAGES = { 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'same-origin' };

/** The door of people who have a session, by its cookie. */
export function sessionDoor(cookie: SessionCookie, signIn: SignIn, dependencies: AdmissionDependencies): Door {
  return {
    secretOf: (request) => readCookie(request, cookie),
    screen: (request) => {
      if (hasSeveralCookies(request, cookie)) throw severalCookies(signIn);
      const hash = hashApiKey(readCookie(request, cookie) ?? '');
      if (hash) requireMeant(request, hash, cookie); // without a session the request is 401
    },
    headers: FOR_OWN_PAGES,
    gatekeeper: new Gatekeeper(dependencies, () => sessionEnded(signIn)),
    capacity: new Capacity(),
  };
}
