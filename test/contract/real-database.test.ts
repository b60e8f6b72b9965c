/** `npm run test:contract`, with the emulator in place of a real project: it has any database that is asked for. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { systemClock } from '../../shared/platform/clock';
import { FirestoreDocumentStore } from '../../shared/adapters/firestore/firestore-document-store';
import { SdkFirestore } from '../../shared/adapters/firestore/sdk/sdk-firestore';
import { readConfig } from '../../shared/config';
import { deadlineIn } from '../../shared/platform/deadline';
import { systemRandom } from '../../shared/platform/random';
import type { ContractRun } from './real-database/run-contract';
import { runContract } from './real-database/run-contract';

const { projectId } = readConfig();

function aRun(changes: Partial<ContractRun['databases']> = {}, env: NodeJS.ProcessEnv = process.env) {
  const calls: string[] = [];
  const said: string[] = [];
  const databases = {
    create: (id: string) => Promise.resolve(void calls.push(`create ${id}`)),
    remove: (id: string) => Promise.resolve(void calls.push(`remove ${id}`)),
    ...changes,
  };
  const run: ContractRun = { projectId, databases, env, output: 'ignore', say: (message) => said.push(message) };
  return { run, calls, said };
}

it('runs the contract on a database of its own, made before and removed after it', async () => {
  const { run, calls, said } = aRun();
  expect(await runContract({ ...run, only: 'a condition in' })).toBe(0);
  const databaseId = calls[0]?.replace('create ', '') ?? '';
  expect(databaseId).toMatch(/^[a-z][a-z0-9-]{2,61}[a-z0-9]$/);
  expect(calls).toEqual([`create ${databaseId}`, `remove ${databaseId}`]);
  expect(said.join()).toContain(databaseId);
  expect(await countWritten(databaseId)).toBeGreaterThan(0);
  expect(await countWritten('(default)')).toBe(0);
});

it('removes the database when the tests fail, and fails with them', async () => {
  const { run, calls } = aRun(
    {},
    { ...process.env, FIRESTORE_EMULATOR_HOST: undefined, NODE_OPTIONS: '--no-such-option' },
  );
  expect(await runContract(run)).not.toBe(0);
  expect(calls).toEqual([expect.stringMatching(/^create /), expect.stringMatching(/^remove /)]);
});

describe('a signal', () => {
  /** As Ctrl-C: whoever listens hears it, and nobody would mean the end of this process. */
  const signal = () => {
    expect(process.listenerCount('SIGINT')).toBeGreaterThan(listeners);
    process.emit('SIGINT');
  };
  let listeners = 0;
  beforeEach(() => (listeners = process.listenerCount('SIGINT')));
  afterEach(() => expect(process.listenerCount('SIGINT')).toBe(listeners));

  it('while the database is being made has it removed, and runs no test', async () => {
    const { run, calls, said } = aRun({ create: () => Promise.resolve().then(signal) });
    expect(await runContract(run)).toBe(1);
    expect(calls).toEqual([expect.stringMatching(/^remove /)]);
    expect(said).toContainEqual(expect.stringContaining('Stops'));
  });

  it('while the database is being removed stops nothing', async () => {
    const calls: string[] = [];
    const remove = async (id: string) => {
      signal();
      await systemClock.sleep(10);
      calls.push(id);
    };
    const { run } = aRun({ remove }, { ...process.env, NODE_OPTIONS: '--no-such-option' });
    await runContract(run);
    expect(calls).toHaveLength(1);
  });
});

it('runs nothing when the database cannot be made', async () => {
  const { run, calls } = aRun({ create: () => Promise.reject(new Error('PERMISSION_DENIED')) });
  await expect(runContract(run)).rejects.toThrow('PERMISSION_DENIED');
  expect(calls).toEqual([]);
});

it('tells how to remove a database that stays', async () => {
  const remove = () => Promise.reject(new Error('UNAVAILABLE'));
  const { run, calls } = aRun({ remove }, { ...process.env, NODE_OPTIONS: '--no-such-option' });
  const outcome = await runContract(run).catch((error: unknown) => error as Error);
  const databaseId = calls[0]?.replace('create ', '');
  expect(outcome).toMatchObject({ message: expect.stringContaining(`--database ${databaseId}`) as string });
});

it('asks for the project', async () => {
  const script = join(__dirname, 'real-database/run.ts');
  const outcome = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', script], (error, _stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stderr });
    });
  });
  expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('--project') as string });
});

/** Documents that the suite left in its collections of this name, at most 300. */
async function countWritten(databaseId: string): Promise<number> {
  const calls = new SdkFirestore({ ...readConfig(), databaseId });
  const store = new FirestoreDocumentStore(calls, { clock: systemClock, random: systemRandom });
  try {
    return (await store.listGroup('below', { limit: 300 }, deadlineIn(20_000, systemClock))).length;
  } finally {
    await store.close();
  }
}
