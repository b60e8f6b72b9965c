/** Plans the acceptance of customer deletions. It decides which stored customers each deletion targets (D-43). */
import { chunksOf } from '../../platform/chunks';
import type { DocumentChange, Page, StoredDocument } from '../../documents/document-store';
import { deletionPath, idOf, tombstonePath } from '../../documents/paths';
import type { CustomerLookup, DeletionTarget } from '../../domain/deletion';
import { customerLookups, toDeletionId } from '../../domain/deletion';
import type { RecordId } from '../../domain/identity';
import type { CustomerIdentifier, Tenant } from '../../domain/tenant';
import { ENTRIES_IN_COMMIT, LOOKUPS_IN_COMMIT_MS, MATCHES_AT_ONCE, MAX_NAMED_CUSTOMERS } from '../../limits/deletions';
import { QUERY_VALUES } from '../../limits/records';
import { keyOfStored } from '../../workspace/customer-keys';
import type { CustomerMatch } from '../../workspace/customer-lookup';
import { CustomerFinder, emptyMatch, identityOf, pathByKey } from '../../workspace/customer-lookup';
import type { MatchedField } from '../../workspace/record-documents';
import { newRevision, REMOVAL_TIME, TOMBSTONE_TIME } from '../../workspace/record-documents';
import type { Acceptance, AcceptanceContext, AcceptancePlan } from './accept-context';
import type { PendingDeletion, TargetedCustomer } from '../pending-deletions';
import { canBeExtended, findPendingDeletions, isStillTargeted, toCustomersData } from '../pending-deletions';
import type { WideDeletion } from '../pending-wide-deletions';
import { PendingWideDeletions, toEarlierField, wideDeletionPathFor } from '../pending-wide-deletions';
import { findWideDeletionTargets } from '../wide-deletions';

type CustomerTarget = Extract<DeletionTarget, { readonly type: 'customer' }>;

/**
 * Paths of the customers whom these deletions name by the tenant's identifier, if all are stored by it. Nearly always
 * they are, so that they are read in one call with the flag that tells. Targets must be customers.
 */
export function customersByKey(tenant: Tenant, targets: readonly DeletionTarget[]): string[] {
  const { customerIdentifier } = tenant;
  return lookupsOfAll(tenant, targets)
    .filter(({ by }) => by === customerIdentifier)
    .map((lookup) => pathByKey(tenant, lookup));
}

/**
 * The identifier of the only tombstones that these deletions leave while all customers are stored by it: they name
 * nothing else. Undefined: they may leave others. Targets must be customers.
 */
export function soleIdentifierIn(tenant: Tenant, targets: readonly DeletionTarget[]): CustomerIdentifier | undefined {
  const { customerIdentifier } = tenant;
  const isSole = lookupsOfAll(tenant, targets).every(({ by }) => by === customerIdentifier);
  return isSole ? customerIdentifier : undefined;
}

function lookupsOfAll({ customerIdentifier }: Tenant, targets: readonly DeletionTarget[]): CustomerLookup[] {
  return (targets as readonly CustomerTarget[]).flatMap((target) => customerLookups(target, customerIdentifier));
}

/** Plans one commit for as many of these deletions, in their order, as it takes. Targets must be customers. */
export async function planCustomerEntries(
  targets: readonly DeletionTarget[],
  context: AcceptanceContext,
): Promise<AcceptancePlan> {
  const { tenant, hasWide, allowsLargeLookup, deadline, dependencies } = context;
  const wide = await PendingWideDeletions.find(tenant.tenantId, { hasWide }, dependencies.store, deadline);
  const entries = new CustomerEntries(context, wide);
  const [first, ...others] = targets as readonly CustomerTarget[];
  await entries.matchKeys(targets as readonly CustomerTarget[]);
  // A batch is looked up together, and its matches are dropped after it: memory holds those of one batch at a time.
  const batches =
    allowsLargeLookup && first // the first one needs the large lookup
      ? [[first], ...entries.batchesOf(others)]
      : entries.batchesOf(targets as readonly CustomerTarget[]);
  for (let batch = batches.shift(); batch && !entries.isOver; batch = batches.shift()) {
    const matched = await entries.matchBatch(batch);
    const isTooMuch = matched.some(({ matches }) => matches.some(({ hasMore }) => hasMore));
    if (isTooMuch && batch.length > 1) {
      batches.unshift(...chunksOf(batch, Math.ceil(batch.length / 2)));
      continue;
    }
    const isAdded = isTooMuch ? await entries.addByLargeLookups(batch) : await entries.addBatch(matched);
    if (entries.widePrerequisite && entries.isEmpty) return { prerequisites: { wide: entries.widePrerequisite } };
    if (entries.widePrerequisite) break;
    if (!isAdded && entries.isEmpty) return { prerequisites: { needsLargeLookup: true } };
    if (!isAdded) break;
    if (entries.hasWide && !hasWide) return { prerequisites: { needsFlag: { isWide: true } } };
  }
  return entries.toPlan();
}

