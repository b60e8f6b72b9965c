/** The commands about transfers and their runs, against the service. */
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';
import {
  aRun,
  aRunFile,
  putFile,
  putRun,
  RUN_BUCKET,
  RUN_OBJECT,
  runningRunId,
  storedRunId,
} from '../../support/stored-run';
import type { FaultyHttp } from '../support/faulty-http';
import { startFaultyHttp } from '../support/faulty-http';
import type { IngestOptions } from './ingest';
import { ingest } from './ingest';

const theService = useTestService('ingestion');
let proxy: FaultyHttp;
let caller: Caller;
beforeEach(async () => {
  proxy = await startFaultyHttp((name) => theService().portOf(name as 'ingestion'));
  caller = await theService().createCaller();
});
afterEach(async () => {
  expect(proxy.problems).toEqual([]);
  await proxy.stop();
});

const run = (args: readonly string[], options: IngestOptions = {}) =>
  ingest(args, { url: proxy.baseUrl, key: caller.key, ...options });
const ofTenant = () => ['--tenant', caller.tenantId];
const linesOf = (text: string) => text.split('\n').slice(0, -1);
const objectsOf = (text: string) => linesOf(text).map((line) => JSON.parse(line) as Record<string, unknown>);

/** Options of a watcher who leaves after the first look. */
function lookOnce(nowMs = () => theService().clock.nowMs()): IngestOptions {
  const interruption = new AbortController();
  const sleep = () => {
    interruption.abort();
    return Promise.resolve();
  };
  return { clock: { nowMs, sleep }, signal: interruption.signal };
}

it('lists runs as lines of JSON, at most so many', async () => {
  const { code, stdout } = await run(['runs', ...ofTenant()]);
  expect(code).toBe(0);
  expect(objectsOf(stdout)).toMatchObject([
    { RunId: storedRunId(caller.tenantId), Status: 'partial' },
    { RunId: runningRunId(caller.tenantId), Status: 'running' },
  ]);
  expect(objectsOf((await run(['runs', ...ofTenant(), '--limit', '1'])).stdout)).toHaveLength(1);
  expect(await run(['runs', ...ofTenant(), '--limit', 'all'])).toMatchObject({ code: 2 });
});

it('shows people a table', async () => {
  const { stdout } = await run(['runs', ...ofTenant(), '--status', 'partial'], { isTerminal: true });
  const [header, row, ...others] = linesOf(stdout);
  expect(header).toMatch(/^RUN +KIND +STATUS +STARTED +READ {2}STORED {2}INVALID {2}STALE {2}DELETED {2}BUCKET$/);
  const cells = `${storedRunId(caller.tenantId)} +\\S+ +partial +2026-\\S+ +2 +1 +1 +0 +0 +${RUN_BUCKET}`;
  expect(row).toMatch(new RegExp(`^${cells}$`));
  expect(others).toEqual([]);
});

describe('the rows of runs and files', () => {
  const ROWS = { read: 2_010, stored: 2_000, invalid: 3, stale: 6, deleted: 1 };
  const ON_A_TERMINAL = { isTerminal: true, env: { NO_COLOR: '1' } };

  it('are in tables with every count, so that they add up', async () => {
    const runId = storedRunId(caller.tenantId);
    const writes = [putRun(runId, aRun(caller.tenantId, { rows: ROWS })), putFile(runId, aRunFile({ rows: ROWS }))];
    await theService().store.commit(writes, theService().deadline());
    const runs = linesOf((await run(['runs', ...ofTenant(), '--status', 'partial'], ON_A_TERMINAL)).stdout);
    expect(runs[1]).toMatch(/ 2,010 +2,000 +3 +6 +1 /);
    const [header, file, ...others] = linesOf((await run(['files', runId], ON_A_TERMINAL)).stdout);
    expect(header).toMatch(/^OBJECT +KIND +STATUS +READ {2}STORED {2}INVALID {2}STALE {2}DELETED {2}WHY$/);
    expect(file).toMatch(new RegExp(`^${RUN_OBJECT} +customers +finished +2,010 +2,000 +3 +6 +1 +-$`));
    expect(others).toEqual([]);
    for (const line of [header, file]) expect(line?.length).toBeLessThanOrEqual(100);
  });

  it('are in the line of progress with every count that is not zero', async () => {
    const runId = runningRunId(caller.tenantId);
    const progressWith = async (rows: typeof ROWS) => {
      const write = putFile(runId, aRunFile({ status: 'pending', rows }));
      await theService().store.commit([write], theService().deadline());
      return (await run(['run', runId, '--watch'], { ...lookOnce(), isTerminal: true })).stderr;
    };
    const all = '0 of 1 files  2,010 rows: 2,000 stored, 3 invalid, 6 stale, 1 deleted';
    expect(await progressWith(ROWS)).toContain(all);
    const deleted = await progressWith({ read: 1, stored: 0, invalid: 0, stale: 0, deleted: 1 });
    expect(deleted).toContain('0 of 1 files  1 row: 1 deleted');
    const none = await progressWith({ read: 0, stored: 0, invalid: 0, stale: 0, deleted: 0 });
    expect(none).toMatch(/0 of 1 files {2}0 rows(?!:)/);
  });
});

