/** `npm start -- --data`: what a stack has when it stops, the next one has, too. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PubSub } from '@google-cloud/pubsub';
import { configOf } from '../../functions/admin/connection';
import type { ShownUsage } from '../../shared/usage/usage-sum';
import type { RunningStack } from '../support/running-stack';
import {
  admin,
  callStack,
  command,
  eventually,
  portOf,
  processesWith,
  runStack,
  writeStackConfig,
} from '../support/running-stack';

jest.setTimeout(180_000);

const TENANT = '11111111-1111-4111-8111-111111111111';
const BASE = '/ingestion/google-cloud-storage';

let folder: string;
let configFile: string;
let data: string;
let stack: RunningStack | undefined;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kept-data-'));
  configFile = await writeStackConfig(folder);
  data = join(folder, 'data');
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const start = async () => (stack = await runStack({ configFile, args: ['--data', data] }));

function keyOf({ output }: RunningStack): string {
  return /^Demo key +(\S+)$/m.exec(output)?.[1] ?? '';
}

async function call(running: RunningStack, method: string, path: string, body?: unknown, key = keyOf(running)) {
  const answer = await callStack<Record<string, unknown>>(running, method, path, key, body);
  return { status: answer.status, body: answer.body };
}

async function print(running: RunningStack, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await admin(running, ...args);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

async function run<T>(running: RunningStack, ...args: string[]): Promise<T> {
  return JSON.parse(await print(running, ...args)) as T;
}

async function list<T>(running: RunningStack, ...args: string[]): Promise<T[]> {
  const lines = (await print(running, ...args)).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as T);
}

/** All that a user can see of what is kept, but for times that a start changes. */
async function seen(running: RunningStack, otherKey: string) {
  const customers = await call(running, 'GET', `/customers/${TENANT}?email=ann%40x.com`);
  const runs = await list(running, 'transfers', 'runs', TENANT);
  const transfers = await call(running, 'GET', `${BASE}/transfers?tenantId=${TENANT}`);
  const letters = await list<{ data: unknown }>(running, 'dead-letters', 'list');
  return JSON.parse(
    JSON.stringify(
      {
        customers,
        order: await call(running, 'GET', `/orders/${TENANT}/1001`),
        pushed: await run(running, 'records', 'get', TENANT, 'customers', '--email', 'bob@x.com'),
        keys: await list(running, 'keys', 'list', '--organization', 'demo'),
        otherKey: (await call(running, 'GET', `/orders/${TENANT}/1001`, undefined, otherKey)).status,
        buckets: await run(running, 'buckets', 'show', 'shop-exports'),
        letters: letters.map(({ data: letter }) => letter),
        runs,
        transfers,
      },
      (name, value: unknown) => (/^(updatedAt|lastUsedAt|nextRun)$/i.test(name) ? undefined : value),
    ),
  ) as unknown;
}

it('keeps records, keys, buckets, runs, jobs and dead letters over a stop, and what was saved over a kill (R-220, R-222, R-224)', async () => {
  const first = await start();
  expect(first.output).toContain(`${data}: nothing was saved before`);
  await call(first, 'POST', `/customers/${TENANT}`, [{ Email: 'ann@x.com', Name: 'Ann', EmailOptin: true }]);
  await call(first, 'POST', `/orders/${TENANT}`, [
    { OrderId: '1001', Email: 'ann@x.com', Currency: 'EUR', TotalRevenue: 42.5 },
  ]);
  mkdirSync(join(data, 'buckets/shop-exports'));
  writeFileSync(
    join(data, 'buckets/shop-exports/customers.ndjson'),
    '{"Email":"bob@x.com","Name":"Bob"}\n{"Email":1}\n',
  );
  const options = { TenantId: TENANT, BucketName: 'shop-exports', DailyJobStartingHourUTC: 3 };
  for (const kind of ['daily', 'historical']) {
    const registered = await call(first, 'POST', `${BASE}/register/${kind}-transfer`, options);
    expect(registered.status).toBe(200);
  }
  await eventually(async () => {
    const [shown] = await list<{ status: string }>(first, 'transfers', 'runs', TENANT);
    return shown?.status === 'partial';
  });
  const { projectId, emulators } = configOf({ config: configFile });
  const pubsub = new PubSub({ projectId, apiEndpoint: emulators.pubsub!, emulatorMode: true });
  await pubsub.topic('deletions').publishMessage({ json: { no: 'deletion' } });
  await pubsub.close();
  await eventually(async () => (await list(first, 'dead-letters', 'list')).length === 1);
  const other = await run<{ key: string; keyId: string }>(first, 'keys', 'create', '--organization', 'demo');
  await run(first, 'keys', 'revoke', other.keyId);
  const before = await seen(first, other.key);
  expect(before).toMatchObject({ otherKey: 401, pushed: { Name: 'Bob' }, order: { status: 200 } });
  expect(await first.stop()).toBe(0);
  expect(first.printed()).toContain(`Saving to ${data}`);

  const second = await start();
  expect(keyOf(second)).toBe(keyOf(first));
  expect(second.output).toMatch(new RegExp(`^Data +${data}: \\d+ documents, saved at 20\\S+Z$`, 'm'));
  expect(second.output).not.toContain('did not end in order');
  expect(await seen(second, other.key)).toEqual(before);
  const { routes } = await run<ShownUsage>(second, 'usage', TENANT);
  expect(routes).toContainEqual(expect.objectContaining({ route: 'upsertOrders', requests: 1, records: 1 }));

  const otherFolder = mkdtempSync(join(tmpdir(), 'kept-data-other-'));
  const beside = ['--config', await writeStackConfig(otherFolder), '--data', data];
  const refused = await command('npm', ['start', '--silent', '--', ...beside]);
  rmSync(otherFolder, { recursive: true });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^Another stack \(process \d+\) uses the data folder \S+: stop it, or name another folder\.\n$/,
  );

  await call(second, 'POST', `/customers/${TENANT}`, [{ Email: 'lost@x.com' }]);
  await second.kill();
  const third = await start();
  expect(third.output).toContain('The stack before did not end in order.');
  expect(await seen(third, other.key)).toEqual(before);
  expect(await run(third, 'records', 'get', TENANT, 'customers', '--email', 'lost@x.com')).toBeNull();
  expect(await third.stop()).toBe(0);
  stack = undefined;
});

it('does not begin with data of another project', async () => {
  const other = join(folder, 'other.json');
  writeFileSync(other, JSON.stringify({ projectId: 'another-project', gateway: { port: 0 } }));
  const { code, stderr } = await command('npm', ['start', '--silent', '--', '--config', other, '--data', data]);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^The data folder \S+ is of the project stack-test, and the configuration names another-project/,
  );
});

it('is saved when a terminal stops it, which signals all that it runs', async () => {
  const ownData = join(folder, 'of-a-terminal');
  const args = ['--import', 'tsx', 'test/local/start.ts', '--config', configFile, '--data', ownData, '--watch'];
  const running = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // a group of its own, as a terminal has one for what it runs
  });
  const ended = once(running, 'close');
  let printed = '';
  running.stdout.on('data', (piece: Buffer) => (printed += piece.toString()));
  await eventually(() => Promise.resolve(printed.includes('Ready: ')));
  process.kill(-running.pid!, 'SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(readFileSync(join(ownData, 'snapshot.ndjson'), 'utf8')).toMatch(
    /"path":"tenants\/11111111-[^]*\n\{"documents":\d+\}\n$/,
  );
  expect(await processesWith(`--port=${portOf({ configFile }, 'firestore')}`)).toEqual([]);
});
