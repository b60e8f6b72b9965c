import type { Success } from '../http/answer';
import type { CheckedBatch } from './on-invalid';

/** When a batch was done, under the field name that its route uses (Spec §2.8, R-50). */
export type DoneAt = { readonly processedAt: string } | { readonly deletedAt: string };

/** What an answer says of a batch of which `count` elements were done. */
export interface DoneBatch extends Pick<CheckedBatch<unknown>, 'ignoredFields' | 'skipped'> {
  readonly count: number;
}

/**
 * The success of a batch (Spec §4.2): the number of its elements, the unknown fields, if there are any (D-21), and what
 * was skipped, where that is allowed.
 */
export function batchSuccess(message: string, { count, ignoredFields, skipped }: DoneBatch, doneAt: DoneAt): Success {
  const rejected = skipped && { rejectedCount: skipped.rejected.count, rejected: skipped.rejected.first };
  return { message, data: { count, ...doneAt, ...(ignoredFields.length > 0 && { ignoredFields }), ...rejected } };
}
