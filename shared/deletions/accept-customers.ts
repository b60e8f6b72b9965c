/** The entries that accepting deletions of customers writes: here it is settled whom each means (D-43). */
import type { DocumentWrite, StoredDocument } from '../documents/document-store';
import { deletionPath, idOf, wideDeletionPath } from '../documents/paths';
import type { CustomerRecord } from '../domain/customer';
import type { CustomerLookup, DeletionTarget } from '../domain/deletion';
import { customerLookups, toDeletionId } from '../domain/deletion';
import type { RecordId } from '../domain/identity';
import { customerIdIdentity, emailIdentity, keyIdentity } from '../domain/identity';
import { DELETIONS_AT_ONCE, ENTRIES_IN_COMMIT, MAX_NAMED_CUSTOMERS } from '../domain/limits';
import { inParallel } from '../in-parallel';
import { lookUpCustomers } from '../records/customer-lookup';
import { fromDocument, MATCHING_CUSTOMER_ID, MATCHING_EMAIL, newStamp } from '../records/record-documents';
import type { AcceptanceContext } from './accept-context';
import type { Entries } from './accept-deletions';
import type { MatchedField, MeantCustomer } from './pending-deletions';
import { findPendingDeletions, toCustomersData } from './pending-deletions';
import { findMeantWidely } from './wide-deletions';

type CustomerTarget = Extract<DeletionTarget, { readonly type: 'customer' }>;

/** The stored customers that an identifier matches: one more than an entry may name tells that there are more. */
interface Match {
  readonly lookup: CustomerLookup;
  readonly identity: RecordId;
  readonly found: readonly StoredDocument[];
}

/** See `Entries`. */
export async function planCustomerEntries(
  targets: readonly DeletionTarget[],
  context: AcceptanceContext,
): Promise<Entries> {
  const { tenant, mayBePending, deadline, dependencies } = context;
  const { store, random } = dependencies;
  const { tenantId } = tenant;
  const matches = await findMatches(targets as readonly CustomerTarget[], context);
  const found = [...matches.values()].flat();
  const keyOf = ({ data }: StoredDocument) =>
    keyIdentity(fromDocument<CustomerRecord>(data), tenant.customerIdentifier)[0];
  const ids = new Set(
    found.flatMap(({ identity, found: documents }) => [
      identity,
      ...documents.slice(0, MAX_NAMED_CUSTOMERS).flatMap((document) => keyOf(document) ?? []),
    ]),
  );
  const deletionIds = [...ids].map((id) => toDeletionId('customers', id));
  const pending = mayBePending ? await findPendingDeletions(tenantId, deletionIds, store, deadline) : [];
  const meantWidely = await findMeantWidely(
    found.flatMap(({ found: documents }) => documents),
    { ...context, store },
  );

  /** What each entry will name, by its identity. */
  const entries = new Map<RecordId, Map<RecordId, MeantCustomer>>();
  const stored = new Map(pending.map((entry) => [entry.id, entry]));
  const entryOf = (id: RecordId) => {
    const entry = entries.get(id) ?? new Map(stored.get(id)?.customers.map((customer) => [customer.id, customer]));
    entries.set(id, entry);
    return entry;
  };
  const meant = new Set([...meantWidely, ...pending.flatMap(({ customers }) => customers.map(({ id }) => id))]);
  const checks = new Map<string, DocumentWrite>();
  /** Identities that too many share, with the field that holds them. */
  const wide = new Map<RecordId, MatchedField>();
  let taken = 0;
  for (const target of targets as readonly CustomerTarget[]) {
    if (taken > 0 && entries.size > ENTRIES_IN_COMMIT) break;
    taken += 1;
    // Those that a deletion before this one means count as removed.
    const left = (matches.get(target) ?? []).map(({ found: documents, ...match }) => ({
      ...match,
      isWide: documents.length > MAX_NAMED_CUSTOMERS, // what is beyond those that were read is not known
      found: documents.filter(({ path }) => !meant.has(idOf(path) as RecordId)),
    }));
    const match = left.find(({ isWide, found: documents }) => isWide || documents.length > 0);
    for (const { identity } of match ? [match] : left) entryOf(identity); // where nothing matches, each identifier counts
    if (!match) continue;
    if (match.isWide) {
      wide.set(match.identity, fieldOf(match.lookup));
      continue;
    }
    for (const document of match.found) {
      const id = idOf(document.path) as RecordId;
      const key = keyOf(document) ?? match.identity;
      const by = { field: fieldOf(match.lookup), identity: match.identity };
      entryOf(key).set(id, { id, ...(key !== match.identity && { by }) });
      meant.add(id);
      checks.set(document.path, { check: document.path, when: document.version });
    }
  }
  const writes = [...entries].map(([id, customers]): DocumentWrite => {
    const entry = stored.get(id);
    const path = deletionPath(tenantId, toDeletionId('customers', id));
    return {
      set: path,
      data: toCustomersData([...customers.values()], newStamp(random)),
      when: entry?.version ?? 'absent',
    };
  });
  const wideWrites = [...wide].map(([id, field]): DocumentWrite => {
    const data = { field, stamp: newStamp(random) };
    return { set: wideDeletionPath(tenantId, toDeletionId('customers', id)), data };
  });
  return {
    writes: [...writes, ...wideWrites, ...checks.values()],
    deletionIds: [...entries.keys()].map((id) => toDeletionId('customers', id)),
    taken,
    needsWideFlag: wide.size > 0,
  };
}

function fieldOf({ by }: CustomerLookup): MatchedField {
  return by === 'email' ? MATCHING_EMAIL : MATCHING_CUSTOMER_ID;
}

/** What each deletion matches, by its identifiers in their order of priority. */
async function findMatches(
  targets: readonly CustomerTarget[],
  { tenant, deadline, dependencies }: AcceptanceContext,
): Promise<ReadonlyMap<CustomerTarget, readonly Match[]>> {
  const matches = new Map<CustomerTarget, readonly Match[]>();
  await inParallel(targets, DELETIONS_AT_ONCE, async (target) => {
    const found = customerLookups(target, tenant.customerIdentifier).map(async (lookup) => {
      const identity = lookup.by === 'email' ? emailIdentity(lookup.value) : customerIdIdentity(lookup.value);
      const page = { limit: MAX_NAMED_CUSTOMERS + 1 };
      const documents = await lookUpCustomers(tenant.tenantId, lookup, page, dependencies.store, deadline);
      return { lookup, identity, found: documents };
    });
    matches.set(target, await Promise.all(found));
  });
  return matches;
}
