import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EVENT_LOOP_SHARE_MS } from '../../limits/platform';

/**
 * Lets long computations share the event loop with all other work of the instance. A computation does one record at a
 * time, and in between `if (share.isUsedUp) await share.renew();`. It reads the process's own clock and no `Clock`,
 * because it bounds the time for which the processor is really held.
 */
export class EventLoopShare {
  private beganMs = performance.now();

  /** Whether this computation has held the event loop for EVENT_LOOP_SHARE_MS. */
  get isUsedUp(): boolean {
    return performance.now() - this.beganMs >= EVENT_LOOP_SHARE_MS;
  }

  /** Resolves when all other waiting work has had its turn. */
  async renew(): Promise<void> {
    await nextTurn();
    this.beganMs = performance.now();
  }
}

/** Like `items.map(work)`, but lets other work have the event loop in between. */
export async function mapInShares<T, R>(items: readonly T[], work: (item: T, index: number) => R): Promise<R[]> {
  const share = new EventLoopShare();
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    if (share.isUsedUp) await share.renew();
    results.push(work(item, index));
  }
  return results;
}

/**
 * Runs a generator, and lets other work have the event loop before each of its steps. It does so even before a single
 * step, so many short computations with one share do not hold the event loop together.
 * @returns the result of the generator
 */
export async function runInShares<R>(steps: Generator<void, R>, share: EventLoopShare): Promise<R> {
  for (;;) {
    if (share.isUsedUp) await share.renew();
    const step = steps.next();
    if (step.done) return step.value;
  }
}
