import { MERGE_WINDOWS_AT_ONCE } from '../limits/records';

/**
 * Serializes requests of one instance that change the same large records. Without it all of them would read, merge and
 * send megabytes, and all but one would be in conflict and repeat that. Between instances the write preconditions
 * decide.
 *
 * The queue is first come, first served. It has no bound of its own: a request waits in it once, and an instance bounds
 * its requests. A request that has waited beyond its deadline must not begin its work.
 */
export class MergeQueue {
  /** By path: resolves when the last queued work on it has ended. */
  private readonly lastByPath = new Map<string, Promise<void>>();
  private freeWindows = MERGE_WINDOWS_AT_ONCE;
  private readonly waiting: (() => void)[] = [];

  /** Runs the work when all earlier work on one of these paths has ended. */
  async runInTurn<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
    const earlier = new Set(paths.flatMap((path) => this.lastByPath.get(path) ?? []));
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    for (const path of paths) this.lastByPath.set(path, ended);
    try {
      await Promise.all(earlier);
      return await work();
    } finally {
      for (const path of paths) if (this.lastByPath.get(path) === ended) this.lastByPath.delete(path);
      end();
    }
  }

  /**
   * Runs the work on one window while at most MERGE_WINDOWS_AT_ONCE windows are in memory. The work must not call
   * `runInTurn`.
   */
  async runWindow<T>(work: () => Promise<T>): Promise<T> {
    if (this.freeWindows > 0) this.freeWindows -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve)); // the window that ends is handed over
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.freeWindows += 1;
    }
  }
}
