/** The entries that accepting deletions of customers writes: here it is settled whom each means (D-43). */
import { chunksOf } from '../platform/chunks';
import type { DocumentChange, Page, StoredDocument } from '../documents/document-store';
import { deletionPath, idOf, tombstonePath } from '../documents/paths';
import type { CustomerRecord } from '../domain/records/customer';
import type { CustomerLookup, DeletionTarget } from '../domain/deletion';
import { customerLookups, toDeletionId } from '../domain/deletion';
import type { RecordId } from '../domain/identity';
import { keyIdentity } from '../domain/identity';
import { ENTRIES_IN_COMMIT, MATCHES_AT_ONCE, MAX_NAMED_CUSTOMERS } from '../limits/deletions';
import { QUERY_VALUES } from '../limits/records';
import type { CustomerMatch } from '../workspace/customer-lookup';
import { identityOf, matchCustomers, emptyMatch, matchCustomersInBatch } from '../workspace/customer-lookup';
import type { MatchedField } from '../workspace/record-documents';
import { fromDocument, newRevision } from '../workspace/record-documents';
import { TOMBSTONE_TIME } from '../workspace/tombstones';
import type { AcceptanceContext, Entries, Plan } from './accept-context';
import type { MeantCustomer, PendingDeletion } from './pending-deletions';
import { canBeExtended, findPendingDeletions, isStillMeant, toCustomersData } from './pending-deletions';
import type { WideDeletion } from './wide-deletions';
import { findMeantWidely, listWideDeletions, wideDeletionOf } from './wide-deletions';

type CustomerTarget = Extract<DeletionTarget, { readonly type: 'customer' }>;

/** See `Plan`. */
export async function planCustomerEntries(
  targets: readonly DeletionTarget[],
  context: AcceptanceContext,
): Promise<Plan> {
  const { tenant, flag, hasTurn, deadline, dependencies } = context;
  const wide = flag.hasWide ? await listWideDeletions(tenant.tenantId, dependencies.store, deadline) : [];
  const plan = new CustomerEntries(context, wide);
  // Each wave is in memory together; what it finds is not kept, so that a batch takes no more than one of its waves.
  const [first, ...others] = targets as readonly CustomerTarget[];
  const waves =
    hasTurn && first
      ? [[first], ...chunksOf(others, QUERY_VALUES)]
      : chunksOf(targets as readonly CustomerTarget[], QUERY_VALUES);
  for (let wave = waves.shift(); wave && !plan.isFull && !plan.isBlocked; wave = waves.shift()) {
    const found = await plan.findFew(wave);
    const isTooMuch = found.flat().some(({ hasMore }) => hasMore);
    if (isTooMuch && wave.length > 1) {
      waves.unshift(...chunksOf(wave, Math.ceil(wave.length / 2)));
      continue;
    }
    if (!isTooMuch) await plan.addFew(found);
    else if (hasTurn) await plan.addMany(wave);
    else if (plan.isEmpty) return { obstacle: { needsTurn: true } };
    else break;
    if (plan.hasWide && !flag.hasWide) return { obstacle: { needsWideFlag: true } };
  }
  return plan.toPlan();
}

/** The entries of deletions, taken in their order. */
class CustomerEntries {
  /** The customers that each entry will name, by its identity and by their ids. */
  private readonly entries = new Map<RecordId, Map<RecordId, MeantCustomer>>();
  /** Entries that are stored. */
  private readonly pending = new Map<RecordId, PendingDeletion>();
  /** Customers that an entry names, stored or taken before: they count as removed. */
  private readonly named = new Set<RecordId>();
  /** Customers that wide deletions mean: so do they. */
  private readonly meantWidely = new Set<RecordId>();
  /** Identities by which customers were found: they count as deleted, whether an entry stands for them or not. */
  private readonly buried = new Set<RecordId>();
  /** Identities that too many share, with the field that holds them. */
  private readonly wide = new Map<RecordId, MatchedField>();
  /** Identities of which everybody is meant: they need not be looked up again. */
  private readonly done = new Set<RecordId>();
  /** Entries that nothing can be added to. */
  private readonly closed = new Set<string>();
  private taken = 0;

