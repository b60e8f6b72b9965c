import type { ValidBatch } from '../validation/batch';
import type { Success } from '../http/answer';

/** When a batch was done, under the field name that its route uses (Spec §2.8, R-50). */
export type DoneAt = { readonly processedAt: string } | { readonly deletedAt: string };

/** The success of a batch (Spec §4.2): the number of its elements, and the unknown fields, if there are any (D-21). */
export function batchSuccess(
  message: string,
  count: number,
  doneAt: DoneAt,
  ignoredFields: ValidBatch<unknown>['ignoredFields'],
): Success {
  return { message, data: { count, ...doneAt, ...(ignoredFields.length > 0 && { ignoredFields }) } };
}
