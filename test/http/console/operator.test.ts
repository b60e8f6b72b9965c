/** The console of operators: the same routes over all organizations, for whoever has the printed address. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOperatorConsole } from '../../../functions/admin/console/operator-console';
import type { ShownEntry } from '../../../shared/audit/entry';
import { toShownEntry } from '../../../shared/audit/entry';
import { AUDIT_LOG } from '../../../shared/documents/paths';
import { PERMISSIONS } from '../../../shared/domain/api-key';
import { SESSION_MS } from '../../../shared/limits/console';
import { CONSOLE } from '../../support/console-files';
import type { ShownSession } from '../../support/console-visitor';
import { ConsoleVisitor, cookieOf } from '../../support/console-visitor';
import type { Received } from '../../support/http-exchange';
import { exchange } from '../../support/http-exchange';
import { operatorOn } from '../../support/memory-operator';
import type { ApiRoute } from '../api';
import { changesSomething, envelopeOf, ROUTES, rowsOf, titleOf, useRouteService } from '../api';

const service = useRouteService('console');

const ENDED = envelopeOf(
  'console',
  false,
  'The session has ended. Please start the console again and open the address that it prints.',
  { signIn: 'command' },
);

let server: Server | undefined;
let port: number;
let openPath: string;
beforeEach(reopen);
afterEach(close);

/** Opens the console, instead of the one that is open. */
async function reopen(): Promise<void> {
  if (server) close();
  server = createServer();
  const opened = server;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  const { store, clock, random } = service();
  const operator = operatorOn(store, { clock, random, door: 'console' });
  const operators = createOperatorConsole(Object.assign({ ...CONSOLE, operator }, service()), port);
  ({ openPath } = operators);
  server.on('request', (request, response) => void operators.handle(request, response));
}

