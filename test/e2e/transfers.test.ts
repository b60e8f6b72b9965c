/**
 * Transfers as tenants and operators meet them: files in a bucket, HTTP through the gateway, the operator's command
 * line.
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { eraseTenant } from '../../shared/operations/erasure/erase';
import type { ShownRun, WatchedRun } from '../../shared/operations/transfers';
import { listRuns } from '../../shared/operations/transfers';
import type { Trace } from '../../shared/platform/trace';
import { toTraceparent, traceFrom } from '../../shared/platform/trace';
import type { RunningStack } from '../support/running-stack';
import { changesDto } from '../support/stored-run';
import { admin, callStack, eventually, operatorOf, putObject, runStack } from '../support/running-stack';
import { SkippingClock } from '../support/skipping-clock';

jest.setTimeout(90_000);

const BASE = '/ingestion/google-cloud-storage';

let stack: RunningStack;
let operator: ReturnType<typeof operatorOf>;
beforeAll(async () => {
  stack = await runStack();
  operator = operatorOf(stack);
});
afterAll(async () => {
  await operator.close();
  await stack.stop();
});

/** A tenant of an organization of its own, with a key. */
interface Caller {
  readonly tenantId: string;
  readonly key: string;
}

async function run<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await admin(stack, ...args);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

async function createCaller(organization: string): Promise<Caller> {
  const [tenant, key] = await Promise.all([
    run('tenants', 'create', '--organization', organization),
    run('keys', 'create', '--organization', organization),
  ]);
  return { tenantId: String(tenant.tenantId), key: String(key.key) };
}

function call(method: string, path: string, { key }: Caller, body?: unknown) {
  return callStack<Record<string, unknown>>(stack, method, path, key, body);
}

function register(kind: 'historical' | 'daily' | 'live', caller: Caller, options: Record<string, unknown>) {
  return call('POST', `${BASE}/register/${kind}-transfer`, caller, { TenantId: caller.tenantId, ...options });
}

const put = (...object: [bucket: string, name: string, content: string | Buffer]) => putObject(stack, ...object);

/** The newest run of a tenant, once there are as many and it has ended. */
async function endedRun({ tenantId }: Caller, count = 1): Promise<ShownRun> {
  await eventually(async () => {
    const runs = await listRuns(tenantId, operator);
    return runs.length >= count && runs[0]?.status !== 'running';
  });
  const [newest, ...older] = await list<ShownRun>('transfers', 'runs', tenantId);
  if (!newest || older.length !== count - 1) throw new Error(`There are ${older.length + 1} runs, not ${count}.`);
  return newest;
}

const report = (runId: string) => list('transfers', 'report', runId);

