/** `ingest push`, `check` and `delete` against the service: what is stored, told, and kept to be mended. */
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { systemClock } from '../../../shared/platform/clock';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';
import { avroFile, text } from '../../support/avro-files';
import { textsFile } from '../../support/parquet-files';
import { zipOf } from '../../support/zip-archives';
import type { FaultyHttp } from '../support/faulty-http';
import { startFaultyHttp } from '../support/faulty-http';
import type { Ingested, IngestOptions } from './ingest';
import { ingest, useFolder } from './ingest';

const theService = useTestService('customers', 'products', 'orders');
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

function write(name: string, content: string | Buffer): string {
  const file = join(folder(), name);
  writeFileSync(file, content);
  return file;
}

function run(args: readonly string[], options: IngestOptions = {}): Promise<Ingested> {
  const { key, tenantId } = caller;
  return ingest([...args, '--tenant', tenantId], { url: proxy.baseUrl, key, ...options });
}

async function customers(): Promise<Record<string, unknown>[]> {
  const stored = await theService().records(caller.tenantId, 'customers');
  return stored.sort((a, b) => (a.Email as string).localeCompare(b.Email as string));
}

describe('ingest push', () => {
  it('stores the rows of a compressed CSV file, ends with 0, and leaves no journal', async () => {
    const file = write('export.csv.gz', gzipSync('Email,Name,EmailOptin\na@x.com,Ann,true\nb@x.com,"B, C",\n'));
    const { code, stdout } = await run(['push', 'customers', file]);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 2, stored: 2, rejected: 0, badRows: null });
    expect(code).toBe(0);
    expect(await customers()).toMatchObject([
      { Email: 'a@x.com', EmailOptin: true },
      { Email: 'b@x.com', Name: 'B, C' },
    ]);
    expect(readdirSync(folder())).toEqual(['export.csv.gz']);
  });

  it('stores the rows of a ZIP archive, and names the file of bad rows after it (R-364)', async () => {
    const file = write('export.csv.zip', zipOf('Email;Name\na@x.com;Ann\nno at sign;Ben\n'));
    const { code, stdout } = await run(['push', 'customers', file]);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 2, stored: 1, rejected: 1 });
    expect(code).toBe(1);
    expect(await customers()).toMatchObject([{ Email: 'a@x.com' }]);
    expect(readdirSync(folder()).sort()).toEqual(['export.bad.csv', 'export.csv.zip']);
  });

  it('refuses an archive of several files, and stores nothing of it (R-364)', async () => {
    const file = write('export.csv.zip', zipOf('Email\na@x.com\n', { entries: 2 }));
    const { code, stderr } = await run(['push', 'customers', file]);
    expect(stderr).toContain('The ZIP archive has 2 entries; it must have one.');
    expect(code).toBe(2);
    expect(await customers()).toEqual([]);
  });

  it('stores the rows of an Avro file, and keeps the others as NDJSON to be pushed again (R-365)', async () => {
    const schema = { type: 'record', name: 'R', fields: [{ name: 'Email', type: 'string' }] };
    const file = write('export.avro', avroFile(schema, [[text('a@x.com'), text('no at sign')]], 'deflate'));
    const { code } = await run(['push', 'customers', file]);
    expect(code).toBe(1);
    expect(await customers()).toMatchObject([{ Email: 'a@x.com' }]);
    const bad = join(folder(), 'export.bad.ndjson');
    writeFileSync(bad, readFileSync(bad, 'utf8').replace('no at sign', 'b@x.com'));
    expect(await run(['push', 'customers', bad])).toMatchObject({ code: 0 });
    expect(await customers()).toHaveLength(2);
  });

  it('checks and stores the rows of a Parquet file, and keeps the others as NDJSON (R-367)', async () => {
    const file = write('export.parquet', textsFile('Email', [['a@x.com'], ['no at sign', 'b@x.com']]));
    expect(await run(['check', file, '--kind', 'customers'])).toMatchObject({ code: 1 });
    expect(await customers()).toEqual([]);
    expect(await run(['push', 'customers', file])).toMatchObject({ code: 1 });
    expect(await customers()).toMatchObject([{ Email: 'a@x.com' }, { Email: 'b@x.com' }]);
    expect(readFileSync(join(folder(), 'export.bad.ndjson'), 'utf8')).toContain('no at sign');
    const stdin = await run(['push', 'customers', '-', '--format', 'parquet']);
    expect(stdin.stderr).toContain('A Parquet file is read from its end: it must be a file, no stream.');
  });

  it('makes one order of its CSV rows, as transfers do', async () => {
    const file = write(
      'orders.csv',
      'OrderId,Email,Currency,OrderItems.ProductId,OrderItems.Sku,OrderItems.Quantity,OrderItems.Price\n' +
        '1,a@x.com,EUR,tea,t,2,3.5\n1,,,cup,c,1,9\n2,,EUR,tea,t,1,3.5\n',
    );
    expect(await run(['push', 'orders', file])).toMatchObject({ code: 0 });
    const stored = await theService().records(caller.tenantId, 'orders');
    const items = stored.map((order) => (order['OrderItems'] as object[]).length);
    expect(items.sort()).toEqual([1, 2]);
  });

  it('says how much of a small file is done, though all of it was read at once', async () => {
    const rows = Array.from(
      { length: 10 },
      (_, i) => `{"Email":"${i}@x.com"${i % 2 ? ',"DeletedAt":"2026-01-01"' : ''}}`,
    );
    const file = write('small.ndjson', rows.join('\n'));
    let nowMs = Date.parse('2026-06-01T00:00:00Z');
    const clock = { ...systemClock, nowMs: () => (nowMs += 60_000) };
    const { code, stderr } = await run(['push', 'customers', file], { clock });
    const shares = [...stderr.matchAll(/(\d+) %  (\d+) rows?/g)].map(([, percent, done]) => [
      Number(percent),
      Number(done),
    ]);
    expect(shares.length).toBeGreaterThan(3);
    for (const [percent = 0, done = 0] of shares) expect(Math.abs(percent - done * 10)).toBeLessThan(10);
    expect(code).toBe(0);
  });

  it('reads NDJSON from stdin', async () => {
    const { code } = await run(['push', 'customers', '-', '--format', 'ndjson'], { stdin: '{"Email":"a@x.com"}\n' });
    expect(code).toBe(0);
    expect(await customers()).toHaveLength(1);
  });

  it.each([
    ['CSV', 'c.csv', 'Email,Name\na@x.com,Ann\nno at sign,"Be, n"\nx,y,z\nc@x.com,Cem\n', 'c.bad.csv'],
    [
      'CSV with semicolons in UTF-16',
      'c.csv',
      Buffer.from('\uFEFFEMAIL;Name\na@x.com;Ann\nno at sign;"Be, n"\nx;y;z\nc@x.com;Cem\n', 'utf16le'),
      'c.bad.csv',
    ],
    [
      'NDJSON',
      'c.jsonl',
      '{"Email":"a@x.com"}\n{"Email": "no at sign",  "Name":"Ben"}\n{"Em\n{"Email":"c@x.com"}\n',
      'c.bad.ndjson',
    ],
    [
      'a JSON array',
      'c.json',
      '[{"Email":"a@x.com"},\n{"Email": "no at sign",\n"Name":"Ben"},{"Em"},{"Email":"c@x.com"}]',
      'c.bad.ndjson',
    ],
  ])(
    'keeps bad rows of %s as they were beside their messages; mended, they are stored without a warning (R-150)',
    async (_, name, content, bad) => {
      const file = write(name, content);
      const { code, stdout, stderr } = await run(['push', 'customers', file]);
      expect(code).toBe(1);
      const path = join(folder(), bad);
      expect(JSON.parse(stdout)).toMatchObject({ badRows: path });
      expect(stderr).toContain('Email: The field Email must be an e-mail address.');
      const kept = readFileSync(path, 'utf8');
      expect(kept).toMatch(name === 'c.csv' ? /no at sign[,;]"Be, n"\n/ : /"Email": "no at sign",/);
      expect(statSync(path).mode & 0o077).toBe(0);

      const again = await run(['push', 'customers', path]);
      expect(again.code).toBe(1);
      expect(JSON.parse(again.stdout)).toMatchObject({ stored: 0, ignoredFields: [], warnings: [] });
      const second = path.replace('.bad.', '.bad-2.');
      expect(readFileSync(second, 'utf8')).toBe(kept.replace('header row: 2, not 3.', 'header row: 3, not 4.'));

      const mended = kept.replace('no at sign', 'b@x.com').replace(/^.*x[,;]y[,;]z\n|^\{"Em.*\n/m, '');
      writeFileSync(path, mended);
      const last = await run(['push', 'customers', path]);
      expect(JSON.parse(last.stdout)).toMatchObject({ stored: 1, rejected: 0, ignoredFields: [], warnings: [] });
      expect(await customers()).toEqual(expect.arrayContaining([expect.objectContaining({ Email: 'b@x.com' })]));
    },
  );

  it('deletes what a row with DeletedAt names, in the order of the rows (R-152)', async () => {
    const rows = [
      { Email: 'a@x.com', Name: 'Ann' },
      { Email: 'b@x.com', Name: 'Ben' },
      { Email: 'a@x.com', DeletedAt: '2026-01-01' },
      { Email: 'b@x.com', DeletedAt: '' },
      { Email: 'a@x.com', Phone: '1' },
      { Email: 'c@x.com', DeletedAt: '2999-01-01' },
    ];
    const file = write('c.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));
    const { code, stdout, stderr } = await run(['push', 'customers', file]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ stored: 4, deleted: 1, rejected: 1, ignoredFields: [] });
    expect(stderr).toContain('line 6: DeletedAt: The field DeletedAt must not be in the future.');
    const [ann] = await customers();
    expect(ann).toMatchObject({ Email: 'a@x.com', Phone: '1' });
    expect(ann).not.toHaveProperty('Name');
  });

  it('deletes an item with a DeletedAt of its own, stores the others, and says which part is wrong (R-152)', async () => {
    const order = { OrderId: '1', Currency: 'EUR' };
    const of = (Sku: string, Quantity: unknown = 1) => ({ ProductId: `p-${Sku}`, Sku, Quantity, Price: 1 });
    const gone = { Sku: 'a', DeletedAt: '2026-01-01' };
    const lines = [
      { ...order, OrderItems: [of('a'), of('b')] },
      { OrderId: '1', OrderItems: [gone] },
      { ...order, OrderItems: [gone, of('c', 'many')] },
      { OrderId: '1', OrderItems: [{ DeletedAt: '2026-01-01' }] },
    ];
    const file = write('o.ndjson', lines.map((line) => JSON.stringify(line)).join('\n'));
    const { stdout, stderr } = await run(['push', 'orders', file]);
    expect(JSON.parse(stdout)).toMatchObject({ stored: 1, deleted: 1, rejected: 2 });
    expect(stderr).toContain('line 3: OrderItems[1].Quantity');
    expect(stderr).toContain('line 4: OrderItems[0]: At least one of ProductId, Sku must have a value.');
    await theService().deliverDeletions();
    const [stored] = await theService().records(caller.tenantId, 'orders');
    expect(stored?.['OrderItems']).toMatchObject([{ Sku: 'b' }]);
  });

  it('says that UpdatedAt is not looked at, and does not send it (R-152)', async () => {
    const file = write('c.csv', 'Email,UpdatedAt\na@x.com,2020-01-01\n');
    const { code, stdout, stderr } = await run(['push', 'customers', file]);
    expect(code).toBe(0);
    expect(stderr).toContain('UpdatedAt is not looked at');
    expect(JSON.parse(stdout)).toMatchObject({ ignoredFields: [] });
  });

  it('names fields that are not known', async () => {
    const file = write('c.ndjson', '{"Email":"a@x.com","EmailOptIn":true}\n');
    const { stderr } = await run(['push', 'customers', file]);
    expect(stderr).toContain('not known and not stored: EmailOptIn');
    expect(stderr).toContain('Warning fieldCase, 1 row');
  });

  it('stores what comes before a damage, and ends with 2', async () => {
    const file = write('c.csv', 'Email,Name\na@x.com,Ann\nb@x.com,"never closed\n');
    const { code, stderr } = await run(['push', 'customers', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('The file could be read up to here only. A quoted cell is never closed');
    expect(await customers()).toHaveLength(1);
    expect(readFileSync(join(folder(), 'c.bad.csv'), 'utf8')).toContain(
      'A quoted cell is not closed.,b@x.com,"never closed',
    );
    expect(readdirSync(folder())).not.toContain('c.csv.ingest-journal');
  });

  it('ends with 2 and the message of the service where the key is none', async () => {
    const file = write('c.csv', 'Email\na@x.com\n');
    const { code, stderr } = await run(['push', 'customers', file], { key: theService().unknownKey() });
    expect(code).toBe(2);
    expect(stderr).toMatch(/status 401.*Check INGEST_KEY/);
  });

  it('tells people in words, in colours unless NO_COLOR is set', async () => {
    const file = write('c.csv', 'Email\na@x.com\nb\n');
    const plain = await run(['push', 'customers', file], { isTerminal: true, env: { NO_COLOR: '1' } });
    expect(plain.stdout).toMatch(/2 rows in 0:0\d: 1 stored, 1 rejected\n/);
    expect(plain.stdout + plain.stderr.replaceAll('\r\u001b[K', '')).not.toContain('\u001b');
    const coloured = await run(['push', 'customers', file], { isTerminal: true });
    expect(coloured.stdout).toContain('\u001b[33m1 stored, 1 rejected\u001b[0m');
  });
});

describe('ingest check', () => {
  it('prints a line for each bad row, stores nothing and writes no file', async () => {
    const file = write('customers-2026.csv', 'Email\na@x.com\nb\nc\n');
    const { code, stdout } = await run(['check', file]);
    expect(code).toBe(1);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { line: number });
    expect(lines).toEqual([
      { line: 3, errors: { Email: ['The field Email must be an e-mail address.'] } },
      { line: 4, errors: { Email: ['The field Email must be an e-mail address.'] } },
    ]);
    expect(await customers()).toEqual([]);
    expect(readdirSync(folder())).toEqual(['customers-2026.csv']);
  });

  it('asks what a file holds whose name does not tell', async () => {
    const file = write('export.csv', 'Email\na@x.com\n');
    expect(await run(['check', file])).toMatchObject({ code: 2, stderr: expect.stringContaining('--kind') as string });
    expect(await run(['check', file, '--kind', 'customers'])).toMatchObject({ code: 0 });
  });
});

describe('ingest delete', () => {
  const items = ['a', 'b', 'c'].map((Sku) => ({ ProductId: `p-${Sku}`, Sku, Quantity: 1, Price: 1 }));
  const orders = JSON.stringify({ OrderId: '1', Currency: 'EUR', OrderItems: items });

  it('takes each CSV row as a deletion of its own, only with --yes (R-153)', async () => {
    await run(['push', 'orders', '-', '--format', 'ndjson'], { stdin: orders });
    const file = write('gone.csv', 'OrderId,Sku\n1,a\n1,b\n');
    const without = await run(['delete', 'orders', file]);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain('Nothing was deleted. Add --yes to delete.');
    const { code, stdout } = await run(['delete', 'orders', file, '--yes']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ deleted: 2, rejected: 0, ignoredFields: [] });
    await theService().deliverDeletions();
    const [stored] = await theService().records(caller.tenantId, 'orders');
    expect(stored?.['OrderItems']).toMatchObject([{ Sku: 'c' }]);
  });

  it('refuses a row with items: it does not say whether they or the order are meant (R-153)', async () => {
    await run(['push', 'orders', '-', '--format', 'ndjson'], { stdin: orders });
    const bad = join(folder(), 'bad.ndjson');
    const { code, stderr } = await run(['delete', 'orders', '-', '--format', 'ndjson', '--yes', '--bad-rows', bad], {
      stdin: orders,
    });
    expect(code).toBe(1);
    expect(stderr).toContain('OrderItems: A row that deletes has no OrderItems.');
    expect(proxy.requests).toBe(1);
  });
});