function close(): void {
  server?.close();
  server?.closeAllConnections();
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

function send(method: string, path: string, { headers = {}, json }: Sent = {}): Promise<Received> {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const host = `127.0.0.1:${port}`;
  return exchange({ port, method, path, headers: { host, 'content-type': 'application/json', ...headers }, ...body });
}

/** Opens the printed address, and returns what the page of the operator sends with every request. */
async function open(): Promise<Readonly<Record<string, string>>> {
  const cookie = cookieOf(await send('GET', openPath))!;
  const { json } = await send('GET', '/console/session', { headers: { cookie } });
  const { csrfToken } = (json as { data: ShownSession }).data;
  return { cookie, 'x-csrf-token': csrfToken, 'sec-fetch-site': 'same-origin' };
}

describe('the printed address', () => {
  it('begins a session in the browser that opens it, and leads to the console (R-236)', async () => {
    const { status, headers, text } = await send('GET', openPath);
    expect({ status, location: headers.location, text }).toEqual({ status: 303, location: '/console', text: 'The console is at /console.\n' }); // prettier-ignore
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^console-operator-${port}=[A-Za-z0-9+/]{43}=; Path=/console; Max-Age=28800; HttpOnly; SameSite=Strict$`), // prettier-ignore
      ),
    ]);
  });

  it('and its console are served over HTTP: no answer asks for HTTPS (R-312)', async () => {
    const headers = await open();
    for (const path of [openPath, '/console', '/console/assets/main-1.js', '/console/session'])
      expect((await send('GET', path, { headers })).headers).not.toHaveProperty('strict-transport-security');
  });

  it('works once (R-236)', async () => {
    const headers = await open();
    const again = await send('GET', openPath);
    expect({ status: again.status, cookie: again.headers['set-cookie'] }).toEqual({ status: 403, cookie: undefined });
    expect(again.text).toMatch(/^This address was used already/);
    expect((await send('GET', '/console/session', { headers })).status).toBe(200);
  });

  it('is not used up by who only looks, nor by who guesses (R-236)', async () => {
    const token = openPath.split('=')[1]!;
    for (const method of ['HEAD', 'POST', 'OPTIONS']) expect((await send(method, openPath)).status).toBe(405);
    const guesses = ['', token.slice(1), `${token}A`, 'A'.repeat(token.length), token.toLowerCase(), '%E0%A4%A'];
    for (const guess of guesses) expect((await send('GET', `/console/open?token=${guess}`)).status).toBe(403);
    expect((await send('GET', '/console/open')).status).toBe(403);
    expect((await send('GET', openPath)).status).toBe(303);
  });

  it.each([
    ['a name of another site, which leads here', (p: number) => `evil.example:${p}`],
    ['this machine under another port', () => '127.0.0.1:80'],
    ['no port', () => '127.0.0.1'],
    ['a name that begins like it', (p: number) => `127.0.0.1:${p}.evil.example`],
  ])('and every other one answers under no other name: %s (R-236)', async (_, hostOf) => {
    const headers = { host: hostOf(port) };
    for (const path of [openPath, '/console', '/console/session', '/console/api/customers']) {
      const answer = await send('GET', path, { headers });
      expect(answer.status).toBe(421);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect((await send('GET', openPath, { headers: { host: `localhost:${port}` } })).status).toBe(303);
  });
});

describe('the operator', () => {
  it('is nobody without the session: neither by a key nor by a tenant’s session (R-236)', async () => {
    const { key } = await service().createCaller();
    for (const headers of [
      {},
      { 'x-service-auth-key': key },
      { cookie: `console-operator-${port}=${key}` },
      { cookie: `console-operator-${port}=${service().unknownKey()}` },
      { cookie: `__Secure-console=${service().unknownKey()}` },
    ]) {
      const { status, json } = await send('GET', '/console/session', { headers });
      expect({ status, json }).toEqual({ status: 401, json: ENDED });
    }
    const signIn = await send('POST', '/console/session', {
      json: { key },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect({ status: signIn.status, allow: signIn.headers.allow }).toEqual({ status: 405, allow: 'GET, DELETE' });
  });

  it('is told who he is, and which project he looks at (R-236)', async () => {
    const headers = await open();
    const { json } = await send('GET', '/console/session', { headers });
    expect(json).toMatchObject({
      data: { operator: true, organizationId: null, keyId: null, permissions: PERMISSIONS, projectId: 'project' },
    });
  });

  it('sees the tenants of all organizations, page by page (R-236)', async () => {
    const callers = [await service().createCaller(), await service().createCaller(), await service().createCaller()];
    const headers = await open();
    const found: unknown[] = [];
    let pageToken: string | null = null;
    do {
      const query: string = pageToken === null ? '' : `&pageToken=${pageToken}`;
      const { json } = await send('GET', `/console/session/tenants?limit=2${query}`, { headers });
      const { data } = json as { data: { tenants: unknown[]; nextPageToken: string | null } };
      found.push(...data.tenants);
      pageToken = data.nextPageToken;
    } while (pageToken !== null);
    const all = callers.map(({ tenantId, organizationId }) => ({
      tenantId,
      organizationId,
      displayName: null,
      state: 'active',
    }));
    expect(found).toEqual(all.sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1)));
  });

  it.each(rowsOf())('may do for any tenant what a key with every permission may: %s (R-236)', async (_, route) => {
    const { tenantId } = await service().createCaller();
    const headers = await open();
    const json = route.body?.(tenantId);
    const answer = await send(route.method, `/console/api/${route.to}${route.path(tenantId)}`, { headers, json });
    const body = envelopeOf(route.to, true, route.message, route.data(tenantId));
    expect({ status: answer.status, body: answer.json }).toEqual({ status: 200, body });
    const counted = service().store.calls.filter(({ method }) => method === 'increment');
    expect(counted).toEqual([]); // it counts against nothing
  });

  it('still reaches a tenant that is suspended (R-210)', async () => {
    const { tenantId } = await service().createCaller();
    await service().suspendTenant(tenantId);
    const headers = await open();
    const tenants = await send('GET', '/console/session/tenants', { headers });
    expect(tenants.json).toMatchObject({ data: { tenants: [{ tenantId }] } });
    for (const route of ROUTES.filter((each) => !changesSomething(each))) {
      const answer = await send('GET', `/console/api/${route.to}${route.path(tenantId)}`, { headers });
      expect({ route: titleOf(route), status: answer.status }).toEqual({ route: titleOf(route), status: 200 });
    }
  });

  it('is told to begin anew where another page of this machine has set his cookie, too (R-311)', async () => {
    const { cookie, ...page } = await open();
    const headers = { ...page, cookie: `${cookie!}; console-operator-${port}=${service().unknownKey()}` };
    const { status, json } = await send('GET', '/console/session', { headers });
    expect(status).toBe(401);
    expect((json as { message: string }).message).toMatch(/several cookies.*and start the console again\.$/);
  });

  it.each([
    ['his own origin', (p: number) => `http://127.0.0.1:${p}`, 200],
    ['another port', () => 'http://127.0.0.1:80', 403],
    ['a scheme that the console has not (R-313)', (p: number) => `https://127.0.0.1:${p}`, 403],
  ])('signs out from %s, as browsers before 2023 tell it', async (_, originOf, status) => {
    const { 'sec-fetch-site': _site, ...page } = await open();
    const headers = { ...page, origin: originOf(port) };
    expect((await send('DELETE', '/console/session', { headers })).status).toBe(status);
  });

  it('must mean what he changes (R-232)', async () => {
    const { tenantId } = await service().createCaller();
    const { cookie, ...page } = await open();
    const route = ROUTES.find(changesSomething)!;
    const json = route.body?.(tenantId);
    for (const headers of [{ cookie: cookie! }, { cookie: cookie!, ...page, 'sec-fetch-site': 'cross-site' }]) {
      const path = `/console/api/${route.to}${route.path(tenantId)}`;
      expect((await send(route.method, path, { headers, json })).status).toBe(403);
    }
  });

  it('is out after 8 hours, and when he signs out (R-236)', async () => {
    const headers = await open();
    service().clock.advance(SESSION_MS - 1);
    expect((await send('GET', '/console/session', { headers })).status).toBe(200);
    expect((await send('DELETE', '/console/session', { headers })).status).toBe(200);
    expect((await send('GET', '/console/session', { headers })).status).toBe(401);
  });

  it('is out after 8 hours (R-236)', async () => {
    const headers = await open();
    service().clock.advance(SESSION_MS);
    const { status, json } = await send('GET', '/console/session', { headers });
    expect({ status, json }).toEqual({ status: 401, json: ENDED });
  });
});

const isRemoval = ({ path }: ApiRoute) => path('').includes('/unregister');

describe('what the operator does', () => {
  /** The entries of the audit log, the oldest first. */
  const entries = async () =>
    (await service().store.list(AUDIT_LOG, { limit: 1_000 }, service().deadline())).map(toShownEntry).reverse();
  /** Sends the valid requests of routes in one session. @returns their statuses */
  const callAll = async (routes: readonly ApiRoute[], tenantId: string, suffix = '') => {
    const headers = await open();
    const statuses: number[] = [];
    for (const { to, method, path, body } of routes) {
      const json = body?.(tenantId);
      statuses.push((await send(method, `/console/api/${to}${path(tenantId)}${suffix}`, { headers, json })).status);
      service().clock.advance(1); // entries are in the order of their times
    }
    return statuses;
  };
  /** Unregistering is last: it removes the job that others run. */
  const writes = ROUTES.filter(changesSomething).sort((a, b) => Number(isRemoval(a)) - Number(isRemoval(b)));
  const daily = ROUTES.find(({ path }) => path('').endsWith('/register/daily-transfer'))!;

  it.each(rowsOf(undefined, changesSomething))(
    'has one entry before it and one after it: %s (R-310)',
    async (_, route) => {
      const { tenantId } = await service().createCaller();
      expect(await callAll([route], tenantId)).toEqual([200]);
      const found = await entries();
      expect(found.map(({ outcome }) => outcome)).toEqual(['begun', 'done']);
      const [begun, done] = found as [ShownEntry, ShownEntry];
      const act = {
        actor: 'ada@example.com',
        door: 'console',
        tenantId,
        action: begun.action,
        keyId: null,
        error: null,
      };
      expect(begun).toMatchObject({ ...act, beganAs: null });
      expect(done).toMatchObject({ ...act, beganAs: begun.entryId });
      const asked = /runs\/([^/]+)|jobId=(.+)/.exec(route.path(tenantId))?.slice(1).find(Boolean);
      if (asked !== undefined) expect(Object.values({ ...begun.before, ...begun.after })).toEqual([asked]);
      const answersId = /RunId|JobId/.test(JSON.stringify(route.data(tenantId)));
      expect(/"(runId|jobId)":"./.test(JSON.stringify(done.after))).toBe(answersId || begun.after !== null);
    },
  );

  it('is named by its route, with the organization where the tenant was looked up (R-310)', async () => {
    const { tenantId, organizationId } = await service().createCaller();
    await callAll(writes, tenantId);
    const done = (await entries()).filter(({ outcome }) => outcome === 'done');
    expect(done.map(({ action }) => action)).toEqual([
      'customers.upsert',
      ...Array<string>(2).fill('customers.delete'),
      'products.upsert',
      ...Array<string>(3).fill('products.delete'),
      'orders.upsert',
      ...Array<string>(3).fill('orders.delete'),
      'transfers.register-historical',
      'transfers.register-daily',
      'transfers.register-hourly',
      'transfers.register-live',
      'runs.replay',
      'transfers.run',
      'runs.cancel',
      'transfers.preview',
      'transfers.unregister',
    ]);
    const known = done.filter(({ action }) => action !== 'transfers.unregister');
    expect(new Set(known.map((entry) => entry.organizationId))).toEqual(new Set([organizationId]));
  });

  it('is told without a body, an id of a record, an e-mail or a secret (R-310)', async () => {
    const { tenantId } = await service().createCaller();
    await callAll(writes, tenantId);
    const text = JSON.stringify((await entries()).map(({ actor: _actor, ...entry }) => entry));
    expect(text).toContain(tenantId);
    const told = ['@', 'C-1', 'P-1', 'V-1', 'S-1', 'O-1', 'EUR', 'ada-exports'].filter((value) => text.includes(value));
    expect(told).toEqual([]);
  });

  it('has no entry where it reads, is refused before it begins, or is only checked (R-310)', async () => {
    const { tenantId } = await service().createCaller();
    const reads = ROUTES.filter((route) => !changesSomething(route));
    expect(new Set(await callAll(reads, tenantId))).toEqual(new Set([200]));
    await reopen();
    const upserts = writes.filter(({ method, path }) => method === 'POST' && path('') === '/');
    expect(await callAll(upserts, tenantId, '?validateOnly=true')).toEqual([200, 200, 200]);
    await reopen();
    expect(new Set(await callAll(writes, 'no-tenant'))).toEqual(new Set([400, 404, 200]));
    expect((await entries()).filter(({ action }) => action !== 'transfers.unregister')).toEqual([]);
  });

  it('is entered as failed where it fails, by the name of the error alone (R-310)', async () => {
    const { tenantId } = await service().createCaller();
    service().scheduler.failure = new TypeError('ada@example.com');
    expect(await callAll([daily], tenantId)).toEqual([500]);
    expect((await entries()).map(({ outcome, error }) => ({ outcome, error }))).toEqual([
      { outcome: 'begun', error: null },
      { outcome: 'failed', error: 'TypeError' },
    ]);
  });

  it('is not done where the log cannot be written (R-310)', async () => {
    const { tenantId } = await service().createCaller();
    service().store.failing = ({ method, paths }) =>
      method === 'commit' && paths.some((path) => path.startsWith(AUDIT_LOG));
    expect(await callAll([daily], tenantId)).toEqual([500]);
    expect(service().scheduler.jobs.size).toBe(0);
  });

  it('is the operator’s alone: what tenants do in their console has no entries (R-310)', async () => {
    const { tenantId, key } = await service().createCaller();
    const visitor = await ConsoleVisitor.signedIn(service(), key);
    for (const route of writes) expect((await visitor.call(route, tenantId)).status).toBe(200);
    expect(await entries()).toEqual([]);
  });
});

it('is no part of the deployed console: it knows neither the address nor the session (R-236)', async () => {
  const headers = await open();
  const toTenants = (method: string, path: string) =>
    service().request(method, path, { to: 'console', headers: { ...headers, host: `127.0.0.1:${port}` } });
  expect((await toTenants('GET', openPath)).headers).not.toHaveProperty('set-cookie');
  expect((await toTenants('GET', openPath)).status).toBe(404);
  expect((await toTenants('GET', '/console/session')).status).toBe(401);
  const renamed = { cookie: headers.cookie!.replace(/^[^=]+/, '__Secure-console') };
  const answer = await service().request('GET', '/console/session', { to: 'console', headers: renamed });
  expect(answer.status).toBe(401);
});
