import type { Deadline } from '../platform/deadline';
import type { DocumentStore, Page, StoredDocument } from '../documents/document-store';
import { recordPath, recordsPath } from '../documents/paths';
import type { CustomerLookup } from '../domain/deletion';
import type { RecordId } from '../domain/identity';
import { waitForAll } from '../platform/async/in-parallel';
import { customerIdIdentity, customerRecordId, emailIdentity } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import { CUSTOMER_IDENTIFIERS } from '../domain/tenant';
import type { MatchedField } from './record-documents';
import { MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from './record-documents';

/** Reads of the database, or of a transaction. */
type QueryReads = Pick<DocumentStore, 'findWhere'>;
export type LookupReads = Pick<DocumentStore, 'findWhere' | 'getAll'>;

/** The stored customers that an identifier matches. */
export interface CustomerMatch {
  /** The document field that holds the identity. */
  readonly field: MatchedField;
  readonly identity: RecordId;
  readonly found: readonly StoredDocument[];
  /** Whether it matches more customers, which were not read. */
  readonly hasMore: boolean;
}

/**
 * Finds the stored customers that identifiers match. Of the identifier that keys a tenant's customers there is at most
 * one, and its document's id is known: no query is needed (`customer-keys.ts` says when that holds).
 */
export class CustomerFinder {
  /** @param isKeyed whether all customers are stored by the tenant's identifier (`areKeyedBy`) */
  constructor(
    private readonly tenant: Tenant,
    private readonly isKeyed: boolean,
    private readonly reads: LookupReads,
    private readonly deadline: Deadline,
  ) {}

  /** Whether the document of the customer with this identifier is known without a query. */
  isByKey({ by }: CustomerLookup): boolean {
    return this.isKeyed && by === this.tenant.customerIdentifier;
  }

  /** The customers that one identifier matches, `page.limit` at most. */
  async match(lookup: CustomerLookup, page: Page): Promise<CustomerMatch> {
    if (this.isByKey(lookup)) return (await this.matchKeys([lookup])).get(identityOf(lookup)) ?? emptyMatch(lookup);
    const { limit } = page;
    const { tenantId } = this.tenant;
    const found = await lookUpCustomers(tenantId, lookup, { ...page, limit: limit + 1 }, this.reads, this.deadline);
    const hasMore = found.length > limit;
    return { field: fieldOf(lookup), identity: identityOf(lookup), found: found.slice(0, limit), hasMore };
  }

  /**
   * The customers that several identifiers match, by identity. If those of one field that are not keys match more than
   * `limit` customers in total, all their matches are returned empty, with `hasMore` true.
   * @param lookups of those that are not by key at most QUERY_VALUES of each field
   */
  async matchAll(lookups: readonly CustomerLookup[], limit: number): Promise<ReadonlyMap<RecordId, CustomerMatch>> {
    const byField = new Map<MatchedField, Set<RecordId>>();
    for (const lookup of lookups.filter((each) => !this.isByKey(each))) {
      const field = fieldOf(lookup);
      byField.set(field, (byField.get(field) ?? new Set()).add(identityOf(lookup)));
    }
    const matches = await waitForAll([
      this.matchKeys(lookups.filter((lookup) => this.isByKey(lookup))),
      ...[...byField].map(([field, identities]) => this.matchField(field, identities, limit)),
    ]);
    return new Map(matches.flatMap((each) => [...each]));
  }

  /** The customers that are stored by these identifiers. */
  private async matchKeys(lookups: readonly CustomerLookup[]): Promise<Map<RecordId, CustomerMatch>> {
    const paths = new Map(lookups.map((lookup) => [pathByKey(this.tenant, lookup), lookup]));
    const stored = paths.size > 0 ? await this.reads.getAll([...paths.keys()], this.deadline) : [];
    const documents = new Map(stored.map((document) => [document.path, document]));
    return new Map(
      [...paths].map(([path, lookup]) => {
        const document = documents.get(path);
        return [identityOf(lookup), { ...emptyMatch(lookup), found: document ? [document] : [] }];
      }),
    );
  }

  private async matchField(
    field: MatchedField,
    identities: ReadonlySet<RecordId>,
    limit: number,
  ): Promise<Map<RecordId, CustomerMatch>> {
    const collection = recordsPath(this.tenant.tenantId, 'customers');
    const page = { limit: limit + 1 };
    const all = await this.reads.findWhere(collection, field, [...identities], page, this.deadline);
    const hasMore = all.length > limit;
    return new Map(
      [...identities].map((identity) => {
        const found = hasMore ? [] : all.filter(({ data }) => data[field] === identity);
        return [identity, { field, identity, found, hasMore }];
      }),
    );
  }
}

/** The path of the customer with this identifier, which must be the one that keys the tenant's customers. */
export function pathByKey({ tenantId, customerIdentifier }: Tenant, { by, value }: CustomerLookup): string {
  const customer = by === 'email' ? { Email: value } : { CustomerId: value };
  return recordPath(tenantId, 'customers', customerRecordId(customer, customerIdentifier));
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

/**
 * The stored customers that have both identifiers. Each is keyed by one of them (D-02): by the one that had priority
 * when it was stored. So no query is needed.
 */
export async function findCustomersByBoth(
  tenantId: string,
  { email, customerId }: { readonly email: string; readonly customerId: string },
  reads: Pick<DocumentStore, 'getAll'>,
  deadline: Deadline,
): Promise<StoredDocument[]> {
  const identifiers = { Email: email, CustomerId: customerId };
  const paths = CUSTOMER_IDENTIFIERS.map((priority) =>
    recordPath(tenantId, 'customers', customerRecordId(identifiers, priority)),
  );
  const [byEmail, byId] = [emailIdentity(email), customerIdIdentity(customerId)];
  const found = await reads.getAll(paths, deadline);
  return found.filter(({ data }) => data[MATCHING_EMAIL] === byEmail && data[MATCHING_CUSTOMER_ID] === byId);
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
