import type { Deadline } from '../platform/deadline';
import type { DocumentStore, Page, StoredDocument } from '../documents/document-store';
import { recordsPath } from '../documents/paths';
import type { CustomerLookup } from '../domain/deletion';
import type { RecordId } from '../domain/identity';
import { waitForAll } from '../platform/async/in-parallel';
import { customerIdIdentity, emailIdentity } from '../domain/identity';
import type { MatchedField } from './record-documents';
import { MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from './record-documents';

/** The database, or a transaction. */
type QueryReads = Pick<DocumentStore, 'findWhere'>;

/** The stored customers that an identifier matches. */
export interface CustomerMatch {
  /** The field that holds the identity. */
  readonly field: MatchedField;
  readonly identity: RecordId;
  readonly found: readonly StoredDocument[];
  /** It matches more, which are not read. */
  readonly hasMore: boolean;
}

/** A page of the stored customers with this e-mail or customer id. */
export async function matchCustomers(
  tenantId: string,
  lookup: CustomerLookup,
  page: Page,
  reads: QueryReads,
  deadline: Deadline,
): Promise<CustomerMatch> {
  const { limit } = page;
  const found = await lookUpCustomers(tenantId, lookup, { ...page, limit: limit + 1 }, reads, deadline);
  const [field, identity] = [fieldOf(lookup), identityOf(lookup)];
  return { field, identity, found: found.slice(0, limit), hasMore: found.length > limit };
}

/**
 * The stored customers that some identifiers match, QUERY_VALUES at most, by their identities. Where those of a field
 * match more than `limit` together, none is returned, and `hasMore` is true of each: it may match some.
 */
export async function matchCustomersInBatch(
  tenantId: string,
  lookups: readonly CustomerLookup[],
  limit: number,
  reads: QueryReads,
  deadline: Deadline,
): Promise<ReadonlyMap<RecordId, CustomerMatch>> {
  const identities = new Map<MatchedField, Set<RecordId>>();
  for (const lookup of lookups) {
    const field = fieldOf(lookup);
    identities.set(field, (identities.get(field) ?? new Set()).add(identityOf(lookup)));
  }
  const matches = new Map<RecordId, CustomerMatch>();
  await waitForAll(
    [...identities].map(async ([field, some]) => {
      const collection = recordsPath(tenantId, 'customers');
      const all = await reads.findWhere(collection, field, [...some], { limit: limit + 1 }, deadline);
      const hasMore = all.length > limit;
      for (const identity of some) {
        const found = hasMore ? [] : all.filter(({ data }) => data[field] === identity);
        matches.set(identity, { field, identity, found, hasMore });
      }
    }),
  );
  return matches;
}

/** The match of an identifier of which it is known that it matches nobody. */
export function emptyMatch(lookup: CustomerLookup): CustomerMatch {
  return { field: fieldOf(lookup), identity: identityOf(lookup), found: [], hasMore: false };
}

function fieldOf({ by }: CustomerLookup): MatchedField {
  return by === 'email' ? MATCHING_EMAIL : MATCHING_CUSTOMER_ID;
}

export function identityOf({ by, value }: CustomerLookup): RecordId {
  return by === 'email' ? emailIdentity(value) : customerIdIdentity(value);
}

/** Stored customers with this e-mail or customer id, a page of them. */
export function lookUpCustomers(
  tenantId: string,
  lookup: CustomerLookup,
  page: Page,
  reads: QueryReads,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  return findCustomersByField(tenantId, fieldOf(lookup), identityOf(lookup), page, reads, deadline);
}

/** Stored customers that a field by which they are found holds an identity of, a page of them. */
export function findCustomersByField(
  tenantId: string,
  field: string,
  identity: RecordId,
  page: Page,
  reads: QueryReads,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  return reads.findWhere(recordsPath(tenantId, 'customers'), field, identity, page, deadline);
}
