import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EVENT_LOOP_SHARE_MS } from '../../limits/platform';

/**
 * Lets long computations share the event loop with everything else that the instance does: a step for each record, and
 * between two steps `if (share.isUsedUp) await share.renew();`. It measures what it bounds, the time that the processor
 * was kept, and so reads the process's own clock.
 */
export class EventLoopShare {
  private beganMs = performance.now();

  /** Whether this computation has held the event loop for EVENT_LOOP_SHARE_MS. */
  get isUsedUp(): boolean {
    return performance.now() - this.beganMs >= EVENT_LOOP_SHARE_MS;
  }

  /** Resolves when everything else that was waiting has had its turn. */
  async renew(): Promise<void> {
    await nextTurn();
    this.beganMs = performance.now();
  }
}

/** Like `items.map(work)`, but lets others have the event loop in between. */
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
 * Does a computation in steps, and lets others have the event loop before each. One of a single step lets them have it
 * too, so that many short computations with one share do not hold it together.
 * @returns its result
 */
export async function runInShares<R>(steps: Generator<void, R>, share: EventLoopShare): Promise<R> {
  for (;;) {
    if (share.isUsedUp) await share.renew();
    const step = steps.next();
    if (step.done) return step.value;
  }
}
