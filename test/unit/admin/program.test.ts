/** The operator's command line: which options a command asks for, and what it makes of them. */
import { CommanderError } from 'commander';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Operator } from '../../../shared/operations/operator';
import { configOf } from '../../../functions/admin/connection';
import type { Result } from '../../../functions/admin/printing';
import { parseRunList } from '../../../functions/admin/options';
import { buildProgram } from '../../../functions/admin/program';
import { runCommand } from '../../../functions/admin/run';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { SeededRandom } from '../../support/seeded-random';

/** What a command's help says. */
async function helpOf(...words: string[]): Promise<string> {
  const stdout = new PassThrough();
  const runWith = () => () => Promise.reject(new Error('No command is run here.'));
  const program = buildProgram(runWith, { stdout, stderr: stdout });
  await program.parseAsync([...words, '--help'], { from: 'user' }).catch(() => undefined); // it ends so
  return text(stdout.end());
}

/** Runs a command line. @returns what its work resolved with; undefined: no work was begun */
async function run(words: readonly string[]): Promise<Result | undefined> {
  const clock = new FixedClock();
  const operator = operatorOn(new MemoryDocumentStore(clock), { clock, random: new SeededRandom() });
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  let result: Result | undefined;
  const runWith = () => async (work: (operator: Operator) => Promise<Result> | Result) => {
    result = await work(operator);
    if ('lines' in result) for await (const _ of result.lines);
    if ('list' in result) for await (const _ of result.list);
  };
  await buildProgram(runWith, { stdout: silent, stderr: silent }).parseAsync([...words], { from: 'user' });
  return result;
}

it.each(['', ' '])('asks for the project where --project is %j', (project) => {
  expect(() => configOf({ config: 'none', project })).toThrow(/^--project must be the id of a Google Cloud project; /);
});

