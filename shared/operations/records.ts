/** Operators' use cases about stored records. */
import { lookUpCustomers } from '../workspace/customer-lookup';
import type { StoredDocument } from '../documents/document-store';
import { idOf, recordPath, recordsPath } from '../documents/paths';
import type { CustomerLookup } from '../domain/deletion';
import type { RecordKind } from '../domain/identity';
import { customerRecordId, orderRecordId, productRecordId } from '../domain/identity';
import { isPresent } from '../domain/values/text';
import { isStub, STUB } from '../workspace/kept-tombstones';
import { toShownRecord } from '../workspace/shown-records';
import type { Operator } from './operator';
import { countDocuments } from './count-documents';
import { OperatorError } from './operator-error';
import { LIST_PAGE_DOCUMENTS } from '../limits/records';
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
    const lookup = requireCustomerAddress(address);
    const { by, value } = lookup;
    const limit = MAX_SHOWN_CUSTOMERS + 1;
    const found = await lookUpCustomers(tenant.tenantId, lookup, { limit }, operator.store, operator.deadline());
    if (found.length === limit) operator.notice(`More than ${MAX_SHOWN_CUSTOMERS} customers; the first are shown.`);
    const keyed = customerRecordId(
      by === 'email' ? { Email: value } : { CustomerId: value },
      tenant.customerIdentifier,
    );
    const isKeyed = ({ path }: StoredDocument) => idOf(path) === keyed;
    const keyedFirst = [...found.filter(isKeyed), ...found.filter((document) => !isKeyed(document))];
    const [first, ...others] = keyedFirst
      .slice(0, MAX_SHOWN_CUSTOMERS)
      .map((document) => toShownRecord(kind, document.data));
    return others.length > 0 ? [first, ...others] : (first ?? null);
  }
  const recordKey = requireRecordKey(kind, address);
  const id = kind === 'products' ? productRecordId(recordKey) : orderRecordId(recordKey);
  const document = await operator.store.get(recordPath(tenant.tenantId, kind, id), operator.deadline());
  return document && !isStub(document.data) ? toShownRecord(kind, document.data) : null;
}

/** The number of a tenant's records of a kind. @throws OperatorError when there is no such tenant */
export async function countRecords(
  tenantGuid: string,
  kind: RecordKind,
  operator: Operator,
): Promise<{ count: number }> {
  const { tenantId } = await requireTenant(tenantGuid, operator);
  return { count: await countDocuments(recordsPath(tenantId, kind), operator, kind === 'orders' ? STUB : undefined) };
}

/**
 * All records of a kind, one at a time, by one query. Reports progress.
 * @throws OperatorError when there is no such tenant
 */
export async function* exportRecords(tenantGuid: string, kind: RecordKind, operator: Operator): AsyncGenerator<object> {
  const { tenantId } = await requireTenant(tenantGuid, operator);
  const { store, deadline, progress } = operator;
  let exported = 0;
  for await (const document of store.stream(recordsPath(tenantId, kind), deadline)) {
    if (isStub(document.data)) continue;
    if (exported > 0 && exported % LIST_PAGE_DOCUMENTS === 0) progress(`${exported} ${kind} exported`);
    yield toShownRecord(kind, document.data);
    exported += 1;
  }
}

/** The one identifier that names customers. @throws OperatorError */
export function requireCustomerAddress({ id, email, customerId }: RecordAddress): CustomerLookup {
  if (id === undefined && isPresent(email) && customerId === undefined) return { by: 'email', value: email };
  if (id === undefined && isPresent(customerId) && email === undefined) return { by: 'customerid', value: customerId };
  throw new OperatorError('Name the customer by either --email X or --customer-id X, and X must not be blank.');
}

function requireRecordKey(kind: RecordKind, { id, email, customerId }: RecordAddress): string {
  if (email !== undefined || customerId !== undefined)
    throw new OperatorError(`--email and --customer-id are for customers alone: records get TENANT ${kind} ID.`);
  if (isPresent(id)) return id;
  throw new OperatorError(`Name the record: records get TENANT ${kind} ID.`);
}
