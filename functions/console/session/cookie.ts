import type { IncomingMessage } from 'node:http';
import type { Config } from '../../../shared/config';

/** The cookie that holds a session's secret. Only the browser sees it: no script, no other site, no other path. */
export interface SessionCookie {
  readonly name: string;
  /** Whether it is sent over HTTPS alone; not on the local stack, which has none. */
  readonly isSecure: boolean;
}

/** The cookie of tenants. Browsers refuse one of this name that did not come over HTTPS. */
export function sessionCookieOf({ emulators }: Pick<Config, 'emulators'>): SessionCookie {
  const isSecure = emulators.firestore === undefined;
  return { name: isSecure ? '__Secure-console' : 'console', isSecure };
}

/** The session's secret in a request; undefined: it has none, or several. */
export function readCookie(request: IncomingMessage, cookie: Pick<SessionCookie, 'name'>): string | undefined {
  const [secret, ...others] = cookiesOf(request, cookie);
  return others.length === 0 ? secret : undefined;
}

/** Whether a request has several cookies of the name, of which only one can be the console's. */
export function hasSeveralCookies(request: IncomingMessage, cookie: Pick<SessionCookie, 'name'>): boolean {
  return cookiesOf(request, cookie).length > 1;
}

function cookiesOf({ headers }: IncomingMessage, { name }: Pick<SessionCookie, 'name'>): string[] {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}

/** The header that sets the cookie for so long. With an empty secret and no time, the browser removes it. */
export function setCookie({ name, isSecure }: SessionCookie, secret: string, seconds: number): string {
  const attributes = [`${name}=${secret}`, 'Path=/console', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict'];
  return [...attributes, ...(isSecure ? ['Secure'] : [])].join('; ');
}
