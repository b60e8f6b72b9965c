/**
 * Whether a write was meant by the person whose cookie it carries. The cookie is `SameSite=Strict`, which
 * leaves other origins of the same site, and browsers that do not know it. So a write must come from the console's own
 * origin, by what the browser says, and show a token that only the console's own page can have read.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ApiKeyHash } from '../../../shared/domain/api-key';
import type { SessionCookie } from './cookie';
import { notOwnPage } from './problems';
import { csrfTokenOf } from './session';

/**
 * @param isSecure whether the origin is served over HTTPS alone
 * @throws HttpProblem 403 where the browser does not say that a page of this origin sent it.
 */
export function requireOwnOrigin({ headers }: IncomingMessage, { isSecure }: Pick<SessionCookie, 'isSecure'>): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined ? isOwnOrigin(headers, isSecure) : site === 'same-origin') return;
  throw notOwnPage();
}

/** Reads change nothing, and other origins cannot see their answers. @throws HttpProblem 403 */
export function requireMeant(request: IncomingMessage, hash: ApiKeyHash, cookie: SessionCookie): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  requireOwnOrigin(request, cookie);
  const expected = Buffer.from(csrfTokenOf(hash));
  const shown = Buffer.from(String(request.headers['x-csrf-token'] ?? ''));
  if (shown.length !== expected.length || !timingSafeEqual(shown, expected)) throw notOwnPage();
}

/** Browsers before 2023 do not send `Sec-Fetch-Site`, but all send `Origin` with what is no GET. */
function isOwnOrigin({ origin, host }: IncomingHttpHeaders, isSecure: boolean): boolean {
  return host !== undefined && origin === `${isSecure ? 'https' : 'http'}://${host}`;
}
