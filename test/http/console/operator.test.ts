/** The console of operators: the same routes over all organizations, for whoever has the printed address. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOperatorConsole } from '../../../functions/admin/console/operator-console';
import { PERMISSIONS } from '../../../shared/domain/api-key';
import { SESSION_MS } from '../../../shared/limits/console';
import { CONSOLE } from '../../support/console-files';
import type { ShownSession } from '../../support/console-visitor';
import { cookieOf } from '../../support/console-visitor';
import type { Received } from '../../support/http-exchange';
import { exchange } from '../../support/http-exchange';
import { operatorOn } from '../../support/memory-operator';
import { changesSomething, envelopeOf, ROUTES, rowsOf, titleOf, useRouteService } from '../api';

const service = useRouteService('console');

const ENDED = envelopeOf(
  'console',
  false,
  'The session has ended. Please start the console again and open the address that it prints.',
  { signIn: 'command' },
);

let server: Server;
let port: number;
let openPath: string;
beforeEach(async () => {
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  const operator = operatorOn(service().store, service());
  const operators = createOperatorConsole(Object.assign({ ...CONSOLE, operator }, service()), port);
  ({ openPath } = operators);
  server.on('request', (request, response) => void operators.handle(request, response));
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

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
