import { parseDateTime } from '../../domain/values/date-time';
import type { DeletionTarget } from '../../domain/deletion';
import { toMatchable } from '../../domain/deletion';
import { customerSchema } from '../../domain/dto/customer';
import type { DeletedItem, DeletedVariant } from '../../domain/dto/deleted-row';
import { deletedItemsSchema, deletedVariantsSchema } from '../../domain/dto/deleted-row';
import type { DeleteCustomerDto, DeleteOrderDto, DeleteProductDto } from '../../domain/dto/deletion';
import { orderSchema } from '../../domain/dto/order';
import { productSchema } from '../../domain/dto/product';
import type { RecordKind } from '../../domain/identity';
import { MAX_PARTS } from '../../domain/limits';
import { DELETED_AT, isDeleted, UPDATED_AT } from '../../domain/records/row-times';
import type { Tenant } from '../../domain/tenant';
import { isPresent } from '../../domain/values/text';
import { KIND_FIELDS } from '../../files/kind-fields';
import type { Row } from '../../files/row';
import type { TimedDeletion, TimedRow } from './located-row';
import { compileRowValidator } from '../../validation/batch';
import { compileUnknownFieldCollector } from '../../validation/unknown-fields';
import { customerBatch } from '../../validation/customer-batch';
import { customerDeletionBatch, orderDeletionBatch, productDeletionBatch } from '../../validation/deletion-batches';
import { orderBatch } from '../../validation/order-batch';
import { ErrorCollector } from '../../validation/error-collector';
import { productBatch } from '../../validation/product-batch';
import { ValidationFailed } from '../../validation/validation-failed';
import { hasValue, isObject } from '../../validation/values';

const VALIDATORS = {
  customers: compileRowValidator(customerBatch),
  products: compileRowValidator(productBatch),
  orders: compileRowValidator(orderBatch),
} as const;

const DELETED = {
  customers: compileRowValidator(customerDeletionBatch),
  products: compileRowValidator(productDeletionBatch),
  orders: compileRowValidator(orderDeletionBatch),
} as const;

/** The kinds whose records have parts: the field of these, and the record's identifier. */
const PARTED = {
  products: {
    parts: 'ProductVariants',
    identifier: 'ProductId',
    fields: Object.keys(productSchema.properties),
    check: compileRowValidator({ ...productBatch, schema: deletedVariantsSchema }),
  },
  orders: {
    parts: 'OrderItems',
    identifier: 'OrderId',
    fields: Object.keys(orderSchema.properties),
    check: compileRowValidator({ ...orderBatch, schema: deletedItemsSchema }),
  },
} as const;

const UNKNOWN_FIELDS = {
  customers: compileUnknownFieldCollector(customerSchema),
  products: compileUnknownFieldCollector(productSchema),
  orders: compileUnknownFieldCollector(orderSchema),
} as const;

/** Fields that records do not have and rows may: their times and, of a row that deletes, what identifies a part. */
const ROW_FIELDS = {
  customers: [UPDATED_AT, DELETED_AT],
  products: [UPDATED_AT, DELETED_AT, `ProductVariants.${DELETED_AT}`],
  orders: [UPDATED_AT, DELETED_AT, `OrderItems.${DELETED_AT}`],
} as const;

