import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Databases } from './throwaway-databases';

export interface ContractRun {
  readonly projectId: string;
  readonly databases: Databases;
  /** What the tests read; the project and the database are set here. */
  readonly env: NodeJS.ProcessEnv;
  /** Shows what the tests say: they say it themselves, or nobody hears it. */
  readonly output: 'inherit' | 'ignore';
  readonly say: (message: string) => void;
  /** Only tests whose name contains this; omitted: all. */
  readonly only?: string;
}

const JEST = require.resolve('jest/bin/jest');

/**
 * Runs the contract of the store on a database of its own, which is removed afterwards, whatever happens: a signal ends
 * the tests, or keeps them from beginning, and nothing else.
 * @returns the exit code of the tests; 1 where a signal kept them from beginning
 * @throws when the database cannot be made, or cannot be removed
 */
export async function runContract({ projectId, databases, env, output, say, only }: ContractRun): Promise<number> {
  const databaseId = `contract-${randomBytes(6).toString('hex')}`;
  const stop = new AbortController();
  const end = () => {
    if (!stop.signal.aborted) say('Stops, once the database is removed.');
    stop.abort();
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  try {
    say(`Makes the database ${databaseId} in ${projectId}.`);
    await databases.create(databaseId);
    try {
      const ofTests = { ...env, GOOGLE_CLOUD_PROJECT: projectId, FIRESTORE_DATABASE: databaseId };
      return await runTests(ofTests, output, stop.signal, only);
    } finally {
      say(`Removes the database ${databaseId}.`);
      await databases.remove(databaseId).catch((error: unknown) => {
        const command = `gcloud firestore databases delete --project ${projectId} --database ${databaseId}`;
        throw new Error(`The database stays; remove it with: ${command}`, { cause: error });
      });
    }
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

async function runTests(
  env: NodeJS.ProcessEnv,
  output: ContractRun['output'],
  signal: AbortSignal,
  only?: string,
): Promise<number> {
  if (signal.aborted) return 1;
  const config = join(__dirname, '../../../jest.contract.config.js');
  const filter = only === undefined ? [] : ['--testNamePattern', only];
  const tests = spawn(process.execPath, [JEST, '--config', config, '--runInBand', ...filter], { env, stdio: output });
  signal.addEventListener('abort', () => tests.kill());
  const [code] = (await once(tests, 'exit')) as [number | null];
  return code ?? 1;
}
