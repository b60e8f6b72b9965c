import type { Deadline } from '../platform/deadline';
import type { PendingHint } from '../deletions/pending-flag';

/**
 * A valid batch with everything thought out that takes nothing stored. Storing it comes after the deletions that were
 * accepted before the flag of its kind was read (D-41), and may be repeated.
 * @param mayHoldLarge whether the tenant may hold large records: read after all of the batch had arrived, for products
 *   and orders
 * @throws ValidationFailed before anything is stored; RetryLater when a part may be
 */
export type PlannedUpsert = (
  flag: Promise<PendingHint | undefined>,
  deadline: Deadline,
  mayHoldLarge: Promise<boolean>,
) => Promise<void>;