export interface RowTimes {
  /** Counts for rows without a time of their own. */
  readonly file: Date;
  /**
   * A later time is in the future. The same whenever the row is read, so that a row that comes again is judged alike.
   */
  readonly latest: Date;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * A row of a file as a valid record with its time: that of its own `UpdatedAt`, else the file's (D-58). With
 * `DeletedAt` it is a deletion as of then, and nothing else of it counts but what identifies the record or its part.
 * Nested elements with `DeletedAt` are deletions of parts, and the row deletes only if it says nothing else of the
 * record.
 * @throws ValidationFailed with the messages of D-52
 */
export function requireValidRow(row: Row, kind: RecordKind, tenant: Tenant, times: RowTimes): TimedRow {
  if ('messages' in row) throw new ValidationFailed(row.messages);
  const { record } = row;
  if (isObject(record) && isDeleted(record)) return toDeletion(record, kind, tenant, times);
  if (isObject(record) && kind !== 'customers') {
    const elements = record[PARTED[kind].parts];
    // One with too many elements is refused as any other.
    if (Array.isArray(elements) && elements.length <= MAX_PARTS && elements.some(isDeletedElement)) {
      return toPartsDeletion(record, elements, kind, tenant, times);
    }
  }
  VALIDATORS[kind](record, tenant);
  return { dto: record as object, at: requireRowTime(record as Fields, times) };
}

/** Adds the paths of fields that no record has, of a refused row too, as long as there are fewer than 20 (D-21). */
export function noteIgnoredFields(record: object, kind: RecordKind, ignored: Set<string>): void {
  const before = KIND_FIELDS[kind].partIds.filter((field) => ignored.has(field));
  UNKNOWN_FIELDS[kind](record, ignored);
  const own = isDeleted(record) ? [...ROW_FIELDS[kind], ...KIND_FIELDS[kind].partIds] : ROW_FIELDS[kind];
  for (const field of own) ignored.delete(field);
  for (const field of before) ignored.add(field); // of another row, in which it means nothing
}

function toDeletion(record: Fields, kind: RecordKind, tenant: Tenant, times: RowTimes): TimedRow {
  DELETED[kind](record, tenant);
  const at = requireTime(record, DELETED_AT, times);
  const target = toMatchable(targetOf(record, kind));
  return { dto: identifying(record, kind), at, deletesOnly: true, deletions: target ? [{ target, at }] : [] };
}

/** What a valid row that deletes means: a part, where it identifies one. */
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

/** The least of a record that tells which one it is. */
function identifying(record: Fields, kind: RecordKind): object {
  if (kind === 'customers') return { CustomerId: record.CustomerId, Email: record.Email };
  if (kind === 'orders') return { OrderId: record.OrderId };
  return { ProductId: record.ProductId, ProductVariants: [] };
}

function isDeletedElement(element: unknown): element is Fields {
  return isObject(element) && isDeleted(element);
}

/** A row with elements that are deleted, and perhaps others and fields of its own. */
function toPartsDeletion(
  record: Fields,
  elements: readonly unknown[],
  kind: 'products' | 'orders',
  tenant: Tenant,
  times: RowTimes,
): TimedRow {
  const { parts, identifier, fields } = PARTED[kind];
  const places = { deleted: [] as number[], other: [] as number[] };
  elements.forEach((element, index) => places[isDeletedElement(element) ? 'deleted' : 'other'].push(index));
  const rest = { ...record, [parts]: places.other.map((index) => elements[index]) };
  const isAnyOther = (field: string) => field !== identifier && field !== parts && record[field] !== undefined;
  const deletesOnly = places.other.length === 0 && !fields.some(isAnyOther);
  const errors = new ErrorCollector();
  let deletions: readonly TimedDeletion[] = [];
  let at: Date | undefined;
  collect(errors, places.deleted, parts, () => {
    deletions = requireDeletions(
      record,
      places.deleted.map((index) => elements[index] as Fields),
      kind,
      tenant,
      times,
    );
  });
  if (!deletesOnly) {
    collect(errors, places.other, parts, () => {
      VALIDATORS[kind](rest, tenant);
      at = requireRowTime(record, times);
    });
  }
  if (!errors.isEmpty) throw new ValidationFailed(errors.toErrors());
  const last = deletions.at(-1)?.at ?? times.file;
  if (deletesOnly) return { dto: identifying(record, kind), at: last, deletesOnly, deletions };
  return { dto: rest, at: at ?? times.file, deletions };
}

/** Runs a check of some of a row's elements; adds what it throws, at the places that they have in the row. */
function collect(errors: ErrorCollector, places: readonly number[], parts: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    for (const [path, messages] of Object.entries<readonly string[]>(error.errors)) {
      for (const message of messages) errors.add(atPlaces(path, places, parts), message);
    }
  }
}

/** `OrderItems[0].Sku` of the elements at these places as a path of the row. */
function atPlaces(path: string, places: readonly number[], parts: string): string {
  if (!path.startsWith(`${parts}[`)) return path;
  const end = path.indexOf(']');
  const index = places[Number(path.slice(parts.length + 1, end))] ?? 0;
  return `${parts}[${index}${path.slice(end)}`;
}

/** Deletions of parts from the oldest to the newest. @throws ValidationFailed */
function requireDeletions(
  record: Fields,
  deleted: readonly Fields[],
  kind: 'products' | 'orders',
  tenant: Tenant,
  times: RowTimes,
): readonly TimedDeletion[] {
  const { parts, identifier, check } = PARTED[kind];
  check({ [identifier]: record[identifier], [parts]: deleted }, tenant);
  const errors = new ErrorCollector();
  const deletions = deleted.flatMap((element, index) => {
    const path = `${parts}[${index}]`;
    if (kind === 'orders' && ![element.ProductId, element.Sku].some(hasValue)) {
      errors.add(path, 'At least one of ProductId, Sku must have a value.');
      return [];
    }
    const at = timeOf(element, DELETED_AT, times);
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
  const time = timeOf(record, field, times);
  if (typeof time === 'string') throw new ValidationFailed({ [field]: [time] });
  return time;
}

/** The time of a field; or what is wrong with it. */
function timeOf(record: Fields, field: string, { latest }: RowTimes): Date | string {
  const value = record[field];
  const time = typeof value === 'string' ? parseDateTime(value) : undefined;
  if (!time) return `The field ${field} must be an ISO 8601 date or date-time.`;
  return time > latest ? `The field ${field} must not be in the future.` : time;
}