  constructor(
    private readonly context: AcceptanceContext,
    private readonly stored: readonly WideDeletion[],
  ) {}

  get isEmpty(): boolean {
    return this.taken === 0;
  }

  /** Whether one of the deletions is wide. */
  get hasWide(): boolean {
    return this.wide.size > 0;
  }

  /** Whether pending deletions have to be applied first. */
  get isBlocked(): boolean {
    return this.closed.size > 0;
  }

  /** Whether a commit takes no more deletions. */
  get isFull(): boolean {
    return this.taken > 0 && this.entries.size + this.buried.size > ENTRIES_IN_COMMIT;
  }

  /** Some customers that deletions match, by each of their identifiers in the order of priority. */
  async findFew(wave: readonly CustomerTarget[]): Promise<CustomerMatch[][]> {
    const { tenant, transaction, deadline } = this.context;
    const lookups = wave.map((target) => this.lookupsOf(target));
    const open = lookups.flat().filter((lookup) => !this.done.has(identityOf(lookup)));
    const matches = await matchCustomersInBatch(tenant.tenantId, open, MATCHES_AT_ONCE, transaction, deadline);
    return lookups.map((own) => own.map((lookup) => matches.get(identityOf(lookup)) ?? emptyMatch(lookup)));
  }

  /** Takes the next deletions, as many as a commit takes. */
  async addFew(found: readonly (readonly CustomerMatch[])[]): Promise<void> {
    await this.prepare(found.flat());
    for (const matches of found) if (!this.isFull && !this.isBlocked) this.add(matches);
  }

  /** Reads what taking deletions with these matches needs. */
  private async prepare(matches: readonly CustomerMatch[]): Promise<void> {
    const { tenant, mayBePending, deadline, dependencies } = this.context;
    const { store } = dependencies;
    const found = matches.flatMap(({ found: documents }) => documents);
    const meant = await findMeantWidely(found, this.stored, tenant, store, deadline);
    for (const id of meant.keys()) this.meantWidely.add(id);
    if (!mayBePending) return;
    const customers = new Map(found.map(({ path, data }) => [idOf(path), data]));
    const ids = [
      ...matches.map(({ identity }) => identity),
      ...found.flatMap((document) => this.keyOf(document) ?? []),
    ];
    for (let rest: readonly string[] = [...new Set(ids)].map((id) => toDeletionId('customers', id)); rest.length > 0;) {
      const { pending, unread } = await findPendingDeletions(tenant.tenantId, rest, store, deadline);
      for (const entry of pending) {
        this.pending.set(entry.id, entry);
        if (!canBeExtended(entry)) this.closed.add(entry.deletionId);
        for (const customer of entry.customers) {
          const data = customers.get(customer.id);
          if (data && isStillMeant(data, customer)) this.named.add(customer.id);
        }
      }
      rest = unread;
    }
  }

  /** Takes the next deletion. */
  private add(matches: readonly CustomerMatch[]): void {
    this.taken += 1;
    const left = matches.map((match) => ({ ...match, found: match.found.filter((document) => this.isLeft(document)) }));
    const match = left.find(({ hasMore, found }) => hasMore || found.length > 0);
    if (match) this.buried.add(match.identity);
    else for (const { identity } of left) this.entryOf(identity); // each counts
    if (match?.hasMore) this.wide.set(match.identity, match.field);
    for (const one of matches) {
      const { identity, found } = one;
      if (match && identity !== match.identity) continue;
      this.done.add(identity);
      // Whom a wide deletion means, too: the tombstones are newer than that, and it would take him to be written since.
      if (!match?.hasMore) for (const document of found) this.name(document, one);
    }
  }

  /** Takes the next deletions, which may match many. */
  async addMany(targets: readonly CustomerTarget[]): Promise<void> {
    for (const target of targets) await this.addOneOfMany(target);
  }

