/** What the command takes, refuses and says about itself. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ingest, useFolder } from './ingest';

const folder = useFolder();

const COMMANDS = [
  ...['push', 'check', 'delete', 'runs', 'run', 'files', 'errors', 'replay'],
  ...['cancel', 'preview', 'transfers', 'register', 'unregister', 'start'],
];

it('lists all commands, the exit codes and where the key is read from', async () => {
  const { code, stdout, stderr } = await ingest(['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const listed = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  expect(listed).toEqual([...COMMANDS, 'help']);
  expect(stdout).toContain(
    'Exit codes: 0 all rows are done, 1 some were rejected, 2 the command could not do its work.',
  );
  expect(stdout).toContain('INGEST_KEY');
});

it.each(COMMANDS)('%s has help with an example', async (name) => {
  const { code, stdout } = await ingest([name, '--help']);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`Examples?:\\n(  .*\\n)*?.*ingest ${name} `));
});

it.each([
  [['push', 'clients', 'x.csv', '--tenant', 't'], "'clients' is invalid for argument 'kind'"],
  [['push', 'customers', 'x.csv'], "required option '--tenant <id>' not specified"],
  [['pull'], "unknown command 'pull'"],
])('ends with 2 after a usage that is wrong: %j', async (args, message) => {
  const { code, stderr, stdout } = await ingest(args, { url: 'http://127.0.0.1:1', key: 'k' });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});

const PUSH = ['push', 'customers', '-', '--format', 'csv', '--tenant', 't'];

it.each([
  ['no URL', {}, 'Say where the service is: set INGEST_URL, or use --url URL.'],
  ['no key', { url: 'http://127.0.0.1:1' }, 'Say your key: set INGEST_KEY, or use --key-file FILE.'],
  ['no http URL', { url: 'ftp://x', key: 'k' }, 'baseUrl must be an http or https URL.'],
])('says what is missing: %s', async (_, options, message) => {
  expect(await ingest(PUSH, options)).toEqual({ code: 2, stdout: '', stderr: `${message}\n` });
});

it('says what is wrong with a file', async () => {
  const options = { url: 'http://127.0.0.1:1', key: 'k' };
  const push = (file: string) => ingest(['push', 'customers', file, '--tenant', 't'], options);
  expect((await push(join(folder(), 'gone.csv'))).stderr).toContain('The file cannot be read: ENOENT');
  expect((await push(folder())).stderr).toContain('Say the format of');
  expect((await push('-')).stderr).toContain(
    'Say the format of stdin with --format: ndjson, json, csv, avro, parquet.',
  );
});

describe('--key-file (R-154)', () => {
  const KEY = 'a-key-of-a-test';

  function keyFile(mode: number, text = `${KEY}\n`): string {
    const file = join(folder(), 'key');
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  }

  it('is refused where others can read it, with what to do', async () => {
    const file = keyFile(0o640);
    const { code, stderr } = await ingest([...PUSH, '--key-file', file], { url: 'http://127.0.0.1:1' });
    expect(code).toBe(2);
    expect(stderr).toBe(`Others can read the key in ${file}. Mend that with: chmod 600 ${file}\n`);
  });

  it('has the key, which nothing repeats', async () => {
    const file = keyFile(0o600);
    const sent: unknown[] = [];
    const fetch = jest.spyOn(globalThis, 'fetch').mockImplementation((_, init) => {
      sent.push((init?.headers as Record<string, string>)['x-service-auth-key']);
      return Promise.resolve(new Response('{"message":"No."}', { status: 401 }));
    });
    try {
      const options = { url: 'http://127.0.0.1:1', stdin: 'Email\na@x.com\n' };
      const { stdout, stderr } = await ingest([...PUSH, '--key-file', file], options);
      expect(sent).toEqual([KEY]);
      expect(stdout + stderr).not.toContain(KEY);
    } finally {
      fetch.mockRestore();
    }
  });

  it('is refused where it is empty or not there', async () => {
    const of = (file: string) => ingest([...PUSH, '--key-file', file], { url: 'http://127.0.0.1:1' });
    expect((await of(keyFile(0o600, '\n'))).stderr).toContain('is empty.');
    expect((await of(join(folder(), 'none'))).stderr).toContain('The key file cannot be read: ENOENT');
  });
});
