/** Sessions of the console: how they begin, what they are bound to, and how they end. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { apiKeyPath, consoleSessionPath } from '../../../shared/documents/paths';
import { hashApiKey, PERMISSIONS } from '../../../shared/domain/api-key';
import {
  CONSOLE_REQUESTS_PER_MINUTE,
  MAX_SIGN_INS_ARRIVING,
  SESSION_MS,
  SIGN_INS_PER_MINUTE,
} from '../../../shared/limits/console';
import { BODY_IDLE_MS } from '../../../shared/limits/requests';
import { ConsoleVisitor, cookieOf } from '../../support/console-visitor';
import type { Received } from '../../support/http-exchange';
import { useTestService } from '../../support/test-service';
import { envelopeOf, expectAnswer, matching, NOW, SECONDS_TO_RESET, UNAUTHORIZED } from '../api';

const service = useTestService('console');

const ENDED = envelopeOf('console', false, 'The session has ended. Please sign in again.', { signIn: 'key' });
const NOT_OWN = "The request did not come from the console's own page. Please reload the page and try again.";
const EIGHT_HOURS_LATER = new Date(Date.parse(NOW) + 8 * 60 * 60 * 1_000).toISOString();

const secretOf = ({ cookie }: ConsoleVisitor) => cookie!.slice(cookie!.indexOf('=') + 1);
const setCookieOf = ({ headers }: Received) => headers['set-cookie'];
const bodyOf = ({ status, json }: Received) => ({ status, body: json });

describe('signing in', () => {
  it('exchanges a key for a session of 8 hours, and says who one is (R-231)', async () => {
    const { key, organizationId } = await service().createCaller();
    const visitor = new ConsoleVisitor(service());
    const answer = await visitor.signIn(key);
    const session = {
      operator: false,
      organizationId,
      keyId: matching(/^key_[0-9a-f]{8}$/),
      permissions: PERMISSIONS,
      endsAt: EIGHT_HOURS_LATER,
      csrfToken: matching(/^[A-Za-z0-9_-]{43}$/),
      transferServiceAccount: service().transferServiceAccount,
      projectId: null,
    };
    expect(bodyOf(answer)).toEqual({ status: 200, body: envelopeOf('console', true, 'Signed in.', session) });
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
    const again = await visitor.request('GET', '/console/session');
    expect(bodyOf(again)).toEqual({ status: 200, body: envelopeOf('console', true, 'Session found.', session) });
    expect((again.json as { data: unknown }).data).toEqual((answer.json as { data: unknown }).data);
  });

  it('sets a cookie that no script, no other site and no other path gets, over HTTPS alone (R-231)', async () => {
    const { key } = await service().createCaller();
    const [cookie, ...others] = setCookieOf(await new ConsoleVisitor(service()).signIn(key))!;
    expect(others).toEqual([]);
    expect(cookie).toMatch(
      /^__Secure-console=[A-Za-z0-9+/]{43}=; Path=\/console; Max-Age=28800; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  it('gives another secret each time, also to the same key', async () => {
    const { key } = await service().createCaller();
    const [one, other] = [await ConsoleVisitor.signedIn(service(), key), await ConsoleVisitor.signedIn(service(), key)];
    expect(one.cookie).not.toBe(other.cookie);
    expect(one.csrfToken).not.toBe(other.csrfToken);
  });

  it('stores neither the key nor the secret, but their hashes, and lets the document expire (R-231)', async () => {
    const { key } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    const secret = secretOf(visitor);
    const stored = (await service().store.dump()).get(consoleSessionPath(hashApiKey(secret)!));
    expect(stored?.data).toEqual({
      keyHash: hashApiKey(key),
      createdAt: new Date(NOW),
      expireAt: new Date(EIGHT_HOURS_LATER),
    });
    const everything = JSON.stringify([...(await service().store.dump())]);
    for (const text of [key, secret, visitor.csrfToken!]) expect(everything).not.toContain(text);
  });

  it('has no key in any answer or line of the log, also when it fails (R-231)', async () => {
    const { key } = await service().createCaller();
    const visitor = new ConsoleVisitor(service());
    const answers = [await visitor.signIn(key), await visitor.request('GET', '/console/session')];
    service().store.failing = ({ method }) => method === 'commit';
    answers.push(await new ConsoleVisitor(service()).signIn(key));
    service().store.failing = ({ paths }) => paths.some((path) => path.startsWith('apiKeys/'));
    answers.push(await new ConsoleVisitor(service()).signIn(key), await visitor.request('GET', '/console/session'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 500, 500, 500]);
    expect(answers.map(({ json }) => (json as { message: string }).message).slice(2)).toEqual([
      'Failed to sign in.',
      'Failed to sign in.',
      'Failed to find the session.',
    ]);
    expect(service().logger.entries).toHaveLength(3);
    const told = JSON.stringify([answers.map(({ text, headers }) => [text, headers]), service().logger.entries]);
    for (const text of [key, encodeURIComponent(key), hashApiKey(key)!]) expect(told).not.toContain(text);
    const later = JSON.stringify(answers.slice(1).map(({ text, headers }) => [text, headers]));
    expect(later).not.toContain(secretOf(visitor));
    expect(JSON.stringify(service().logger.entries)).not.toContain(secretOf(visitor));
  });

  it.each([
    ['unknown', () => Promise.resolve(service().unknownKey())],
    ['no key', () => Promise.resolve('no key')],
    ['empty', () => Promise.resolve('')],
    [
      'revoked',
      async () => {
        const { key } = await service().createCaller();
        await service().revokeKey(key);
        return key;
      },
    ],
    [
      'ended',
      async () => {
        const { organizationId } = await service().createCaller();
        return service().createKey(organizationId, { expiresAtMs: Date.parse(NOW) });
      },
    ],
  ])('is 401 with a key that is %s, and stores nothing (R-231)', async (_, keyOf) => {
    const key = await keyOf();
    const before = await service().store.dump();
    const answer = await new ConsoleVisitor(service()).signIn(key);
    expect(bodyOf(answer)).toEqual({ status: 401, body: envelopeOf('console', false, UNAUTHORIZED) });
    expect(setCookieOf(answer)).toBeUndefined();
    expect(await service().store.dump()).toEqual(before);
  });

  it.each([
    ['no object', { raw: '[]' }],
    ['without a key', { raw: '{}' }],
    ['with a number', { raw: '{"key":5}' }],
    ['null', { raw: 'null' }],
  ])('is 400 for a body that is %s', async (_, options) => {
    const answer = await new ConsoleVisitor(service()).signIn(undefined, { json: undefined, ...options });
    expect(bodyOf(answer)).toEqual({
      status: 400,
      body: envelopeOf('console', false, 'The body must be an object with the API key as its key.'),
    });
  });

  it('is 400 for what is no JSON, 413 for a long body, 415 for another type of it', async () => {
    const visitor = new ConsoleVisitor(service());
    const send = (options: object) => visitor.request('POST', '/console/session', options);
    expect((await send({ raw: '{"key":' })).status).toBe(400);
    expect((await send({ json: { key: 'x'.repeat(1_100) } })).status).toBe(413);
    expect((await send({ raw: 'key=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } })).status).toBe(415); // prettier-ignore
    expect(service().store.calls).toEqual([]);
  });

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another origin of the same site', { 'sec-fetch-site': 'same-site' }],
    ['an address that a person opened', { 'sec-fetch-site': 'none' }],
    [
      'another origin, as older browsers tell',
      { 'sec-fetch-site': undefined, origin: 'https://evil.example', host: 'api.example' },
    ],
    [
      'an origin that only begins like it',
      { 'sec-fetch-site': undefined, origin: 'https://api.example.evil', host: 'api.example' },
    ],
    ['an origin that is hidden', { 'sec-fetch-site': undefined, origin: 'null', host: 'api.example' }],
    ['nobody who says it', { 'sec-fetch-site': undefined }],
  ])('is 403 when it comes from %s (R-232)', async (_, headers) => {
    const { key } = await service().createCaller();
    const answer = await new ConsoleVisitor(service()).signIn(key, { headers });
    const body = envelopeOf('console', false, NOT_OWN, { reason: 'notOwnPage' });
    expect(bodyOf(answer)).toEqual({ status: 403, body });
    expect(service().store.calls).toEqual([]);
  });

  it.each([
    ['let in from its own origin', 'https://api.example', 200],
    ['403 from its own host over HTTP, which it does not have (R-313)', 'http://api.example', 403],
  ])('is %s, as browsers before 2023 tell it', async (_, origin, status) => {
    const { key } = await service().createCaller();
    const headers = { 'sec-fetch-site': undefined, origin, host: 'api.example' };
    expect((await new ConsoleVisitor(service()).signIn(key, { headers })).status).toBe(status);
  });

  it('is 429 after so many attempts of an address in a minute, looks at no key then, and says the wait (R-234)', async () => {
    const { key } = await service().createCaller();
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < SIGN_INS_PER_MINUTE; attempt += 1) {
      statuses.push((await new ConsoleVisitor(service()).signIn(service().unknownKey(), from('192.0.2.1'))).status);
    }
    expect(new Set(statuses)).toEqual(new Set([401]));
    service().store.calls.length = 0;
    const refused = await new ConsoleVisitor(service()).signIn(key, from('198.51.100.7, 192.0.2.1'));
    const message = `Rate limit exceeded. Please try again in ${SECONDS_TO_RESET} seconds.`;
    expect(bodyOf(refused)).toEqual({
      status: 429,
      body: envelopeOf('console', false, message, { retryAfter: SECONDS_TO_RESET }),
    });
    expect(refused.headers['retry-after']).toBe(String(SECONDS_TO_RESET));
    expect(service().store.calls).toEqual([]);

    expect((await new ConsoleVisitor(service()).signIn(key, from('192.0.2.2'))).status).toBe(200);
    service().clock.advance(SECONDS_TO_RESET * 1_000);
    expect((await new ConsoleVisitor(service()).signIn(key, from('192.0.2.1'))).status).toBe(200);
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:1:2:3', true],
    ['2001:db8:1:2::1', '2001:0DB8:0001:0002:0000:0000:0000:0009', true],
    ['2001:db8::1', '2001:db8::2:0:0:9', true],
    ['2001:db8::1', '2001:db8:0:0:9::', true],
    ['fe80::1%eth0', 'fe80::2', true],
    ['::1', '::2', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['2001:db8::1:0:0:0:1', '2001:db8::2:0:0:0:1', false],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['192.0.2.1', '192.0.2.2', false],
  ])('counts the addresses %s and %s as one: %s (R-314)', async (one, other, areOne) => {
    const { key } = await service().createCaller();
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    for (let attempt = 0; attempt < SIGN_INS_PER_MINUTE; attempt += 1)
      await new ConsoleVisitor(service()).signIn('no key', from(one));
    expect((await new ConsoleVisitor(service()).signIn(key, from(other))).status).toBe(areOne ? 429 : 200);
  });

  it('counts neither against the key nor writes a counter (R-234)', async () => {
    const { key } = await service().createCaller({ requestsPerMinute: 1 });
    await ConsoleVisitor.signedIn(service(), key);
    await ConsoleVisitor.signedIn(service(), key);
    expect(service().store.calls.filter(({ method }) => method === 'increment')).toEqual([]);
  });
});

describe('sign-ins of which half is sent', () => {
  const HALF_SENT = 512;
  const sockets: Socket[] = [];
  afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));

  /** Sends half of a body from an address of its own. @returns what was answered until now */
  async function sendHalf(n: number): Promise<() => string> {
    const socket = connect(service().portOf('console'), '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    let answered = '';
    socket.on('data', (chunk: Buffer) => void (answered += chunk.toString())).on('error', () => undefined);
    const from = `2001:db8:0:${n.toString(16)}::1`;
    socket.write(
      [
        'POST /console/session HTTP/1.1',
        'Host: 127.0.0.1',
        'Sec-Fetch-Site: same-origin',
        `X-Forwarded-For: ${from}`,
        'Content-Type: application/json',
        'Content-Length: 60',
        '',
        '{"key":',
      ].join('\r\n'),
    );
    return () => answered;
  }

  it('give way to new ones, the oldest first, so that 512 of them keep nobody out (R-401)', async () => {
    const { key } = await service().createCaller();
    const answers: (() => string)[] = [];
    for (let n = 0; n < HALF_SENT; n += 1) answers.push(await sendHalf(n));
    const begunMs = performance.now();
    expect((await new ConsoleVisitor(service()).signIn(key)).status).toBe(200);
    expect(performance.now() - begunMs).toBeLessThan(BODY_IDLE_MS / 2);
    // Those that came before it have been answered, or still wait for the rest.
    const waiting = answers.map((answered, n) => ({ text: answered(), n })).filter(({ text }) => text === '');
    expect(waiting.length).toBeLessThanOrEqual(MAX_SIGN_INS_ARRIVING);
    expect(waiting.every(({ n }) => n >= HALF_SENT - MAX_SIGN_INS_ARRIVING)).toBe(true);
    expect(answers[0]!()).toMatch(/^HTTP\/1\.1 503 [^]*\r\nRetry-After: 1\r\n/i);
  });
});