/** The elements that a command lists, one a line. */
async function list<T = unknown>(...args: string[]): Promise<T[]> {
  const { code, stdout, stderr } = await admin(stack, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

const ORDERS_CSV = [
  'OrderId,Email,Currency,OrderItems.ProductId,OrderItems.Sku,OrderItems.Quantity,OrderItems.Price',
  '1,ann@example.com,EUR,tea,tea-500,2,21.25',
  '1,,,cup,cup-1,1,9',
  '2,ann@example.com,XYZ,tea,tea-500,1,21.25',
].join('\r\n');

describe('a historical transfer', () => {
  it('is registered over HTTP, stores the good rows and reports the bad ones, which can be replayed (D-52)', async () => {
    const caller = await createCaller('historical');
    put('history', 'a/customers.ndjson.gz', gzipSync('{"Email":"ann@example.com","Name":"Ann"}\n{"Email":"ann"}\n'));
    put('history', 'a/orders.csv', ORDERS_CSV);
    put('history', 'a/notes.txt', 'no records');
    put('history', 'b/customers.json', '[{"Email":"outside@example.com"}]');

    const registered = await register('historical', caller, {
      BucketName: 'history',
      HistoricalDataFolderPaths: ['a/'],
    });
    expect(registered).toMatchObject({ status: 200, body: { Message: 'Historical transfer registered.' } });
    const { JobId } = registered.body.Data as { JobId: string };
    const first = await endedRun(caller);
    expect(first).toEqual({
      runId: JobId.split('/').at(-1),
      jobId: JobId,
      status: 'partial',
      startedAt: expect.stringMatching(/Z$/) as unknown,
      finishedAt: expect.stringMatching(/Z$/) as unknown,
      files: { found: 3, finished: 2, skipped: 1, failed: 0 },
      rows: { read: 4, stored: 2, invalid: 2, stale: 0, deleted: 0 },
      changes: { ...changesDto({ Created: 1 }), Orders: { Created: 1, Updated: 0, Unchanged: 0, Deleted: 0 } },
      ignoredFields: [],
      warnings: expect.any(Array) as unknown,
      error: null,
      notificationError: null,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
    });
    expect(await run('records', 'count', caller.tenantId, 'customers')).toEqual({ count: 1 });
    expect(await run('records', 'get', caller.tenantId, 'orders', '1')).toMatchObject({
      OrderItems: [{ Sku: 'tea-500' }, { Sku: 'cup-1' }],
    });

    const generation = expect.stringMatching(/^\d+$/) as unknown;
    const bad = await report(first.runId);
    expect(bad).toHaveLength(2);
    expect(bad).toContainEqual({
      object: 'a/customers.ndjson.gz',
      generation,
      line: 2,
      messages: { Email: ['The field Email must be an e-mail address.'] },
    });
    expect(bad).toContainEqual({
      object: 'a/orders.csv',
      generation,
      line: 4,
      messages: { Currency: ['The field Currency must be an ISO 4217 currency code.'] },
    });

    put('history', 'a/orders.csv', ORDERS_CSV.replace('XYZ', 'EUR'));
    const replay = await run<{ runId: string }>('transfers', 'replay', first.runId);
    expect(replay).toEqual({ runId: expect.stringMatching(/^\d{17}-replay\w+$/) as unknown, replayOf: first.runId });
    const watched = await admin(stack, 'transfers', 'watch', replay.runId);
    const { examples, ...replayed } = JSON.parse(watched.stdout) as WatchedRun;
    expect({ code: watched.code, examples }).toEqual({ code: 2, examples: null });
    expect(replayed).toMatchObject({
      runId: replay.runId,
      jobId: JobId,
      status: 'partial',
      rows: { read: 2, stored: 1, invalid: 1, stale: 0, deleted: 0 },
    });
    expect(await list('transfers', 'runs', caller.tenantId)).toEqual([replayed, first]);
    expect(await report(replay.runId)).toEqual([expect.objectContaining({ object: 'a/customers.ndjson.gz', line: 2 })]);
    expect(await run('records', 'count', caller.tenantId, 'orders')).toEqual({ count: 2 });
  });

  it('ends as failed when the bucket does not exist, and says so (D-56)', async () => {
    const caller = await createCaller('missing');
    await register('historical', caller, { BucketName: 'no-such-bucket' });
    expect(await endedRun(caller)).toMatchObject({
      status: 'failed',
      error: 'The bucket no-such-bucket does not exist.',
      files: { found: 0 },
    });
  });
});

describe('a daily transfer', () => {
  it('is listed, is run when an operator says so, and reads each file once (D-53)', async () => {
    const caller = await createCaller('daily');
    const hour = (new Date().getUTCHours() + 12) % 24; // must not fire by itself meanwhile
    put('daily-exports', 'customers/1.jsonl', '{"Email":"one@example.com"}\n');
    await register('daily', caller, { BucketName: 'daily-exports', DailyJobStartingHourUTC: hour });
    const jobId = `daily-transfer/${caller.tenantId}`;
    const job = {
      jobId,
      schedule: `0 ${hour} * * *`,
      timeZone: 'Etc/UTC',
      nextRun: expect.stringMatching(/:00:00(\.0+)?Z$/) as unknown,
      bucketName: 'daily-exports',
      folderPaths: [],
    };
    expect(await list('transfers', 'list', caller.tenantId)).toEqual([job]);
    expect(await list('transfers', 'list', '--all')).toContainEqual(job);

    const started = await run<{ runId: string }>('transfers', 'run', jobId);
    const runId = expect.stringMatching(/^\d{17}-manual\w+$/) as unknown;
    expect(started).toEqual({ jobId, runId, triggered: true });
    expect(await run('transfers', 'watch', started.runId)).toMatchObject({ runId: started.runId, status: 'succeeded' });
    const rows = { read: 1, stored: 1, invalid: 0, stale: 0, deleted: 0 };
    expect(await endedRun(caller)).toMatchObject({
      jobId,
      status: 'succeeded',
      files: { found: 1, finished: 1 },
      rows,
    });

    put('daily-exports', 'customers/2.jsonl', '{"Email":"two@example.com"}\n');
    await run('transfers', 'run', jobId);
    expect(await endedRun(caller, 2)).toMatchObject({
      status: 'succeeded',
      files: { found: 2, finished: 1, skipped: 1, failed: 0 },
      rows,
    });

    await call('DELETE', `${BASE}/unregister?jobId=${jobId}`, caller);
    expect(await list('transfers', 'list', caller.tenantId)).toEqual([]);
  });

  it('keeps a consent withdrawn that was withdrawn after the export was made (D-54)', async () => {
    const caller = await createCaller('consent');
    put('consents', 'customers.csv', 'Email,EmailOptin\nann@example.com,true\nbob@example.com,TRUE\n');
    await call('POST', `/customers/${caller.tenantId}`, caller, [{ Email: 'ann@example.com', EmailOptin: false }]);
    await register('historical', caller, { BucketName: 'consents' });
    expect(await endedRun(caller)).toMatchObject({
      status: 'succeeded',
      rows: { read: 2, stored: 1, invalid: 0, stale: 1, deleted: 0 },
    });
    const consentOf = (email: string) => run('records', 'get', caller.tenantId, 'customers', '--email', email);
    expect(await consentOf('ann@example.com')).toMatchObject({ EmailOptin: false });
    expect(await consentOf('bob@example.com')).toMatchObject({ EmailOptin: true });
  });
});

describe('a live transfer', () => {
  it('stores a file within seconds of its copy into the bucket, and then the next one (R-378, R-383)', async () => {
    const caller = await createCaller('live');
    put('live-exports', 'old/customers.ndjson', '{"Email":"old@example.com"}\n');
    const options = { BucketName: 'live-exports', DataFolderPaths: ['shop/'] };
    const { body } = await register('live', caller, options);
    const jobId = `live-transfer/${caller.tenantId}`;
    expect(body).toMatchObject({ Message: 'Live transfer registered.', Data: { recurringJobId: jobId } });

    put('live-exports', 'shop/customers.ndjson', '{"Email":"ann@example.com"}\n');
    put('live-exports', 'crm/customers.ndjson', '{"Email":"crm@example.com"}\n');
    const first = await endedRun(caller);
    expect(first).toMatchObject({ jobId, status: 'succeeded', files: { found: 1, finished: 1 }, rows: { stored: 1 } });
    put('live-exports', 'shop/new/customers.ndjson', '{"Email":"bob@example.com"}\n');
    expect(await endedRun(caller, 2)).toMatchObject({ files: { found: 1, finished: 1 }, rows: { stored: 1 } });

    await call('DELETE', `${BASE}/unregister?jobId=${jobId}`, caller);
    expect(await run('records', 'count', caller.tenantId, 'customers')).toEqual({ count: 2 });
  });
});

describe('buckets release', () => {
  it('gives a bucket to the organization that registers it next, and stops the jobs of the former one (D-57)', async () => {
    const [former, next] = [await createCaller('former'), await createCaller('next')];
    put('shared-name', 'customers.ndjson', '{"Email":"ann@example.com"}\n');
    const options = { BucketName: 'shared-name' };
    const refused = {
      status: 403,
      body: { Success: false, Message: 'The bucket is registered by another organization.' },
    };
    const hour = (new Date().getUTCHours() + 12) % 24;
    await register('daily', former, { ...options, DailyJobStartingHourUTC: hour });
    expect(await register('daily', next, options)).toMatchObject(refused);
    expect(await run('buckets', 'release', 'shared-name')).toEqual({
      bucketName: 'shared-name',
      organizationId: 'former',
    });

    const jobId = `daily-transfer/${former.tenantId}`;
    await run('transfers', 'run', jobId);
    expect(await endedRun(former)).toMatchObject({
      status: 'failed',
      error: 'The bucket shared-name is not registered: register the transfer again.',
    });

    expect((await register('historical', next, options)).status).toBe(200);
    expect(await endedRun(next)).toMatchObject({ status: 'succeeded', rows: { stored: 1 } });
    await run('transfers', 'run', jobId);
    expect(await endedRun(former, 2)).toMatchObject({
      status: 'failed',
      error: 'The bucket shared-name is registered by another organization.',
      files: { found: 0 },
    });
    expect(await register('daily', former, options)).toMatchObject(refused);
  });
});

describe('a trace', () => {
  it('that a caller sends is in the lines of the function, of the consumer and of the run (R-394, R-395)', async () => {
    const caller = await createCaller('traced');
    put('traced', 'customers.ndjson', '{"Email":"ann@example.com"}\n');
    const send = async (method: string, path: string, traceparent: string, body?: object) => {
      const headers = { 'x-service-auth-key': caller.key, 'content-type': 'application/json', traceparent };
      const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      expect((await fetch(`${stack.baseUrl}${path}`, sent)).status).toBe(200);
    };
    const [deletion, transfer] = [traceFrom('deletion'), traceFrom('transfer')];
    await send('DELETE', `/customers/${caller.tenantId}?email=ann@example.com`, toTraceparent(deletion));
    const options = { TenantId: caller.tenantId, BucketName: 'traced' };
    await send('POST', `${BASE}/register/historical-transfer`, toTraceparent(transfer), options);
    expect(await endedRun(caller)).toMatchObject({ status: 'succeeded', traceId: transfer.traceId });

    const linesOf = ({ traceId }: Trace) =>
      stack
        .printed()
        .split('\n')
        .filter((line) => line.includes(`"logging.googleapis.com/trace":"projects/stack-test/traces/${traceId}"`))
        .map((line) => (JSON.parse(line.slice(line.indexOf('{'))) as { message: string }).message);
    const handled = 'An event was handled.';
    await eventually(() => Promise.resolve(linesOf(deletion).includes(handled)));
    expect(linesOf(deletion)).toEqual(['Deletions were accepted.', handled]);
    await eventually(() => Promise.resolve(linesOf(transfer).filter((message) => message === handled).length >= 3));
    const [first, ...others] = linesOf(transfer);
    expect(first).toBe('A transfer run was requested.');
    expect(others).toContain('A transfer run has ended.');
  });
});

describe('tenants erase', () => {
  it('tells first, then removes everything of the tenant, whose requests get 404 from then on (R-60)', async () => {
    const caller = await createCaller('leaver');
    const neighbour = await createCaller('neighbour');
    put('leaving', 'customers.ndjson', '{"Email":"ann@example.com"}\n{"Email":"ann"}\n');
    await register('historical', caller, { BucketName: 'leaving' });
    await register('daily', caller, { BucketName: 'leaving' });
    await endedRun(caller);
    const order = [{ OrderId: '1', Currency: 'EUR' }];
    const send = (who: Caller) => call('POST', `/orders/${who.tenantId}`, who, order);
    for (const who of [caller, neighbour]) expect((await send(who)).status).toBe(200);

    const erase = (...options: string[]) => run('tenants', 'erase', caller.tenantId, ...options);
    const jobs = [`daily-transfer/${caller.tenantId}`];
    expect(await erase()).toMatchObject({
      state: 'stored',
      documents: { tenants: 1, customers: 1, orders: 1, transferRuns: 1, files: 1, reports: 1 },
      jobs,
      reportObjects: 1,
      buckets: ['leaving'],
    });
    expect((await send(caller)).status).toBe(200);

    const skipping = { ...operator, clock: new SkippingClock() };
    const erased = await eraseTenant(caller.tenantId, { yes: true }, skipping);
    expect(erased).toMatchObject({ state: 'erased', jobs, reportObjects: 1, buckets: ['leaving'] });
    expect(await send(caller)).toEqual({
      status: 404,
      body: { success: false, message: 'Tenant not found.', data: {} },
    });
    expect((await admin(stack, 'transfers', 'run', jobs[0]!)).stderr).toMatch(/is not scheduled/);
    expect((await admin(stack, 'buckets', 'show', 'leaving')).stderr).toMatch(/registered by no organization/);
    for (const options of [[], ['--yes']]) expect(await erase(...options)).toMatchObject({ state: 'absent' });
    expect((await send(neighbour)).status).toBe(200);
    expect(await run('records', 'count', neighbour.tenantId, 'orders')).toEqual({ count: 1 });
  });
});

describe('an operator', () => {
  it('registers a historical transfer, watches its run, and is told by the exit code how it ended (R-192)', async () => {
    const caller = await createCaller('by-hand');
    put('by-hand', 'a/customers.ndjson', '{"Email":"ann@example.com"}\n');
    put('by-hand', 'b/customers.ndjson', '{"Email":"bob@example.com"}\n{"Email":"bob"}\n');
    const registration = ['transfers', 'register-historical', caller.tenantId, 'by-hand'];
    const started = await run<{ jobId: string; runId: string }>(...registration, '--folders', 'a/');
    expect(started.jobId).toBe(`historical-transfer/${caller.tenantId}/${started.runId}`);
    expect(await run('transfers', 'watch', started.runId)).toMatchObject({ status: 'succeeded', rows: { stored: 1 } });

    const watched = await admin(stack, ...registration, '--watch');
    expect(watched).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^Run \d{17}\w+ has started\.\n/) as unknown,
    });
    expect(JSON.parse(watched.stdout)).toMatchObject({ status: 'partial', rows: { read: 3, invalid: 1 } });

    const other = await createCaller('not-by-hand');
    const refused = await admin(stack, 'transfers', 'register-historical', other.tenantId, 'by-hand');
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The bucket by-hand is registered by another organization.\n',
    });
  });

  it('finds the failed runs and the failing transfers of all tenants (R-190, R-191)', async () => {
    const [failing, sound] = [await createCaller('failing'), await createCaller('sound')];
    const hour = (new Date().getUTCHours() + 12) % 24; // must not fire by itself meanwhile
    put('sound-exports', 'customers.ndjson', '{"Email":"ann@example.com"}\n');
    await register('daily', failing, { BucketName: 'no-exports', DailyJobStartingHourUTC: hour });
    await register('daily', sound, { BucketName: 'sound-exports', DailyJobStartingHourUTC: hour });
    const jobOf = ({ tenantId }: Caller) => `daily-transfer/${tenantId}`;
    const { code, stdout } = await admin(stack, 'transfers', 'run', jobOf(failing), '--watch');
    expect(code).toBe(3);
    const { runId } = JSON.parse(stdout) as ShownRun;
    expect((await admin(stack, 'transfers', 'run', jobOf(sound), '--watch')).code).toBe(0);

    const error = 'The bucket no-exports does not exist.';
    const runs = await list('runs', 'list', '--all', '--status', 'failed', '--since', '24h');
    expect(runs).toContainEqual(
      expect.objectContaining({ tenantId: failing.tenantId, runId, status: 'failed', error }) as unknown,
    );
    expect(JSON.stringify(runs)).not.toContain(sound.tenantId);
    expect(await list('runs', 'list', sound.tenantId)).toMatchObject([
      { tenantId: sound.tenantId, status: 'succeeded' },
    ]);

    const all = await list<{ jobId: string }>('transfers', 'list', '--all', '--failing');
    const found = {
      jobId: jobOf(failing),
      bucketName: 'no-exports',
      folderPaths: [],
      failures: 1,
      lastRun: { runId, error },
    };
    expect(all.find(({ jobId }) => jobId === jobOf(failing))).toMatchObject(found);
    expect(JSON.stringify(all)).not.toContain(sound.tenantId);
    expect(await list('transfers', 'list', failing.tenantId, '--failing')).toMatchObject([found]);
    expect(await list('transfers', 'list', sound.tenantId, '--failing')).toEqual([]);
    for (const caller of [failing, sound]) await call('DELETE', `${BASE}/unregister?jobId=${jobOf(caller)}`, caller);
  });
});

