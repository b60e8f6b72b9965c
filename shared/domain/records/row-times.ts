/** The fields of a file's row with the times of its last update and of its deletion (D-58, R-27). */
import { isPresent } from '../values/text';

export const UPDATED_AT = 'UpdatedAt';
export const DELETED_AT = 'DeletedAt';

/** Whether a row, or an element in it, is deleted. A blank time (empty, white space, null) counts as missing. */
export function isDeleted(element: { readonly [DELETED_AT]?: unknown }): boolean {
  const deletedAt = element[DELETED_AT];
  return typeof deletedAt === 'string' ? isPresent(deletedAt) : deletedAt !== undefined && deletedAt !== null;
}
