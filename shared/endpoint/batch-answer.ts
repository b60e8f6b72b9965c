import type { ShownWarning, Warnings } from '../domain/warnings/warning';
import { toShownWarnings } from '../domain/warnings/warning';
import type { Success } from '../http/answer';
import type { UpsertedCounts } from '../records/planned-upsert';
import type { RejectedElement } from '../validation/batch';
import type { CheckedBatch } from './on-invalid';

/**
 * What an answer says of a batch, under the field names of its route: when it was done (Spec §2.8, R-50) and, of an
 * upsert, the counts of records.
 */
export type BatchOutcome =
  | ({ readonly processedAt: string } & UpsertedCounts)
  | { readonly deletedAt: string }
  | { readonly wouldCreate: number; readonly wouldUpdate: number }
  | Readonly<Record<string, never>>;

/** What each answer to a batch says beside its outcome. */
export interface BatchData {
  readonly count: number;
  readonly ignoredFields?: readonly string[];
  readonly rejectedCount?: number;
  readonly rejected?: readonly RejectedElement[];
  readonly warnings?: readonly ShownWarning[];
}

/** What an answer says of a batch of which `count` elements were done, or are valid. */
export interface DoneBatch extends Pick<CheckedBatch<unknown>, 'ignoredFields' | 'skipped'> {
  readonly count: number;
  readonly warnings: Warnings;
}

/**
 * The success of a batch (Spec §4.2): the number of its elements, the unknown fields (D-21) and warnings, if
 * there are any, and what was skipped, where that is allowed.
 */
export function batchSuccess(
  message: string,
  { count, ignoredFields, skipped, warnings }: DoneBatch,
  outcome: BatchOutcome,
): Success {
  const rejected = skipped && { rejectedCount: skipped.rejected.count, rejected: skipped.rejected.first };
  const shown = toShownWarnings(warnings);
  const notices = { ...(ignoredFields.length > 0 && { ignoredFields }), ...(shown.length > 0 && { warnings: shown }) };
  const data: BatchData = { count, ...outcome, ...notices, ...rejected };
  const done = {
    ...('created' in outcome && { records: count }),
    ...('deletedAt' in outcome && { deletions: count }),
    ...(skipped && { rejected: skipped.rejected.count }),
  };
  return { message, data: { ...data }, done };
}
