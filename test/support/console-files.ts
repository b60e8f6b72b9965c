import { toAsset } from '../../functions/build/browser/asset';
import type { SessionCookie } from '../../functions/console/session/cookie';
import type { Assets } from '../../shared/http/assets/asset';

/** What a console of the tests serves in place of the built application. */
export const CONSOLE_FILES: Assets = new Map([
  ['', toAsset('text/html; charset=utf-8', '<!doctype html><title>Console</title>')],
  ['assets/main-1.js', toAsset('text/javascript; charset=utf-8', 'document.title;', true)],
]);

/** As it is on Google Cloud. */
export const CONSOLE_COOKIE: SessionCookie = { name: '__Secure-console', isSecure: true };

/** What the console of a `TestService` has beside it. */
export const CONSOLE = {
  assets: () => CONSOLE_FILES,
  cookie: CONSOLE_COOKIE,
  projectId: 'project',
  proxies: 0,
};