/** A deletion, and what its identifiers match in the order of priority, as far as that was looked up. */
interface MatchedTarget {
  readonly target: CustomerTarget;
  readonly matches: readonly CustomerMatch[];
}

/** The entries, wide deletions and tombstones of the deletions that were added so far, in their order. */
class CustomerEntries {
  /** The customers that each entry will name by their ids, by the entry's identity. */
  private readonly entries = new Map<RecordId, Map<RecordId, TargetedCustomer>>();
  /** The stored entries that were read, by identity. */
  private readonly pendingEntries = new Map<RecordId, PendingDeletion>();
  /** Ids of the stored entries that were looked for: each is read once. */
  private readonly readDeletionIds = new Set<string>();
  /** Customers that an entry names, a stored one or one of these. They count as removed. */
  private readonly namedCustomers = new Set<RecordId>();
  /** Customers that a pending wide deletion targets. They count as removed, too. */
  private readonly widelyTargetedCustomers = new Set<RecordId>();
  /** Identities by which customers were found. Each gets a tombstone, even where no entry has it as its key. */
  private readonly tombstoneIdentities = new Set<RecordId>();
  /** Those, and the keys of customers whom these deletions name. */
  private readonly matchedIdentities = new Set<RecordId>();
  /** The pending wide deletions that were read, by identity. */
  private readonly pendingWide = new Map<RecordId, WideDeletion>();
  /** Identities of wide deletions, with the field of a customer that holds them. */
  private readonly wideIdentities = new Map<RecordId, MatchedField>();
  /** Identities all of whose customers are targeted by now. They need no second lookup. */
  private readonly fullyTargetedIdentities = new Set<RecordId>();
  /** Ids of stored entries that cannot be extended and are applied first. */
  private readonly blockingDeletionIds = new Set<string>();
  /** Identities of stored entries that name customers whom these deletions match. */
  private readonly repeatedEntries = new Set<RecordId>();
  /** The customers by the keys that deletions name. */
  private keyMatches: ReadonlyMap<RecordId, CustomerMatch> = new Map();
  /** Deletions whose key has found a customer that nothing targeted before. */
  private readonly foundByKey = new Set<CustomerTarget>();
  private acceptedCount = 0;
  /** A wide deletion that is applied before the next deletion is added: it targets page after page of its matches. */
  widePrerequisite: string | undefined;

  private readonly finder: CustomerFinder;
  private readonly beginRemainingMs: number;

  constructor(
    private readonly context: AcceptanceContext,
    private readonly pendingWideDeletions: PendingWideDeletions,
  ) {
    const { tenant, areCustomersKeyed, reads, deadline } = context;
    this.beginRemainingMs = deadline.remainingMs();
    this.finder = new CustomerFinder(tenant, areCustomersKeyed, reads, deadline);
  }

  get isEmpty(): boolean {
    return this.acceptedCount === 0;
  }

  /** Whether one of the deletions is wide. */
  get hasWide(): boolean {
    return this.wideIdentities.size > 0;
  }

  /** Whether pending deletions have to be applied first. */
  private get isBlocked(): boolean {
    return this.blockingDeletionIds.size > 0;
  }

  /** Whether no more are added: the commit takes no more, others are applied first, or the time for lookups is used. */
  get isOver(): boolean {
    return this.isFull || this.isBlocked || this.isTimeUsed || this.widePrerequisite !== undefined;
  }

  private get isFull(): boolean {
    const written = this.entries.size + this.tombstoneIdentities.size;
    return this.acceptedCount > 0 && Math.max(written, this.repeatedEntries.size) > ENTRIES_IN_COMMIT;
  }

  private get isTimeUsed(): boolean {
    const usedMs = this.beginRemainingMs - this.context.deadline.remainingMs();
    return !this.isEmpty && usedMs > LOOKUPS_IN_COMMIT_MS;
  }

