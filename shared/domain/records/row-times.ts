/** The fields of a file's row that tell when it is true, and since when something is deleted (D-58, R-27). */
import { isPresent } from '../values/text';

export const UPDATED_AT = 'UpdatedAt';
export const DELETED_AT = 'DeletedAt';

/** Whether a row, or an element in it, is deleted: a blank time (empty, white space, null) is none. */
export function isDeleted(element: { readonly [DELETED_AT]?: unknown }): boolean {
  const { [DELETED_AT]: at } = element;
  return typeof at === 'string' ? isPresent(at) : at !== undefined && at !== null;
}
