/** Reads records back. What accepted deletions mean is left out, whether they are applied or not. */
import { readRemainder } from '../deletions/remaining-records';
import type { DocumentStore } from '../documents/document-store';
import { recordPath } from '../documents/paths';
import { customerLookups } from '../domain/deletion';
import type { RecordId, RecordKind } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import { MAX_READ_CUSTOMERS } from '../limits/records';
import type { Deadline } from '../platform/deadline';
import type { CustomerMatch } from '../workspace/customer-lookup';
import { CustomerFinder, findCustomersByBoth } from '../workspace/customer-lookup';
import { areKeyedBy } from '../workspace/customer-keys';
import { toDatedRecord } from '../workspace/shown-records';

/** The identifiers of customers; one that is not given is null. */
export interface CustomerAddress {
  readonly customerId: string | null;
  readonly email: string | null;
}

/** The records of customers. */
export interface FoundCustomers {
  readonly records: readonly object[];
  /** Whether the identifiers match more than MAX_READ_CUSTOMERS, of which the others were not looked at. */
  readonly hasMore: boolean;
  /** As in `Remainder`. */
  readonly deletionAcceptedAt: Date | undefined;
}

/** A record that was asked for. */
export interface FoundRecord {
  /** Undefined: there is none. */
  readonly record: object | undefined;
  /** As in `Remainder`. */
  readonly deletionAcceptedAt: Date | undefined;
}

/** The customers that match all identifiers given, MAX_READ_CUSTOMERS at most. */
export async function findCustomers(
  tenant: Tenant,
  address: CustomerAddress,
  store: DocumentStore,
  deadline: Deadline,
): Promise<FoundCustomers> {
  let hasMore = false;
  const { records, deletionAcceptedAt } = await readRemainder(
    tenant,
    'customers',
    async (flag) => {
      const finder = new CustomerFinder(tenant, areKeyedBy(tenant, flag), store, deadline);
      const match = await matchCustomers(tenant, address, finder, store, deadline);
      ({ hasMore } = match);
      return match.found;
    },
    store,
    deadline,
  );
  const shown = records.map((document) => toDatedRecord('customers', document));
  return { records: shown, hasMore, deletionAcceptedAt };
}

/** The record of this kind and id. */
export async function findRecord(
  tenant: Tenant,
  kind: RecordKind,
  id: RecordId,
  store: DocumentStore,
  deadline: Deadline,
): Promise<FoundRecord> {
  const read = () => store.getAll([recordPath(tenant.tenantId, kind, id)], deadline);
  const { records, deletionAcceptedAt } = await readRemainder(tenant, kind, read, store, deadline);
  const [found] = records;
  return { record: found && toDatedRecord(kind, found), deletionAcceptedAt };
}

async function matchCustomers(
  { tenantId, customerIdentifier }: Tenant,
  { customerId, email }: CustomerAddress,
  finder: CustomerFinder,
  store: DocumentStore,
  deadline: Deadline,
): Promise<Pick<CustomerMatch, 'found' | 'hasMore'>> {
  if (customerId !== null && email !== null) {
    return { found: await findCustomersByBoth(tenantId, { customerId, email }, store, deadline), hasMore: false };
  }
  const [lookup] = customerLookups({ customerId, email }, customerIdentifier);
  return lookup ? finder.match(lookup, { limit: MAX_READ_CUSTOMERS }) : { found: [], hasMore: false };
}
