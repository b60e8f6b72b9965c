/** By which address an attempt to sign in is counted. */
import type { IncomingMessage } from 'node:http';
import { signInDoor } from '../../../functions/console/doors/sign-in-door';
import { readConfig } from '../../../shared/config';
import { hashApiKey } from '../../../shared/domain/api-key';
import { CONSOLE_COOKIE } from '../../support/console-files';
import { FixedClock } from '../../support/fixed-clock';
import { CollectingLogger } from '../../support/recording-fakes';

/** What an attempt is counted by. */
function countedBy(proxies: number, forwarded: string | undefined, remoteAddress = '10.0.0.1'): string {
  const door = signInDoor(proxies, CONSOLE_COOKIE, { clock: new FixedClock(), logger: new CollectingLogger() });
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return door.secretOf({ headers, socket: { remoteAddress } } as unknown as IncomingMessage) ?? '';
}

it('has the shape by which callers are told apart, for any address', () => {
  for (const address of ['', '192.0.2.1', '2001:db8::1', 'x'.repeat(10_000)]) {
    expect(hashApiKey(countedBy(0, address))).toBeDefined();
  }
});

it.each([
  ['the caller alone', 0, '192.0.2.1'],
  ['what the caller made up', 0, '203.0.113.9, 192.0.2.1'],
  ['the load balancer', 1, '192.0.2.1, 198.51.100.1'],
  ['both', 1, '203.0.113.9,192.0.2.1,198.51.100.1'],
])('is the address that the platform saw, whatever is before it: %s (R-234)', (_, proxies, forwarded) => {
  expect(countedBy(proxies, forwarded)).toBe(countedBy(0, '192.0.2.1'));
});

it('is the connection’s where nobody forwards (R-234)', () => {
  expect(countedBy(0, undefined)).toBe(countedBy(0, '10.0.0.1'));
  expect(countedBy(1, '192.0.2.1')).toBe(countedBy(0, '10.0.0.1')); // not through the load balancer: made up
  expect(countedBy(0, undefined, '10.0.0.2')).not.toBe(countedBy(0, undefined));
});

it('knows from its environment whether a load balancer is before it', () => {
  const proxiesWith = (env: NodeJS.ProcessEnv) => readConfig({ GOOGLE_CLOUD_PROJECT: 'p', ...env }).proxies;
  expect([proxiesWith({}), proxiesWith({ TRUSTED_PROXIES: '0' }), proxiesWith({ TRUSTED_PROXIES: '1' })]).toEqual([
    0, 0, 1,
  ]);
});
