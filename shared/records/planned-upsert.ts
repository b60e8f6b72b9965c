import type { Deadline } from '../platform/deadline';
import type { PendingHint } from '../deletions/pending-flag';

/**
 * How many records a batch created and how many it updated, as the write preconditions decided. Elements of one record
 * count once. A record counts as updated where the answer to its creation was lost and the write was repeated.
 */
export interface UpsertedCounts {
  readonly created: number;
  readonly updated: number;
}

/**
 * Stores a valid batch for which everything was prepared that needs no stored data. Deletions that were accepted before
 * the flag was read are applied first (D-41). A repeat is safe.
 * @param flag the pending-deletions flag of the batch's kind
 * @param mayHoldLarge the tenant's flag of large records, read after the whole batch had arrived; for products and
 *   orders
 * @throws ValidationFailed if nothing was stored
 * @throws RetryLater if a part of the batch may be stored
 */
export type PlannedUpsert = (
  flag: Promise<PendingHint | undefined>,
  deadline: Deadline,
  mayHoldLarge: Promise<boolean>,
) => Promise<UpsertedCounts>;
