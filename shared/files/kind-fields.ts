/** The fields that the records of a file have, by their kind. */
import { customerSchema } from '../domain/dto/customer';
import { orderSchema } from '../domain/dto/order';
import { productSchema } from '../domain/dto/product';
import type { RecordKind } from '../domain/identity';
import { isObject } from '../validation/values';

export interface KindFields {
  readonly schema: { readonly properties: Readonly<Record<string, unknown>>; readonly required?: readonly string[] };
  /** The header row of a CSV file must name one of them; the first one groups rows, if the kind has parts. */
  readonly identifiers: readonly [string, ...string[]];
  /** The field of the nested elements, which have rows of their own. */
  readonly parts?: string;
  /** Fields by which a row of a file deletes a part, and not the whole record. */
  readonly partIds: readonly string[];
}

export const KIND_FIELDS: Readonly<Record<RecordKind, KindFields>> = {
  customers: { schema: customerSchema, identifiers: ['CustomerId', 'Email'], partIds: [] },
  products: { schema: productSchema, identifiers: ['ProductId'], parts: 'ProductVariants', partIds: ['VariantId'] },
  orders: { schema: orderSchema, identifiers: ['OrderId'], parts: 'OrderItems', partIds: ['ProductId', 'Sku'] },
};

/** Whether a JSON value is an object that names a field of the kind, whatever its value. */
export function namesField(kind: RecordKind, record: unknown): boolean {
  const { properties } = KIND_FIELDS[kind].schema;
  return isObject(record) && Object.keys(properties).some((field) => Object.hasOwn(record, field));
}
