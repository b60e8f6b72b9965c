/** Stored records as callers and operators see them. */
import type { StoredDocument } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import { customerSchema } from '../domain/dto/customer';
import { orderItemSchema, orderSchema } from '../domain/dto/order';
import { productSchema, productVariantSchema } from '../domain/dto/product';
import type { RecordKind } from '../domain/identity';
import type { DocumentData, DocumentValue } from '../domain/records/document';
import { asOf, fromDocument } from './record-documents';

/** Derived fields, by the field that they are computed from and follow. */
const DERIVED: Readonly<Record<string, readonly string[]>> = {
  Size: ['SizeNumeric', 'SizeMetric'],
  CustomerId: ['Customer'],
};

/** The fields of records and parts in the order in which they are shown. */
const CUSTOMER_FIELDS = fieldsOf(customerSchema);
const PRODUCT_FIELDS = fieldsOf(productSchema);
const VARIANT_FIELDS = fieldsOf(productVariantSchema);
const ORDER_FIELDS = fieldsOf(orderSchema);
const ITEM_FIELDS = fieldsOf(orderItemSchema);

function fieldsOf({ properties }: { readonly properties: object }): readonly string[] {
  return Object.keys(properties).flatMap((field) => [field, ...(DERIVED[field] ?? [])]);
}

/** A stored record under the specification's field names, in its order: the database keeps no order. */
export function toShownRecord(kind: RecordKind, data: DocumentData): object {
  const record = fromDocument<DocumentData>(data);
  if (kind === 'customers') return inOrder(record, CUSTOMER_FIELDS);
  return kind === 'products'
    ? withParts(inOrder(record, PRODUCT_FIELDS), 'ProductVariants', VARIANT_FIELDS)
    : withParts(inOrder(record, ORDER_FIELDS), 'OrderItems', ITEM_FIELDS);
}

/**
 * The same, with `updatedAt`, when it was last written, and `asOf`, since when what it says is true. Both are ISO 8601
 * in UTC.
 */
export function toDatedRecord(kind: RecordKind, document: StoredDocument): object {
  return {
    ...toShownRecord(kind, document.data),
    updatedAt: versionTime(document.version).toISOString(),
    asOf: asOf(document).toISOString(),
  };
}

function withParts(record: DocumentData, field: string, partFields: readonly string[]): object {
  return { ...record, [field]: (record[field] as DocumentData[]).map((part) => inOrder(part, partFields)) };
}

function inOrder(record: DocumentData, fields: readonly string[]): DocumentData {
  const ordered: Record<string, DocumentValue | undefined> = {};
  for (const field of fields) if (record[field] !== undefined) ordered[field] = record[field];
  return ordered;
}
