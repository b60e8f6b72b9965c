/**
 * Customers that rows of a file delete. Which customers a row identifies has to be looked up, and other writers
 * may store some meanwhile. So tombstones are committed first, and only then the customers are looked for. Whoever
 * writes an older row after that finds the tombstone. What was written before it is found. The commit of the rows
 * removes the customers.
 *
 * Where very many share an identifier, the row leaves a wide deletion as of its time (wide-deletions.ts), which is
 * worked through after the commit.
 */
import type { Deadline } from '../../../platform/deadline';
import { applyDeletions } from '../../../deletions/apply-deletion';
import { findPendingDeletions } from '../../../deletions/pending-deletions';
import { isRaised, raiseFlag } from '../../../deletions/pending-flag';
import { PendingWideDeletions, wideDeletionPathFor } from '../../../deletions/pending-wide-deletions';
import { addWideDeletion, findWideDeletionTargets } from '../../../deletions/wide-deletions';
import type { StoredDocument } from '../../../documents/document-store';
import { deletionFlagPath, idOf } from '../../../documents/paths';
import type { CustomerRecord } from '../../../domain/records/customer';
import type { CustomerLookup } from '../../../domain/deletion';
import { customerLookups, toDeletionId } from '../../../domain/deletion';
import type { RecordId } from '../../../domain/identity';
import { customerIdentities, keyIdentity } from '../../../domain/identity';
import { ACCEPTED_IN_COMMIT, DELETIONS_AT_ONCE, MATCHES_AT_ONCE } from '../../../limits/deletions';
import { FEW_MATCHING_CUSTOMERS, QUERY_VALUES } from '../../../limits/records';
import { chunksOf } from '../../../platform/chunks';
import { inParallel } from '../../../platform/async/in-parallel';
import type { CustomerMatch } from '../../../workspace/customer-lookup';
import { areKeyedBy } from '../../../workspace/customer-keys';
import { CustomerFinder, identityOf } from '../../../workspace/customer-lookup';
import type { LocatedRow, RowContext } from './located-row';
import { isDeleting } from './located-row';
import type { RecordDependencies } from '../../../workspace/record-dependencies';
import { asOf, fromDocument, MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from '../../../workspace/record-documents';
import { retryConflicts } from '../../../workspace/retry-conflicts';
import { addTombstones, deletedAtOf, tombstonePaths } from '../../../workspace/tombstones';
import { Workspace } from '../../../workspace/workspace';

/** What a row deletes. */
interface Decision {
  /** The paths of all customers that were found. */
  readonly paths: readonly string[];
  /** What counts as deleted (D-43); none where the row does nothing. */
  readonly identities: readonly RecordId[];
  /** The customers to remove, reduced to the fields that a removal needs. */
  readonly customers: readonly { readonly document: StoredDocument; readonly keys: readonly RecordId[] }[];
  /** Set when more customers have this identity than a commit names. */
  readonly wide: Pick<CustomerMatch, 'field' | 'identity'> | undefined;
}

/** The customers under an identifier, without those that a wide deletion is about to remove. */
interface RemainingMatch extends CustomerMatch {
  /** The times of these wide deletions. */
  readonly wideDeletedAt: readonly Date[];
}

export class CustomerDeletions {
  private readonly decisions = new Map<LocatedRow, Decision>();
  /** Identities that rows of this commit have stored or deleted, and paths that they have changed. */
  private readonly touched = new Set<string>();
  private deletingRows = 0;
  private hasWide = false;

  constructor(
    private readonly workspace: Workspace,
    private readonly context: RowContext,
    private readonly dependencies: RecordDependencies,
    private readonly deadline: Deadline,
  ) {}

  /**
   * Whether the commit has room for one more row. A row that deletes customers which earlier rows touch is decided once
   * those rows are stored. Rows after a wide deletion are applied once that is stored.
   */
  hasRoomFor(row: LocatedRow): boolean {
    if (this.hasWide) return false;
    if (row.deletions === undefined) return true;
    const decision = this.decisions.get(row);
    if (decision === undefined || this.deletingRows >= ACCEPTED_IN_COMMIT || this.isTouching(row)) return false;
    return !decision.paths.some((path) => this.touched.has(path));
  }

  /** Decides which customers a row and the next rows delete. @param next the row and the next ones */
  async findCustomers(row: LocatedRow, next: () => readonly LocatedRow[]): Promise<void> {
    if (this.decisions.has(row) || this.isTouching(row)) return;
    const { workspace, context, deadline, dependencies } = this;
    const independent = this.independentRowsOf(next());
    const rows = independent.filter(isDeleting);
    await retryConflicts(rows, (open) => this.decideSome(open, independent), deadline, dependencies);
    // From here on the commit depends on the tombstones as they are now.
    const decisions = rows.flatMap((each) => this.decisions.get(each) ?? []);
    const keys = decisions.flatMap(({ customers }) => customers.flatMap((customer) => customer.keys));
    const tombstones = tombstonePaths(context.tenant.tenantId, 'customers', [
      ...rows.flatMap((each) => this.identitiesOf(each)),
      ...keys,
    ]);
    workspace.dropUnchanged(tombstones);
    await workspace.load(tombstones);
  }

  /**
   * Decides rows that delete, as far as no earlier row can change which customers they find. The others get no
   * tombstone yet: it could name an identity that does not count in the end.
   * @param independent these rows with the rows before and between them
   * @returns rows that are not decided yet: their tombstones have just been written, so that the customers are looked
   * up again
   */
  private async decideSome(rows: readonly LocatedRow[], independent: readonly LocatedRow[]): Promise<LocatedRow[]> {
    const { context, deadline, dependencies } = this;
    const { tenantId } = context.tenant;
    const flagPath = deletionFlagPath(tenantId, 'customers');
    const ahead = new Workspace(dependencies.store, deadline);
    await ahead.load([
      flagPath,
      ...tombstonePaths(
        tenantId,
        'customers',
        rows.flatMap((row) => this.identitiesOf(row)),
      ),
    ]);
    const matches = await this.findMatches(rows, areKeyedBy(context.tenant, ahead.get(flagPath)));
    const keys = this.keysThatMayBePending(rows, matches);
    const { pending } = await findPendingDeletions(tenantId, keys, dependencies.store, deadline);
    if (pending.length > 0) {
      // The customers of a pending deletion count as removed: a row may find others, and leaves no tombstone of these.
      await applyDeletions(context.tenant, keys, deadline, dependencies);
      return [...rows];
    }
    await this.leaveOutWidelyDeleted(matches, ahead.get(flagPath)?.hasWide === true);
    const undecided: LocatedRow[] = [];
    let needsWideFlag = false;
    const open = new Set(rows);
    const touchedBefore = new Set(this.touched);
    for (const row of independent) {
      const decision = open.has(row) ? this.decide(row, matches, ahead) : this.decisions.get(row);
      const paths = isDeleting(row) ? (decision?.paths ?? []) : [row.path];
      const isIndependent = decision !== undefined && !paths.some((path) => touchedBefore.has(path));
      for (const path of paths) touchedBefore.add(path);
      if (!open.has(row) || !isIndependent) continue;
      needsWideFlag ||= decision.wide !== undefined;
      if (this.hasTombstones(row, decision, ahead)) this.decisions.set(row, decision);
      else {
        undecided.push(row);
        await addTombstones(ahead, tenantId, 'customers', decision.identities, row.at);
      }
      if (decision.wide) break; // rows after it may find customers that it removes
    }
    const flag = ahead.get(flagPath);
    if (!isRaised(flag) || (needsWideFlag && flag?.hasWide !== true)) {
      await raiseFlag(tenantId, 'customers', needsWideFlag, deadline, dependencies);
      return [...rows];
    }
    ahead.requireUnchanged(flagPath);
    // In conflict or not: the next attempt looks for the tombstones.
    if (undecided.length > 0) await dependencies.store.commit(ahead.toWrites(), deadline);
    return undecided;
  }

  /** Notes a row that stores a customer, or is stale. Rows that delete this customer go to a later commit. */
  noteStored({ path, dto }: LocatedRow): void {
    for (const identity of customerIdentities(dto)) this.touched.add(identity);
    this.touched.add(path);
  }

  /**
   * Deletes the customers of a row that is decided. `stale`: they are newer, or were deleted later.
   * @throws Error when the row is not decided
   */
  async delete(row: LocatedRow): Promise<'deleted' | 'stale'> {
    const { workspace, context } = this;
    const { tenantId } = context.tenant;
    const { identities, customers, wide } = this.decisionOf(row);
    workspace.requireUnchanged(deletionFlagPath(tenantId, 'customers'));
    this.deletingRows += 1;
    for (const identity of this.identitiesOf(row)) this.touched.add(identity);
    if (identities.length === 0) return 'stale';
    workspace.addRead(customers.map(({ document }) => document));
    for (const { document, keys } of customers) {
      for (const touched of [document.path, ...keys]) this.touched.add(touched);
      workspace.put(document.path, undefined);
      await addTombstones(workspace, tenantId, 'customers', keys, row.at);
    }
    if (wide) {
      await workspace.load([wideDeletionPathFor(tenantId, wide.identity)]);
      addWideDeletion(workspace, tenantId, wide, row.at, context.revision);
      this.hasWide = true;
    }
    return 'deleted';
  }

  /**
   * The first of these rows, up to one that deletes what an earlier row touches, and at most as many as fit a commit.
   */
  private independentRowsOf(rows: readonly LocatedRow[]): LocatedRow[] {
    const touched = new Set<string>(this.touched);
    let deleting = 0;
    const end = rows.findIndex((row) => {
      const identities = row.deletions ? this.identitiesOf(row) : customerIdentities(row.dto);
      if (row.deletions && identities.some((identity) => touched.has(identity))) return true;
      for (const identity of identities) touched.add(identity);
      deleting += row.deletions ? 1 : 0;
      return deleting > ACCEPTED_IN_COMMIT;
    });
    return end === -1 ? [...rows] : rows.slice(0, end);
  }

  private isTouching(row: LocatedRow): boolean {
    return this.identitiesOf(row).some((identity) => this.touched.has(identity));
  }

  /** The identities by which a row deletes. */
  private identitiesOf(row: LocatedRow): RecordId[] {
    return this.lookupsOf(row).map(identityOf);
  }

  /** The customers under the identifiers of these rows, by identity. */
  private async findMatches(
    rows: readonly LocatedRow[],
    areCustomersKeyed: boolean,
  ): Promise<Map<RecordId, RemainingMatch>> {
    const lookups = new Map(rows.flatMap((row) => this.lookupsOf(row)).map((lookup) => [identityOf(lookup), lookup]));
    const matches = new Map<RecordId, RemainingMatch>();
    const { context, deadline, dependencies } = this;
    const finder = new CustomerFinder(context.tenant, areCustomersKeyed, dependencies.store, deadline);
    const add = (match: CustomerMatch) => {
      const found = match.found.map((document) => ({ ...document, data: this.toReduced(document) }));
      matches.set(match.identity, { ...match, found, wideDeletedAt: [] });
    };
    const byKey = [...lookups.values()].filter((lookup) => finder.isByKey(lookup));
    const others = [...lookups.values()].filter((lookup) => !finder.isByKey(lookup));
    for (const batch of [...chunksOf(byKey, MATCHES_AT_ONCE), ...chunksOf(others, QUERY_VALUES)]) {
      const together = await finder.matchAll(batch, MATCHES_AT_ONCE);
      const isFew = ({ hasMore, found }: CustomerMatch) => !hasMore && found.length <= FEW_MATCHING_CUSTOMERS;
      for (const match of together.values()) if (isFew(match)) add(match);
      // Where a batch matches many, each identifier is looked up by itself.
      const rest = batch.filter((lookup) => !matches.has(identityOf(lookup)));
      await inParallel(rest, DELETIONS_AT_ONCE, async (lookup) => {
        add(await finder.match(lookup, { limit: FEW_MATCHING_CUSTOMERS }));
      });
    }
    return matches;
  }

  /** The ids under which deletions of the customers that these rows find may be pending. */
  private keysThatMayBePending(rows: readonly LocatedRow[], matches: ReadonlyMap<RecordId, RemainingMatch>): string[] {
    const found = rows.flatMap((row) =>
      this.identitiesOf(row).flatMap((identity) => matches.get(identity)?.found ?? []),
    );
    const keys = found.flatMap((document) => this.keysOf(document));
    return [...new Set(keys)].map((key) => toDeletionId('customers', key));
  }

  /** Leaves out the customers that a wide deletion is about to remove. */
  private async leaveOutWidelyDeleted(matches: Map<RecordId, RemainingMatch>, hasWide: boolean): Promise<void> {
    const { deadline } = this;
    const { tenant } = this.context;
    const { store } = this.dependencies;
    const pending = await PendingWideDeletions.find(tenant.tenantId, { hasWide }, store, deadline);
    const wide = await pending.of([...matches.values()].flatMap(({ found }) => found));
    if (wide.length === 0) return;
    for (const [identity, match] of matches) {
      const deletedAt = await findWideDeletionTargets(match.found, wide, tenant, store, deadline);
      const found = match.found.filter(({ path }) => !deletedAt.has(idOf(path) as RecordId));
      matches.set(identity, { ...match, found, wideDeletedAt: [...deletedAt.values()] });
    }
  }

  /** The first identifier that any customer has counts. If no customer has one, each counts (D-43). */
  private decide(row: LocatedRow, matches: ReadonlyMap<RecordId, RemainingMatch>, ahead: Workspace): Decision {
    const { tenantId } = this.context.tenant;
    const own = this.identitiesOf(row).flatMap((identity) => matches.get(identity) ?? []);
    const paths = own.flatMap((each) => each.found.map(({ path }) => path));
    const nothing = { paths, identities: [], customers: [], wide: undefined };
    const match = own.find((each) => each.hasMore || each.found.length > 0);
    if (match && match !== own[0] && this.isRepeat(row, own, ahead)) {
      return { ...nothing, identities: this.identitiesOf(row).slice(0, 1) };
    }
    if (match) {
      const { field, identity, hasMore } = match;
      if (hasMore) return { ...nothing, identities: [identity], wide: { field, identity } };
      const older = match.found.filter((customer) => asOf(customer) <= row.at);
      const customers = older.map((document) => ({ document, keys: this.keysOf(document) }));
      return older.length === 0 ? nothing : { ...nothing, identities: [identity], customers };
    }
    const identities = this.identitiesOf(row);
    const isNewer = (path: string) => (deletedAtOf(ahead.get(path)) ?? row.at) > row.at;
    return tombstonePaths(tenantId, 'customers', identities).every(isNewer) ? nothing : { ...nothing, identities };
  }

  /**
   * Whether a row was applied before, and found customers by its first identifier. Then this identifier was deleted as
   * of exactly the row's time, and the other one was not.
   */
  private isRepeat(row: LocatedRow, matches: readonly RemainingMatch[], ahead: Workspace): boolean {
    const [first, other] = matches.map(({ identity, wideDeletedAt }) => {
      const [path = ''] = tombstonePaths(this.context.tenant.tenantId, 'customers', [identity]);
      const times = [...wideDeletedAt, deletedAtOf(ahead.get(path))];
      return times.some((time) => time?.getTime() === row.at.getTime());
    });
    return first === true && other === false;
  }

  /** Whether the tombstones of a decision are stored. */
  private hasTombstones(row: LocatedRow, { identities }: Decision, ahead: Workspace): boolean {
    return tombstonePaths(this.context.tenant.tenantId, 'customers', identities).every((path) => {
      const deletedAt = deletedAtOf(ahead.get(path));
      return deletedAt !== undefined && deletedAt >= row.at;
    });
  }

  private decisionOf(row: LocatedRow): Decision {
    const decision = this.decisions.get(row);
    if (!decision) throw new Error('A customer was deleted before it was looked for.');
    return decision;
  }

  private lookupsOf({ deletions = [] }: LocatedRow): CustomerLookup[] {
    const { customerIdentifier } = this.context.tenant;
    return deletions.flatMap(({ target }) =>
      target.type === 'customer' ? customerLookups(target, customerIdentifier) : [],
    );
  }

  /** The identity that keys a customer's record. */
  private keysOf({ data }: StoredDocument): RecordId[] {
    return keyIdentity(fromDocument<CustomerRecord>(data), this.context.tenant.customerIdentifier);
  }

  /** A customer reduced to the fields that identify it and tell when it was true. */
  private toReduced({ data }: StoredDocument): StoredDocument['data'] {
    const kept = ['Email', 'CustomerId', 'revision', MATCHING_EMAIL, MATCHING_CUSTOMER_ID];
    return Object.fromEntries(Object.entries(data).filter(([name]) => kept.includes(name)));
  }
}
