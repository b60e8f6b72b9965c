/** The operator's command line: which options a command asks for, and what it makes of them. */
import { CommanderError } from 'commander';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Operator } from '../../../shared/operations/operator';
import { configOf } from '../../../functions/admin/connection';
import type { Result } from '../../../functions/admin/program';
import { buildProgram } from '../../../functions/admin/program';
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
  };
  await buildProgram(runWith, { stdout: silent, stderr: silent }).parseAsync([...words], { from: 'user' });
  return result;
}

it.each(['', ' '])('asks for the project where --project is %j', (project) => {
  expect(() => configOf({ config: 'none', project })).toThrow(/^--project must be the id of a Google Cloud project; /);
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
