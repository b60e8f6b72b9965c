/** Where the story is told: on a local stack by `npm run demo`, on a deployment or any stack by `npm run smoke`. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../shared/config';
import type { Operator } from '../../shared/operations/operator';
import type { ShopBucket } from './bucket';

export interface Stage {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly config: Config;
  readonly operator: Operator;
  /** With what the names of its organizations begin. */
  readonly name: string;
  /** The shop Aurora's. */
  readonly bucket: ShopBucket;
  /** Headers that whoever is between the service and its callers adds to answers, in lower case. */
  readonly addedHeaders: readonly string[];
  /** Ends the story, wherever it is, once it is aborted. */
  readonly signal: AbortSignal;
}

/** Waits. @throws what the stage's signal was aborted with */
export async function pause(milliseconds: number, { signal }: Pick<Stage, 'signal'>): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
}
