import type { IncomingMessage } from 'node:http';
import { readCookie, sessionCookieOf, setCookie } from '../../../functions/console/session/cookie';

const request = (cookie?: string) => ({ headers: { cookie } }) as unknown as IncomingMessage;

it('is sent over HTTPS alone on Google Cloud, and has a name that browsers hold to that (R-231)', () => {
  const cookie = sessionCookieOf({ emulators: {} });
  expect(setCookie(cookie, 'secret', 60)).toBe('__Secure-console=secret; Path=/console; Max-Age=60; HttpOnly; SameSite=Strict; Secure'); // prettier-ignore
});

it('is sent over HTTP on the local stack, which has nothing else', () => {
  const cookie = sessionCookieOf({ emulators: { firestore: '127.0.0.1:8085' } });
  expect(setCookie(cookie, 'secret', 60)).toBe('console=secret; Path=/console; Max-Age=60; HttpOnly; SameSite=Strict');
});

it.each([
  [undefined, undefined],
  ['', undefined],
  ['console', undefined],
  ['consoles=x', undefined],
  ['a=console=x', undefined],
  ['console=', ''],
  ['console=x', 'x'],
  ['a=b;console=x==', 'x=='],
  ['a=b; console=x ; consoles=y', 'x'],
  ['console=x; console=y', undefined], // one of them is another page's
])('of %j is read as %j', (header, secret) => {
  expect(readCookie(request(header), { name: 'console' })).toBe(secret);
});
