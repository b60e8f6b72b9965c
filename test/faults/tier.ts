/**
 * How much the tests of faults do: a little, always the same; all of it in `npm run test:faults`, which
 * draws a new seed every time and says it. FAULTS_SEED replays a run.
 */
import { randomInt } from 'node:crypto';

const isFull = process.env.FAULTS_TIER === 'full';

/** A count or a bound of the tier that runs. */
export function ofTier<T>(small: T, full: T): T {
  return isFull ? full : small;
}

const DEFAULT_SEED = 20_260_301;
const MAX_SEED = 2 ** 31;

/** Where everything random of the tests of faults comes from: an integer from 0 below 2^31. */
export const FAULTS_SEED = Number(process.env.FAULTS_SEED ?? ofTier(DEFAULT_SEED, randomInt(MAX_SEED)));

/** Another seed for the small tier alone, unless a run is replayed. */
export function seedOf(small: number): number {
  return process.env.FAULTS_SEED === undefined ? ofTier(small, FAULTS_SEED) : FAULTS_SEED;
}

/** Says what a test has done, in one line: the promise, how many cases held or not, and the seed to replay them. */
export function report(promise: string, cases: number, wrong: number, more = '', seed = FAULTS_SEED): void {
  const text = `[faults] ${promise}: ${cases} cases, seed ${seed}, ${wrong} wrong${more && `, ${more}`}`;
  process.stdout.write(`${text}\n`);
}
