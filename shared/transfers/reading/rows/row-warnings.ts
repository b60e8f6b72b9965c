/** What rows of a file are warned of: each by its line. */
import { customerSchema } from '../../../domain/dto/customer';
import { orderSchema } from '../../../domain/dto/order';
import { productSchema } from '../../../domain/dto/product';
import type { RecordId, RecordKind } from '../../../domain/identity';
import { DELETED_AT, isDeleted, UPDATED_AT } from '../../../domain/records/row-times';
import type { MisnamedFieldFinder } from '../../../domain/warnings/misnamed-fields';
import { compileMisnamedFieldFinder } from '../../../domain/warnings/misnamed-fields';
import { missingIdentifier } from '../../../domain/warnings/missing-identifier';
import type { Warnings } from '../../../domain/warnings/warning';
import { warn } from '../../../domain/warnings/warning';
import type { RowContext } from './located-row';

const TIMES = { ofRecord: [UPDATED_AT, DELETED_AT], ofPart: [DELETED_AT] };

const STORING = {
  customers: compileMisnamedFieldFinder(customerSchema, TIMES),
  products: compileMisnamedFieldFinder(productSchema, TIMES),
  orders: compileMisnamedFieldFinder(orderSchema, TIMES),
} as const;

/** In a row that deletes, fields of a part may stand beside those of the record: nothing but its ids counts. */
const DELETING = {
  customers: STORING.customers,
  products: compileMisnamedFieldFinder(productSchema, withFieldsOf(productSchema.properties.ProductVariants)),
  orders: compileMisnamedFieldFinder(orderSchema, withFieldsOf(orderSchema.properties.OrderItems)),
} as const;

/** The fields of a row's record that are ignored and were meant as known ones. */
export function findMisnamed(record: object, kind: RecordKind): ReturnType<MisnamedFieldFinder> {
  return (isDeleted(record) ? DELETING : STORING)[kind](record);
}

/** The warnings with those of a row that was stored. @param reachable as `missingIdentifier` takes it */
export function warnOfStored(
  warnings: Warnings,
  dto: object,
  line: number,
  { kind, tenant }: RowContext,
  reachable: ReadonlySet<RecordId>,
): Warnings {
  const missing = kind === 'customers' ? missingIdentifier(dto, tenant.customerIdentifier, reachable) : undefined;
  return missing ? warn(warnings, missing.code, [{ line }], missing.isReachable) : warnings;
}

function withFieldsOf({ items }: { readonly items: { readonly properties: object } }) {
  return { ...TIMES, ofRecord: [...TIMES.ofRecord, ...Object.keys(items.properties)] };
}
