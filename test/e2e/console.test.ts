/** The console as people meet it: printed by `npm start` and `npm run console`, through the gateway. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { ShownEntry } from '../../shared/audit/entry';
import { cookieOf } from '../support/console-visitor';
import type { Received } from '../support/http-exchange';
import { exchange } from '../support/http-exchange';
import type { RunningStack } from '../support/running-stack';
import { admin, command, runStack } from '../support/running-stack';

jest.setTimeout(90_000);

let stack: RunningStack;
beforeAll(async () => {
  stack = await runStack();
});
afterAll(async () => {
  await stack.stop();
});

const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

/** What was printed behind a title. */
const printed = (title: string) => new RegExp(`^${title} +(\\S+)`, 'm').exec(stack.output)?.[1] ?? '';

function send(method: string, url: string, headers: Record<string, string> = {}, json?: unknown): Promise<Received> {
  const { port, pathname, search } = new URL(url);
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  return exchange({ port: Number(port), method, path: `${pathname}${search}`, headers: { ...OWN_PAGE, host: new URL(url).host, ...headers }, ...body }); // prettier-ignore
}

interface Session {
  readonly data: { readonly csrfToken: string; readonly operator: boolean; readonly projectId: string | null };
}

/** Opens an operator's address, and returns who is signed in then and what may be sent. */
async function open(
  url: string,
): Promise<{ session: Session['data']; headers: Record<string, string>; origin: string }> {
  const opened = await send('GET', url);
  expect({ status: opened.status, location: opened.headers.location }).toEqual({ status: 303, location: '/console' });
  const { origin } = new URL(url);
  const cookie = cookieOf(opened)!;
  const { data } = (await send('GET', `${origin}/console/session`, { cookie })).json as Session;
  return { session: data, headers: { cookie, 'x-csrf-token': data.csrfToken }, origin };
}

it('is printed by npm start, and lets the demo key in, whose tenant it shows (R-231)', async () => {
  expect(printed('Console')).toBe(`${stack.baseUrl}/console,`);
  const page = await send('GET', `${stack.baseUrl}/console`);
  expect(page.status).toBe(200);
  const [, script = ''] = /src="(\/console\/assets\/[^"]+)"/.exec(page.text) ?? [];
  expect((await send('GET', `${stack.baseUrl}${script}`)).status).toBe(200);

  const key = printed('Demo key');
  const signedIn = await send('POST', `${stack.baseUrl}/console/session`, {}, { key });
  expect(signedIn.status).toBe(200);
  expect(signedIn.headers['set-cookie']).toEqual([
    expect.stringMatching(/^console=\S+; Path=\/console; Max-Age=28800; HttpOnly; SameSite=Strict$/),
  ]);
  const { csrfToken } = (signedIn.json as Session).data;
  const headers = { cookie: cookieOf(signedIn)!, 'x-csrf-token': csrfToken };
  const tenants = await send('GET', `${stack.baseUrl}/console/session/tenants`, headers);
  const tenantId = printed('Demo tenant');
  expect(tenants.json).toMatchObject({ data: { tenants: [{ tenantId, organizationId: 'demo' }] } });

  const customers = `${stack.baseUrl}/console/api/customers/${tenantId}`;
  expect((await send('POST', customers, headers, [{ Email: 'console@example.com' }])).status).toBe(200);
  const found = await send('GET', `${customers}?email=console%40example.com`, headers);
  expect(found.json).toMatchObject({ data: { records: [{ Email: 'console@example.com' }] } });
  expect((await send('DELETE', `${stack.baseUrl}/console/session`, headers)).status).toBe(200);
  expect((await send('GET', customers, headers)).status).toBe(401);
});

it('ends for who is signed in when the operator revokes the key (R-231)', async () => {
  const created = JSON.parse((await admin(stack, 'keys', 'create', '--organization', 'demo')).stdout) as Record<string, string>; // prettier-ignore
  const signedIn = await send('POST', `${stack.baseUrl}/console/session`, {}, { key: created.key });
  const headers = { cookie: cookieOf(signedIn)! };
  expect((await send('GET', `${stack.baseUrl}/console/session`, headers)).status).toBe(200);
  expect((await admin(stack, 'keys', 'revoke', created.keyId!)).code).toBe(0);
  expect((await send('GET', `${stack.baseUrl}/console/session`, headers)).status).toBe(401);
});

it('is printed by npm start for operators, too (R-236)', async () => {
  const { session, headers, origin } = await open(printed('Operators’ console'));
  expect(session).toMatchObject({ operator: true, projectId: 'stack-test' });
  const { json } = await send('GET', `${origin}/console/session/tenants?limit=100`, headers);
  expect((json as { data: { tenants: object[] } }).data.tenants).toContainEqual({ tenantId: printed('Demo tenant'), organizationId: 'demo', displayName: null, state: 'active' }); // prettier-ignore
});

it('is opened by npm run console for who has the printed address, over the tenants of all organizations, and enters what is done (R-236, R-310)', async () => {
  const other = JSON.parse((await admin(stack, 'tenants', 'create', '--organization', 'other')).stdout) as { tenantId: string }; // prettier-ignore
  const child = spawn('npm', ['run', '--silent', 'console', '--', '--config', stack.configFile], { stdio: ['ignore', 'pipe', 'pipe'] }); // prettier-ignore
  const complaints = text(child.stderr);
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const [, found] = /^Open once: (\S+)$/m.exec(output) ?? [];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => void complaints.then((said) => reject(new Error(said))));
    });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/open\?token=[A-Za-z0-9_-]{43}$/);
    const { headers, origin } = await open(url);
    expect((await send('GET', url)).status).toBe(403);
    const customers = `${origin}/console/api/customers/${other.tenantId}`;
    expect((await send('POST', customers, headers, [{ Email: 'by-operator@example.com' }])).status).toBe(200);
    const found = await send('GET', `${customers}?email=by-operator%40example.com`, headers);
    expect(found.json).toMatchObject({ data: { records: [{ Email: 'by-operator@example.com' }] } });
    const lines = (await admin(stack, 'audit', 'list', '--tenant', other.tenantId)).stdout.trim().split('\n');
    const [done, begun, created] = lines.map((line) => JSON.parse(line) as ShownEntry);
    expect(created).toMatchObject({ action: 'tenants.create', door: 'command line' });
    const act = { action: 'customers.upsert', door: 'console', actor: created!.actor };
    expect([begun, done]).toMatchObject([
      { ...act, outcome: 'begun' },
      { ...act, outcome: 'done' },
    ]);
  } finally {
    child.kill('SIGTERM');
  }
  expect(await exited).toBe(0);
});

it('says what npm run console takes, and in one sentence what is wrong with it', async () => {
  const run = (...args: string[]) => command('npm', ['run', '--silent', 'console', '--', ...args]);
  const help = await run('--help');
  expect(help.code).toBe(0);
  for (const option of ['--config <file>', '--project <id>', '--port <number>']) expect(help.stdout).toContain(option);
  const { code, stderr } = await run('--config', stack.configFile, '--port', '70000');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: '--port must be a whole number from 0 to 65535; it is "70000".\n',
  });
  const taken = await run('--config', stack.configFile, '--port', new URL(stack.baseUrl).port);
  expect(taken.code).toBe(1);
  expect(taken.stderr).toMatch(/^The console cannot be opened: .*\n$/);
});
