/** The README's day with curl runs as it stands, and shows what it says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningStack } from '../support/running-stack';
import { command, runStack } from '../support/running-stack';

jest.setTimeout(120_000);

let stack: RunningStack;
beforeAll(async () => {
  stack = await runStack();
});
afterAll(async () => {
  await stack.stop();
});

/** Between the outputs of two blocks. */
const MARK = '=== next block ===';

/** The blocks of the section, in their order. */
function blocks(): string[] {
  const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');
  const [section = ''] = /^### A day with curl\n[^]*?(?=^##+ )/m.exec(readme) ?? [];
  return [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}

/** What each block prints, run one after the other in one shell, with the stack's address and folder of buckets. */
async function outputs(): Promise<string[]> {
  const key = /x-service-auth-key: ([^']+)/.exec(stack.output)?.[1] ?? '';
  const tenant = /customers\/([0-9a-f-]{36})/.exec(stack.output)?.[1] ?? '';
  const { root } = (JSON.parse(readFileSync(stack.configFile, 'utf8')) as { storage: { root: string } }).storage;
  const folder = join(stack.configFile, '..', root, '..');
  const script = blocks()
    .map((block) => `${block}echo '${MARK}'\n`)
    .join('')
    .replaceAll('http://127.0.0.1:8080', stack.baseUrl)
    .replaceAll('.local/buckets', join(stack.configFile, '..', root))
    .replaceAll('.local', folder);
  const env = `set -eu\nTENANT=${tenant}\nKEY='${key}'\n`;
  const { code, stdout, stderr } = await command('bash', ['-c', env + script]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split(`${MARK}\n`);
}

/** The members of the last line of an output. */
const lastOf = (output: string | undefined) => JSON.parse(output?.trim().split('\n').at(-1) ?? '') as unknown;
const run = (shown: object) => ({ Success: true, Data: { Run: shown } });

it('previews, registers, runs, shows errors, replays and reads back', async () => {
  const [, sent, previewed, registered, errors, replayed, read] = await outputs();
  expect(lastOf(sent)).toMatchObject({ success: true, data: { count: 1 } });

  const Rows = { Read: 3, Stored: 1, Invalid: 1, Stale: 1, Deleted: 0 };
  const Customers = { Created: 1, Consents: { EmailOptin: { Granted: 1, KeptWithdrawn: 1 } } };
  const Examples = [{ Line: 3, Identifiers: { Email: 'bob@example.com' } }];
  expect(lastOf(previewed)).toMatchObject(run({ Kind: 'preview', Rows, Changes: { Customers }, Examples }));

  expect(registered).toContain('"BucketAccess":"ok"');
  expect(lastOf(registered)).toMatchObject(run({ Kind: 'manual', Status: 'partial', Rows, Changes: { Customers } }));

  const [json = '', ...table] = errors?.trim().split('\n') ?? [];
  expect(JSON.parse(json)).toMatchObject({ Data: { Errors: [{ Object: 'customers.csv', Line: 4 }] } });
  expect(table.map((line) => line.trim())).toEqual([
    'object,line,path,message',
    expect.stringMatching(/^customers\.csv,4,EmailOptin,/),
  ]);

  expect(lastOf(replayed)).toMatchObject(run({ Kind: 'replay', Status: 'succeeded', Rows: { Read: 1, Stored: 1 } }));

  const [cem = '', ann = ''] = read?.trim().split('\n') ?? [];
  expect(JSON.parse(cem)).toMatchObject({ data: { records: [{ Name: 'Cem', EmailOptin: true }] } });
  expect(JSON.parse(ann)).toMatchObject({ data: { records: [{ EmailOptin: false }] } });
});
