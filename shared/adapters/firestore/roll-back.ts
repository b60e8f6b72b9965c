import { LOCKS_HELD_MS, ROLLBACK_WAIT_MS } from '../../limits/platform';
import { deadlineIn } from '../../platform/deadline';
import type { RetryDependencies } from '../../platform/retry';
import { maySucceedLater, withRetry } from '../../platform/retry';
import type { FirestoreCalls } from './firestore-calls';

/**
 * Ends a transaction without a commit and releases its locks. Resolves when it has ended, or after ROLLBACK_WAIT_MS,
 * whatever is left of the caller's deadline. If it has not ended then, it is tried again in the background for as long
 * as the database would hold the locks. Never rejects; repeating it is safe.
 */
export async function rollBack(
  calls: Pick<FirestoreCalls, 'rollback'>,
  transaction: Uint8Array,
  retry: RetryDependencies,
): Promise<void> {
  const attempt = (timeoutMs: number) => calls.rollback(transaction, timeoutMs);
  const within = (ms: number) => withRetry(attempt, deadlineIn(ms, retry.clock), retry);
  try {
    await within(ROLLBACK_WAIT_MS);
  } catch (error) {
    // Another error says that it has ended. An instance without a request may have no CPU in the background.
    if (maySucceedLater(error)) void within(LOCKS_HELD_MS).catch(() => undefined);
  }
}
