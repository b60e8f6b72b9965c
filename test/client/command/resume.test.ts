/** A push that is interrupted, or killed, and continued: everything is stored once in effect, and told exactly. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';
import type { FaultyHttp } from '../support/faulty-http';
import { startFaultyHttp } from '../support/faulty-http';
import { ingest, ingestProcess, useFolder } from './ingest';

const ROWS = 12_000;
/** Every so many rows there is a bad one. */
const BAD_EVERY = 1_700;

const theService = useTestService('customers');
const folder = useFolder();
let proxy: FaultyHttp;
let caller: Caller;
beforeEach(async () => {
  proxy = await startFaultyHttp((name) => theService().portOf(name as 'customers'));
  caller = await theService().createCaller({ requestsPerMinute: 100_000 });
});
afterEach(async () => {
  expect(proxy.problems).toEqual([]);
  await proxy.stop();
});

const isBad = (i: number) => i % BAD_EVERY === 3;
const lineOf = (i: number) => (isBad(i) ? `no at sign ${i},Bad` : `c${i}@x.com,Name ${i}`);

function writeFeed(name: string): string {
  const text = `Email,Name\n${Array.from({ length: ROWS }, (_, i) => `${lineOf(i)}\n`).join('')}`;
  const file = join(folder(), name);
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text);
  return file;
}

/** Resolves when the proxy has got so many requests. */
async function afterRequests(count: number): Promise<void> {
  while (proxy.requests < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function expectAllStored(file: string): Promise<void> {
  const documents = await theService().store.list(
    `tenants/${caller.tenantId}/customers`,
    { limit: ROWS + 1 },
    theService().deadline(),
  );
  const names = documents.map(({ data }) => `${data.Email as string},${data.Name as string}`).sort();
  const expected = Array.from({ length: ROWS }, (_, i) => i).filter((i) => !isBad(i));
  expect(names).toEqual(expected.map(lineOf).sort());
  const bad = readFileSync(join(folder(), 'feed.bad.csv'), 'utf8').trim().split('\n');
  const refused = Array.from({ length: ROWS }, (_, i) => i).filter(isBad);
  const message = 'Email: The field Email must be an e-mail address.';
  expect(bad).toEqual(['_errors,Email,Name', ...refused.map((i) => `${message},${lineOf(i)}`)]);
  expect(existsSync(`${file}.ingest-journal`)).toBe(false);
}

it.each(['feed.csv', 'feed.csv.gz'])(
  'stores all rows of %s where it is killed again and again (R-151)',
  async (name) => {
    const file = writeFeed(name);
    const { key, tenantId } = caller;
    const args = ['push', 'customers', file, '--tenant', tenantId];
    proxy.faultOf = () => (proxy.requests % 5 === 2 ? 'cutAfter' : proxy.requests % 7 === 3 ? '503' : undefined);
    for (const [round, requests] of [2, 4, 5].entries()) {
      const after = afterRequests(proxy.requests + requests);
      const signalled = { after, signal: 'SIGKILL' } as const;
      const killed = await ingestProcess(
        [...args, ...(round > 0 ? ['--resume'] : [])],
        { url: proxy.baseUrl, key },
        signalled,
      );
      expect(killed.code).toBeNull();
    }
    const last = await ingestProcess([...args, '--resume'], { url: proxy.baseUrl, key });
    const refused = Math.ceil((ROWS - 3) / BAD_EVERY);
    expect(JSON.parse(last.stdout)).toMatchObject({ rows: ROWS, stored: ROWS - refused, rejected: refused });
    expect(last.code).toBe(1);
    await expectAllStored(file);
  },
);

it('says after Ctrl-C what is stored and how to go on, and goes on there', async () => {
  const file = writeFeed('feed.csv');
  const { key, tenantId } = caller;
  const args = ['push', 'customers', file, '--tenant', tenantId];
  const interruption = new AbortController();
  proxy.faultOf = () => {
    if (proxy.requests === 6) interruption.abort();
    return undefined;
  };
  const first = await ingest(args, { url: proxy.baseUrl, key, signal: interruption.signal });
  expect(first.code).toBe(2);
  expect(first.stderr).toMatch(/Interrupted\..*\n.*--resume/);
  const { stored } = JSON.parse(first.stdout) as { stored: number };
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThan(ROWS - 100);

  const before = proxy.requests;
  const second = await ingest([...args, '--resume'], { url: proxy.baseUrl, key });
  expect(JSON.parse(second.stdout)).toMatchObject({ rows: ROWS });
  expect(proxy.requests - before).toBeLessThanOrEqual(Math.ceil((ROWS - stored) / 1_000));
  await expectAllStored(file);
});

describe('a journal', () => {
  async function interrupted(): Promise<{ file: string; args: string[] }> {
    const file = writeFeed('feed.csv');
    const args = ['push', 'customers', file, '--tenant', caller.tenantId];
    proxy.faultOf = () => (proxy.requests > 3 ? 'cutBefore' : undefined);
    const interruption = new AbortController();
    const ended = ingest(args, { url: proxy.baseUrl, key: caller.key, signal: interruption.signal });
    await afterRequests(5);
    interruption.abort();
    expect(await ended).toMatchObject({ code: 2 });
    proxy.faultOf = () => undefined;
    return { file, args };
  }

  it('of a file that has changed since is refused with a sentence (R-151)', async () => {
    const { file, args } = await interrupted();
    writeFileSync(file, readFileSync(file, 'utf8').replace('Name 1\n', 'Nome 1\n'));
    const { code, stderr } = await ingest([...args, '--resume'], { url: proxy.baseUrl, key: caller.key });
    expect(code).toBe(2);
    expect(stderr).toBe(
      'The file has changed since its push was interrupted. Push it from its start, without --resume.\n',
    );
  });

  it('of another tenant is refused with a sentence (R-151)', async () => {
    const { args } = await interrupted();
    const other = await theService().createCaller({ organizationId: caller.organizationId });
    const { code, stderr } = await ingest([...args.slice(0, -1), other.tenantId, '--resume'], {
      url: proxy.baseUrl,
      key: other.key,
    });
    expect(code).toBe(2);
    expect(stderr).toContain(`its tenant is ${caller.tenantId}, not ${other.tenantId}`);
  });

  it('is not needed to begin, and a stream has none', async () => {
    const file = writeFeed('feed.csv');
    const args = ['push', 'customers', file, '--tenant', caller.tenantId, '--resume'];
    const { code, stderr } = await ingest(args, { url: proxy.baseUrl, key: caller.key });
    expect(code).toBe(1);
    expect(stderr).toContain('There is no journal beside the file');
    args[2] = '-';
    const streamed = await ingest([...args, '--format', 'csv'], { url: proxy.baseUrl, key: caller.key });
    expect(streamed).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be resumed') as string });
  });
});
