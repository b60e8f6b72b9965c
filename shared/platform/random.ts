import { randomBytes } from 'node:crypto';

/** The source of randomness, for keys, identifiers, revisions and the jitter of retries. */
export interface Random {
  /** `size` unpredictable bytes. */
  bytes(size: number): Buffer;
  /** A number from 0 (inclusive) to 1 (exclusive), for jitter only. */
  fraction(): number;
}

export const systemRandom: Random = {
  bytes: (size) => randomBytes(size),
  fraction: () => Math.random(),
};
