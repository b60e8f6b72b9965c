/** A push that is interrupted, or killed, and continued: everything is stored once in effect, and told exactly. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';
import type { FaultyGateway } from './faulty-gateway';
import { startGateway } from './faulty-gateway';
import { ingest, ingestProcess, useFolder } from './ingest';

const ROWS = 12_000;
/** Every so many rows there is a bad one. */
const BAD_EVERY = 1_700;

const theService = useTestService('customers');
const folder = useFolder();
let gateway: FaultyGateway;
let caller: Caller;
beforeEach(async () => {
  gateway = await startGateway(theService());
  caller = await theService().createCaller({ requestsPerMinute: 100_000 });
});
afterEach(() => gateway.stop());

const isBad = (i: number) => i % BAD_EVERY === 3;
const lineOf = (i: number) => (isBad(i) ? `no at sign ${i},Bad` : `c${i}@x.com,Name ${i}`);

function writeFeed(name: string): string {
  const text = `Email,Name\n${Array.from({ length: ROWS }, (_, i) => `${lineOf(i)}\n`).join('')}`;
  const file = join(folder(), name);
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text);
  return file;
}

/** Resolves when the gateway has got so many requests. */
async function afterRequests(count: number): Promise<void> {
  while (gateway.requests.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function expectAllStored(file: string): Promise<void> {
  const documents = await theService().store.list(
    `tenants/${caller.tenantId}/customers`,
    { limit: ROWS + 1 },
    theService().deadline(),
  );
  const names = documents.map(({ data }) => `${String(data['Email'])},${String(data['Name'])}`).sort();
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
    gateway.faultOf = (index) => (index % 5 === 1 ? 'lost' : index % 7 === 2 ? 503 : undefined);
    for (const [round, requests] of [2, 4, 5].entries()) {
      const after = afterRequests(gateway.requests.length + requests);
      const signalled = { after, signal: 'SIGKILL' } as const;
      const killed = await ingestProcess(
        [...args, ...(round > 0 ? ['--resume'] : [])],
        { url: gateway.url, key },
        signalled,
      );
      expect(killed.code).toBeNull();
    }
    const last = await ingestProcess([...args, '--resume'], { url: gateway.url, key });
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
  gateway.faultOf = (index) => {
    if (index === 5) interruption.abort();
    return undefined;
  };
  const first = await ingest(args, { url: gateway.url, key, signal: interruption.signal });
  expect(first.code).toBe(2);
  expect(first.stderr).toMatch(/Interrupted\..*\n.*--resume/);
  const { stored } = JSON.parse(first.stdout) as { stored: number };
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThan(ROWS - 100);

  const before = gateway.requests.length;
  const second = await ingest([...args, '--resume'], { url: gateway.url, key });
  expect(JSON.parse(second.stdout)).toMatchObject({ rows: ROWS });
  expect(gateway.requests.length - before).toBeLessThanOrEqual(Math.ceil((ROWS - stored) / 1_000));
  await expectAllStored(file);
});

describe('a journal', () => {
  async function interrupted(): Promise<{ file: string; args: string[] }> {
    const file = writeFeed('feed.csv');
    const args = ['push', 'customers', file, '--tenant', caller.tenantId];
    gateway.faultOf = (index) => (index >= 3 ? 'reset' : undefined);
    const interruption = new AbortController();
    const ended = ingest(args, { url: gateway.url, key: caller.key, signal: interruption.signal });
    await afterRequests(5);
    interruption.abort();
    expect(await ended).toMatchObject({ code: 2 });
    gateway.faultOf = () => undefined;
    return { file, args };
  }

  it('of a file that has changed since is refused with a sentence (R-151)', async () => {
    const { file, args } = await interrupted();
    writeFileSync(file, readFileSync(file, 'utf8').replace('Name 1\n', 'Nome 1\n'));
    const { code, stderr } = await ingest([...args, '--resume'], { url: gateway.url, key: caller.key });
    expect(code).toBe(2);
    expect(stderr).toBe(
      'The file has changed since its push was interrupted. Push it from its start, without --resume.\n',
    );
  });

  it('of another tenant is refused with a sentence (R-151)', async () => {
    const { args } = await interrupted();
    const other = await theService().createCaller({ organizationId: caller.organizationId });
    const { code, stderr } = await ingest([...args.slice(0, -1), other.tenantId, '--resume'], {
      url: gateway.url,
      key: other.key,
    });
    expect(code).toBe(2);
    expect(stderr).toContain(`its tenant is ${caller.tenantId}, not ${other.tenantId}`);
  });

  it('is not needed to begin, and a stream has none', async () => {
    const file = writeFeed('feed.csv');
    const args = ['push', 'customers', file, '--tenant', caller.tenantId, '--resume'];
    const { code, stderr } = await ingest(args, { url: gateway.url, key: caller.key });
    expect(code).toBe(1);
    expect(stderr).toContain('There is no journal beside the file');
    args[2] = '-';
    const streamed = await ingest([...args, '--format', 'csv'], { url: gateway.url, key: caller.key });
    expect(streamed).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be resumed') as string });
  });
});
