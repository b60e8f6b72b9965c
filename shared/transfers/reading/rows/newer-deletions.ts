/**
 * The deletions that can be newer than a row, so that the row must yield to them: pending ones and tombstones. Both are
 * looked for only where the pending-deletions flag says that there can be any.
 */
import { listFewPendingDeletions } from '../../../deletions/few-pending-deletions';
import type { PendingFlag } from '../../../deletions/pending-flag';
import { soleIdentifierOf, toPendingFlag, wasEverRaised } from '../../../deletions/pending-flag';
import { deletionFlagPath, deletionPath, idOf, tombstonePath } from '../../../documents/paths';
import { toDeletionId } from '../../../domain/deletion';
import type { UpsertCustomerDto } from '../../../domain/dto/customer';
import type { UpsertProductDto } from '../../../domain/dto/product';
import type { RecordId } from '../../../domain/identity';
import { customerIdentities, hasIdentifiersOf, identitiesBy } from '../../../domain/identity';
import type { CustomerIdentifier } from '../../../domain/tenant';
import type { CustomerRecord } from '../../../domain/records/customer';
import { later } from '../../../domain/values/date-time';
import { FEW_PENDING_DELETIONS } from '../../../limits/deletions';
import type { Deadline } from '../../../platform/deadline';
import type { RecordDependencies } from '../../../workspace/record-dependencies';
import { holdersOf } from '../../../workspace/sku-index';
import type { PartDeletion } from '../../../workspace/tombstones';
import { lastDeletedAt, partDeletionsOf, tombstonePaths } from '../../../workspace/tombstones';
import type { Workspace } from '../../../workspace/workspace';
import type { LocatedRow, RowContext } from './located-row';
import { identitiesOf, isDeleting } from './located-row';

/** Products by Sku as rows have left them, which the workspace does not show until they are finished. */
interface CurrentProducts {
  exists(id: RecordId): boolean;
  entryPathOf(sku: string): string;
}

/** The pending-deletions flag as it was read last. Every row asks for it several times. */
interface ReadFlag {
  /** Undefined: no deletion is pending. */
  readonly pending: PendingFlag | undefined;
  readonly wasEverRaised: boolean;
  readonly changedAt: Date | undefined;
  /** The only identifier of which customers have tombstones and pending deletions; undefined: any may have. */
  readonly soleIdentifier: CustomerIdentifier | undefined;
}

/** Where deletions of a row's record are stored. */
interface DeletionPaths {
  /** By which a deletion can name the record, but for those of which there is none (`soleIdentifierOf`). */
  readonly identities: readonly RecordId[];
  /** Of each identity. */
  readonly tombstones: readonly string[];
  /** The pending deletions of each identity. */
  readonly entries: readonly string[];
}

export class NewerDeletions {
  /** The path of the pending-deletions flag of the rows' kind. */
  readonly flagPath: string;
  /** For the sole identifier of the flag. Every row is looked at several times, and identities are hashes. */
  private readonly pathsByRow = new Map<LocatedRow, DeletionPaths>();
  /** Undefined: it is not read yet. */
  private readFlag: ReadFlag | undefined;
  /** Whether no pending deletion concerns the rows. By Sku that can change while they are read. */
  private concernsNone = false;
  /** Whether an earlier list said which deletions are not pending. */
  private goesByEarlierList = false;

  /** @param productsBySku undefined: records are found by their ids */
  constructor(
    private readonly workspace: Workspace,
    private readonly context: RowContext,
    private readonly productsBySku: CurrentProducts | undefined,
    private readonly dependencies: RecordDependencies,
    private readonly deadline: Deadline,
  ) {
    this.flagPath = deletionFlagPath(context.tenant.tenantId, context.kind);
  }

  /** To be called whenever the flag was loaded into the workspace. */
  noteFlag(): void {
    const { workspace, flagPath } = this;
    const stored = workspace.asRead(flagPath);
    const data = stored?.data;
    const soleIdentifier = this.context.kind === 'customers' ? soleIdentifierOf(data) : undefined;
    if (this.readFlag?.soleIdentifier !== soleIdentifier) this.pathsByRow.clear();
    this.readFlag = {
      pending: stored && toPendingFlag(stored),
      wasEverRaised: wasEverRaised(data),
      changedAt: workspace.asOf(flagPath),
      soleIdentifier,
    };
  }

  private get flag(): ReadFlag {
    if (!this.readFlag) throw new Error('The pending-deletions flag was used before it was read.');
    return this.readFlag;
  }

  /** Whether deletions may be pending. The flag must be read. */
  mayBePending(): boolean {
    return this.flag.pending !== undefined;
  }

  /** Whether a wide deletion may be pending. The flag must be read. */
  mayBeWide(): boolean {
    return this.flag.pending?.hasWide === true;
  }