describe('what the operator gets wrong', () => {
  it.each([
    [['transfers', 'runs', '00000000-0000-4000-8000-000000000000'], /does not exist/],
    [['transfers', 'run', 'daily-transfer/11111111-1111-4111-8111-111111111111'], /is not scheduled/],
    [['transfers', 'report', 'none'], /Run none does not exist/],
    [['transfers', 'watch', '../x'], /does not exist/],
    [['transfers', 'replay', 'none'], /Run none does not exist/],
    [['buckets', 'release', 'nobodys'], /registered by no organization/],
    [['buckets', 'allow-notifications', 'b', '--project-number', '1'], /On the local stack all notifications are/],
    [['transfers', 'list'], /^Name either a tenant, or all of them with --all\.$/m],
    [['runs', 'list', '11111111-1111-4111-8111-111111111111', '--all'], /^Name either a tenant, or all of them/],
    [
      ['runs', 'list', '--all', '--since', 'yesterday'],
      /^--since must be a length of time such as 24h or a time with its zone/,
    ],
    [['runs', 'list', '--all', '--status', 'bad'], /^--status must be one of running, succeeded, partial, failed/],
    [['runs', 'list', '--all', '--status', ','], /^--status must name at least one of running/],
    [['runs', 'list', '--all', '--after', '../x'], /^--after must be the id of a run; it is "\.\.\/x"\.$/m],
    [['runs', 'list', '--all', '--limit', '0'], /^--limit must be a whole number, 1 to 10000; it is "0"\.$/m],
    [
      ['transfers', 'register-historical', '11111111-1111-4111-8111-111111111111', 'No Bucket'],
      /^The field BucketName must /,
    ],
  ])('is said on stderr, and the command ends with 1: %j', async (args, message) => {
    const { code, stdout, stderr } = await admin(stack, ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
  });
});

it('reports nothing of a run whose object is gone when it is replayed', async () => {
  const caller = await createCaller('gone');
  put('vanishing', 'products.json', '[{"ProductId":"1"}]');
  await register('historical', caller, { BucketName: 'vanishing' });
  const first = await endedRun(caller);
  expect(first).toMatchObject({ status: 'partial', rows: { read: 1, invalid: 1 } });
  rmSync(join(dirname(stack.configFile), 'buckets', 'vanishing', 'products.json'));
  const { runId } = await run<{ runId: string }>('transfers', 'replay', first.runId);
  expect(await run('transfers', 'watch', runId)).toMatchObject({ status: 'succeeded', files: { found: 0 } });
  expect(await report(runId)).toEqual([]);
});