describe('a configuration that cannot be used', () => {
  const folder = mkdtempSync(join(tmpdir(), 'admin-config-test-'));
  const file = join(folder, 'emulator.config.json');
  const { TRANSFER_STEP_SECONDS } = process.env;
  afterEach(() => {
    if (TRANSFER_STEP_SECONDS === undefined) delete process.env.TRANSFER_STEP_SECONDS;
    else process.env.TRANSFER_STEP_SECONDS = TRANSFER_STEP_SECONDS;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What a command says on stderr, and its exit code. */
  async function outcomeOf(...options: string[]) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const code = await runCommand([...options, 'tenants', 'list'], { stdout, stderr });
    return { code, stdout: await text(stdout.end()), stderr: await text(stderr.end()) };
  }

  it('is said as it is, where the file is missing', async () => {
    const { code, stdout, stderr } = await outcomeOf('--config', join(folder, 'none'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.replace(/ENOENT[^']*/, 'ENOENT ')).toBe(
      `${folder}/none cannot be read: ENOENT '${folder}/none'. Give another file with --config FILE.\n`,
    );
  });

  it('is said as it is, where a field of the file is wrong', async () => {
    writeFileSync(file, JSON.stringify({ host: '::1' }));
    const stderr = `${file}: host must be a name or an IPv4 address.\n`;
    expect(await outcomeOf('--config', file)).toEqual({ code: 1, stdout: '', stderr });
  });

  it.each(['--config', '--project'])('is said as it is, where the environment is wrong, with %s', async (option) => {
    writeFileSync(file, '{}');
    process.env.TRANSFER_STEP_SECONDS = 'soon';
    const stderr = 'TRANSFER_STEP_SECONDS must be a number above 0; it is "soon".\n';
    const value = option === '--config' ? file : 'some-project';
    expect(await outcomeOf(option, value)).toEqual({ code: 1, stdout: '', stderr });
  });
});

describe('a value that cannot be meant is refused in words of its flag', () => {
  const REPLAY = ['restore', 'replay-deletions', '--from-database', 'earlier'];
  const CREATE = ['tenants', 'create', '--organization', 'acme'];

  it.each([
    [['keys', 'create', '--organization', ' '], '--organization must be a text of 1 to 100 characters.'],
    [['keys', 'list', '--organization', ''], '--organization must be a text of 1 to 100 characters.'],
    [
      ['keys', 'create', '--organization', 'acme', '--permissions', 'orders,all'],
      '--permissions must be one of customers, products, orders, transfers, records, settings; it is "all".',
    ],
    [
      ['keys', 'create', '--organization', 'acme', '--permissions', ','],
      '--permissions must name at least one of customers, products, orders, transfers, records, settings.',
    ],
    [
      ['keys', 'create', '--organization', 'acme', '--name', ' '],
      '--name must be a text of 1 to 100 characters without line breaks.',
    ],
    ...['yesterday', '90', '90 days', '-1d', '2027-03-01', '9999999d'].map(
      (expires) =>
        [
          ['keys', 'create', '--organization', 'acme', '--expires', expires],
          `--expires must be a length of time such as 90d or a time with its zone such as 2026-11-20T10:15:00Z; it is "${expires}".`,
        ] as [string[], string],
    ),
    [['keys', 'create', '--organization', 'acme', '--expires', '0d'], '--expires must be in the future; it is "2026-'],
    [
      ['keys', 'rotate', 'key_1', '--overlap', '1w'],
      '--overlap must be a length of time such as 30m, 24h or 7d; it is "1w".',
    ],
    [['keys', 'rotate', 'key_1', '--overlap', '91d'], '--overlap must be at most 90 days, and none that is negative.'],
    [
      ['audit', 'list', '--since', 'x'],
      '--since must be a length of time such as 24h or a time with its zone such as 2026-11-20T10:15:00Z; it is "x".',
    ],
    [['audit', 'list', '--limit', '1001'], '--limit must be a whole number, 1 to 1000; it is "1001".'],
    [['audit', 'list', '--after', '../x'], '--after must be the id of an entry; it is "../x".'],
    [['audit', 'list', '--tenant', 'nope'], '"nope" is no tenant id; it must be a GUID.'],
    [['tenants', 'list', '--search', ' '], '--search must be a text of 1 to 100 characters.'],
    [[...CREATE, '--display-name', 'two\nlines'], '--display-name must be a text of 1 to 100 characters without'],
    [[...CREATE, '--from', 'tenants.csv'], "option '--from <file>' cannot be used with option '--organization <org>'"],
    [['tenants', 'create'], "required option '--organization <org>' not specified"],
    [[...CREATE, '--id', 'nope'], '"nope" is no tenant id; it must be a GUID.'],
    [
      [...CREATE, '--customer-identifier', 'phone'],
      '--customer-identifier must be one of email, customerid; it is "phone".',
    ],
    [[...CREATE, '--product-identifier', 'ean'], '--product-identifier must be one of productid, sku; it is "ean".'],
    [[...CREATE, '--order-customer', 'x'], '--order-customer must be one of email, customerid; it is "x".'],
    [
      [...CREATE, '--default-language', 'English!'],
      '--default-language must be a tag such as en, zh-Hant or pt-BR; it is "English!".',
    ],
    [
      [...CREATE, '--notify-topic', 'runs'],
      '--notify-topic must be the full name of a topic, projects/PROJECT/topics/TOPIC, by the id of its project, of 6 to 30 characters; it is "runs".',
    ],
    [[...CREATE, '--required', 'Shoe,Hat'], '--required names no customer field: Shoe, Hat. The fields are CustomerId'],
    [
      ['records', 'count', 'GUID', 'shoes'],
      'The kind of record must be one of customers, products, orders; it is "shoes".',
    ],
    [
      [...REPLAY, '--snapshot-time', 'yesterday', '--restored-at', '2026-03-01T12:00:00Z'],
      '--snapshot-time must be a time with its zone such as 2026-11-20T10:15:00Z; it is "yesterday".',
    ],
    [
      [...REPLAY, '--snapshot-time', '2026-03-01T12:00:00Z', '--restored-at', '2026-03-01T12:00'],
      '--restored-at must be a time with its zone such as 2026-11-20T10:15:00Z; it is "2026-03-01T12:00".',
    ],
  ])('%j', async (words, message) => {
    await expect(run(words)).rejects.toThrow(message);
  });

  it.each([
    [['usage'], 'Name a tenant, or say --all.'],
    [['usage', 'GUID', '--all'], 'Name a tenant, or say --all.'],
    [['usage', 'GUID', '--top', '3'], '--top needs --all.'],
    [['usage', '--all', '--top', 'all'], '--top must be a whole number, 1 to 1000; it is "all".'],
    [['usage', '--all', '--from', '2027-01-01'], '--from must be before the end, and before now.'],
    [
      ['usage', '--all', '--to', 'yesterday'],
      '--to must be a day or time such as 2026-11-20 or 2026-11-20T10:00:00Z; it is "yesterday".',
    ],
  ])('%j (R-185)', async (words, message) => {
    await expect(run(words)).rejects.toThrow(message);
  });

  it.each(['0', '-1', '1.5', '1001', '2e3', 'x', ''])('dead-letters list --limit %j', async (limit) => {
    await expect(run(['dead-letters', 'list', '--limit', limit])).rejects.toThrow(
      `--limit must be a whole number, 1 to 1000; it is "${limit}".`,
    );
  });

  it('keys create --limit, whose bound is another one', async () => {
    await expect(run(['keys', 'create', '--organization', 'acme', '--limit', 'many'])).rejects.toThrow(
      /^--limit must be a whole number, 1 to \d+; it is "many"\.$/,
    );
  });
});

describe('texts become what they mean', () => {
  it('settings of a tenant', async () => {
    const settings = [
      '--customer-identifier',
      ' CustomerID ',
      '--default-language',
      'PT-br',
      '--required',
      ' Name, Phone,,Name',
      '--notify-topic',
      ' projects/shop-of-ada/topics/runs ',
    ];
    expect(await run(['tenants', 'create', '--organization', ' acme ', ...settings])).toMatchObject({
      document: {
        organizationId: 'acme',
        customerIdentifier: 'customerid',
        productIdentifier: 'productid',
        defaultLanguage: 'pt-BR',
        requiredFields: ['Name', 'Phone'],
        notifyTopic: 'projects/shop-of-ada/topics/runs',
      },
    });
    const none = ['--default-language', '', '--required', '', '--notify-topic', ''];
    expect(await run(['tenants', 'create', '--organization', 'acme', ...none])).toMatchObject({
      document: { defaultLanguage: null, requiredFields: [], notifyTopic: null },
    });
  });

  it('which runs a list has (R-190)', () => {
    const clock = new FixedClock(Date.parse('2026-03-01T12:00:00.000Z'));
    const sinceOf = (since: string) => parseRunList({ since }, clock.nowMs()).since?.toISOString();
    expect(['90m', ' 24h ', '7d', '2026-02-28T10:00:00+01:00'].map(sinceOf)).toEqual([
      '2026-03-01T10:30:00.000Z',
      '2026-02-28T12:00:00.000Z',
      '2026-02-22T12:00:00.000Z',
      '2026-02-28T09:00:00.000Z',
    ]);
    const texts = { status: 'Failed, partial', limit: '7', after: ' 20260301-1 ' };
    expect(parseRunList(texts, clock.nowMs())).toEqual({
      statuses: ['failed', 'partial'],
      limit: 7,
      after: '20260301-1',
    });
    expect(parseRunList({}, clock.nowMs())).toEqual({});
  });

  it('permissions and the limit of a key', async () => {
    const options = ['--permissions', 'Orders, customers,orders', '--limit', '7'];
    expect(await run(['keys', 'create', '--organization', 'acme', ...options])).toMatchObject({
      document: { permissions: ['orders', 'customers'], limit: 7 },
    });
  });
});

it('gives a key all permissions but to read records back, which is to be named (R-68)', async () => {
  const create = ['keys', 'create', '--organization', 'acme'];
  expect(await run(create)).toMatchObject({
    document: { permissions: ['customers', 'products', 'orders', 'transfers'] },
  });
  expect(await run([...create, '--permissions', 'records'])).toMatchObject({ document: { permissions: ['records'] } });
  expect((await helpOf('keys', 'create')).replace(/\s+/g, ' ')).toContain('default: all but records');
});

it('tells the defaults of a new tenant’s settings, and none of an update, which leaves the others as they are', async () => {
  const helps = { create: await helpOf('tenants', 'create'), update: await helpOf('tenants', 'update') };
  for (const help of Object.values(helps)) expect(help).toContain('--product-identifier');
  expect(helps.create.match(/\(default: (email|productid)\)/g)).toHaveLength(3);
  expect(helps.update).not.toMatch(/\(default: (?!"emulator)/);
});

describe('restore replay-deletions', () => {
  const TIMES = { '--snapshot-time': '2026-02-01T00:00:00Z', '--restored-at': '2026-02-01T01:00:00Z' };
  const OPTIONS: Readonly<Record<string, string>> = { '--from-database': 'earlier', ...TIMES };
  const wordsOf = (options: Readonly<Record<string, string>>) => [
    'restore',
    'replay-deletions',
    ...Object.entries(options).flat(),
  ];

  it.each(Object.keys(OPTIONS))('asks for %s', async (option) => {
    const { [option]: _, ...others } = OPTIONS;
    const error = await run(wordsOf(others)).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CommanderError);
    expect(error).toMatchObject({ message: expect.stringContaining(option) as string });
  });

  it('hands all of them over, each as what it is', async () => {
    expect(await run(wordsOf(OPTIONS))).toMatchObject({ document: { fromDatabase: 'earlier', tenants: 0 } });
    const swapped = { ...OPTIONS, '--restored-at': '2026-01-01T00:00:00Z' };
    await expect(run(wordsOf(swapped))).rejects.toThrow('--restored-at must not be before --snapshot-time.');
    const same = { ...OPTIONS, '--from-database': '(default)' };
    await expect(run(wordsOf(same))).rejects.toThrow('is the database that it would be read into');
  });
});