  /**
   * Whether the flag is raised, so that rows may delete, of customers by either identifier: whoever writes an older row
   * then looks for what they delete. The flag must be read.
   */
  isRaisedForRows(): boolean {
    return this.flag.pending?.isRaised === true && this.flag.soleIdentifier === undefined;
  }

  /** The ids of the pending deletions of records that these rows touch, as far as these are read. */
  pendingDeletions(rows: readonly LocatedRow[]): string[] {
    if (this.concernsNone) return [];
    const { workspace } = this;
    const entries = new Set(rows.flatMap((row) => this.touchedEntries(row)));
    return [...entries].filter((path) => workspace.isLoaded(path) && workspace.has(path)).map(idOf);
  }

  /**
   * Reads the pending deletions that concern rows. Their records and tombstones must be read, as far as they fit. Where
   * few are pending in all, one list of them replaces looking for each. It serves the slices to come, too: what is
   * accepted after it is later than the file, and its rows lose to that however late it is seen.
   * @param listed paths of all that were pending when an earlier slice of the file listed them; undefined: not known
   * @returns the same of this slice, for those to come
   */
  async loadPending(
    rows: readonly LocatedRow[],
    listed: ReadonlySet<string> | undefined,
    read: (paths: readonly string[]) => Promise<unknown>,
  ): Promise<ReadonlySet<string> | undefined> {
    const { workspace } = this;
    const paths = rows.flatMap((row) => this.touchedEntries(row));
    // Records that are read again may have got identifiers since, which their rows take from them.
    if (this.goesByEarlierList) workspace.dropUnchanged(paths);
    const isListed = paths.length > FEW_PENDING_DELETIONS;
    this.goesByEarlierList = isListed && listed !== undefined && rows.every((row) => this.losesToUnlisted(row));
    const pending = isListed && !this.goesByEarlierList ? await this.listFew() : listed;
    const others = isListed ? pending : undefined;
    if (others) workspace.assumeAbsent(paths.filter((path) => !others.has(path)));
    const own = others ? paths.filter((path) => others.has(path)) : paths;
    this.concernsNone = own.length === 0 && !this.productsBySku;
    await read(own);
    return pending ?? listed;
  }

  private async listFew(): Promise<ReadonlySet<string> | undefined> {
    const { dependencies, deadline } = this;
    const { tenant, kind } = this.context;
    const few = await listFewPendingDeletions(tenant.tenantId, kind, dependencies.store, deadline);
    return few && new Set(few.map(({ deletionId }) => deletionPath(tenant.tenantId, deletionId)));
  }

  /**
   * Whether a row loses to every deletion that an earlier list of its file did not have: it is no newer than the file,
   * and deletes nothing. A row that takes an identifier from its customer, as one may whose customer is not read,
   * needs a list that is later than the tombstone of this identifier, which may be of a deletion that is pending.
   */
  private losesToUnlisted(row: LocatedRow): boolean {
    if (!this.losesToLaterDeletions(row) || isDeleting(row) || !this.workspace.isLoaded(row.path)) return false;
    return this.takenIdentities(row).length === 0;
  }

  /** Whether every deletion is read that can be newer than a row. The row's record must be read. */
  isLoaded(row: LocatedRow): boolean {
    const { workspace } = this;
    if (this.mayBePending() && !this.touchedEntries(row).every((path) => workspace.isLoaded(path))) return false;
    return this.tombstonesFor(row).every((path) => workspace.isLoaded(path));
  }

  /** Makes the commit depend on the pending deletions that concern a row: none may come, and none may be applied. */
  requirePendingUnchanged(row: LocatedRow): void {
    for (const path of this.touchedEntries(row)) this.workspace.requireUnchanged(path);
  }

  /**
   * The later of a time and, where the row's record does not exist, the time of its last deletion. The commit depends
   * on it.
   */
  laterDeletion(row: LocatedRow, time: Date | undefined): Date | undefined {
    const { workspace, flagPath } = this;
    // An earlier row may have taken an identity from the record, so that a tombstone is missing that was not read. By
    // that change nothing newer was deleted.
    const tombstones = this.tombstonesFor(row).filter((path) => workspace.isLoaded(path));
    // A deletion that is accepted or applied before the commit has not seen this row: it changes the flag, its entry or
    // a tombstone.
    workspace.requireUnchanged(flagPath);
    if (this.mayBePending()) {
      if (!this.losesToLaterDeletions(row)) this.requirePendingUnchanged(row);
      for (const path of tombstones) workspace.requireUnchanged(path);
    }
    if (!this.flag.wasEverRaised || this.isKnown(row)) return time;
    return later(time, lastDeletedAt(workspace, this.pathsOf(row).tombstones));
  }