it('shows a run, and ends with 1 where it is partial (R-155)', async () => {
  const runId = storedRunId(caller.tenantId);
  const { code, stdout } = await run(['run', runId, '--watch']);
  expect(code).toBe(1);
  expect(objectsOf(stdout)).toMatchObject([{ RunId: runId, Rows: { Stored: 1, Invalid: 1 } }]);
  const table = await run(['run', runId], { isTerminal: true, env: { NO_COLOR: '1' } });
  expect(table.stdout).toMatch(/^Status +partial$/m);
  expect(table.stdout).toMatch(/^EmailOptin +1 +0 +0 +0$/m);
  expect(table.stderr).toContain('Warning fieldCase (2)');
});

it('watches a run until it ends (R-155)', async () => {
  const runId = runningRunId(caller.tenantId);
  let waits = 0;
  const clock = {
    nowMs: () => theService().clock.nowMs(),
    sleep: async () => {
      waits += 1;
      if (waits === 2) await run(['cancel', runId]);
    },
  };
  const { code, stdout } = await run(['run', runId, '--watch'], { clock });
  expect(waits).toBe(2);
  expect(code).toBe(2);
  expect(objectsOf(stdout)).toMatchObject([{ RunId: runId, Status: 'cancelled' }]);
});

it('says that a run goes on whose watcher leaves', async () => {
  const runId = runningRunId(caller.tenantId);
  const { code, stderr } = await run(['run', runId, '--watch'], lookOnce());
  expect(code).toBe(2);
  expect(stderr).toContain(`The run goes on. Look at it again with: ingest run ${runId} --watch`);
});

it('says when a run begins that waits for its minute (R-373)', async () => {
  const options = { ...lookOnce(() => Date.parse('2026-03-01T10:58:30.000Z')), isTerminal: true };
  const { stderr } = await run(['run', runningRunId(caller.tenantId), '--watch'], options);
  expect(stderr).toContain('running  begins at 2026-03-01T11:00:00.000Z');
});

it('prints the bad rows of a run as CSV, or as lines of JSON', async () => {
  const runId = storedRunId(caller.tenantId);
  const { code, stdout } = await run(['errors', runId]);
  expect(code).toBe(0);
  expect(linesOf(stdout)[0]?.trim()).toBe('object,line,path,message');
  expect(stdout).toContain(RUN_OBJECT);
  const lines = await run(['errors', runId, '--format', 'ndjson']);
  expect(objectsOf(lines.stdout)).toMatchObject([{ Object: RUN_OBJECT }]);
});

it('lists files and transfers, replays a run, starts a transfer', async () => {
  const runId = storedRunId(caller.tenantId);
  expect(objectsOf((await run(['files', runId])).stdout)).toMatchObject([{ Object: RUN_OBJECT }]);
  const [transfer] = objectsOf((await run(['transfers', ...ofTenant()])).stdout);
  expect(transfer).toMatchObject({ Kind: 'daily' });
  const replayed = await run(['replay', runId]);
  expect(objectsOf(replayed.stdout)).toMatchObject([{ RunId: expect.any(String) as string }]);
  expect(replayed.stderr).toContain('Watch it with: ingest run ');
  const started = await run(['start', String(transfer?.JobId)]);
  expect(objectsOf(started.stdout)).toMatchObject([{ RunId: expect.any(String) as string }]);
  expect(await run(['unregister', String(transfer?.JobId)])).toMatchObject({ code: 0 });
});

it('registers a transfer for a time, and refuses a time that it cannot have', async () => {
  const register = (...args: string[]) => run(['register', ...args, ...ofTenant()]);
  const { code, stdout } = await register('daily', 'acme-exports', '--folder', 'crm/', 'shop/', '--at', '03:30');
  expect(code).toBe(0);
  expect(objectsOf(stdout)).toMatchObject([{ recurringJobId: expect.any(String) as string }]);
  const [daily] = objectsOf((await run(['transfers', ...ofTenant()])).stdout);
  expect(daily).toMatchObject({ DataFolderPaths: ['crm/', 'shop/'], Schedule: '30 3 * * *' });
  expect(await register('hourly', 'acme-exports', '--at', '15')).toMatchObject({ code: 0 });
  expect(await register('hourly', 'acme-exports', '--at', '03:30')).toMatchObject({ code: 2, stdout: '' });
  expect(await register('historical', 'acme-exports', '--at', '30')).toMatchObject({ code: 2, stdout: '' });
});

it('previews a bucket', async () => {
  const { code, stdout } = await run(['preview', 'acme-exports', '--folder', 'crm/', '--sample', '10', ...ofTenant()]);
  expect(code).toBe(0);
  expect(objectsOf(stdout)).toMatchObject([{ RunId: expect.any(String) as string }]);
});

it('ends with 2 and the words of the service where there is no such run', async () => {
  const { code, stdout, stderr } = await run(['run', '20260301110000-none']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^Run not found\. \(status 404, trace [0-9a-f]{32}\)\n$/);
});
