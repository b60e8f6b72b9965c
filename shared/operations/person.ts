import { readRemaining } from '../deletions/remaining-records';
import type { StoredDocument } from '../documents/document-store';
import { pagesBy, pagesByOneQuery } from '../documents/pages';
import { recordsPath } from '../documents/paths';
import type { RecordId, RecordKind } from '../domain/identity';
import { customerIdentities } from '../domain/identity';
import type { CustomerRecord } from '../domain/records/customer';
import type { OrderRecord } from '../domain/records/order';
import { LIST_PAGE_DOCUMENTS } from '../limits/records';
import { identityOf, lookUpCustomers } from '../workspace/customer-lookup';
import { withoutStubs } from '../workspace/kept-tombstones';
import { fromDocument } from '../workspace/record-documents';
import { toDatedRecord } from '../workspace/shown-records';
import type { Operator } from './operator';
import type { RecordAddress } from './records';
import { requireCustomerAddress } from './records';
import { requireTenant } from './tenants';

/** A record of a person, with when it was last written and true. */
export interface PersonsRecord {
  readonly kind: RecordKind;
  readonly record: object;
}

/**
 * Everything that is stored of a person, one record at a time: the customers with an identifier, and their orders. An
 * order is theirs if it has the identifier, or if its `Customer` is one of these customers. What accepted
 * deletions mean is left out, with a notice. Goes through all orders of the tenant and reports progress.
 * @throws OperatorError
 */
export async function* exportPerson(
  tenantGuid: string,
  address: Pick<RecordAddress, 'email' | 'customerId'>,
  operator: Operator,
): AsyncGenerator<PersonsRecord> {
  const tenant = await requireTenant(tenantGuid, operator);
  const { store, deadline, progress, notice } = operator;
  const lookup = requireCustomerAddress(address);
  const named = identityOf(lookup);
  const identities = new Set<RecordId>();
  let leftOut = 0;

  const customers = pagesBy(LIST_PAGE_DOCUMENTS, (page) =>
    lookUpCustomers(tenant.tenantId, lookup, page, store, deadline()),
  );
  for await (const found of customers) {
    for (const customer of await remainingOf('customers', found)) {
      for (const identity of customerIdentities(fromDocument<CustomerRecord>(customer.data))) identities.add(identity);
      yield { kind: 'customers', record: toDatedRecord('customers', customer) };
    }
  }

  const isTheirs = ({ data }: StoredDocument) => {
    const order = fromDocument<OrderRecord>(data);
    const customer = customerIdentities(order.Customer ?? {});
    return customerIdentities(order).includes(named) || customer.some((identity) => identities.has(identity));
  };
  let looked = 0;
  for await (const page of pagesByOneQuery(store, recordsPath(tenant.tenantId, 'orders'), deadline)) {
    for (const order of await remainingOf('orders', withoutStubs(page).filter(isTheirs))) {
      yield { kind: 'orders', record: toDatedRecord('orders', order) };
    }
    looked += page.length;
    progress(`${looked} orders looked through`);
  }

  if (leftOut === 0) return;
  notice(`Left out as deleted, applied or not: ${leftOut}. Those of deletions list stay until they are retried.`);

  async function remainingOf(kind: RecordKind, found: readonly StoredDocument[]): Promise<StoredDocument[]> {
    if (found.length === 0) return [];
    const paths = found.map(({ path }) => path);
    const until = deadline();
    const remaining = await readRemaining(tenant, kind, () => store.getAll(paths, until), store, until);
    leftOut += found.length - remaining.length;
    return remaining;
  }
}