  /**
   * The tombstones that can be newer than a row, or that the row writes. A record that has all identities of its row
   * was written after their last deletion, or that deletion is about to remove it. So only rows of other records need
   * to look. By Sku all rows do, because an earlier row may move the record.
   *
   * While deletions may be pending, also those of the identities that the row takes from its customer: a deletion by
   * one of them would not find him any more.
   */
  tombstonesFor(row: LocatedRow): readonly string[] {
    const { flag } = this;
    if (!flag.changedAt || !flag.wasEverRaised || !this.workspace.isLoaded(row.path)) return [];
    const own = this.needsOwnTombstones(row, flag.changedAt) ? this.pathsOf(row).tombstones : [];
    const taken = this.takenIdentities(row);
    return taken.length === 0 ? own : [...own, ...this.tombstonesOf(taken)];
  }

  private needsOwnTombstones(row: LocatedRow, flagChangedAt: Date): boolean {
    if (isDeleting(row)) return this.context.kind !== 'customers'; // those of customers CustomerDeletions reads
    if (row.at > flagChangedAt && !this.mayBePending()) return false;
    return this.productsBySku !== undefined || !this.isKnown(row);
  }

  /** The identities of a row's customer that the row changes or clears, while deletions may be pending. */
  private takenIdentities(row: LocatedRow): RecordId[] {
    const { workspace } = this;
    if (this.context.kind !== 'customers' || isDeleting(row) || !this.mayBePending()) return [];
    const stored: Partial<CustomerRecord> | undefined = workspace.get(row.path);
    if (!stored) return [];
    const { dto }: { readonly dto: UpsertCustomerDto } = row;
    const isTaken = (field: 'Email' | 'CustomerId') => dto[field] !== undefined && dto[field] !== stored[field];
    const changed = {
      Email: isTaken('Email') ? stored.Email : undefined,
      CustomerId: isTaken('CustomerId') ? stored.CustomerId : undefined,
    };
    const { soleIdentifier } = this.flag;
    const taken = soleIdentifier ? identitiesBy(soleIdentifier, changed) : customerIdentities(changed);
    if (taken.length === 0) return [];
    const sent = new Set(this.pathsOf(row).identities); // another spelling is no other identifier
    return taken.filter((identity) => !sent.has(identity));
  }

  /**
   * Whether a row loses to every deletion that is accepted after its slice has read, so that the commit needs no check
   * for one. It is no newer than its file, which was uploaded before. If it is committed first, applying the deletion
   * removes what it wrote; if the deletion is applied first, its tombstone or the changed record stops the commit. A
   * row that gives a customer an identifier, or takes one from him, checks the tombstones of these (`tombstonesFor`),
   * and whoever accepts a deletion of one of them writes its tombstone. By Sku a row may move what a deletion names to
   * another record.
   */
  private losesToLaterDeletions({ at }: LocatedRow): boolean {
    return !this.productsBySku && at <= this.context.uploadedAt;
  }

  /** The deletions of parts in the tombstone of a row's record, which does not exist. */
  partDeletionsInTombstone({ id }: LocatedRow): readonly PartDeletion[] {
    const { tenant, kind } = this.context;
    const path = tombstonePath(tenant.tenantId, kind, id);
    return this.workspace.isLoaded(path) ? partDeletionsOf(this.workspace.get(path)) : [];
  }

  /** The pending deletions that concern a row: of its own record, and of products that it may take over. */
  private touchedEntries(row: LocatedRow): readonly string[] {
    const { workspace, productsBySku } = this;
    const own = this.pathsOf(row).entries;
    if (!productsBySku) return own;
    const { ProductVariants } = row.dto as UpsertProductDto;
    const skuEntries = ProductVariants.map(({ Sku }) => productsBySku.entryPathOf(Sku));
    const loaded = skuEntries.filter((path) => workspace.isLoaded(path));
    return [...own, ...this.entriesOf(loaded.flatMap((path) => holdersOf(workspace.get(path))))];
  }

  private pathsOf(row: LocatedRow): DeletionPaths {
    const { soleIdentifier } = this.flag;
    const known = this.pathsByRow.get(row);
    if (known) return known;
    const identities = soleIdentifier ? identitiesBy(soleIdentifier, row.dto) : identitiesOf(row, this.context.kind);
    const paths = { identities, tombstones: this.tombstonesOf(identities), entries: this.entriesOf(identities) };
    this.pathsByRow.set(row, paths);
    return paths;
  }

  private tombstonesOf(ids: readonly RecordId[]): string[] {
    const { tenant, kind } = this.context;
    return tombstonePaths(tenant.tenantId, kind, ids);
  }

  private entriesOf(ids: readonly RecordId[]): string[] {
    const { tenant, kind } = this.context;
    return ids.map((id) => deletionPath(tenant.tenantId, toDeletionId(kind, id)));
  }

  /** Whether there is a record that has all identities of its row. */
  private isKnown({ dto, id, path }: LocatedRow): boolean {
    if (this.productsBySku) return this.productsBySku.exists(id);
    if (this.context.kind !== 'customers' || !this.workspace.has(path)) return this.workspace.has(path);
    const stored: Partial<CustomerRecord> = this.workspace.get(path) ?? {};
    return hasIdentifiersOf(stored, dto);
  }
}
