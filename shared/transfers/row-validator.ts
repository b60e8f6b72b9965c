import { parseDateTime } from '../domain/date-time';
import type { RecordKind } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import type { Row } from '../files/row';
import type { TimedRow } from '../records/place-row';
import { compileRowValidator } from '../validation/batch';
import { compileUnknownFields } from '../validation/unknown-fields';
import { customerBatch } from '../validation/customer-batch';
import { orderBatch } from '../validation/order-batch';
import { productBatch } from '../validation/product-batch';
import { ValidationFailed } from '../validation/validation-failed';

const VALIDATORS = {
  customers: compileRowValidator(customerBatch),
  products: compileRowValidator(productBatch),
  orders: compileRowValidator(orderBatch),
} as const;

const UNKNOWN_FIELDS = {
  customers: compileUnknownFields(customerBatch.schema),
  products: compileUnknownFields(productBatch.schema),
  orders: compileUnknownFields(orderBatch.schema),
} as const;

export interface RowTimes {
  /** Counts for rows without a time of their own. */
  readonly file: Date;
  /**
   * A later time is in the future. The same whenever the row is read, so that a row that comes again is judged alike.
   */
  readonly latest: Date;
}

/**
 * A row of a file as a valid record with its time: that of its own `UpdatedAt`, else the file's (D-58).
 * @throws ValidationFailed with the messages of D-52
 */
export function requireValidRow(row: Row, kind: RecordKind, tenant: Tenant, times: RowTimes): TimedRow {
  if ('messages' in row) throw new ValidationFailed(row.messages);
  VALIDATORS[kind](row.record, tenant);
  const dto = row.record as { UpdatedAt?: unknown };
  return { dto, at: requireTime(dto.UpdatedAt, times) };
}

/** Adds the paths of a valid row's fields that are not stored, as long as there are fewer than 20 (D-21). */
export function noteIgnoredFields({ dto }: TimedRow, kind: RecordKind, ignored: Set<string>): void {
  UNKNOWN_FIELDS[kind](dto, ignored);
  ignored.delete('UpdatedAt'); // it is the row's time
}

function requireTime(updatedAt: unknown, { file, latest }: RowTimes): Date {
  if (updatedAt === undefined || updatedAt === null || updatedAt === '') return file;
  const time = typeof updatedAt === 'string' ? parseDateTime(updatedAt) : undefined;
  if (!time) throw invalidTime('The field UpdatedAt must be an ISO 8601 date or date-time.');
  if (time > latest) throw invalidTime('The field UpdatedAt must not be in the future.');
  return time;
}

function invalidTime(message: string): ValidationFailed {
  return new ValidationFailed({ UpdatedAt: [message] });
}
