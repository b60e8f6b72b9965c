/** What readers of files must know of each kind's fields. */
import { customerSchema } from '../domain/dto/customer';
import { orderSchema } from '../domain/dto/order';
import { productSchema } from '../domain/dto/product';
import type { RecordKind } from '../domain/identity';
import { isObject } from '../validation/values';

export interface KindFields {
  readonly schema: { readonly properties: Readonly<Record<string, unknown>>; readonly required?: readonly string[] };
  /** The header row of a CSV file must name at least one. The first one groups rows, if the kind has parts. */
  readonly identifiers: readonly [string, ...string[]];
  /** The field that lists the parts. In a CSV file each part has a row of its own. */
  readonly parts?: string;
  /** If one has a value, a row with `DeletedAt` deletes that part instead of the whole record. */
  readonly partIds: readonly string[];
}

export const KIND_FIELDS: Readonly<Record<RecordKind, KindFields>> = {
  customers: { schema: customerSchema, identifiers: ['CustomerId', 'Email'], partIds: [] },
  products: { schema: productSchema, identifiers: ['ProductId'], parts: 'ProductVariants', partIds: ['VariantId'] },
  orders: { schema: orderSchema, identifiers: ['OrderId'], parts: 'OrderItems', partIds: ['ProductId', 'Sku'] },
};

/** Whether a JSON value is an object with at least one field of the kind. The field may have any value. */
export function namesField(kind: RecordKind, record: unknown): boolean {
  const { properties } = KIND_FIELDS[kind].schema;
  return isObject(record) && Object.keys(properties).some((field) => Object.hasOwn(record, field));
}
