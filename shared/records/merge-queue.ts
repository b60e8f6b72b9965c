import { MERGE_WINDOWS_AT_ONCE } from '../limits/records';

/**
 * Lets the requests of one instance that change the same large records take turns. In a race all of them read, merge
 * and send megabytes, and all but one do it again. Between instances the conditions of the writes decide, as ever.
 *
 * ConcurrencyLimit are taken in the order in which they were asked for. The queue has no bound of its own: a request waits in it
 * once, and an instance bounds its requests. Whoever had to wait beyond its own deadline must not begin any more.
 */
export class MergeQueue {
  /** By path: resolves when the last work that asked for it is over. */
  private readonly lasts = new Map<string, Promise<void>>();
  private free = MERGE_WINDOWS_AT_ONCE;
  private readonly waiting: (() => void)[] = [];

  /** Does the work when all work that asked for one of these paths before is over. */
  async runInTurn<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = new Set(paths.flatMap((path) => this.lasts.get(path) ?? []));
    let end = () => {};
    const over = new Promise<void>((resolve) => (end = resolve));
    for (const path of paths) this.lasts.set(path, over);
    try {
      await Promise.all(before);
      return await work();
    } finally {
      for (const path of paths) if (this.lasts.get(path) === over) this.lasts.delete(path);
      end();
    }
  }

  /**
   * Does the work on one window when fewer than MERGE_WINDOWS_AT_ONCE others are at it: each is in memory. It must not
   * take a turn.
   */
  async runWindow<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve)); // its place is handed over
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
