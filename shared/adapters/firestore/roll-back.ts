import { LOCKS_HELD_MS, ROLLBACK_WAIT_MS } from '../../limits/platform';
import { deadlineIn } from '../../platform/deadline';
import type { RetryDependencies } from '../../platform/retry';
import { withRetry } from '../../platform/retry';
import { isTransient } from './failures';
import type { FirestoreCalls } from './firestore-calls';

/**
 * Ends a transaction without a commit and releases its locks. Resolves after the first attempt, which the caller waits
 * for whatever is left of its deadline. If that fails, further attempts are made in the background for as long as the
 * database would hold the locks. Never rejects; repeating it is safe.
 */
export async function rollBack(
  calls: Pick<FirestoreCalls, 'rollback'>,
  transaction: Uint8Array,
  retry: RetryDependencies,
): Promise<void> {
  const attempt = (timeoutMs: number) => calls.rollback(transaction, timeoutMs);
  try {
    await attempt(ROLLBACK_WAIT_MS);
  } catch (error) {
    if (!isTransient(error)) return; // it has ended
    void withRetry(attempt, deadlineIn(LOCKS_HELD_MS, retry.clock), retry).catch(() => undefined);
  }
}
