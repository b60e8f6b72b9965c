import type { DeletionTarget } from '../../../domain/deletion';
import { toMatchable } from '../../../domain/deletion';
import { customerSchema } from '../../../domain/dto/customer';
import type { DeletedItem, DeletedVariant } from '../../../domain/dto/deleted-row';
import { deletedItemsSchema, deletedVariantsSchema } from '../../../domain/dto/deleted-row';
import type { DeleteCustomerDto, DeleteOrderDto, DeleteProductDto } from '../../../domain/dto/deletion';
import { orderSchema } from '../../../domain/dto/order';
import { productSchema } from '../../../domain/dto/product';
import type { RecordKind } from '../../../domain/identity';
import { DELETED_AT, isDeleted, parseRowTime, UPDATED_AT } from '../../../domain/records/row-times';
import type { Tenant } from '../../../domain/tenant';
import { isPresent } from '../../../domain/values/text';
import type { SplitRow } from '../../../files/deleting-rows';
import { splitDeletedParts, toRowPath } from '../../../files/deleting-rows';
import { KIND_FIELDS } from '../../../files/kind-fields';
import type { Row } from '../../../files/row';
import type { TimedDeletion, TimedRow } from './located-row';
import { compileRowValidator } from '../../../validation/batch';
import { compileUnknownFieldCollector } from '../../../validation/unknown-fields';
import { customerBatch } from '../../../validation/customer-batch';
import { customerDeletionBatch, orderDeletionBatch, productDeletionBatch } from '../../../validation/deletion-batches';
import { orderBatch } from '../../../validation/order-batch';
import { ErrorCollector } from '../../../validation/error-collector';
import { productBatch } from '../../../validation/product-batch';
import { ValidationFailed } from '../../../validation/validation-failed';
import { hasValue, isObject } from '../../../validation/values';

const VALIDATORS = {
  customers: compileRowValidator(customerBatch),
  products: compileRowValidator(productBatch),
  orders: compileRowValidator(orderBatch),
} as const;

const DELETION_VALIDATORS = {
  customers: compileRowValidator(customerDeletionBatch),
  products: compileRowValidator(productDeletionBatch),
  orders: compileRowValidator(orderDeletionBatch),
} as const;

/** Of the kinds whose records have parts. */
const DELETED_PARTS_VALIDATORS = {
  products: compileRowValidator({ ...productBatch, schema: deletedVariantsSchema }),
  orders: compileRowValidator({ ...orderBatch, schema: deletedItemsSchema }),
} as const;

const UNKNOWN_FIELDS = {
  customers: compileUnknownFieldCollector(customerSchema),
  products: compileUnknownFieldCollector(productSchema),
  orders: compileUnknownFieldCollector(orderSchema),
} as const;

/** Fields that rows have and records do not: their times. */
const ROW_FIELDS = {
  customers: [UPDATED_AT, DELETED_AT],
  products: [UPDATED_AT, DELETED_AT, `ProductVariants.${DELETED_AT}`],
  orders: [UPDATED_AT, DELETED_AT, `OrderItems.${DELETED_AT}`],
} as const;

