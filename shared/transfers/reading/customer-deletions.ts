/**
 * Customers that rows of a file delete. Which ones a row means only queries tell, and others may write some
 * meanwhile. So tombstones come first: they are written by themselves, and then the customers are looked for. Whoever
 * writes an older row after that finds the tombstone; what was written before is found. The commit of the rows removes
 * the customers.
 *
 * Where very many share an identifier, the row leaves a wide deletion as of its time (wide-deletions.ts), which is
 * worked through after the commit.
 */
import type { Deadline } from '../../platform/deadline';
import { applyDeletions } from '../../deletions/apply-deletion';
import { findPendingDeletions } from '../../deletions/pending-deletions';
import { isRaised, raiseFlag } from '../../deletions/pending-flag';
import { findMeantWidely, listWideDeletions, noteWideDeletion, wideDeletionOf } from '../../deletions/wide-deletions';
import type { StoredDocument } from '../../documents/document-store';
import { deletionFlagPath, idOf } from '../../documents/paths';
import type { CustomerRecord } from '../../domain/records/customer';
import type { CustomerLookup } from '../../domain/deletion';
import { customerLookups, toDeletionId } from '../../domain/deletion';
import type { RecordId } from '../../domain/identity';
import { customerIdentities, keyIdentity } from '../../domain/identity';
import { ACCEPTED_IN_COMMIT, DELETIONS_AT_ONCE } from '../../limits/deletions';
import { FEW_MATCHING_CUSTOMERS } from '../../limits/records';
import { inParallel } from '../../platform/async/in-parallel';
import type { CustomerMatch } from '../../workspace/customer-lookup';
import { identityOf, matchCustomers } from '../../workspace/customer-lookup';
import type { LocatedRow, RowContext } from './located-row';
import { isDeleting } from './located-row';
import type { RecordDependencies } from '../../workspace/record-dependencies';
import { asOf, fromDocument, MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from '../../workspace/record-documents';
import { retryConflicts } from '../../workspace/retry-conflicts';
import { addTombstones, deletedAtOf, tombstonePaths } from '../../workspace/tombstones';
import { Workspace } from '../../workspace/workspace';

/** What a row deletes. */
interface Decision {
  /** Of all who were found. */
  readonly paths: readonly string[];
  /** What counts as deleted (D-43); none where the row does nothing. */
  readonly identities: readonly RecordId[];
  /** The customers to remove, without what they hold. */
  readonly customers: readonly { readonly document: StoredDocument; readonly keys: readonly RecordId[] }[];
  /** Too many have this identity to name them. */
  readonly wide: Pick<CustomerMatch, 'field' | 'identity'> | undefined;
}

/** Who is stored under an identifier, but for those whom wide deletions mean: they count as gone. */
interface Found extends CustomerMatch {
  /** The times of these deletions. */
  readonly goneAt: readonly Date[];
}

export class CustomerDeletions {
  private readonly decisions = new Map<LocatedRow, Decision>();
  /** Identities that rows of this commit have stored or deleted, and paths that they have changed. */
  private readonly touched = new Set<string>();
  private deleted = 0;
  private hasWide = false;

  constructor(
    private readonly workspace: Workspace,
    private readonly context: RowContext,
    private readonly dependencies: RecordDependencies,
    private readonly deadline: Deadline,
  ) {}

  /**
   * Whether the commit takes one more row. One that deletes whom rows before it have touched is decided on what they
   * leave, and rows after a wide deletion are placed once that is stored.
   */
  hasRoomFor(row: LocatedRow): boolean {
    if (this.hasWide) return false;
    if (row.deletions === undefined) return true;
    const decision = this.decisions.get(row);
    if (decision === undefined || this.deleted >= ACCEPTED_IN_COMMIT || this.isTouching(row)) return false;
    return !decision.paths.some((path) => this.touched.has(path));
  }

  /** Decides whom a row deletes, and the next ones with it. @param next it and the next rows */
  async findCustomers(row: LocatedRow, next: () => readonly LocatedRow[]): Promise<void> {
    if (this.decisions.has(row) || this.isTouching(row)) return;
    const { workspace, context, deadline, dependencies } = this;
    const first = this.firstOf(next());
    const rows = first.filter(isDeleting);
    await retryConflicts(rows, (open) => this.decideSome(open, first), deadline, dependencies);
    // What rows rely on from here on are the tombstones as they are now.
    const decisions = rows.flatMap((each) => this.decisions.get(each) ?? []);
    const keys = decisions.flatMap(({ customers }) => customers.flatMap((customer) => customer.keys));
    const tombstones = tombstonePaths(context.tenant.tenantId, [
      ...rows.flatMap((each) => this.identitiesOf(each)),
      ...keys,
    ]);
    workspace.dropUnchanged(tombstones);
    await workspace.load(tombstones);
  }

  /**
   * Decides rows that delete, as far as no row before them may change whom they find: no tombstone may be there before
   * it is settled what counts.
   * @param first these rows and those between and before them
   * @returns rows that are not decided yet: their tombstones are written only now, so that one has to look again
   */
  private async decideSome(rows: readonly LocatedRow[], first: readonly LocatedRow[]): Promise<LocatedRow[]> {
    const { context, deadline, dependencies } = this;
    const { tenantId } = context.tenant;
    const flagPath = deletionFlagPath(tenantId, 'customers');
    const ahead = new Workspace(dependencies.store, deadline);
    await ahead.load([
      flagPath,
      ...tombstonePaths(
        tenantId,
        rows.flatMap((row) => this.identitiesOf(row)),
      ),
    ]);
    const matches = await this.find(rows);
    const keys = this.keysThatMayBePending(rows, matches);
    const { pending } = await findPendingDeletions(tenantId, keys, dependencies.store, deadline);
    if (pending.length > 0) {
      // Whom they mean counts as gone, so that a row may mean others.
      await applyDeletions(context.tenant, keys, deadline, dependencies);
      return [...rows];
    }
    if (ahead.get(flagPath)?.hasWide === true) await this.leaveOutMeant(matches);
    const late: LocatedRow[] = [];
    let needsWideFlag = false;
    const open = new Set(rows);
    const before = new Set(this.touched);
    for (const row of first) {
      const decision = open.has(row) ? this.decide(row, matches, ahead) : this.decisions.get(row);
      const paths = isDeleting(row) ? (decision?.paths ?? []) : [row.path];
      const isFree = decision !== undefined && !paths.some((path) => before.has(path));
      for (const path of paths) before.add(path);
      if (!open.has(row) || !isFree) continue;
      needsWideFlag ||= decision.wide !== undefined;
      if (this.hasTombstones(row, decision, ahead)) this.decisions.set(row, decision);
      else {
        late.push(row);
        await addTombstones(ahead, tenantId, decision.identities, row.at);
      }
      if (decision.wide) break; // rows after it may find whom it means
    }
    const flag = ahead.get(flagPath);
    if (!isRaised(flag) || (needsWideFlag && flag?.hasWide !== true)) {
      await raiseFlag(tenantId, 'customers', needsWideFlag, deadline, dependencies);
      return [...rows];
    }
    ahead.requireUnchanged(flagPath);
    if (late.length > 0) await dependencies.store.commit(ahead.toWrites(), deadline); // the next look tells whether it was
    return late;
  }

  /** Notes a row that stores a customer, or yields to what is newer: those that delete him come in a later commit. */
  noteStored({ path, dto }: LocatedRow): void {
    for (const identity of customerIdentities(dto)) this.touched.add(identity);
    this.touched.add(path);
  }

  /** Deletes whom a row means, which must be decided. `stale`: they are newer, or were deleted later. */
  async delete(row: LocatedRow): Promise<'deleted' | 'stale'> {
    const { workspace, context } = this;
    const { tenantId } = context.tenant;
    const { identities, customers, wide } = this.decisionOf(row);
    workspace.requireUnchanged(deletionFlagPath(tenantId, 'customers'));
    this.deleted += 1;
    for (const identity of this.identitiesOf(row)) this.touched.add(identity);
    if (identities.length === 0) return 'stale';
    workspace.addRead(customers.map(({ document }) => document));
    for (const { document, keys } of customers) {
      for (const touched of [document.path, ...keys]) this.touched.add(touched);
      workspace.put(document.path, undefined);
      await addTombstones(workspace, tenantId, keys, row.at);
    }
    if (wide) {
      await workspace.load([wideDeletionOf(tenantId, wide.identity)]);
      noteWideDeletion(workspace, tenantId, wide, row.at, context.revision);
      this.hasWide = true;
    }
    return 'deleted';
  }

  /** The first of these rows, as long as those that delete touch none of those before them, and a commit takes them. */
  private firstOf(rows: readonly LocatedRow[]): LocatedRow[] {
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

  /** What is stored under the identifiers of these rows, by their identities. */
  private async find(rows: readonly LocatedRow[]): Promise<Map<RecordId, Found>> {
    const lookups = new Map(rows.flatMap((row) => this.lookupsOf(row)).map((lookup) => [identityOf(lookup), lookup]));
    const matches = new Map<RecordId, Found>();
    await inParallel([...lookups.values()], DELETIONS_AT_ONCE, async (lookup) => {
      const { tenantId } = this.context.tenant;
      const page = { limit: FEW_MATCHING_CUSTOMERS };
      const match = await matchCustomers(tenantId, lookup, page, this.dependencies.store, this.deadline);
      const found = match.found.map((document) => ({ ...document, data: this.toLight(document) }));
      matches.set(match.identity, { ...match, found, goneAt: [] });
    });
    return matches;
  }

  /** Of the customers whom rows with two identifiers find by the first: what pending deletions are keyed by. */
  private keysThatMayBePending(rows: readonly LocatedRow[], matches: ReadonlyMap<RecordId, Found>): string[] {
    const keys = rows.flatMap((row) => {
      const [first, other] = this.identitiesOf(row);
      const found = first !== undefined && other !== undefined ? (matches.get(first)?.found ?? []) : [];
      return found.flatMap((document) => this.keysOf(document));
    });
    return [...new Set(keys)].map((key) => toDeletionId('customers', key));
  }

  /** Leaves those out whom wide deletions mean. */
  private async leaveOutMeant(matches: Map<RecordId, Found>): Promise<void> {
    const { context, deadline, dependencies } = this;
    const wide = await listWideDeletions(context.tenant.tenantId, dependencies.store, deadline);
    for (const [identity, match] of matches) {
      const meant = await findMeantWidely(match.found, wide, context.tenant, dependencies.store, deadline);
      const found = match.found.filter(({ path }) => !meant.has(idOf(path) as RecordId));
      matches.set(identity, { ...match, found, goneAt: [...meant.values()] });
    }
  }

  /** By what was found: the first identifier that anybody has counts or, if nobody has one, each (D-43). */
  private decide(row: LocatedRow, matches: ReadonlyMap<RecordId, Found>, ahead: Workspace): Decision {
    const { tenantId } = this.context.tenant;
    const found = this.identitiesOf(row).flatMap((identity) => matches.get(identity) ?? []);
    const paths = found.flatMap((match) => match.found.map(({ path }) => path));
    const nothing = { paths, identities: [], customers: [], wide: undefined };
    const match = found.find((each) => each.isMore || each.found.length > 0);
    if (match && match !== found[0] && this.wasHere(row, found, ahead)) {
      return { ...nothing, identities: this.identitiesOf(row).slice(0, 1) };
    }
    if (match) {
      const { field, identity, isMore } = match;
      if (isMore) return { ...nothing, identities: [identity], wide: { field, identity } };
      const older = match.found.filter((customer) => asOf(customer) <= row.at);
      const customers = older.map((document) => ({ document, keys: this.keysOf(document) }));
      return older.length === 0 ? nothing : { ...nothing, identities: [identity], customers };
    }
    const identities = this.identitiesOf(row);
    const isNewer = (path: string) => (deletedAtOf(ahead.get(path)) ?? row.at) > row.at;
    return tombstonePaths(tenantId, identities).every(isNewer) ? nothing : { ...nothing, identities };
  }

  /**
   * Whether the first identifier of a row is gone as of its very time, and the other one is not: the row was here
   * before, and found whom it meant.
   */
  private wasHere(row: LocatedRow, found: readonly Found[], ahead: Workspace): boolean {
    const [first, other] = found.map(({ identity, goneAt }) => {
      const [path = ''] = tombstonePaths(this.context.tenant.tenantId, [identity]);
      const times = [...goneAt, deletedAtOf(ahead.get(path))];
      return times.some((time) => time?.getTime() === row.at.getTime());
    });
    return first === true && other === false;
  }

  /** Whether tombstones say already what a decision is. */
  private hasTombstones(row: LocatedRow, { identities }: Decision, ahead: Workspace): boolean {
    return tombstonePaths(this.context.tenant.tenantId, identities).every((path) => {
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

  /** What a customer's record is keyed by. */
  private keysOf({ data }: StoredDocument): RecordId[] {
    return keyIdentity(fromDocument<CustomerRecord>(data), this.context.tenant.customerIdentifier);
  }

  /** Of a customer what tells which one it is, and when it was true. */
  private toLight({ data }: StoredDocument): StoredDocument['data'] {
    const kept = ['Email', 'CustomerId', 'revision', MATCHING_EMAIL, MATCHING_CUSTOMER_ID];
    return Object.fromEntries(Object.entries(data).filter(([name]) => kept.includes(name)));
  }
}
