/**
 * What rows of a file do to a workspace: the same rules as an upsert or a deletion, except that a row yields to a
 * record or a deletion that is newer than the row (D-54, D-58, R-27).
 */
import type { CustomerRecord } from '../../../domain/records/customer';
import { applyPatch, CONSENTS, createCustomer, toPatch } from '../../../domain/records/customer';
import { areSameFields } from '../../../domain/records/document';
import { COMMIT_BYTES } from '../../../limits/records';
import type { EventLoopShare } from '../../../platform/async/event-loop-share';
import type { Deadline } from '../../../platform/deadline';
import type { RecordDependencies } from '../../../workspace/record-dependencies';
import { datedRevision, fromCustomerDocument, toCustomerDocument } from '../../../workspace/record-documents';
import { removeRecord } from '../../../workspace/removed-records';
import { requireFit } from '../../../workspace/size-checks';
import { lastDeletedAt, tombstonePaths } from '../../../workspace/tombstones';
import type { Workspace } from '../../../workspace/workspace';
import type { ConsentChange, RecordChange } from '../../runs/changes';
import { CustomerDeletions } from './customer-deletions';
import type { LocatedRow, RowContext, TimedDeletion } from './located-row';
import { isBySku, isDeleting } from './located-row';
import { NewerDeletions } from './newer-deletions';
import { PartRemovals } from './part-removals';
import { ProductRowsBySku } from './product-rows-by-sku';
import { RecordDrafts } from './record-drafts';

/** What became of a row. `stale`: something newer is stored or was deleted, and nothing changed. */
export interface RowOutcome {
  readonly outcome: 'stored' | 'stale' | 'deleted';
  readonly changes: readonly (RecordChange | ConsentChange)[];
}

/** A row that deletes counts once, whatever it removes. */
const DELETED: RowOutcome = { outcome: 'deleted', changes: ['Deleted'] };
const STALE: RowOutcome = { outcome: 'stale', changes: [] };

/** What is assumed of documents that rows depend on, to save reading them: the commit checks it. */
export interface Expectation {
  readonly records: Presence;
  readonly deletionFlag: Presence;
  readonly tombstones: Presence;
  /** Paths of all deletions that were pending when they were last listed for the file; undefined: not known. */
  readonly pending?: ReadonlySet<string> | undefined;
}

type Presence = 'absent' | 'unknown';

/**
 * Applies rows of one kind to a workspace, in their order, for one commit. However many rows a record has, it is merged
 * and measured once. Where rows delete parts of it, it is looked through once. Where rows do both in turn, it is done
 * again each time.
 */
export class RowApplier {
  readonly newerDeletions: NewerDeletions;
  /** Undefined: records are found by their ids. */
  private readonly bySku: ProductRowsBySku | undefined;
  private readonly drafts: RecordDrafts;
  private readonly partRemovals: PartRemovals;
  /** Undefined: no row deletes customers. */
  private customerDeletions: CustomerDeletions | undefined;
  /**
   * Stored bytes of records that rows have put together or taken apart, and that later rows may have to take apart
   * again. Rows that store and rows that delete parts of one long record in turn would hold up their commit.
   */
  private rebuiltBytes = 0;

  constructor(
    private readonly workspace: Workspace,
    private readonly context: RowContext,
    private readonly dependencies: RecordDependencies,
    private readonly deadline: Deadline,
  ) {
    this.bySku = isBySku(context) ? new ProductRowsBySku(workspace, context) : undefined;
    this.newerDeletions = new NewerDeletions(workspace, context, this.bySku, dependencies, deadline);
    this.drafts = new RecordDrafts(workspace, context, this.newerDeletions);
    this.partRemovals = new PartRemovals(workspace, context);
  }

  /**
   * Reads what the rows can touch, except what is expected to be absent. The pending-deletions flag tells which rows
   * need a look at their tombstones. No tombstone is written while the flag is lowered, so that a row from after the
   * lowering need not look, and the commit does not check those of others, which are always read. While the flag is
   * raised, the commit checks them, and would notice a wrong expectation.
   * @param maxBytes of each kind of documents that it reads; what is beyond stays unread. Omitted: all are read
   * @returns what the slices to come may expect
   */
  async load(rows: readonly LocatedRow[], expected: Expectation, maxBytes?: number): Promise<Expectation> {
    const { workspace, bySku, newerDeletions } = this;
    const { flagPath } = newerDeletions;
    const deletingRows = rows.filter(isDeleting);
    if (deletingRows.length > 0) bySku?.noteDeletions();
    const read = (paths: readonly string[]) =>
      maxBytes === undefined ? workspace.load(paths) : workspace.loadSome(paths, maxBytes);
    await bySku?.load(rows, maxBytes);
    const records = rows.map(({ path }) => path);
    const presenceOf = (paths: readonly string[]): Presence =>
      paths.every((path) => workspace.isLoaded(path) && !workspace.wasFound(path)) ? 'absent' : 'unknown';
    if (expected.deletionFlag === 'absent') workspace.assumeAbsent([flagPath]);
    if (expected.records === 'absent') workspace.assumeAbsent(records);
    await read(bySku ? [flagPath] : [flagPath, ...records]); // by Sku, the records are read by now or beyond the bound
    await workspace.load([flagPath]);
    newerDeletions.noteFlag();
    const presence = {
      records: bySku ? 'unknown' : presenceOf(records),
      deletionFlag: presenceOf([flagPath]),
    } as const;
    if (this.context.kind === 'customers' && deletingRows.length > 0) {
      this.customerDeletions ??= this.newCustomerDeletions();
    }
    const tombstones = rows.flatMap((row) => newerDeletions.tombstonesFor(row));
    if (expected.tombstones === 'absent' && newerDeletions.mayBePending()) workspace.assumeAbsent(tombstones);
    await read(tombstones);
    // After the tombstones: of a deletion that is accepted in between, one of the two tells.
    const pending = newerDeletions.mayBePending()
      ? await newerDeletions.loadPending(rows, expected.pending, read)
      : undefined;
    if (bySku) await read(bySku.entriesOfDeletedProducts(deletingRows));
    if (deletingRows.length > 0) return { records: 'unknown', deletionFlag: 'unknown', tombstones: 'unknown' };
    return { ...presence, tombstones: tombstones.length === 0 ? 'unknown' : presenceOf(tombstones), pending };
  }