  private async addOneOfMany(target: CustomerTarget): Promise<void> {
    const lookups = this.lookupsOf(target);
    const matches: CustomerMatch[] = [];
    for (const lookup of lookups) {
      // With one identifier all that has it is meant. With two, whether anybody is left tells which of them counts.
      const match = lookups.length === 1 ? await this.findFirst(lookup) : await this.findLeft(lookup);
      matches.push(match);
      if (match.found.some((document) => this.isLeft(document))) break;
    }
    if (!this.isBlocked) this.add(matches);
  }

  private async findFirst(lookup: CustomerLookup, after?: string): Promise<CustomerMatch> {
    const page = { limit: MAX_NAMED_CUSTOMERS, ...(after !== undefined && { after }) };
    const match = await this.find(lookup, page);
    await this.prepare([match]);
    return match;
  }

  /** The first ones that no deletion means, however many others there are. */
  private async findLeft(lookup: CustomerLookup): Promise<CustomerMatch> {
    const found: StoredDocument[] = [];
    for (let after: string | undefined; ;) {
      const match = await this.findFirst(lookup, after);
      found.push(...match.found.filter((document) => this.isLeft(document)));
      const hasMore = found.length > MAX_NAMED_CUSTOMERS;
      if (hasMore || !match.hasMore) return { ...match, found, hasMore };
      after = match.found.at(-1)?.path;
    }
  }

  private find(lookup: CustomerLookup, page: Page): Promise<CustomerMatch> {
    const { tenant, transaction, deadline } = this.context;
    if (this.done.has(identityOf(lookup))) return Promise.resolve(emptyMatch(lookup));
    return matchCustomers(tenant.tenantId, lookup, page, transaction, deadline);
  }

  private lookupsOf(target: CustomerTarget): CustomerLookup[] {
    return customerLookups(target, this.context.tenant.customerIdentifier);
  }

  private isLeft({ path }: StoredDocument): boolean {
    const id = idOf(path) as RecordId;
    return !this.named.has(id) && !this.meantWidely.has(id);
  }

  toPlan(): Plan {
    return this.isBlocked ? { obstacle: { pending: [...this.closed] } } : { entries: this.toEntries() };
  }

  private toEntries(): Entries {
    const { tenant, dependencies } = this.context;
    const { tenantId } = tenant;
    const { random } = dependencies;
    const writes = [...this.entries].map(([id, customers]): DocumentChange => {
      const path = deletionPath(tenantId, toDeletionId('customers', id));
      const data = toCustomersData([...customers.values()], newRevision(random));
      return { set: path, data, when: this.pending.get(id)?.version ?? 'absent' };
    });
    // By the time of the database, which is later than that of any other tombstone: none has to be read.
    const tombstones = [...new Set([...this.entries.keys(), ...this.buried])].map((id): DocumentChange => {
      return { set: tombstonePath(tenantId, id), data: {}, fields: [], writtenAt: TOMBSTONE_TIME };
    });
    const wideWrites = [...this.wide].map(([id, field]): DocumentChange => {
      const data = { field, revision: newRevision(random) };
      return { set: wideDeletionOf(tenantId, id), data };
    });
    return {
      writes: [...writes, ...wideWrites, ...tombstones],
      deletionIds: [...this.entries.keys()].map((id) => toDeletionId('customers', id)),
      taken: this.taken,
      hasWide: this.hasWide,
    };
  }

  /** Has an entry name a customer. */
  private name(document: StoredDocument, { field, identity }: CustomerMatch): void {
    const id = idOf(document.path) as RecordId;
    if (this.named.has(id)) return;
    const by = { field, identity, version: document.version };
    this.entryOf(this.keyOf(document) ?? identity).set(id, { id, by });
    this.named.add(id);
  }

  private entryOf(id: RecordId): Map<RecordId, MeantCustomer> {
    const known = this.entries.get(id);
    if (known) return known;
    const entry = new Map(this.pending.get(id)?.customers.map((customer) => [customer.id, customer]));
    this.entries.set(id, entry);
    return entry;
  }

  /** The identity that a customer is keyed by. */
  private keyOf({ data }: StoredDocument): RecordId | undefined {
    return keyIdentity(fromDocument<CustomerRecord>(data), this.context.tenant.customerIdentifier)[0];
  }
}
