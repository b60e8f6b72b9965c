import type { Deadline } from '../platform/deadline';
import type { DocumentStore, Page, StoredDocument } from '../documents/document-store';
import { recordsPath } from '../documents/paths';
import type { CustomerLookup } from '../domain/deletion';
import type { RecordId } from '../domain/identity';
import { waitForAll } from '../platform/async/in-parallel';
import { customerIdIdentity, emailIdentity } from '../domain/identity';
import type { MatchedField } from './record-documents';
import { MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from './record-documents';

/** Queries of the database, or of a transaction. */
type QueryReads = Pick<DocumentStore, 'findWhere'>;

/** The stored customers that an identifier matches. */
export interface CustomerMatch {
  /** The document field that holds the identity. */
  readonly field: MatchedField;
  readonly identity: RecordId;
  readonly found: readonly StoredDocument[];
  /** Whether it matches more customers, which were not read. */
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
  const hasMore = found.length > limit;
  return { field: fieldOf(lookup), identity: identityOf(lookup), found: found.slice(0, limit), hasMore };
}

/**
 * The stored customers that several identifiers match, by identity. If the identifiers of one field match more than
 * `limit` customers in total, all matches of this field are returned empty, with `hasMore` true.
 * @param lookups at most QUERY_VALUES
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
    [...identities].map(async ([field, ofField]) => {
      const collection = recordsPath(tenantId, 'customers');
      const all = await reads.findWhere(collection, field, [...ofField], { limit: limit + 1 }, deadline);
      const hasMore = all.length > limit;
      for (const identity of ofField) {
        const found = hasMore ? [] : all.filter(({ data }) => data[field] === identity);
        matches.set(identity, { field, identity, found, hasMore });
      }
    }),
  );
  return matches;
}

/** The match of an identifier that is known to match nobody. */
export function emptyMatch(lookup: CustomerLookup): CustomerMatch {
  return { field: fieldOf(lookup), identity: identityOf(lookup), found: [], hasMore: false };
}

function fieldOf({ by }: CustomerLookup): MatchedField {
  return by === 'email' ? MATCHING_EMAIL : MATCHING_CUSTOMER_ID;
}

export function identityOf({ by, value }: CustomerLookup): RecordId {
  return by === 'email' ? emailIdentity(value) : customerIdIdentity(value);
}

/** A page of the stored customers with this e-mail or customer id. */
export function lookUpCustomers(
  tenantId: string,
  lookup: CustomerLookup,
  page: Page,
  reads: QueryReads,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  return findCustomersByField(tenantId, fieldOf(lookup), identityOf(lookup), page, reads, deadline);
}

/** A page of the stored customers whose matching field holds this identity. */
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