  /** Whether everything is read that applying the row needs. */
  isLoaded(row: LocatedRow): boolean {
    if (!this.workspace.isLoaded(row.path) || this.bySku?.isLoaded(row) === false) return false;
    return this.newerDeletions.isLoaded(row);
  }

  /** Whether the commit has room for a row of which everything is read. */
  hasRoomFor(row: LocatedRow): boolean {
    if (this.customerDeletions?.hasRoomFor(row, () => this.newerDeletions.tombstonesFor(row)) === false) return false;
    const bytesLeft = COMMIT_BYTES - this.workspace.changedBytes() - this.partRemovals.bytes;
    if (bytesLeft < 0 || this.rebuiltBytes > COMMIT_BYTES) return false;
    return this.bySku?.hasRoomFor(row, bytesLeft) ?? true;
  }

  /**
   * Looks for the customers that a row deletes, and for those of the next rows with them. To be called before it is
   * applied.
   * @param next the row and the next ones
   */
  async findCustomersToDelete(row: LocatedRow, next: () => readonly LocatedRow[]): Promise<void> {
    if (isDeleting(row)) await this.customerDeletions?.findCustomers(row, next);
  }

  /**
   * Applies one row, before the next one is applied. A row that stores and deletes does so in the order of its times,
   * and counts as what it stores.
   * @throws ValidationFailed (at the index 0) when the record would outgrow its document; nothing changed
   */
  async apply(row: LocatedRow, share: EventLoopShare): Promise<RowOutcome> {
    const { customerDeletions } = this;
    const { deletions } = row;
    if (!deletions) {
      customerDeletions?.noteStored(row);
      return this.store(row, share);
    }
    if (customerDeletions) {
      // A pending deletion takes its customers first, so that the row may delete others.
      this.newerDeletions.requirePendingUnchanged(row);
      return (await customerDeletions.delete(row)) === 'deleted' ? DELETED : STALE;
    }
    if (row.deletesOnly) return (await this.delete(row, deletions, share)) ? DELETED : STALE;
    return this.storeAndDelete(row, deletions, share);
  }

  /** Puts all changes into the workspace. To be called once, after the last row. */
  async finish(): Promise<void> {
    await this.finishPartRemovals();
    await this.bySku?.finish();
  }

  private newCustomerDeletions(): CustomerDeletions {
    return new CustomerDeletions(this.workspace, this.context, this.dependencies, this.deadline);
  }

  private async store(row: LocatedRow, share: EventLoopShare): Promise<RowOutcome> {
    const { bySku, partRemovals, newerDeletions } = this;
    if (bySku ? !partRemovals.isEmpty : partRemovals.has(row.path)) await this.finishPartRemovals();
    if (bySku) return toOutcome(await bySku.store(row, newerDeletions, share));
    const newest = newerDeletions.laterDeletion(row, this.workspace.asOf(row.path));
    const isCustomer = this.context.kind === 'customers';
    if (newest && row.at < newest) return isCustomer ? { outcome: 'stale', changes: this.refusedConsents(row) } : STALE;
    return isCustomer ? this.storeCustomer(row) : toOutcome(await this.drafts.store(row, share));
  }

  /** The consents that a stale row says true of, and that its customer has not. */
  private refusedConsents({ dto, at, path }: LocatedRow): ConsentChange[] {
    const { workspace } = this;
    const sent: Partial<CustomerRecord> = dto;
    const given = CONSENTS.filter((consent) => sent[consent] === true);
    const storedAsOf = workspace.asOf(path);
    if (!storedAsOf || storedAsOf <= at) return given.map((consent) => `${consent}Erased` as const);
    const stored = workspace.get(path);
    return given.filter((consent) => stored?.[consent] !== true).map((consent) => `${consent}KeptWithdrawn` as const);
  }

