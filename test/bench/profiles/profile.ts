/**
 * Where the functions run while they are measured. `local`: on the machine as it is, with the emulators beside them.
 * `cloud`: on one processor of their own, with the emulators and everything else on the others, and with each call of
 * Firestore, Pub/Sub and Cloud Storage held back for as long as the real service takes (`latencies.ts`).
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { SeededRandom } from '../../support/seeded-random';
import { StackError } from '../../local/stack-error';
import type { BenchStack, ServerOptions } from '../bench-stack';
import { CountingProxy } from '../counting-proxy';
import { NOTHING } from '../firestore-calls';
import { holdBackHttp } from './held-back-http';
import { LatencyModel, STORAGE } from './latencies';

export const PROFILES = ['local', 'cloud'] as const;
export type Profile = (typeof PROFILES)[number];

/** How a server is started under a profile. */
export type ProfiledServer = Pick<ServerOptions, 'environment' | 'processor'>;

/** Has the calls that follow meet the same latencies as those after another call with this seed. */
export type RestartLatencies = (seed: number) => void;

const FUNCTION_PROCESSOR = '0';

/**
 * Leaves the function's processor to the functions: this process and what it starts run on the others.
 * @throws StackError where there is one processor only, or no `taskset`
 */
export function leaveFunctionProcessor(): void {
  const last = cpus().length - 1;
  if (last < 1) throw new StackError('The profile cloud needs two processors.');
  try {
    execFileSync('taskset', ['-a', '-c', '-p', `1-${last}`, String(process.pid)], { stdio: 'ignore' });
  } catch {
    throw new StackError('The profile cloud needs taskset, which is part of util-linux.');
  }
}

/** Runs with what servers are started with under a profile. @param storageAddress `http://host:port`, where files are */
export async function withProfile<T>(
  profile: Profile,
  { config }: Pick<BenchStack, 'config'>,
  storageAddress: string | undefined,
  use: (server: ProfiledServer, restartLatencies: RestartLatencies) => Promise<T>,
): Promise<T> {
  if (profile === 'local') return use({}, () => undefined);
  let model = new LatencyModel(new SeededRandom());
  const hold = (method: string) => model.drawFor(method);
  const firestore = await CountingProxy.start(config.emulators.firestore ?? '', () => NOTHING, hold);
  const pubsub = await CountingProxy.start(config.emulators.pubsub ?? '', () => NOTHING, hold);
  const storage = storageAddress && (await holdBackHttp(storageAddress, () => model.draw(STORAGE)));
  try {
    const environment = {
      FIRESTORE_EMULATOR_HOST: firestore.address,
      PUBSUB_EMULATOR_HOST: pubsub.address,
      ...(storage && { STORAGE_EMULATOR_HOST: storage.address }),
    };
    return await use({ processor: FUNCTION_PROCESSOR, environment }, (seed) => {
      model = new LatencyModel(new SeededRandom(String(seed)));
    });
  } finally {
    firestore.stop();
    pubsub.stop();
    if (storage) storage.stop();
  }
}
