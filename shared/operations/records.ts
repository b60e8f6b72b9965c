/** Operators' use cases about stored records. */
import { lookUpCustomers } from '../workspace/customer-lookup';
import type { StoredDocument } from '../documents/document-store';
import { idOf, recordPath, recordsPath } from '../documents/paths';
import type { DocumentData } from '../domain/records/document';
import { customerSchema } from '../domain/dto/customer';
import { orderItemSchema, orderSchema } from '../domain/dto/order';
import { productSchema, productVariantSchema } from '../domain/dto/product';
import type { RecordKind } from '../domain/identity';
import { customerRecordId, orderRecordId, productRecordId } from '../domain/identity';
import { isPresent } from '../domain/values/text';
import { fromDocument } from '../workspace/record-documents';
import type { Operator } from './operator';
import { countDocuments } from './count-documents';
import { OperatorError } from './operator-error';
import { allDocuments } from '../documents/pages';
import { requireTenant } from './tenants';

/** Names a record: a product or an order by its id, a customer by either e-mail or customer id. */
export interface RecordAddress {
  readonly id?: string;
  readonly email?: string;
  readonly customerId?: string;
}

/** More customers than this share an identifier in no real shop. A notice says when some are not shown. */
const MAX_SHOWN_CUSTOMERS = 1_000;

/**
 * A stored record under the specification's field names, or null when there is none. When several customers share the
 * identifier, an array: the customer whose document is keyed by it comes first. @throws OperatorError
 */
export async function getRecord(
  tenantGuid: string,
  kind: RecordKind,
  address: RecordAddress,
  operator: Operator,
): Promise<object | null> {
  const tenant = await requireTenant(tenantGuid, operator);
  if (kind === 'customers') {
    const [by, value] = requireCustomerAddress(address);
    const lookup = { by, value };
    const limit = MAX_SHOWN_CUSTOMERS + 1;
    const found = await lookUpCustomers(tenant.tenantId, lookup, { limit }, operator.store, operator.deadline());
    if (found.length === limit) operator.notice(`More than ${MAX_SHOWN_CUSTOMERS} customers; the first are shown.`);
    const keyed = customerRecordId(
      by === 'email' ? { Email: value } : { CustomerId: value },
      tenant.customerIdentifier,
    );
    const isKeyed = ({ path }: StoredDocument) => idOf(path) === keyed;
    const keyedFirst = [...found.filter(isKeyed), ...found.filter((document) => !isKeyed(document))];
    const [first, ...others] = keyedFirst.slice(0, MAX_SHOWN_CUSTOMERS).map((document) => toShown(kind, document));
    return others.length > 0 ? [first, ...others] : (first ?? null);
  }
  const recordKey = requireRecordKey(kind, address);
  const id = kind === 'products' ? productRecordId(recordKey) : orderRecordId(recordKey);
  const document = await operator.store.get(recordPath(tenant.tenantId, kind, id), operator.deadline());
  return document ? toShown(kind, document) : null;
}

/** The number of a tenant's records of a kind. @throws OperatorError when there is no such tenant */
export async function countRecords(
  tenantGuid: string,
  kind: RecordKind,
  operator: Operator,
): Promise<{ count: number }> {
  const { tenantId } = await requireTenant(tenantGuid, operator);
  return { count: await countDocuments(recordsPath(tenantId, kind), operator) };
}

/** All records of a kind, one at a time. Reports progress. @throws OperatorError when there is no such tenant */
export async function* exportRecords(tenantGuid: string, kind: RecordKind, operator: Operator): AsyncGenerator<object> {
  const { tenantId } = await requireTenant(tenantGuid, operator);
  const { store, deadline, progress } = operator;
  const report = (count: number) => progress(`${count} ${kind} exported`);
  for await (const document of allDocuments(store, recordsPath(tenantId, kind), deadline, report)) {
    yield toShown(kind, document);
  }
}

function requireCustomerAddress({ id, email, customerId }: RecordAddress): readonly ['email' | 'customerid', string] {
  if (id === undefined && isPresent(email) && customerId === undefined) return ['email', email];
  if (id === undefined && isPresent(customerId) && email === undefined) return ['customerid', customerId];
  throw new OperatorError('Name the customer by either --email X or --customer-id X, and X must not be blank.');
}

function requireRecordKey(kind: RecordKind, { id, email, customerId }: RecordAddress): string {
  if (email !== undefined || customerId !== undefined)
    throw new OperatorError(`--email and --customer-id are for customers alone: records get TENANT ${kind} ID.`);
  if (isPresent(id)) return id;
  throw new OperatorError(`Name the record: records get TENANT ${kind} ID.`);
}

/** A record with its fields in the specification's order; the database keeps no order. */
function toShown(kind: RecordKind, { data }: StoredDocument): object {
  const record = fromDocument<DocumentData>(data);
  if (kind === 'customers') return inOrder(record, customerSchema);
  return kind === 'products'
    ? withParts(inOrder(record, productSchema), 'ProductVariants', productVariantSchema)
    : withParts(inOrder(record, orderSchema), 'OrderItems', orderItemSchema);
}

function withParts(record: DocumentData, field: string, schema: Schema): object {
  return { ...record, [field]: (record[field] as DocumentData[]).map((part) => inOrder(part, schema)) };
}

interface Schema {
  readonly properties: Readonly<Record<string, object>>;
}

/** Derived fields, by the field that they are computed from and follow. */
const DERIVED: Readonly<Record<string, readonly string[]>> = {
  Size: ['SizeNumeric', 'SizeMetric'],
  CustomerId: ['Customer'],
};

function inOrder(record: DocumentData, { properties }: Schema): DocumentData {
  const fields = Object.keys(properties).flatMap((field) => [field, ...(DERIVED[field] ?? [])]);
  return Object.fromEntries(
    fields.filter((field) => record[field] !== undefined).map((field) => [field, record[field]]),
  );
}
