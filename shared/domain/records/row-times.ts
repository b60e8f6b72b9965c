/** The fields of a file's row with the times of its last update and of its deletion (D-58, R-27). */
import { parseDateTime } from '../values/date-time';
import { isPresent } from '../values/text';

export const UPDATED_AT = 'UpdatedAt';
export const DELETED_AT = 'DeletedAt';

/** Whether a row, or an element in it, is deleted. A blank time (empty, white space, null) counts as missing. */
export function isDeleted(element: { readonly [DELETED_AT]?: unknown }): boolean {
  const deletedAt = element[DELETED_AT];
  return typeof deletedAt === 'string' ? isPresent(deletedAt) : deletedAt !== undefined && deletedAt !== null;
}

/**
 * The time in a field of a row, or the message that says what is wrong with it.
 * @param latest a later time counts as in the future
 */
export function parseRowTime(row: Readonly<Record<string, unknown>>, field: string, latest: Date): Date | string {
  const value = row[field];
  const time = typeof value === 'string' ? parseDateTime(value) : undefined;
  if (!time) return `The field ${field} must be an ISO 8601 date or date-time.`;
  return time > latest ? `The field ${field} must not be in the future.` : time;
}