  private storeCustomer({ dto, at, path }: LocatedRow): RowOutcome {
    const { workspace } = this;
    const { tenant, revision } = this.context;
    const stored = workspace.get(path);
    const before = stored && fromCustomerDocument(stored);
    const patch = toPatch(dto, tenant);
    const record = before ? applyPatch(before, patch) : createCustomer(patch, tenant);
    const data = toCustomerDocument(record, datedRevision(revision, at));
    workspace.put(path, data, requireFit(data, 0));
    return { outcome: 'stored', changes: [changeOf(before, record), ...consentChanges(before, record)] };
  }

  /**
   * Deletes parts of the row's record that are as old as its own fields, stores these, then deletes the newer parts.
   */
  private async storeAndDelete(
    row: LocatedRow,
    deletions: readonly TimedDeletion[],
    share: EventLoopShare,
  ): Promise<RowOutcome> {
    const { workspace } = this;
    await this.finishRecord(row.path);
    await this.finishPartRemovals(); // those of earlier rows are not rolled back
    workspace.setSavepoint();
    try {
      const isBefore = ({ at }: TimedDeletion) => at <= row.at;
      const isAnyBefore = await this.delete(row, deletions.filter(isBefore), share);
      const stored = await this.store(row, share);
      const after = deletions.filter((deletion) => !isBefore(deletion));
      const isAnyAfter = await this.delete(row, after, share);
      const isAny = isAnyBefore || isAnyAfter;
      if (stored.outcome === 'stale') return isAny ? DELETED : stored;
      return isAny && stored.changes.includes('Unchanged') ? toOutcome('Updated') : stored;
    } catch (error) {
      workspace.rollBackToSavepoint();
      this.drafts.drop(row.path);
      this.forgetProducts();
      throw error;
    } finally {
      await this.finishRecord(row.path);
      workspace.dropSavepoint();
    }
  }

  /** Deletes the row's product or order, or parts of it. @returns whether any of these deletions was applied */
  private async delete(row: LocatedRow, deletions: readonly TimedDeletion[], share: EventLoopShare): Promise<boolean> {
    let isAny = false;
    for (const deletion of deletions) {
      if (share.isUsedUp) await share.renew();
      if (await this.deleteOne(row, deletion)) isAny = true;
    }
    return isAny;
  }

  /** @returns false: something newer is stored or was deleted, and nothing changed */
  private async deleteOne({ id, path }: LocatedRow, { target, at }: TimedDeletion): Promise<boolean> {
    const { workspace, partRemovals } = this;
    const { tenant, kind, revision } = this.context;
    // The flag is raised and has to stay so: then whoever writes an older row looks for tombstones.
    workspace.requireUnchanged(this.newerDeletions.flagPath);
    const isPart = target.type === 'variant' || target.type === 'orderItem';
    if (!isPart || !partRemovals.has(path)) await this.finishRecord(path);
    const deletedAt = workspace.has(path)
      ? undefined
      : lastDeletedAt(workspace, tombstonePaths(tenant.tenantId, kind, [id]));
    if (deletedAt && deletedAt > at) return false;
    const change = { acceptedAt: at, revision, sparesNewer: true };
    let isApplied = false;
    if (isPart) {
      isApplied = await partRemovals.remove(path, target, change);
    } else if (target.type === 'product' || target.type === 'order') {
      isApplied = await removeRecord(workspace, tenant, target, change);
      this.forgetProducts();
    }
    if (!isApplied) return false;
    workspace.requireUnchanged(path); // also where there is no record: an older one may come in between
    return true;
  }

  /** Puts what rows have made of a record so far into the workspace; by Sku that of all products. */
  private async finishRecord(path: string): Promise<void> {
    if (this.bySku) {
      await this.bySku.finish();
      this.forgetProducts();
    }
    if (this.drafts.drop(path)) this.rebuiltBytes += this.workspace.bytesAt(path);
    if (this.partRemovals.has(path)) await this.finishPartRemovals();
  }

  private async finishPartRemovals(): Promise<void> {
    if (this.partRemovals.isEmpty) return;
    this.rebuiltBytes += await this.partRemovals.finish();
    this.forgetProducts(); // rows may have looked at products as they were before
  }

  private forgetProducts(): void {
    if (this.bySku) this.rebuiltBytes += this.bySku.reset();
  }
}

function toOutcome(change: Exclude<RecordChange, 'Deleted'> | 'stale'): RowOutcome {
  return change === 'stale' ? STALE : { outcome: 'stored', changes: [change] };
}

function changeOf(before: CustomerRecord | undefined, after: CustomerRecord): RecordChange {
  if (!before) return 'Created';
  return areSameFields(before, after) ? 'Unchanged' : 'Updated';
}

/** A customer who was stored before a consent was introduced lacks it, and so has not given it. */
function consentChanges(before: Partial<CustomerRecord> = {}, after: Partial<CustomerRecord>): ConsentChange[] {
  const changed = CONSENTS.filter((consent) => Boolean(before[consent]) !== Boolean(after[consent]));
  return changed.map((consent) => (after[consent] ? (`${consent}Granted` as const) : (`${consent}Withdrawn` as const)));
}