export interface RowTimes {
  /** The time of rows without a time of their own. */
  readonly file: Date;
  /**
   * A later time counts as in the future. It is the same whenever a row is read, so that a repeat has the same
   * outcome.
   */
  readonly latest: Date;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Validates a row of a file. Its time is that of its own `UpdatedAt`, else the file's (D-58).
 *
 * A row with `DeletedAt` is a deletion as of that time. Of its other fields only those count that identify the record
 * or the part. Nested elements with `DeletedAt` are deletions of parts. A row with such elements and nothing else
 * about its record only deletes.
 * @throws ValidationFailed with the messages of D-52
 */
export function requireValidRow(row: Row, kind: RecordKind, tenant: Tenant, times: RowTimes): TimedRow {
  if ('messages' in row) throw new ValidationFailed(row.messages);
  const { record } = row;
  if (isObject(record) && isDeleted(record)) return toDeletion(record, kind, tenant, times);
  if (isObject(record) && kind !== 'customers') {
    const split = splitDeletedParts(record, kind);
    if (split) return toPartsDeletion(record, split, kind, tenant, times);
  }
  VALIDATORS[kind](record, tenant);
  return { dto: record as object, at: requireRowTime(record as Fields, times) };
}

/**
 * Adds the paths of a row's fields that no record has, as long as there are fewer than 20 (D-21). The row may be bad.
 */
export function noteIgnoredFields(record: object, kind: RecordKind, ignored: Set<string>): void {
  const ignoredBefore = KIND_FIELDS[kind].partIds.filter((field) => ignored.has(field));
  UNKNOWN_FIELDS[kind](record, ignored);
  const known = isDeleted(record) ? [...ROW_FIELDS[kind], ...KIND_FIELDS[kind].partIds] : ROW_FIELDS[kind];
  for (const field of known) ignored.delete(field);
  for (const field of ignoredBefore) ignored.add(field); // an earlier row that deletes nothing had it
}

function toDeletion(record: Fields, kind: RecordKind, tenant: Tenant, times: RowTimes): TimedRow {
  DELETION_VALIDATORS[kind](record, tenant);
  const at = requireTime(record, DELETED_AT, times);
  const target = toMatchable(targetOf(record, kind));
  return { dto: toIdentifiers(record, kind), at, deletesOnly: true, deletions: target ? [{ target, at }] : [] };
}

/** The target of a valid row that deletes: a part where it identifies one, else the record. */
function targetOf(record: Fields, kind: RecordKind): DeletionTarget {
  switch (kind) {
    case 'customers': {
      const { CustomerId, Email } = record as DeleteCustomerDto;
      return { type: 'customer', customerId: CustomerId ?? null, email: Email ?? null };
    }
    case 'products': {
      const { ProductId: productId, VariantId } = record as DeleteProductDto;
      return isPresent(VariantId)
        ? { type: 'variant', productId, variantId: VariantId }
        : { type: 'product', productId };
    }
    case 'orders': {
      const { OrderId: orderId, ProductId, Sku } = record as DeleteOrderDto;
      if (!isPresent(ProductId) && !isPresent(Sku)) return { type: 'order', orderId };
      return { type: 'orderItem', orderId, productId: ProductId ?? null, sku: Sku ?? null };
    }
  }
}

/** A record with only the fields that identify it. */
function toIdentifiers(record: Fields, kind: RecordKind): object {
  if (kind === 'customers') return { CustomerId: record.CustomerId, Email: record.Email };
  if (kind === 'orders') return { OrderId: record.OrderId };
  return { ProductId: record.ProductId, ProductVariants: [] };
}

/** A row with elements that are deleted, and perhaps others and fields of its own. */
function toPartsDeletion(
  record: Fields,
  split: SplitRow,
  kind: 'products' | 'orders',
  tenant: Tenant,
  times: RowTimes,
): TimedRow {
  const { parts, deletedIndexes, otherIndexes, recordToStore, deletesOnly } = split;
  const errors = new ErrorCollector();
  let deletions: readonly TimedDeletion[] = [];
  let at: Date | undefined;
  collectErrors(errors, deletedIndexes, parts, () => {
    deletions = requireDeletions(record, split, kind, tenant, times);
  });
  if (!deletesOnly) {
    collectErrors(errors, otherIndexes, parts, () => {
      VALIDATORS[kind](recordToStore, tenant);
      at = requireRowTime(record, times);
    });
  }
  if (!errors.isEmpty) throw new ValidationFailed(errors.toErrors());
  const last = deletions.at(-1)?.at ?? times.file;
  if (deletesOnly) return { dto: toIdentifiers(record, kind), at: last, deletesOnly, deletions };
  return { dto: recordToStore, at: at ?? times.file, deletions };
}

/** Runs a check of some of a row's elements. Adds the errors that it throws, with the elements' indexes in the row. */
function collectErrors(errors: ErrorCollector, indexes: readonly number[], parts: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    for (const [path, messages] of Object.entries<readonly string[]>(error.errors)) {
      for (const message of messages) errors.add(toRowPath(path, indexes, parts), message);
    }
  }
}

/** The deletions of parts, from the oldest to the newest. @throws ValidationFailed */
function requireDeletions(
  record: Fields,
  { parts, deleted }: SplitRow,
  kind: 'products' | 'orders',
  tenant: Tenant,
  times: RowTimes,
): readonly TimedDeletion[] {
  const [identifier] = KIND_FIELDS[kind].identifiers;
  DELETED_PARTS_VALIDATORS[kind]({ [identifier]: record[identifier], [parts]: deleted }, tenant);
  const errors = new ErrorCollector();
  const deletions = deleted.flatMap((element, index) => {
    const path = `${parts}[${index}]`;
    if (kind === 'orders' && ![element.ProductId, element.Sku].some(hasValue)) {
      errors.add(path, 'At least one of ProductId, Sku must have a value.');
      return [];
    }
    const at = parseRowTime(element, DELETED_AT, times.latest);
    if (typeof at === 'string') {
      errors.add(`${path}.${DELETED_AT}`, at);
      return [];
    }
    const target = toMatchable(partTargetOf(record, element, kind));
    return target ? [{ target, at }] : [];
  });
  if (!errors.isEmpty) throw new ValidationFailed(errors.toErrors());
  return deletions.sort((a, b) => a.at.getTime() - b.at.getTime());
}

function partTargetOf(record: Fields, element: Fields, kind: 'products' | 'orders'): DeletionTarget {
  if (kind === 'products') {
    const { VariantId } = element as unknown as DeletedVariant;
    return { type: 'variant', productId: record.ProductId as string, variantId: VariantId };
  }
  const { ProductId, Sku } = element as DeletedItem;
  return { type: 'orderItem', orderId: record.OrderId as string, productId: ProductId ?? null, sku: Sku ?? null };
}

function requireRowTime(record: Fields, times: RowTimes): Date {
  const { [UPDATED_AT]: updatedAt } = record;
  if (updatedAt === undefined || updatedAt === null || updatedAt === '') return times.file;
  return requireTime(record, UPDATED_AT, times);
}

function requireTime(record: Fields, field: string, times: RowTimes): Date {
  const time = parseRowTime(record, field, times.latest);
  if (typeof time === 'string') throw new ValidationFailed({ [field]: [time] });
  return time;
}
