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
import { isRaised, raiseFlag, soleIdentifierOf } from '../../../deletions/pending-flag';
import { PendingWideDeletions, wideDeletionPathFor } from '../../../deletions/pending-wide-deletions';
import { addWideDeletion, findWideDeletionTargets } from '../../../deletions/wide-deletions';
import type { StoredDocument, Version } from '../../../documents/document-store';
import { isSameVersion } from '../../../documents/document-store';
import { deletionFlagPath, idOf, tombstonePath } from '../../../documents/paths';
import type { DocumentData } from '../../../domain/records/document';
import { later } from '../../../domain/values/date-time';
import type { CustomerLookup } from '../../../domain/deletion';
import { customerLookups, toDeletionId } from '../../../domain/deletion';
import type { RecordId } from '../../../domain/identity';
import { customerIdentities } from '../../../domain/identity';
import { ACCEPTED_IN_COMMIT, DELETIONS_AT_ONCE, MATCHES_AT_ONCE } from '../../../limits/deletions';
import { FEW_MATCHING_CUSTOMERS, QUERY_VALUES } from '../../../limits/records';
import { chunksOf } from '../../../platform/chunks';
import { inParallel } from '../../../platform/async/in-parallel';
import type { CustomerMatch } from '../../../workspace/customer-lookup';
import { areKeyedBy, keyOfStored } from '../../../workspace/customer-keys';
import { CustomerFinder, emptyMatch, identityOf } from '../../../workspace/customer-lookup';
import type { LocatedRow, RowContext } from './located-row';
import { isDeleting } from './located-row';
import type { RecordDependencies } from '../../../workspace/record-dependencies';
import { asOf, MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from '../../../workspace/record-documents';
import { retryConflicts } from '../../../workspace/retry-conflicts';
import {
  addTombstones,
  addUnmatchedTombstones,
  deletedAtOf,
  isUnknownRemovalAt,
  recordDeletingRow,
  removedAtOf,
  tombstonePaths,
  wasDeletedBy,
} from '../../../workspace/tombstones';
import { Workspace } from '../../../workspace/workspace';

/** What a row deletes. */
interface Decision {
  /** It could be another one after rows that touch one of these. */
  readonly dependsOn: readonly string[];
  /** What it changes for the rows after it. */
  readonly touches: readonly string[];
  /** What counts as deleted (D-43); none where the row does nothing. */
  readonly identities: readonly RecordId[];
  /** The customers to remove, reduced to the fields that a removal needs. */
  readonly customers: readonly { readonly document: StoredDocument; readonly keys: readonly RecordId[] }[];
  /** Set when more customers have this identity than a commit names. */
  readonly wide: Pick<CustomerMatch, 'field' | 'identity'> | undefined;
  /** Whether it has found customers, and not nobody. */
  readonly isMatched: boolean;
  /** Whether the tombstone of the first identity says that this row has deleted by it. */
  readonly isRecorded: boolean;
}

/** A row that deletes, and what. */
interface RowDecision {
  readonly row: LocatedRow;
  readonly decision: Decision;
}

/** The customers under an identifier, without those that a wide deletion is about to remove. */
interface RemainingMatch extends CustomerMatch {
  /** When the last of these wide deletions was accepted; undefined: there is none. */
  readonly widelyDeletedAt: Date | undefined;
  /** When a wide deletion of this identity that is pending was last accepted; undefined: there is none. */
  readonly pendingAsOf: Date | undefined;
}

/** Does nothing, and says nothing to the rows after it. */
const NOTHING: Omit<Decision, 'dependsOn'> = {
  touches: [],
  identities: [],
  customers: [],
  wide: undefined,
  isMatched: false,
  isRecorded: false,
};

export class CustomerDeletions {
  private readonly decisions = new Map<LocatedRow, Decision>();
  /** Identities that rows of this commit have stored or deleted, tombstones and customers that they have changed. */
  private readonly touched = new Set<string>();
  /** Tombstones that others have changed since they were read for this commit. */
  private readonly changedTombstones = new Set<string>();
  /** Tombstones that were written for these rows: what was there before, and what is since. */
  private readonly ownTombstones = new Map<string, { readonly before: Version | undefined; readonly after: Version }>();
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
   * those rows are stored. Rows after a wide deletion are applied once that is stored. A row that stores is read again
   * where one of its tombstones has changed: a deletion may be pending that it has not met.
   * @param tombstones those that a row that stores depends on
   */
  hasRoomFor(row: LocatedRow, tombstones: () => readonly string[]): boolean {
    if (!isDeleting(row)) return !this.hasWide && !tombstones().some((path) => this.changedTombstones.has(path));
    const decision = this.decisions.get(row);
    if (decision === undefined || !this.hasRoomForDeletingRow) return false;
    return !decision.dependsOn.some((each) => this.touched.has(each));
  }

  /** Whether the commit takes one more row that deletes, whatever it touches. */
  private get hasRoomForDeletingRow(): boolean {
    return !this.hasWide && this.deletingRows < ACCEPTED_IN_COMMIT;
  }

  /** Decides which customers a row and the next rows delete. @param next the row and the next ones */
  async findCustomers(row: LocatedRow, next: () => readonly LocatedRow[]): Promise<void> {
    if (this.decisions.has(row) || !this.hasRoomForDeletingRow || this.isFirstTouched(row, this.touched)) return;
    const { workspace, context, deadline, dependencies } = this;
    const ahead = this.rowsAheadOf(next());
    const rows = ahead.filter(isDeleting);
    await retryConflicts(rows, (open) => this.decideSome(open, ahead), deadline, dependencies);
    // From here on the commit depends on the tombstones as they are now.
    const decisions = rows.flatMap((each) => this.decisions.get(each) ?? []);
    const keys = decisions.flatMap(({ customers }) => customers.flatMap((customer) => customer.keys));
    const tombstones = tombstonePaths(context.tenant.tenantId, 'customers', [
      ...rows.flatMap((each) => this.identitiesOf(each)),
      ...keys,
    ]);
    const versionOf = (path: string) => workspace.asRead(path)?.version;
    const before = new Map(
      tombstones.filter((path) => workspace.isLoaded(path)).map((path) => [path, versionOf(path)]),
    );
    workspace.dropUnchanged(tombstones);
    await workspace.load(tombstones);
    for (const [path, version] of before) {
      if (this.isChangedByOthers(path, version, versionOf(path))) this.changedTombstones.add(path);
    }
  }

  /**
   * Decides rows that delete, as far as no earlier row can change which customers they find. The others get no
   * tombstone yet: it could name an identity that does not count in the end.
   * @param all these rows with the rows before and between them
   * @returns rows that are not decided yet: their tombstones have just been written, so that the customers are looked
   * up again
   */
  private async decideSome(rows: readonly LocatedRow[], all: readonly LocatedRow[]): Promise<LocatedRow[]> {
    const { context, deadline, dependencies } = this;
    const { tenantId } = context.tenant;
    const flagPath = deletionFlagPath(tenantId, 'customers');
    const ahead = new Workspace(dependencies.store, deadline);
    await ahead.load([flagPath]);
    const flag = ahead.get(flagPath);
    const matches = await this.findMatches(rows, flag);
    const keys = this.keysThatMayBePending(rows, matches);
    const { pending } = await findPendingDeletions(tenantId, keys, dependencies.store, deadline);
    if (pending.length > 0) {
      // The customers of a pending deletion count as removed: a row may find others, and leaves no tombstone of these.
      await applyDeletions(context.tenant, keys, deadline, dependencies);
      return [...rows];
    }
    // After the customers: of one who is removed meanwhile, the tombstone tells.
    const identities = rows.flatMap((row) => this.identitiesOf(row));
    await ahead.load(tombstonePaths(tenantId, 'customers', identities));
    const { undecided, needsWideFlag } = this.decideInOrder(rows, all, matches, ahead);
    const isEnough = isRaised(flag) && soleIdentifierOf(flag) === undefined;
    if (!isEnough || (needsWideFlag && flag?.hasWide !== true)) {
      await raiseFlag(tenantId, 'customers', { isWide: needsWideFlag }, deadline, dependencies);
      return [...rows];
    }
    ahead.requireUnchanged(flagPath);
    // All are decided by the tombstones that are stored. In conflict or not: the next attempt looks for these.
    for (const { row, decision } of undecided) {
      if (decision.isMatched) await addTombstones(ahead, tenantId, 'customers', decision.identities, row.at);
      else await addUnmatchedTombstones(ahead, tenantId, decision.identities, row.at);
      if (decision.isRecorded) this.recordRow(row, ahead);
    }
    if (undecided.length > 0) {
      const version = await dependencies.store.commit(ahead.toWrites(), deadline);
      if (version !== 'conflict') this.noteOwnTombstones(ahead, version);
    }
    return undecided.map(({ row }) => row);
  }

  /**
   * Decides these rows in their order, up to the first that depends on an earlier one: it goes to a later commit, as do
   * those after it, and those after a wide deletion, which may find customers that it removes.
   * @param all these rows with the rows before and between them
   * @param ahead has the tombstones of their identities
   * @returns those whose tombstones are to be written first, and whether a flag must tell of a wide deletion
   */
  private decideInOrder(
    rows: readonly LocatedRow[],
    all: readonly LocatedRow[],
    matches: ReadonlyMap<RecordId, RemainingMatch>,
    ahead: Workspace,
  ): { readonly undecided: readonly RowDecision[]; readonly needsWideFlag: boolean } {
    const undecided: RowDecision[] = [];
    const named = countOf(all.flatMap((row) => this.identitiesOf(row)));
    const open = new Set(rows);
    const touchedBefore = new Set(this.touched);
    let needsWideFlag = false;
    for (const row of all) {
      if (!isDeleting(row)) {
        for (const touched of touchedByStored(row)) touchedBefore.add(touched);
        continue;
      }
      const decision = open.has(row) ? this.decide(row, matches, named, ahead) : this.decisions.get(row);
      if (!decision || decision.dependsOn.some((each) => touchedBefore.has(each))) break;
      for (const touched of decision.touches) touchedBefore.add(touched);
      if (!open.has(row)) continue;
      needsWideFlag ||= decision.wide !== undefined;
      if (this.hasTombstones(row, decision, ahead)) this.decisions.set(row, decision);
      else undecided.push({ row, decision });
      if (decision.wide) break;
    }
    return { undecided, needsWideFlag };
  }

  private noteOwnTombstones(ahead: Workspace, after: Version): void {
    for (const path of ahead.changedPaths()) {
      const before = ahead.asRead(path)?.version;
      const known = this.ownTombstones.get(path);
      const isNext = known !== undefined && before !== undefined && isSameVersion(before, known.after);
      this.ownTombstones.set(path, { before: isNext ? known.before : before, after });
    }
  }

  /** Whether anybody else has written a tombstone between two reads of it. */
  private isChangedByOthers(path: string, before: Version | undefined, after: Version | undefined): boolean {
    if (isSame(before, after)) return false;
    const own = this.ownTombstones.get(path);
    return !own || !isSame(before, own.before) || !isSame(after, own.after);
  }

  /** Notes a row that stores a customer, or is stale. Rows that delete this customer go to a later commit. */
  noteStored(row: LocatedRow): void {
    for (const touched of touchedByStored(row)) this.touched.add(touched);
  }

  /**
   * Deletes the customers of a row that is decided. `stale`: they are newer, or were deleted later.
   * @throws Error when the row is not decided
   */
  async delete(row: LocatedRow): Promise<'deleted' | 'stale'> {
    const { workspace, context } = this;
    const { tenantId } = context.tenant;
    const { identities, customers, wide, touches } = this.decisionOf(row);
    workspace.requireUnchanged(deletionFlagPath(tenantId, 'customers'));
    this.deletingRows += 1;
    for (const touched of touches) this.touched.add(touched);
    if (identities.length === 0) return 'stale';
    // As they were found: one may have been stored since the slice was read, under the key of the row itself.
    workspace.dropUnchanged(customers.map(({ document }) => document.path));
    workspace.addRead(customers.map(({ document }) => document));
    for (const { document, keys } of customers) {
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
   * The first of these rows, at most as many as fit a commit: up to one that deletes by a first identifier which an
   * earlier row stores, or by identifiers which earlier rows delete. Rows of different customers may share one.
   */
  private rowsAheadOf(rows: readonly LocatedRow[]): LocatedRow[] {
    const stored = new Set<string>(this.touched);
    const deleted = new Set<string>();
    let deleting = this.deletingRows;
    const end = rows.findIndex((row) => {
      if (!isDeleting(row)) {
        for (const identity of customerIdentities(row.dto)) stored.add(identity);
        return false;
      }
      const identities = this.identitiesOf(row);
      const areAllDeleted = identities.length > 0 && identities.every((identity) => deleted.has(identity));
      if (this.isFirstTouched(row, stored) || areAllDeleted) return true;
      for (const identity of identities) deleted.add(identity);
      deleting += 1;
      return deleting > ACCEPTED_IN_COMMIT;
    });
    return end === -1 ? [...rows] : rows.slice(0, end);
  }

  private isFirstTouched(row: LocatedRow, touched: ReadonlySet<string>): boolean {
    return this.identitiesOf(row)
      .slice(0, 1)
      .some((identity) => touched.has(identity));
  }

  /** The identities by which a row deletes. */
  private identitiesOf(row: LocatedRow): RecordId[] {
    return this.lookupsOf(row).map(identityOf);
  }

  /**
   * The customers under the identifiers of these rows, by identity, without those that a wide deletion is about to
   * remove. The second identifier is looked up where nobody has the first one.
   */
  private async findMatches(
    rows: readonly LocatedRow[],
    flag: DocumentData | undefined,
  ): Promise<Map<RecordId, RemainingMatch>> {
    const { context, deadline, dependencies } = this;
    const finder = new CustomerFinder(context.tenant, areKeyedBy(context.tenant, flag), dependencies.store, deadline);
    const matches = new Map<RecordId, RemainingMatch>();
    for (const place of [0, 1]) {
      const open = rows.filter((row) => !this.matchesOf(row, matches).some(matchesAny));
      const lookups = open.flatMap((row) => this.lookupsOf(row).slice(place, place + 1));
      const found = await this.lookUp(lookups, finder);
      for (const match of await this.withoutWidelyDeleted(found, flag)) matches.set(match.identity, match);
    }
    return matches;
  }

  /** What these identifiers match, each one once. */
  private async lookUp(all: readonly CustomerLookup[], finder: CustomerFinder): Promise<CustomerMatch[]> {
    const lookups = [...new Map(all.map((lookup) => [identityOf(lookup), lookup])).values()];
    const matches: CustomerMatch[] = [];
    const add = (match: CustomerMatch) => {
      matches.push({ ...match, found: match.found.map((each) => ({ ...each, data: this.toReduced(each) })) });
    };
    const byKey = lookups.filter((lookup) => finder.isByKey(lookup));
    const others = lookups.filter((lookup) => !finder.isByKey(lookup));
    for (const batch of [...chunksOf(byKey, MATCHES_AT_ONCE), ...chunksOf(others, QUERY_VALUES)]) {
      const together = await finder.matchAll(batch, MATCHES_AT_ONCE);
      const isFew = ({ hasMore, found }: CustomerMatch) => !hasMore && found.length <= FEW_MATCHING_CUSTOMERS;
      for (const match of together.values()) if (isFew(match)) add(match);
      // Where a batch matches many, each identifier is looked up by itself.
      const rest = batch.filter((lookup) => !isFew(together.get(identityOf(lookup)) ?? emptyMatch(lookup)));
      await inParallel(rest, DELETIONS_AT_ONCE, async (lookup) => {
        add(await finder.match(lookup, { limit: FEW_MATCHING_CUSTOMERS }));
      });
    }
    return matches;
  }

  /** Leaves out the customers that a wide deletion is about to remove. */
  private async withoutWidelyDeleted(
    matches: readonly CustomerMatch[],
    flag: DocumentData | undefined,
  ): Promise<RemainingMatch[]> {
    const { deadline } = this;
    const { tenant } = this.context;
    const { store } = this.dependencies;
    const pending = await PendingWideDeletions.find(
      tenant.tenantId,
      { hasWide: flag?.hasWide === true },
      store,
      deadline,
    );
    const wide = await pending.of(matches.flatMap(({ found }) => found));
    const remaining: RemainingMatch[] = [];
    for (const match of matches) {
      const deletedAt = await findWideDeletionTargets(match.found, wide, tenant, store, deadline);
      const found = match.found.filter(({ path }) => !deletedAt.has(idOf(path) as RecordId));
      const pendingTimes = wide
        .filter(({ identity }) => identity === match.identity)
        .flatMap(({ acceptances }) => acceptances.map(({ acceptedAt }) => acceptedAt));
      remaining.push({
        ...match,
        found,
        widelyDeletedAt: [...deletedAt.values()].reduce(later, undefined),
        pendingAsOf: pendingTimes.reduce<Date | undefined>(later, undefined),
      });
    }
    return remaining;
  }

  /** What the identifiers of a row match, up to the first one that any customer has. */
  private matchesOf(row: LocatedRow, matches: ReadonlyMap<RecordId, RemainingMatch>): RemainingMatch[] {
    const own = this.identitiesOf(row).flatMap((identity) => matches.get(identity) ?? []);
    const deciding = own.findIndex(matchesAny);
    return deciding === -1 ? own : own.slice(0, deciding + 1);
  }

  /** The ids under which deletions of the customers that these rows find may be pending. */
  private keysThatMayBePending(rows: readonly LocatedRow[], matches: ReadonlyMap<RecordId, RemainingMatch>): string[] {
    const found = rows.flatMap((row) => this.matchesOf(row, matches).flatMap((match) => match.found));
    const keys = found.flatMap((document) => keyOfStored(document, this.context.tenant));
    return [...new Set(keys)].map((key) => toDeletionId('customers', key));
  }

  /**
   * The first identifier that any customer has counts. If no customer has one, each counts (D-43). The other one does
   * not count where there was a customer with the first one at the time of the row, who is deleted since: then the row
   * is stale, or was here before.
   * @param named how many of the rows at hand delete by an identity
   */
  private decide(
    row: LocatedRow,
    matches: ReadonlyMap<RecordId, RemainingMatch>,
    named: ReadonlyMap<RecordId, number>,
    ahead: Workspace,
  ): Decision {
    const own = this.matchesOf(row, matches);
    const match = own.find(matchesAny);
    const paths = match?.found.map(({ path }) => path) ?? [];
    const dependsOn = [...own.map((each) => each.identity), ...paths];
    const [first, second] = this.identitiesOf(row);
    if (match !== own[0] && first !== undefined && second !== undefined) {
      const removedAt = later(removedAtOf(ahead.get(this.tombstonePathOf(first))), own[0]?.widelyDeletedAt);
      if (removedAt && removedAt > row.at) return { ...NOTHING, dependsOn };
      const isUnknown = match !== undefined && isUnknownRemovalAt(ahead.get(this.tombstonePathOf(first)), row.at);
      if (isUnknown || this.wasHere(row, ahead)) {
        const touches = [readerOf(first)];
        return { ...NOTHING, dependsOn: [...dependsOn, tombstoneOf(first)], touches, identities: [first] };
      }
    }
    if (!match) return this.decideUnmatched(row, named, ahead);
    const { field, identity, hasMore, found, pendingAsOf } = match;
    const isRecorded = match === own[0] && second !== undefined;
    if (hasMore) {
      // A row that its tombstone records goes alone, because that tombstone has place for one.
      const isLeftToPending = !isRecorded && pendingAsOf !== undefined && pendingAsOf >= row.at;
      // Not all of these customers are read, so that any change may be one of theirs.
      return {
        ...NOTHING,
        dependsOn: [...dependsOn, readerOf(identity), ANY_CUSTOMER],
        identities: [identity],
        wide: isLeftToPending ? undefined : { field, identity },
        isMatched: true,
        isRecorded,
      };
    }
    const customers = found
      .filter((customer) => asOf(customer) <= row.at)
      .map((document) => ({ document, keys: keyOfStored(document, this.context.tenant) }));
    if (customers.length === 0) return { ...NOTHING, dependsOn };
    const written = [identity, ...customers.flatMap(({ keys }) => keys)];
    return {
      dependsOn: [...dependsOn, ...written.map(readerOf)],
      touches: [ANY_CUSTOMER, ...paths, ...written.map(tombstoneOf)],
      identities: [identity],
      customers,
      wide: undefined,
      isMatched: true,
      isRecorded,
    };
  }

  /**
   * Decides a row whose identifiers nobody has. It leaves tombstones, which come to the same in any order, and is stale
   * where all are newer. So it counts as long as one that is not newer now stays so: the one that fewest rows name.
   */
  private decideUnmatched(row: LocatedRow, named: ReadonlyMap<RecordId, number>, ahead: Workspace): Decision {
    const identities = this.identitiesOf(row);
    const isNewer = (identity: RecordId) => (deletedAtOf(ahead.get(this.tombstonePathOf(identity))) ?? row.at) > row.at;
    const namedBy = (identity: RecordId) => named.get(identity) ?? 0;
    const notNewer = identities.filter((identity) => !isNewer(identity));
    const [counting] = notNewer.sort((a, b) => namedBy(a) - namedBy(b));
    if (counting === undefined) return { ...NOTHING, dependsOn: identities };
    return {
      ...NOTHING,
      dependsOn: [...identities, tombstoneOf(counting), ...identities.map(readerOf)],
      touches: [readerOf(counting), ...identities.map(tombstoneOf)],
      identities,
    };
  }

  /**
   * Whether a row was applied before, and found customers by the first one of its two identifiers: the tombstone of
   * that one says so.
   */
  private wasHere(row: LocatedRow, ahead: Workspace): boolean {
    const [first, second] = this.identitiesOf(row);
    if (first === undefined || second === undefined) return false;
    return wasDeletedBy(ahead.get(this.tombstonePathOf(first)), { second, at: row.at });
  }

  /** Records in the tombstone of its first identity that a row with two of them has deleted by it. */
  private recordRow(row: LocatedRow, workspace: Workspace): void {
    const [first, second] = this.identitiesOf(row);
    if (first === undefined || second === undefined) return;
    recordDeletingRow(workspace, this.context.tenant.tenantId, first, { second, at: row.at });
  }

  /** Whether the tombstones of a decision are stored. A later one has no place for a row that was recorded. */
  private hasTombstones(row: LocatedRow, { identities, isMatched, isRecorded }: Decision, ahead: Workspace): boolean {
    const timeOf = isMatched ? removedAtOf : deletedAtOf;
    return identities.every((identity) => {
      const deletedAt = timeOf(ahead.get(this.tombstonePathOf(identity)));
      if (deletedAt === undefined || deletedAt < row.at) return false;
      return !isRecorded || deletedAt > row.at || this.wasHere(row, ahead);
    });
  }

  private tombstonePathOf(identity: RecordId): string {
    return tombstonePath(this.context.tenant.tenantId, 'customers', identity);
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

  /** A customer reduced to the fields that identify it and tell when it was true. */
  private toReduced({ data }: StoredDocument): StoredDocument['data'] {
    const kept = ['Email', 'CustomerId', 'revision', MATCHING_EMAIL, MATCHING_CUSTOMER_ID];
    return Object.fromEntries(Object.entries(data).filter(([name]) => kept.includes(name)));
  }
}

/** Whether any customer is left under an identifier. */
function matchesAny({ hasMore, found }: CustomerMatch): boolean {
  return hasMore || found.length > 0;
}

function isSame(one: Version | undefined, other: Version | undefined): boolean {
  return one && other ? isSameVersion(one, other) : one === other;
}

/** How often each of these identities is there. */
function countOf(identities: readonly RecordId[]): ReadonlyMap<RecordId, number> {
  const counts = new Map<RecordId, number>();
  for (const identity of identities) counts.set(identity, (counts.get(identity) ?? 0) + 1);
  return counts;
}

/** What a row that stores changes for rows that delete. */
function touchedByStored({ path, dto }: LocatedRow): string[] {
  return [ANY_CUSTOMER, path, ...customerIdentities(dto)];
}

/** Among what rows touch: some customer or other. */
const ANY_CUSTOMER = 'any customer';

/** Names the tombstone of an identity among what rows touch. */
function tombstoneOf(identity: RecordId): string {
  return `tombstone of ${identity}`;
}

/**
 * Names a row that is decided by the tombstone of an identity. Whoever after it writes that tombstone goes to a later
 * commit: were this one made again, the row would meet it.
 */
function readerOf(identity: RecordId): string {
  return `reader of ${identity}`;
}
