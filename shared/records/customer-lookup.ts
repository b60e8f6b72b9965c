import type { Deadline } from '../deadline';
import type { DocumentStore, Page, QueryCheck, StoredDocument } from '../documents/document-store';
import { recordsPath } from '../documents/paths';
import type { CustomerLookup } from '../domain/deletion';
import type { RecordId } from '../domain/identity';
import { customerIdIdentity, emailIdentity } from '../domain/identity';
import type { MatchedField } from './record-documents';
import { MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from './record-documents';

/** The stored customers that an identifier matches. */
export interface CustomerMatch {
  /** The field that holds the identity. */
  readonly field: MatchedField;
  readonly identity: RecordId;
  readonly found: readonly StoredDocument[];
  /** It matches more, which are not read. */
  readonly isMore: boolean;
  /** That it matches these and no others; undefined: they are not all that it matches. */
  readonly check: QueryCheck | undefined;
}

/** A page of the stored customers with this e-mail or customer id. */
export async function matchCustomers(
  tenantId: string,
  lookup: CustomerLookup,
  { limit, after }: Page,
  store: DocumentStore,
  deadline: Deadline,
): Promise<CustomerMatch> {
  const [field, identity] = [fieldOf(lookup), identityOf(lookup)];
  const page = { limit: limit + 1, ...(after !== undefined && { after }) };
  const found = await lookUpCustomers(tenantId, lookup, page, store, deadline);
  const isMore = found.length > limit;
  const check =
    isMore || after !== undefined
      ? undefined
      : {
          check: recordsPath(tenantId, 'customers'),
          where: { field, value: identity },
          limit: page.limit,
          found: found.map(({ path, version }) => ({ path, version })),
        };
  return { field, identity, found: found.slice(0, limit), isMore, check };
}

/** The match of an identifier of which it is known that it matches nobody. */
export function matchNobody(lookup: CustomerLookup): CustomerMatch {
  return { field: fieldOf(lookup), identity: identityOf(lookup), found: [], isMore: false, check: undefined };
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
  store: DocumentStore,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  return findCustomers(tenantId, fieldOf(lookup), identityOf(lookup), page, store, deadline);
}

/** Stored customers that a field by which they are found holds an identity of, a page of them. */
export function findCustomers(
  tenantId: string,
  field: string,
  identity: RecordId,
  page: Page,
  store: DocumentStore,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  return store.findWhere(recordsPath(tenantId, 'customers'), field, identity, page, deadline);
}