  /** Reads the customers whose keys these deletions name, in one call. To be called before the deletions are added. */
  async matchKeys(targets: readonly CustomerTarget[]): Promise<void> {
    // Whom the first deletion with a key targets, the later ones do not match any more.
    const firstOfKey = new Map<RecordId, { readonly lookup: CustomerLookup; readonly target: CustomerTarget }>();
    for (const target of targets) {
      const [lookup] = this.lookupsOf(target);
      if (!lookup || !this.finder.isByKey(lookup)) continue;
      const identity = identityOf(lookup);
      if (!firstOfKey.has(identity)) firstOfKey.set(identity, { lookup, target });
    }
    const lookups = [...firstOfKey.values()].map(({ lookup }) => lookup);
    this.keyMatches = await this.finder.matchAll(lookups, MATCHES_AT_ONCE);
    await this.readPending([...this.keyMatches.values()]);
    for (const [identity, { target }] of firstOfKey) {
      const found = this.keyMatches.get(identity)?.found ?? [];
      if (found.some((document) => this.isUntargeted(document))) this.foundByKey.add(target);
    }
  }

  /** Deletions that are looked up together: as many as one query takes of those that need one. */
  batchesOf(targets: readonly CustomerTarget[]): CustomerTarget[][] {
    const batches: CustomerTarget[][] = [];
    let queried = 0;
    for (const target of targets) {
      const needsQuery = this.lookupsInBatch(target).length > 0;
      if (batches.length === 0 || (needsQuery && queried === QUERY_VALUES)) {
        batches.push([]);
        queried = 0;
      }
      batches.at(-1)?.push(target);
      queried += needsQuery ? 1 : 0;
    }
    return batches;
  }

  /**
   * The identifiers of a deletion that queries look up together with those of others. None where its key has found a
   * customer: then the other identifier counts only if an earlier deletion of this commit targets this customer.
   */
  private lookupsInBatch(target: CustomerTarget): CustomerLookup[] {
    return this.foundByKey.has(target) ? [] : this.lookupsOf(target).filter((lookup) => !this.finder.isByKey(lookup));
  }

  /** What each deletion matches, by its key and by what is looked up together. */
  async matchBatch(batch: readonly CustomerTarget[]): Promise<MatchedTarget[]> {
    const queried = batch.flatMap((target) => this.lookupsInBatch(target));
    const open = queried.filter((lookup) => !this.fullyTargetedIdentities.has(identityOf(lookup)));
    const queries = await this.finder.matchAll(open, MATCHES_AT_ONCE);
    return batch.map((target) => {
      const lookups = new Set(this.lookupsInBatch(target).map(identityOf));
      const matches = this.lookupsOf(target).flatMap((lookup) => {
        const identity = identityOf(lookup);
        if (!lookups.has(identity) && !this.finder.isByKey(lookup)) return [];
        const match = this.fullyTargetedIdentities.has(identity) ? undefined : this.keyMatches.get(identity);
        return match ?? queries.get(identity) ?? emptyMatch(lookup);
      });
      return { target, matches };
    });
  }

  /**
   * Adds the next deletions, given what each matches, until no more are added (`isOver`).
   * @returns false: the next one needs a large lookup
   */
  async addBatch(batch: readonly MatchedTarget[]): Promise<boolean> {
    await this.readPending(batch.flatMap(({ matches }) => matches));
    for (const { target, matches } of batch) {
      if (this.isOver) return true;
      const others = this.lookupsOf(target).slice(matches.length);
      const isDecided = matches.some(({ found }) => found.some((document) => this.isUntargeted(document)));
      const rest: CustomerMatch[] = [];
      if (!isDecided) for (const lookup of others) rest.push(await this.matchPage(lookup));
      if (rest.some(({ hasMore }) => hasMore)) {
        if (!(await this.addByLargeLookups([target]))) return false;
      } else this.addUnlessBlocked([...matches, ...rest]);
    }
    return true;
  }

  /** Reads the pending deletions that concern these matches. */
  private async readPending(matches: readonly CustomerMatch[]): Promise<void> {
    const { tenant, readsPending, written, deadline, dependencies } = this.context;
    const { store } = dependencies;
    const found = matches.flatMap(({ found: documents }) => documents);
    const wide = await this.pendingWideDeletions.of(found);
    for (const deletion of wide) this.pendingWide.set(deletion.identity, deletion);
    const widelyTargeted = await findWideDeletionTargets(found, wide, tenant, store, deadline);
    for (const id of widelyTargeted.keys()) this.widelyTargetedCustomers.add(id);
    const ids = new Set([
      ...matches.map(({ identity }) => identity),
      ...found.flatMap((document) => this.keyOf(document) ?? []),
    ]);
    const deletionIds = [...ids].map((id) => toDeletionId('customers', id));
    const isToBeRead = (id: string) => !this.readDeletionIds.has(id) && (readsPending || written.has(id));
    for (let rest: readonly string[] = deletionIds.filter(isToBeRead); rest.length > 0;) {
      for (const id of rest) this.readDeletionIds.add(id);
      const { pending, unread } = await findPendingDeletions(tenant.tenantId, rest, store, deadline);
      for (const entry of pending) {
        this.pendingEntries.set(entry.id, entry);
        if (!canBeExtended(entry)) this.blockingDeletionIds.add(entry.deletionId);
      }
      rest = unread;
    }
    const customers = new Map(found.map(({ path, data }) => [idOf(path), data]));
    for (const customer of [...ids].flatMap((id) => this.pendingEntries.get(id)?.customers ?? [])) {
      const data = customers.get(customer.id);
      if (data && isStillTargeted(data, customer)) this.namedCustomers.add(customer.id);
    }
  }

