/**
 * Customers that rows of a file delete. Which ones a row means only queries tell: what they have found is
 * checked in the row's commit, so that nobody comes in between. A row can also mean customers that rows before it in
 * the same commit have stored.
 *
 * Where very many share an identifier, the row leaves a wide deletion as of its time (wide-deletions.ts), which is
 * worked through after the commit.
 */
import type { Deadline } from '../deadline';
import { raiseFlag } from '../deletions/pending-flag';
import { noteWideDeletion, wideDeletionOf } from '../deletions/wide-deletions';
import { deletionFlagPath } from '../documents/paths';
import type { CustomerRecord } from '../domain/customer';
import type { CustomerLookup } from '../domain/deletion';
import { customerLookups } from '../domain/deletion';
import type { RecordId } from '../domain/identity';
import { customerIdentities, keyIdentity } from '../domain/identity';
import { ACCEPTED_IN_COMMIT, DELETIONS_AT_ONCE, FEW_MATCHING_CUSTOMERS } from '../domain/limits';
import { inParallel } from '../in-parallel';
import type { CustomerMatch } from './customer-lookup';
import { identityOf, matchCustomers } from './customer-lookup';
import type { LocatedRow, RowContext, TimedDeletion } from './located-row';
import type { RecordDependencies } from './record-dependencies';
import { fromDocument } from './record-documents';
import { bury, deletedAtOf, tombstonePaths } from './tombstones';
import type { Workspace } from './workspace';

type CustomerDeletion = Extract<TimedDeletion['target'], { readonly type: 'customer' }>;

export class CustomerDeletions {
  /** What is stored under an identity. */
  private readonly matches = new Map<RecordId, CustomerMatch>();
  /** The paths of customers that may have an identity: as stored, or by rows of this commit. */
  private readonly paths = new Map<RecordId, Set<string>>();
  private deleted = 0;
  private hasWide = false;

  constructor(
    private readonly workspace: Workspace,
    private readonly context: RowContext,
    private readonly dependencies: RecordDependencies,
    private readonly deadline: Deadline,
  ) {}

  /** Whether the commit takes one more row, which may delete. Rows after a wide deletion are placed once it is known. */
  hasRoomFor(isDeleting: boolean): boolean {
    return !this.hasWide && (!isDeleting || this.deleted < ACCEPTED_IN_COMMIT);
  }

  /** Whether it is known whom a row deletes. */
  isMatched({ deletions = [] }: LocatedRow): boolean {
    return deletions.every(({ target }) =>
      this.lookupsOf(target).every((lookup) => this.matches.has(identityOf(lookup))),
    );
  }

  /** Looks for the stored customers that rows delete: for those of the first of these that are not matched. */
  async match(rows: readonly LocatedRow[]): Promise<void> {
    const { workspace, context, dependencies, deadline } = this;
    const { tenantId } = context.tenant;
    const lookups = new Map<RecordId, CustomerLookup>();
    for (const { deletions = [] } of rows) {
      if (lookups.size >= DELETIONS_AT_ONCE) break;
      for (const lookup of deletions.flatMap(({ target }) => this.lookupsOf(target))) {
        if (!this.matches.has(identityOf(lookup))) lookups.set(identityOf(lookup), lookup);
      }
    }
    const tombstones = new Set<RecordId>();
    await inParallel([...lookups.values()], DELETIONS_AT_ONCE, async (lookup) => {
      const page = { limit: FEW_MATCHING_CUSTOMERS };
      const match = await matchCustomers(tenantId, lookup, page, dependencies.store, deadline);
      this.matches.set(match.identity, match);
      tombstones.add(match.identity);
      if (match.isMore) return;
      workspace.adopt(match.found);
      for (const { path, data } of match.found) {
        this.pathsOf(match.identity).add(path);
        for (const key of this.keyOf(data)) tombstones.add(key);
      }
    });
    const wide = [...lookups.keys()].filter((identity) => this.matches.get(identity)?.isMore);
    await workspace.load([
      ...tombstonePaths(tenantId, [...tombstones]),
      ...wide.map((identity) => wideDeletionOf(tenantId, identity)),
    ]);
    const flag = workspace.get(deletionFlagPath(tenantId, 'customers'));
    // Then the commit, which relies on the flag as it was, is in conflict, and the rows are prepared again.
    if (wide.length > 0 && flag?.hasWide !== true) await raiseFlag(tenantId, 'customers', true, deadline, dependencies);
  }

  /** Notes the customer that a row has stored. */
  note({ path, dto }: LocatedRow): void {
    for (const identity of customerIdentities(dto)) this.pathsOf(identity).add(path);
  }

  /**
   * Deletes what has the target's first identifier or, if nobody has it, the other one (D-43), as of a moment. They
   * must be matched. @returns false: all who have it are newer, or were deleted later, and nothing changed
   */
  async delete(target: CustomerDeletion, at: Date): Promise<boolean> {
    const { workspace, context } = this;
    const { tenantId } = context.tenant;
    this.deleted += 1;
    const identities: RecordId[] = [];
    for (const lookup of this.lookupsOf(target)) {
      const match = this.matchOf(lookup);
      const { identity, field, check, isMore } = match;
      if (check) workspace.relyOnQuery(check);
      identities.push(identity);
      const present = [...this.pathsOf(identity)].filter((path) => this.has(path, match));
      if (present.length === 0 && !isMore) continue;
      const older = present.filter((path) => (workspace.asOf(path) ?? at) <= at);
      if (older.length === 0 && !isMore) return false;
      const keys = older.flatMap((path) => this.keyOf(workspace.get(path)));
      for (const path of older) workspace.put(path, undefined);
      await bury(workspace, tenantId, [identity, ...keys], at);
      if (isMore) noteWideDeletion(workspace, tenantId, { field, identity }, at, context.stamp);
      this.hasWide ||= isMore;
      return true;
    }
    const tombstones = tombstonePaths(tenantId, identities);
    await workspace.load(tombstones);
    if (tombstones.every((path) => (deletedAtOf(workspace.get(path)) ?? at) > at)) return false;
    await bury(workspace, tenantId, identities, at);
    return true;
  }

  /** Whether the customer at a path has what was matched, as it is now in the workspace. */
  private has(path: string, { field, identity }: CustomerMatch): boolean {
    return this.workspace.get(path)?.[field] === identity;
  }

  private matchOf(lookup: CustomerLookup): CustomerMatch {
    const match = this.matches.get(identityOf(lookup));
    if (!match) throw new Error('A customer was deleted before it was looked for.');
    return match;
  }

  private lookupsOf(target: TimedDeletion['target']): CustomerLookup[] {
    return target.type === 'customer' ? customerLookups(target, this.context.tenant.customerIdentifier) : [];
  }

  private pathsOf(identity: RecordId): Set<string> {
    const paths = this.paths.get(identity) ?? new Set();
    this.paths.set(identity, paths);
    return paths;
  }

  /** What a customer's record is keyed by; none where there is no record. */
  private keyOf(data: ReturnType<Workspace['get']>): RecordId[] {
    return data ? keyIdentity(fromDocument<CustomerRecord>(data), this.context.tenant.customerIdentifier) : [];
  }
}