describe('a session', () => {
  it('ends 8 hours after it began, whatever was asked for meanwhile (R-231)', async () => {
    const { key } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    service().clock.advance(SESSION_MS - 1);
    expect((await visitor.request('GET', '/console/session')).status).toBe(200);
    service().clock.advance(1);
    expect(bodyOf(await visitor.request('GET', '/console/session'))).toEqual({ status: 401, body: ENDED });
    expect((await visitor.request('DELETE', '/console/session')).status).toBe(401);
  });

  it('ends with its key, from the next request on, and no other one does (R-231)', async () => {
    const { key, organizationId } = await service().createCaller();
    const other = await service().createKey(organizationId);
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    const colleague = await ConsoleVisitor.signedIn(service(), other);
    await service().revokeKey(key);
    expect(bodyOf(await visitor.request('GET', '/console/session'))).toEqual({ status: 401, body: ENDED });
    expect((await visitor.request('DELETE', '/console/session')).status).toBe(401);
    expect((await colleague.request('GET', '/console/session')).status).toBe(200);
  });

  it('ends when its key ends by itself, and says so before (R-231)', async () => {
    const { organizationId } = await service().createCaller();
    const endMs = Date.parse(NOW) + SESSION_MS / 2;
    const visitor = new ConsoleVisitor(service());
    const signedIn = await visitor.signIn(await service().createKey(organizationId, { expiresAtMs: endMs }));
    const told = { status: 200, body: { data: { endsAt: new Date(endMs).toISOString() } } };
    expect(bodyOf(signedIn)).toMatchObject(told);
    service().clock.advance(SESSION_MS / 2 - 1);
    expect(bodyOf(await visitor.request('GET', '/console/session'))).toMatchObject(told);
    service().clock.advance(1);
    expect(bodyOf(await visitor.request('GET', '/console/session'))).toEqual({ status: 401, body: ENDED });
  });

  it('is over once one has signed out, also for a copy of its cookie, and the browser forgets it (R-231)', async () => {
    const { key } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    const colleague = await ConsoleVisitor.signedIn(service(), key);
    const answer = await visitor.request('DELETE', '/console/session');
    expect(bodyOf(answer)).toEqual({ status: 200, body: envelopeOf('console', true, 'Signed out.') });
    expect(setCookieOf(answer)).toEqual([
      '__Secure-console=; Path=/console; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
    ]);
    expect((await visitor.request('GET', '/console/session')).status).toBe(401);
    expect((await colleague.request('GET', '/console/session')).status).toBe(200);
  });

  it.each<readonly [string, (visitor: ConsoleVisitor, key: string) => string | undefined]>([
    ['no cookie', () => undefined],
    ['an empty one', () => '__Secure-console='],
    ['one of another name', ({ cookie }) => cookie!.replace('__Secure-console', 'console')],
    ['an unknown secret', () => `__Secure-console=${service().unknownKey()}`],
    ['the key itself', (_, key) => `__Secure-console=${key}`],
    ['the hash of its secret', (visitor) => `__Secure-console=${hashApiKey(secretOf(visitor))!}=`],
    ['a part of its secret', ({ cookie }) => cookie!.slice(0, -2)],
    ['a path', () => '__Secure-console=../apiKeys/x'],
    ['a huge one', () => `__Secure-console=${'x'.repeat(8_000)}`],
  ])('is not to be had with %s', async (_, cookieFrom) => {
    const { key } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    const cookie = cookieFrom(visitor, key);
    const answer = await visitor.request('GET', '/console/session', { headers: { cookie } });
    expect(bodyOf(answer)).toEqual({ status: 401, body: ENDED });
    expect((await visitor.request('GET', '/console/session')).status).toBe(200);
  });

  it('is found among other cookies', async () => {
    const { key } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    const cookie = `a=b; x__Secure-console=no;${visitor.cookie!} ;__Secure-consoles=no`;
    expect((await visitor.request('GET', '/console/session', { headers: { cookie } })).status).toBe(200);
  });

  it.each<readonly [string, (own: string, foreign: string) => string]>([
    ['before its own', (own, foreign) => `${foreign}; ${own}`],
    ['behind its own', (own, foreign) => `${own}; a=b; ${foreign}`],
    ['twice', (own) => `${own}; ${own}`],
    ['that is empty', (own) => `__Secure-console=; ${own}`],
  ])(
    'is refused beside a cookie of another page of the site %s, which says what to do (R-311)',
    async (_, cookieOf) => {
      const { key } = await service().createCaller();
      const foreign = await ConsoleVisitor.signedIn(service(), (await service().createCaller()).key);
      const visitor = await ConsoleVisitor.signedIn(service(), key);
      service().store.calls.length = 0;
      const headers = { cookie: cookieOf(visitor.cookie!, foreign.cookie!) };
      const message =
        'The browser has several cookies for the console, of which only one can be its own. Please delete the cookies of this site in the browser, and sign in again.';
      const body = envelopeOf('console', false, message, { signIn: 'key', reason: 'severalCookies' });
      for (const method of ['GET', 'DELETE'])
        expect(bodyOf(await visitor.request(method, '/console/session', { headers }))).toEqual({ status: 401, body });
      expect((await visitor.request('GET', '/console/api/ingestion/google-cloud-storage/runs', { headers })).status).toBe(401); // prettier-ignore
      expect(service().store.calls).toEqual([]);
      expect((await visitor.request('GET', '/console/session')).status).toBe(200);
    },
  );

  it('is not had by a key in the header of the API, nor does a session open the API itself (R-230)', async () => {
    await service().start(['customers']);
    const { key, tenantId } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    const byKey = await service().request('GET', '/console/session', { to: 'console', key });
    expect(byKey.status).toBe(401);
    const path = `/customers/${tenantId}?customerId=C-1`;
    const headers = { cookie: visitor.cookie };
    expect((await service().request('GET', path, { to: 'customers', headers })).status).toBe(401);
    const asKey = await service().request('GET', path, { to: 'customers', key: secretOf(visitor) });
    expect(asKey.status).toBe(401);
  });

  it('has a limit of its own, which all sessions of the key share (R-233)', async () => {
    const { key } = await service().createCaller({ requestsPerMinute: 1 });
    const visitors = [
      await ConsoleVisitor.signedIn(service(), key),
      await ConsoleVisitor.signedIn(service(), key),
    ] as const;
    const statuses: number[] = [];
    for (let request = 0; request < 155; request += 1) {
      for (const visitor of visitors) statuses.push((await visitor.request('GET', '/console/session')).status);
    }
    const admitted = statuses.filter((status) => status === 200).length;
    expect(admitted).toBeLessThanOrEqual(CONSOLE_REQUESTS_PER_MINUTE);
    expect(admitted).toBeGreaterThan(0.9 * CONSOLE_REQUESTS_PER_MINUTE); // what one has leased, the other lacks
    const refused = await visitors[0].request('GET', '/console/session');
    const message = `Rate limit exceeded. Please try again in ${SECONDS_TO_RESET} seconds.`;
    const body = envelopeOf('console', false, message, { retryAfter: SECONDS_TO_RESET });
    expectAnswer(refused, 429, body, { limit: 300, remaining: 0 });
    const counters = service()
      .store.calls.filter(({ method }) => method === 'increment')
      .flatMap(({ paths }) => paths);
    expect(new Set(counters)).toEqual(new Set([matching(new RegExp(`^rateCounters/console-${hashApiKey(key)!}\\.`))]));
    service().clock.advance(SECONDS_TO_RESET * 1_000);
    expect((await visitors[1].request('GET', '/console/session')).status).toBe(200);
  });

  it.each(['PUT', 'PATCH', 'OPTIONS', 'HEAD'])('has no %s: 405 with what there is', async (method) => {
    const { key } = await service().createCaller();
    const answer = await (await ConsoleVisitor.signedIn(service(), key)).request(method, '/console/session');
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, POST, DELETE');
  });

  it.each([
    '/console/session/x',
    '/console/session/session',
    '/console/api',
    '/console/api/session',
    '/console/api/docs',
  ])('has no %s: 404', async (path) => {
    const { key } = await service().createCaller();
    const answer = await (await ConsoleVisitor.signedIn(service(), key)).request('GET', path);
    expect(bodyOf(answer)).toEqual({ status: 404, body: envelopeOf('console', false, 'Not found.') });
  });

  it('is found where the platform takes the function’s name from the path', async () => {
    const { key } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    expect((await visitor.request('GET', '/session')).status).toBe(200);
  });

  it('begins anew for a browser that has an old cookie', async () => {
    const { key } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    const first = visitor.cookie;
    service().clock.advance(SESSION_MS);
    expect((await visitor.signIn(key)).status).toBe(200);
    expect(visitor.cookie).not.toBe(first);
    expect((await visitor.request('GET', '/console/session')).status).toBe(200);
  });
});

it('is use of its key, but signing in with a key that is none is use of none (R-182)', async () => {
  const { key } = await service().createCaller();
  await new ConsoleVisitor(service()).signIn('A'.repeat(43) + '=');
  const visitor = await ConsoleVisitor.signedIn(service(), key);
  await visitor.request('GET', '/console/session');
  await service().usage.store(service().deadline());
  const { data } = (await service().store.get(apiKeyPath(hashApiKey(key)!), service().deadline()))!;
  expect(data.lastUsedAt).toEqual(new Date('2026-03-01T12:00:00Z'));
});

it('keeps the cookie’s value out of the address and the body', async () => {
  const { key } = await service().createCaller();
  const answer = await new ConsoleVisitor(service()).signIn(key);
  const secret = cookieOf(answer)!.split('=')[1]!;
  expect(answer.text).not.toContain(secret);
  expect(answer.headers.location).toBeUndefined();
});
