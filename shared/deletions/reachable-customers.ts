import type { RecordId } from '../domain/identity';
import { customerIdentities } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import type { SentCustomer } from '../domain/warnings/missing-identifier';
import { lacksPriority, sendsConsent } from '../domain/warnings/missing-identifier';
import { recordsPath } from '../documents/paths';
import { LOOK_UP_FOR_WARNING_MS, LOOKED_UP_FOR_WARNING, MATCHES_FOR_WARNING, QUERY_VALUES } from '../limits/records';
import { chunksOf } from '../platform/chunks';
import type { Deadline } from '../platform/deadline';
import { deadlineIn } from '../platform/deadline';
import type { RecordDependencies } from '../workspace/record-dependencies';
import { MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from '../workspace/record-documents';
import { readRemaining } from './remaining-records';

/**
 * Of customers without the tenant's priority identifier: which of their other identifiers a customer has who has both,
 * stored or among these. A customer whom an accepted deletion means is not there, applied or not. At most
 * LOOKED_UP_FOR_WARNING are looked up, first those who send a consent. It only serves warnings: what cannot be read in
 * a short time counts as not there, and nothing is read where all have the priority identifier. Never rejects.
 */
export async function findReachable(
  customers: readonly SentCustomer[],
  tenant: Tenant,
  deadline: Deadline,
  { store, clock }: Pick<RecordDependencies, 'store' | 'clock'>,
): Promise<ReadonlySet<RecordId>> {
  const { tenantId, customerIdentifier } = tenant;
  const isLacking = (customer: SentCustomer) => lacksPriority(customer, customerIdentifier);
  const lacking = customers.filter(isLacking);
  if (lacking.length === 0) return new Set();
  const [other, priority] =
    customerIdentifier === 'email'
      ? ([MATCHING_CUSTOMER_ID, MATCHING_EMAIL] as const)
      : ([MATCHING_EMAIL, MATCHING_CUSTOMER_ID] as const);
  const ofOthers = new Set(customers.filter((customer) => !isLacking(customer)).flatMap(customerIdentities));
  const sorted = [...lacking.filter(sendsConsent), ...lacking.filter((customer) => !sendsConsent(customer))];
  const unknown = new Set(sorted.flatMap(customerIdentities).filter((identity) => !ofOthers.has(identity)));
  const own = deadlineIn(LOOK_UP_FOR_WARNING_MS, clock);
  const sooner = { remainingMs: () => Math.min(own.remainingMs(), deadline.remainingMs()) };
  const page = { limit: MATCHES_FOR_WARNING };
  const batches = chunksOf([...unknown].slice(0, LOOKED_UP_FOR_WARNING), QUERY_VALUES);
  const customersPath = recordsPath(tenantId, 'customers');
  const lookUp = (identities: readonly RecordId[]) => {
    const read = () => store.findWhere(customersPath, other, identities, page, sooner);
    return readRemaining(tenant, 'customers', read, store, sooner);
  };
  const found = await Promise.allSettled(batches.map(lookUp));
  const documents = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const reachable = documents.filter(({ data }) => data[priority] !== undefined);
  return new Set([...ofOthers, ...reachable.map(({ data }) => data[other] as RecordId)]);
}
