/**
 * The whole service as its users meet it: `npm start`, HTTP through the gateway, the operator's command line, signals.
 */
import { userInfo } from 'node:os';
import { countRecords } from '../../shared/operations/records';
import { pendingDeletions } from '../support/pending-deletions';
import type { RunningStack } from '../support/running-stack';
import {
  admin,
  adminByNpm,
  callStack,
  command,
  eventually,
  operatorOf,
  portOf,
  processesWith,
  runStack,
} from '../support/running-stack';

jest.setTimeout(90_000);

let stack: RunningStack;
beforeAll(async () => {
  stack = await runStack();
});
afterAll(async () => {
  await stack.stop();
});

/** A command's one JSON document. */
async function run(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await admin(stack, ...args);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** The elements that a command lists, one a line. */
async function list(...args: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await admin(stack, ...args);
  if (code !== 0) throw new Error(stderr);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function call(method: string, path: string, key: string, body?: unknown) {
  return callStack<{ data: Record<string, unknown> }>(stack, method, path, key, body);
}

describe('npm start', () => {
  it('says that it is ready and prints a curl command that works when it is pasted', async () => {
    expect(stack.output).toMatch(/^Ready: http:\/\/127\.0\.0\.1:\d+$/m);
    const curl = stack.output.split('\n').find((line) => line.startsWith('curl ')) ?? '';
    const { code, stdout } = await command('sh', ['-c', `${curl} --silent`]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ success: true, message: 'Customers saved.', data: { count: 1 } });
  });

  it('says in one sentence which port is taken, and ends with 1', async () => {
    const { code, stderr } = await command('npm', ['start', '--silent', '--', '--config', stack.configFile]);
    expect(code).toBe(1);
    expect(stderr).toContain('is taken');
    expect(stderr).not.toContain('    at ');
  });
});

describe('through the gateway', () => {
  it('applies a delete through Pub/Sub, and keeps what is written after it (D-41)', async () => {
    const { tenantId } = await run('tenants', 'create', '--organization', 'e2e');
    const { key } = await run('keys', 'create', '--organization', 'e2e');
    const path = `/customers/${String(tenantId)}`;
    const send = (...customers: object[]) => call('POST', path, String(key), customers);
    await send({ Email: 'a@x.com', EmailOptin: true }, { Email: 'b@x.com' }, { Email: 'c@x.com' });
    expect(await call('DELETE', `${path}?email=a%40x.com`, String(key))).toMatchObject({ status: 200 });
    const operator = operatorOf(stack);
    await eventually(async () => (await countRecords(String(tenantId), 'customers', operator)).count === 2);
    expect(await run('records', 'count', String(tenantId), 'customers')).toEqual({ count: 2 });

    await call('DELETE', `${path}?email=b%40x.com`, String(key));
    await send({ Email: 'b@x.com', Name: 'After' });
    // The upsert has applied the deletion; its message comes no later than that of the next one, which nothing else
    // applies.
    await call('DELETE', `${path}?email=c%40x.com`, String(key));
    const pending = () => pendingDeletions(String(tenantId), operator.store, operator.deadline());
    await eventually(async () => (await pending()).length === 0);
    await operator.close();
    expect(await run('records', 'count', String(tenantId), 'customers')).toEqual({ count: 1 });
    expect(await run('records', 'get', String(tenantId), 'customers', '--email', 'b@x.com')).toMatchObject({
      Name: 'After',
    });
  });

  it('refuses a revoked key from the next request on', async () => {
    const { tenantId } = await run('tenants', 'create', '--organization', 'revoked');
    const { key, keyId } = await run('keys', 'create', '--organization', 'revoked', '--permissions', 'customers');
    const send = () => call('POST', `/customers/${String(tenantId)}`, String(key), []);
    expect((await send()).status).toBe(200);
    expect((await call('POST', `/orders/${String(tenantId)}`, String(key), [])).status).toBe(403);
    await run('keys', 'revoke', String(keyId));
    expect((await send()).status).toBe(401);
  });

  it('registers transfers as Cloud Scheduler jobs and removes them', async () => {
    const { tenantId } = await run('tenants', 'create', '--organization', 'transfers');
    const { key } = await run('keys', 'create', '--organization', 'transfers');
    const options = { TenantId: tenantId, BucketName: 'shop-exports', DailyJobStartingHourUTC: 3 };
    const base = '/ingestion/google-cloud-storage';
    for (let repeat = 0; repeat < 2; repeat += 1) {
      expect(await call('POST', `${base}/register/daily-transfer`, String(key), options)).toEqual({
        status: 200,
        body: {
          Success: true,
          Message: 'Daily transfer registered.',
          Data: { recurringJobId: `daily-transfer/${String(tenantId)}`, BucketAccess: 'notFound' },
        },
      });
    }
    const historical = await call('POST', `${base}/register/historical-transfer`, String(key), options);
    expect(historical.body).toMatchObject({ Message: 'Historical transfer registered.' });
    const removed = await call('DELETE', `${base}/unregister?jobId=daily-transfer/${String(tenantId)}`, String(key));
    expect(removed).toEqual({ status: 200, body: { Success: true, Message: 'Transfer unregistered.', Data: {} } });
  });
});

describe('the operator’s command line', () => {
  it('prints one JSON document on stdout, or one a line of a list, and nothing else (R-193)', async () => {
    const created = await run(
      'tenants',
      'create',
      '--organization',
      'cli',
      '--required',
      'Language,GdprOptin',
      '--default-language',
      'pt-br',
    );
    expect(created).toMatchObject({
      organizationId: 'cli',
      requiredFields: ['Language', 'GdprOptin'],
      defaultLanguage: 'pt-BR',
    });
    const id = String(created.tenantId);
    expect(await run('tenants', 'update', id, '--customer-identifier', 'customerid')).toEqual({
      ...created,
      customerIdentifier: 'customerid',
    });
    expect(await run('tenants', 'show', id.toUpperCase())).toMatchObject({ tenantId: id });
    expect(await list('tenants', 'list')).toContainEqual(expect.objectContaining({ tenantId: id }));
    expect(await run('tenants', 'rekey', id)).toMatchObject({ tenantId: id, moved: 0, merged: 0 });
    expect(await run('records', 'count', id, 'products')).toEqual({ count: 0 });
    expect(await run('records', 'get', id, 'orders', 'none')).toBeNull();
  });

  it('answers the same when npm runs it, which adds nothing to stdout or stderr', async () => {
    const demo = '11111111-1111-4111-8111-111111111111';
    for (const args of [
      ['tenants', 'show', demo],
      ['tenants', 'show', 'nope'],
      ['records', 'export', demo, 'customers'],
      ['keys', 'create', '--help'],
      ['nonsense'],
    ]) {
      expect(await adminByNpm(stack, ...args)).toEqual(await admin(stack, ...args));
    }
  });

  it('suspends and resumes a tenant, rotates a key, and tells who did it', async () => {
    const { tenantId } = await run('tenants', 'create', '--organization', 'audited', '--display-name', 'Audited Ltd');
    const id = String(tenantId);
    const { key, keyId } = await run(
      'keys',
      'create',
      '--organization',
      'audited',
      '--name',
      'Feed',
      '--expires',
      '90d',
    );
    const statusWith = async (text: unknown) =>
      (await call('POST', `/customers/${id}`, String(text), [{ Email: 'ann@example.com' }])).status;
    expect(await run('tenants', 'suspend', id)).toMatchObject({
      tenantId,
      suspendedSince: expect.any(String) as string,
    });
    expect(await statusWith(key)).toBe(403);
    expect(await run('tenants', 'resume', id)).toMatchObject({ tenantId, runsResumed: 0 });
    expect(await statusWith(key)).toBe(200);
    const successor = await run('keys', 'rotate', String(keyId), '--overlap', '0h', '--expires', '90d');
    expect([await statusWith(key), await statusWith(successor.key)]).toEqual([401, 200]);
    expect(await list('tenants', 'list', '--search', 'audited')).toMatchObject([{ tenantId }]);

    const entries = await list('audit', 'list', '--tenant', id, '--since', '1h');
    const { username } = userInfo();
    expect(entries.map(({ action, actor }) => [action, actor])).toEqual(
      ['tenants.resume', 'tenants.resume', 'tenants.suspend', 'tenants.create'].map((action) => [action, username]),
    );
  });

  it('shows a key once, and never again', async () => {
    const { key, keyId } = await run('keys', 'create', '--organization', 'once', '--limit', '7');
    const listed = JSON.stringify(await list('keys', 'list', '--organization', 'once'));
    expect(listed).toContain(String(keyId));
    expect(listed).not.toContain(String(key));
  });

  it.each([
    [['tenants', 'show', '00000000-0000-4000-8000-000000000000'], /does not exist/],
    [['tenants', 'show', 'nope'], /must be a GUID/],
    [['tenants', 'create', '--organization', 'x', '--product-identifier', 'ean'], /must be one of productid, sku/],
    [['tenants', 'create', '--organization', 'x', '--required', 'Shoe'], /no customer field: Shoe/],
    [['keys', 'create', '--organization', 'x', '--permissions', 'all'], /must be one of customers/],
    [['keys', 'revoke', 'key_none'], /does not exist/],
    [['records', 'get', '11111111-1111-4111-8111-111111111111', 'customers'], /--email X or --customer-id X/],
    [['nonsense'], /unknown command/],
  ])('says what is wrong on stderr and ends with 1: %j', async (args, message) => {
    const { code, stdout, stderr } = await admin(stack, ...args);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
  });

  it('explains every command with --help', async () => {
    for (const args of [[], ['tenants'], ['tenants', 'create'], ['keys', 'create'], ['records', 'get']]) {
      const { code, stdout } = await admin(stack, ...args, '--help');
      expect({ code, usage: stdout.startsWith('Usage: admin') }).toEqual({ code: 0, usage: true });
    }
  });
});

describe('stopping', () => {
  async function expectToLeaveNothing(other: RunningStack, signal: NodeJS.Signals): Promise<void> {
    const port = portOf(other, 'firestore');
    expect(await processesWith(`--port=${port}`)).not.toEqual([]);
    const exited = new Promise((resolve) => other.process.once('exit', resolve));
    other.process.kill(signal);
    expect(await exited).toBe(0);
    expect(await processesWith(`--port=${port}`)).toEqual([]);
    expect(await processesWith(other.configFile)).toEqual([]);
  }

  it('leaves no process behind after SIGTERM', async () => {
    await expectToLeaveNothing(await runStack(), 'SIGTERM');
  });

  it('cleans up at the next start after a crash, and leaves no process behind after SIGINT', async () => {
    const crashed = await runStack();
    const port = portOf(crashed, 'firestore');
    await crashed.kill();
    const next = await runStack();
    expect(await processesWith(`--port=${port}`)).toEqual([]);
    await expectToLeaveNothing(next, 'SIGINT');
  });
});

it('keeps a pipe’s reader that leaves early quiet', async () => {
  const pipe = `npm run --silent admin -- --config ${stack.configFile} tenants list | head -c 1`;
  expect(await command('sh', ['-c', pipe])).toEqual({ code: 0, stdout: '{', stderr: '' });
});
