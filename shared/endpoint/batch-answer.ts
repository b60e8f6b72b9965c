import type { ValidBatch } from '../validation/batch';
import type { Success } from '../http/answer';

/** When a batch was done, by the name that its route gives the time (Spec §2.8, R-50). */
export type DoneAt = { readonly processedAt: string } | { readonly deletedAt: string };

/** The success of a batch (Spec §4.2): how many elements it had, and the fields that were not known, if any (D-21). */
export function batchSuccess(
  message: string,
  count: number,
  doneAt: DoneAt,
  ignoredFields: ValidBatch<unknown>['ignoredFields'],
): Success {
  return { message, data: { count, ...doneAt, ...(ignoredFields.length > 0 && { ignoredFields }) } };
}