  /** Adds the next deletion, unless a pending one that it matches has to be applied first. */
  private addUnlessBlocked(matches: readonly CustomerMatch[]): void {
    if (!this.isBlocked && this.widePrerequisite === undefined) this.add(matches);
  }

  /** Adds the next deletion. The first identifier that matches a customer not yet targeted decides (D-43). */
  private add(matches: readonly CustomerMatch[]): void {
    this.acceptedCount += 1;
    const untargeted = matches.map((match) => ({
      ...match,
      found: match.found.filter((document) => this.isUntargeted(document)),
    }));
    const deciding = untargeted.find(({ hasMore, found }) => hasMore || found.length > 0);
    if (deciding) {
      this.tombstoneIdentities.add(deciding.identity);
      this.matchedIdentities.add(deciding.identity);
    } else for (const { identity } of untargeted) this.getOrCreateEntry(identity); // all of them count as deleted
    if (deciding?.hasMore) this.wideIdentities.set(deciding.identity, deciding.field);
    for (const match of matches) {
      const { identity, found } = match;
      if (deciding && identity !== deciding.identity) continue;
      this.fullyTargetedIdentities.add(identity);
      if (deciding?.hasMore) continue;
      const left = found.filter((document) => this.isLeftToWide(document, identity));
      // The pending one spares whom a writer that has not seen it stores as newer; this one does not.
      if (left.length > 0) this.wideIdentities.set(identity, match.field);
      for (const document of found) if (!left.includes(document)) this.nameCustomer(document, match);
    }
  }

  /**
   * Whether a pending wide deletion by the same identity removes a customer, as of its own time. Then this deletion is
   * added to it: an entry would leave a tombstone of now under his key. One who is keyed by the identity is named
   * again: its new tombstone is newer than the wide deletion, which would take him for written since, and spare him.
   */
  private isLeftToWide(document: StoredDocument, identity: RecordId): boolean {
    const isTargeted = this.widelyTargetedCustomers.has(idOf(document.path) as RecordId);
    return isTargeted && this.pendingWide.has(identity) && this.keyOf(document) !== identity;
  }

  /**
   * Adds the next deletions, each of which may match more customers than are read together.
   * @returns false: this attempt may not look them up
   */
  async addByLargeLookups(targets: readonly CustomerTarget[]): Promise<boolean> {
    if (!this.context.allowsLargeLookup) return false;
    for (const target of targets) if (this.widePrerequisite === undefined) await this.addByLargeLookup(target);
    return true;
  }

  private async addByLargeLookup(target: CustomerTarget): Promise<void> {
    const lookups = this.lookupsOf(target);
    const matches: CustomerMatch[] = [];
    for (const lookup of lookups) {
      // One identifier targets all that have it. Of two, the first that matches an untargeted customer decides.
      const match = lookups.length === 1 ? await this.matchPage(lookup) : await this.matchUntargeted(lookup);
      matches.push(match);
      if (match.found.some((document) => this.isUntargeted(document))) break;
    }
    this.addUnlessBlocked(matches);
  }

  private async matchPage(lookup: CustomerLookup, after?: string): Promise<CustomerMatch> {
    const page = { limit: MAX_NAMED_CUSTOMERS, ...(after !== undefined && { after }) };
    const match = await this.match(lookup, page);
    await this.readPending([match]);
    return match;
  }

