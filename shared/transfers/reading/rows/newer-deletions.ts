/**
 * The deletions that can be newer than a row, so that the row must yield to them: pending ones and tombstones. Both are
 * looked for only where the pending-deletions flag says that there can be any.
 */
import { listFewPendingDeletions } from '../../../deletions/pending-deletions';
import { isRaised, mayBePending, wasEverRaised } from '../../../deletions/pending-flag';
import { deletionFlagPath, deletionPath, tombstonePath } from '../../../documents/paths';
import { toDeletionId } from '../../../domain/deletion';
import type { UpsertCustomerDto } from '../../../domain/dto/customer';
import type { UpsertProductDto } from '../../../domain/dto/product';
import type { RecordId } from '../../../domain/identity';
import { customerIdentities } from '../../../domain/identity';
import type { CustomerRecord } from '../../../domain/records/customer';
import { later } from '../../../domain/values/date-time';
import { FEW_PENDING_DELETIONS } from '../../../limits/deletions';
import type { Deadline } from '../../../platform/deadline';
import type { RecordDependencies } from '../../../workspace/record-dependencies';
import { fromDocument } from '../../../workspace/record-documents';
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

export class NewerDeletions {
  /** The path of the pending-deletions flag of the rows' kind. */
  readonly flagPath: string;

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

  /** Whether deletions may be pending. The flag must be read. */
  mayBePending(): boolean {
    return mayBePending(this.workspace.get(this.flagPath));
  }

  /** Whether a wide deletion may be pending. The flag must be read. */
  mayBeWide(): boolean {
    return this.mayBePending() && this.workspace.get(this.flagPath)?.hasWide === true;
  }

  /**
   * Whether the flag is raised, so that rows may delete: whoever writes an older row then looks for what they delete.
   * The flag must be read.
   */
  isFlagRaised(): boolean {
    return isRaised(this.workspace.get(this.flagPath));
  }

  /** Of the records that these rows touch, those with pending deletions, as far as these are read. */
  pendingIds(rows: readonly LocatedRow[]): RecordId[] {
    const ids = rows.flatMap((row) => this.touchedIds(row));
    return [...new Set(ids)].filter((id) => {
      const path = this.pendingPath(id);
      return this.workspace.isLoaded(path) && this.workspace.has(path);
    });
  }

  /**
   * Reads the pending deletions that concern rows. Where few are pending in all, one list of them replaces looking for
   * each; the commit checks that none came since.
   */
  async loadPending(rows: readonly LocatedRow[], read: (paths: readonly string[]) => Promise<unknown>): Promise<void> {
    const { workspace, dependencies, deadline } = this;
    const { tenant, kind } = this.context;
    const paths = rows.flatMap((row) => this.touchedIds(row)).map((id) => this.pendingPath(id));
    if (paths.length > FEW_PENDING_DELETIONS) {
      const few = await listFewPendingDeletions(tenant.tenantId, kind, dependencies.store, deadline);
      const pending = new Set(few?.map(({ id }) => this.pendingPath(id)));
      if (few) workspace.assumeAbsent(paths.filter((path) => !pending.has(path)));
    }
    await read(paths);
  }

  /** Whether every deletion is read that can be newer than a row. The row's record must be read. */
  isLoaded(row: LocatedRow): boolean {
    const { workspace } = this;
    if (this.mayBePending() && !this.touchedIds(row).every((id) => workspace.isLoaded(this.pendingPath(id))))
      return false;
    return this.tombstonesFor(row).every((path) => workspace.isLoaded(path));
  }

  /** Makes the commit depend on the pending deletions that concern a row: none may come, and none may be applied. */
  requirePendingUnchanged(row: LocatedRow): void {
    for (const id of this.touchedIds(row)) this.workspace.requireUnchanged(this.pendingPath(id));
  }

  /**
   * The later of a time and, where the row's record does not exist, the time of its last deletion. The commit depends
   * on it.
   */
  laterDeletion(row: LocatedRow, time: Date | undefined): Date | undefined {
    const { workspace, flagPath } = this;
    const { tenant, kind } = this.context;
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
    if (!wasEverRaised(workspace.get(flagPath)) || this.isKnown(row)) return time;
    return later(time, lastDeletedAt(workspace, tenant.tenantId, kind, identitiesOf(row, kind)));
  }

  /**
   * The tombstones that can be newer than a row, or that the row writes. A record that has all identities of its row
   * was written after their last deletion, or that deletion is about to remove it. So only rows of other records need
   * to look. By Sku all rows do, because an earlier row may move the record.
   *
   * While deletions may be pending, also those of the identities that the row takes from its customer: a deletion by
   * one of them would not find him any more.
   */
  tombstonesFor(row: LocatedRow): string[] {
    const { workspace } = this;
    const { tenant, kind } = this.context;
    const flagChangedAt = workspace.asOf(this.flagPath);
    if (!flagChangedAt || !wasEverRaised(workspace.get(this.flagPath)) || !workspace.isLoaded(row.path)) return [];
    const own = this.needsOwnTombstones(row, flagChangedAt) ? identitiesOf(row, kind) : [];
    return tombstonePaths(tenant.tenantId, kind, [...own, ...this.takenIdentities(row)]);
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
    const { dto }: { readonly dto: UpsertCustomerDto } = row;
    const isTaken = (field: 'Email' | 'CustomerId') => dto[field] !== undefined && dto[field] !== stored?.[field];
    const taken = customerIdentities({
      Email: isTaken('Email') ? stored?.Email : undefined,
      CustomerId: isTaken('CustomerId') ? stored?.CustomerId : undefined,
    });
    if (taken.length === 0) return [];
    const sent = new Set(customerIdentities(dto)); // another spelling is no other identifier
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

  /** The ids under which a pending deletion that concerns a row is kept: its own, and of products it may take over. */
  private touchedIds(row: LocatedRow): RecordId[] {
    const { workspace, productsBySku } = this;
    const own = identitiesOf(row, this.context.kind);
    if (!productsBySku) return own;
    const { ProductVariants } = row.dto as UpsertProductDto;
    const entries = ProductVariants.map(({ Sku }) => productsBySku.entryPathOf(Sku));
    const loaded = entries.filter((path) => workspace.isLoaded(path));
    return [...own, ...loaded.flatMap((path) => holdersOf(workspace.get(path)))];
  }

  private pendingPath(id: RecordId): string {
    const { tenant, kind } = this.context;
    return deletionPath(tenant.tenantId, toDeletionId(kind, id));
  }

  /** Whether there is a record that has all identities of its row. */
  private isKnown({ dto, id, path }: LocatedRow): boolean {
    if (this.productsBySku) return this.productsBySku.exists(id);
    if (this.context.kind !== 'customers' || !this.workspace.has(path)) return this.workspace.has(path);
    const known = new Set(customerIdentities(fromDocument(this.workspace.get(path) ?? {})));
    return customerIdentities(dto).every((identity) => known.has(identity));
  }
}
