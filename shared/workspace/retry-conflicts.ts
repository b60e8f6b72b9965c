import type { Clock } from '../platform/clock';
import type { Deadline } from '../platform/deadline';
import { RETRY_FIRST_WAIT_MS, RETRY_LONGEST_WAIT_MS } from '../limits/platform';
import type { Random } from '../platform/random';
import { RetryLater } from '../platform/retry-later';

/** Other writers kept changing the same records until the deadline. Nothing is lost: the caller repeats the request. */
export class ContentionTimeout extends RetryLater {
  override readonly name = 'ContentionTimeout';
}

/**
 * Optimistic retry: repeats `attempt` with the items that it returns as still in conflict, until it returns none. In
 * each round one of the competing writers of a record succeeds, so all of them finish. Random waits spread them out.
 * @throws ContentionTimeout at the deadline
 */
export async function retryConflicts<T>(
  items: readonly T[],
  attempt: (open: readonly T[]) => Promise<readonly T[]>,
  deadline: Deadline,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<void> {
  let open = items;
  for (let round = 0; ; round += 1) {
    open = open.length === 0 ? open : await attempt(open);
    if (open.length === 0) return;
    // The first retry does not wait: it has learned what the first attempt did not know.
    const longestMs = round === 0 ? 0 : Math.min(RETRY_FIRST_WAIT_MS * 2 ** round, RETRY_LONGEST_WAIT_MS);
    if (longestMs > 0) await clock.sleep(Math.min(random.fraction() * longestMs, deadline.remainingMs()));
    if (deadline.remainingMs() === 0) throw new ContentionTimeout(`${open.length} records kept changing.`);
  }
}
