/** `npm start -- --watch` in a copy of the project, whose sources are changed. */
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, eventually, processesWith, runStack } from '../support/running-stack';
import type { RunningStack } from '../support/running-stack';

jest.setTimeout(180_000);

const COPIED = ['functions', 'shared', 'test/local', 'package.json', 'tsconfig.json', 'openapi.json'];
const TENANT = '11111111-1111-4111-8111-111111111111';
const MESSAGE = 'Customers saved.';
const SOURCE = 'functions/customers/upsert-customers.ts';

let project: string;
let stack: RunningStack;
let source: string;
beforeAll(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'watched-project-')));
  for (const name of COPIED) cpSync(name, join(project, name), { recursive: true });
  symlinkSync(realpathSync('node_modules'), join(project, 'node_modules'));
  source = readFileSync(join(project, SOURCE), 'utf8');
  expect(source).toContain(MESSAGE);
  stack = await runStack({ project, args: ['--watch'] });
});
afterAll(async () => {
  await stack.stop();
  rmSync(project, { recursive: true, force: true });
});

function change(file: string, content: string): void {
  writeFileSync(join(project, file), content);
}

/**
 * Sends a customer, on a connection of its own: one that was kept since the last change may be closed, after five
 * seconds without a request, in the moment in which it is used again.
 * @returns the status and the message, which the source says
 */
async function send(): Promise<string> {
  const key = /^Demo key +(\S+)$/m.exec(stack.output)?.[1] ?? '';
  const response = await fetch(`${stack.baseUrl}/customers/${TENANT}`, {
    method: 'POST',
    headers: { 'x-service-auth-key': key, 'content-type': 'application/json', connection: 'close' },
    body: '[{"Email":"ann@x.com"}]',
  });
  const { message } = (await response.json()) as { message?: string };
  return `${response.status} ${message ?? ''}`;
}

const countOf = (text: string) => stack.printed().split(text).length - 1;

/** Waits for one more line with this text. */
async function printedAgain(text: string, act: () => void): Promise<void> {
  const before = countOf(text);
  act();
  await eventually(() => Promise.resolve(countOf(text) > before));
}

describe('a change of a source (R-225)', () => {
  it('is served at the same address, and no request is refused meanwhile', async () => {
    expect(await send()).toBe(`200 ${MESSAGE}`);
    change(SOURCE, source.replace(MESSAGE, 'Customers kept.'));
    const answers = new Set<string>();
    await eventually(async () => {
      const answer = await send();
      answers.add(answer);
      return answer === '200 Customers kept.';
    });
    expect([...answers].filter((answer) => answer !== `200 ${MESSAGE}`)).toEqual(['200 Customers kept.']);
    await eventually(() => Promise.resolve(stack.printed().includes(`after a change of ${SOURCE}.`)));
  });

  it('is one restart with others that come with it', async () => {
    const before = countOf('Restarted in ');
    await printedAgain('Restarted in ', () => {
      for (let save = 0; save < 5; save += 1) {
        change('functions/orders/new-file.ts', `export const save = ${save};\n`);
        change(SOURCE, source.replace(MESSAGE, `Customers kept ${save}.`));
      }
    });
    expect(await send()).toBe('200 Customers kept 4.');
    expect(countOf('Restarted in ')).toBe(before + 1);
    expect(stack.printed()).toMatch(/after a change of \S+ and 1 more\.$/m);
  });

  it('that cannot be built is told with its place, and the version before goes on', async () => {
    await printedAgain('The functions cannot be built.', () => change(SOURCE, `${source}\nconst = 1;\n`));
    expect(stack.printed()).toMatch(/ERROR.*Expected identifier[^]*upsert-customers\.ts:\d+:\d+/);
    expect(await send()).toBe('200 Customers kept 4.');
  });

  it('that cannot be loaded is told, and the version before goes on until a change mends it', async () => {
    await printedAgain('The functions cannot be loaded.', () =>
      change(SOURCE, `${source}\nthrow new Error('at once');\n`),
    );
    expect(stack.printed()).toContain('Error: at once');
    expect(await send()).toBe('200 Customers kept 4.');
    await printedAgain('Restarted in ', () => change(SOURCE, source));
    expect(await send()).toBe(`200 ${MESSAGE}`);
  });

  it('starts functions again that have ended by themselves', async () => {
    const versions = await processesWith(join(project, '.local'));
    await printedAgain('The functions have ended (SIGKILL).', () => {
      for (const version of versions) process.kill(Number(version.trim().split(' ')[0]), 'SIGKILL');
    });
    await printedAgain('Restarted in ', () => change(SOURCE, `${source}\n`));
    expect(await send()).toBe(`200 ${MESSAGE}`);
  });
});

it('ends with its functions', async () => {
  expect(await processesWith(project)).not.toEqual([]);
  expect(await stack.stop()).toBe(0);
  expect(await processesWith(project)).toEqual([]);
  const { stdout } = await command('ls', ['-A', join(project, '.local')]);
  expect(stdout).not.toContain('functions-');
});

it('does not begin with sources that cannot be built', async () => {
  change(SOURCE, `${source}\nconst = 1;\n`);
  await expect(runStack({ project, args: ['--watch'] })).rejects.toThrow(/The functions cannot be built\.\n$/);
});
