import { MERGE_WINDOWS_AT_ONCE } from '../limits/records';
import { ConcurrencyLimit } from '../platform/async/concurrency-limit';

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
  private readonly windows = new ConcurrencyLimit(MERGE_WINDOWS_AT_ONCE);

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
  runWindow<T>(work: () => Promise<T>): Promise<T> {
    return this.windows.run(work);
  }
}