  /** The first customers that no deletion targets yet, however many others match. */
  private async matchUntargeted(lookup: CustomerLookup): Promise<CustomerMatch> {
    const found: StoredDocument[] = [];
    for (let after: string | undefined; ;) {
      const match = await this.matchPage(lookup, after);
      found.push(...match.found.filter((document) => this.isUntargeted(document)));
      const hasMore = found.length > MAX_NAMED_CUSTOMERS;
      if (hasMore || !match.hasMore) return { ...match, found, hasMore };
      this.widePrerequisite = await this.wideDeletionOf(match.identity);
      if (this.widePrerequisite !== undefined) return { ...match, found, hasMore };
      after = match.found.at(-1)?.path;
    }
  }

  /** The pending wide deletion of all older customers with this identity, if there is one. */
  private async wideDeletionOf(identity: RecordId): Promise<string | undefined> {
    const [wide] = await this.pendingWideDeletions.of([], [identity]);
    return wide?.deletionId;
  }

  private match(lookup: CustomerLookup, page: Page): Promise<CustomerMatch> {
    if (this.fullyTargetedIdentities.has(identityOf(lookup))) return Promise.resolve(emptyMatch(lookup));
    return this.finder.match(lookup, page);
  }

  private lookupsOf(target: CustomerTarget): CustomerLookup[] {
    return customerLookups(target, this.context.tenant.customerIdentifier);
  }

  private isUntargeted({ path }: StoredDocument): boolean {
    const id = idOf(path) as RecordId;
    return !this.namedCustomers.has(id) && !this.widelyTargetedCustomers.has(id);
  }

  toPlan(): AcceptancePlan {
    if (this.isBlocked) return { prerequisites: { pending: [...this.blockingDeletionIds] } };
    return { acceptance: this.toAcceptance() };
  }

  private toAcceptance(): Acceptance {
    const { tenant, dependencies } = this.context;
    const { tenantId } = tenant;
    const { random } = dependencies;
    const writes = [...this.entries].map(([id, customers]): DocumentChange => {
      const path = deletionPath(tenantId, toDeletionId('customers', id));
      const data = toCustomersData([...customers.values()], newRevision(random));
      return { set: path, data, when: this.pendingEntries.get(id)?.version ?? 'absent' };
    });
    // The database sets their time. It is later than that of any stored tombstone, so none has to be read.
    const tombstones = [...new Set([...this.entries.keys(), ...this.tombstoneIdentities])].map((id): DocumentChange => {
      const writtenAt = this.matchedIdentities.has(id) ? [TOMBSTONE_TIME, REMOVAL_TIME] : [TOMBSTONE_TIME];
      return { set: tombstonePath(tenantId, 'customers', id), data: {}, fields: [], writtenAt };
    });
    const wideWrites = [...this.wideIdentities].map(([id, field]): DocumentChange => {
      const pending = this.pendingWide.get(id);
      const data = { field, revision: newRevision(random), ...toEarlierField(pending?.acceptances ?? []) };
      return { set: wideDeletionPathFor(tenantId, id), data, when: pending?.version ?? 'absent' };
    });
    const toDeletionIds = (ids: readonly RecordId[]) => ids.map((id) => toDeletionId('customers', id));
    return {
      writes: [...writes, ...wideWrites, ...tombstones],
      deletionIds: toDeletionIds([...this.entries.keys()]),
      repeatedIds: toDeletionIds([...this.repeatedEntries].filter((id) => !this.entries.has(id))),
      customers: [...this.entries.values()].flatMap((customers) => [...customers.values()]),
      acceptedCount: this.acceptedCount,
      hasWide: this.hasWide,
    };
  }

  /** Adds a customer to the entry of the identity that it is keyed by, unless an entry names it already. */
  private nameCustomer(document: StoredDocument, { field, identity }: CustomerMatch): void {
    const id = idOf(document.path) as RecordId;
    const key = this.keyOf(document) ?? identity;
    if (this.namedCustomers.has(id)) {
      const pending = this.pendingEntries.get(key);
      if (pending && !this.context.written.has(pending.deletionId)) this.repeatedEntries.add(key);
      return;
    }
    const by = { field, identity, version: document.version };
    this.getOrCreateEntry(key).set(id, { id, by });
    this.namedCustomers.add(id);
    this.matchedIdentities.add(key);
  }

  /** The customers of an entry. A new one begins with those of the stored entry that it replaces. */
  private getOrCreateEntry(id: RecordId): Map<RecordId, TargetedCustomer> {
    const known = this.entries.get(id);
    if (known) return known;
    const entry = new Map(this.pendingEntries.get(id)?.customers.map((customer) => [customer.id, customer]));
    this.entries.set(id, entry);
    return entry;
  }

  /** The identity that a customer is keyed by. */
  private keyOf(document: StoredDocument): RecordId | undefined {
    return keyOfStored(document, this.context.tenant)[0];
  }
}
