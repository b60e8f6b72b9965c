/**
 * What rows of a file do to a workspace: the same rules as an upsert or a deletion, except that a row yields to a
 * record or a deletion that is newer than the row (D-54, D-58, R-27).
 */
import { listPendingDeletions } from '../../deletions/pending-deletions';
import { isRaised, mayBePending } from '../../deletions/pending-flag';
import type { Deadline } from '../../platform/deadline';
import { deletionFlagPath, deletionPath, skuPath, tombstonePath } from '../../documents/paths';
import { applyPatch, createCustomer, toPatch } from '../../domain/records/customer';
import { later } from '../../domain/values/date-time';
import type { PartTarget } from '../../domain/deletion';
import { toDeletionId } from '../../domain/deletion';
import type { DocumentData } from '../../domain/records/document';
import { documentBytes } from '../../domain/records/document';
import type { UpsertProductDto } from '../../domain/dto/product';
import type { RecordId } from '../../domain/identity';
import { customerIdentities, skuEntryId } from '../../domain/identity';
import { COMMIT_BYTES } from '../../limits/records';
import { FEW_PENDING_DELETIONS } from '../../limits/deletions';
import { MergedRecord } from '../../domain/records/merged-record';
import { orderRules } from '../../domain/records/order';
import type { ProductRecord } from '../../domain/records/product';
import { productRules } from '../../domain/records/product';
import { withoutParts } from '../../domain/records/removed-parts';
import type { EventLoopShare } from '../../platform/async/event-loop-share';
import { runInShares } from '../../platform/async/event-loop-share';
import { ValidationFailed } from '../../validation/validation-failed';
import { CustomerDeletions } from './customer-deletions';
import { requireFit, tooLarge } from '../../workspace/size-checks';
import type { LocatedRow, RowContext, TimedDeletion } from './located-row';
import { identitiesOf, isBySku, isDeleting } from './located-row';
import { ProductsBySku } from '../../records/products-by-sku';
import { holdersOf } from '../../workspace/sku-index';
import {
  datedRevision,
  fromCustomerDocument,
  fromDocument,
  toCustomerDocument,
} from '../../workspace/record-documents';
import type { RecordDependencies } from '../../workspace/record-dependencies';
import type { DeletionTime } from '../../workspace/removed-records';
import { PartsRemoval, removeRecord } from '../../workspace/removed-records';
import { skuEntryPaths } from '../../workspace/sku-index';
import type { PartDeletion } from '../../workspace/tombstones';
import {
  partDeletionsOf,
  deletedAfter,
  lastDeletion,
  toPartDeletionsField,
  tombstonePaths,
  mergePartDeletions,
} from '../../workspace/tombstones';
import type { Workspace } from '../../workspace/workspace';

/** What became of a row. `stale`: something newer is stored or was deleted, and nothing changed. */
export type RowOutcome = 'stored' | 'stale' | 'deleted';

/** What is expected of documents that rows rely on. Only a guess that saves reading: the commit checks it. */
export interface Expectation {
  readonly records: Presence;
  readonly deletionFlag: Presence;
}

type Presence = 'absent' | 'unknown';

/** A product or an order while rows are merged into it. */
interface Draft {
  readonly merged: Merged;
  /** Deletions of parts that it remembers. */
  buried: readonly PartDeletion[];
}

type Merged = MergedRecord<object, object, object, object>;

/**
 * Places rows of one kind in a workspace, in their order, for one commit. However many rows a record has, it is merged
 * and measured once, or looked through once where they delete parts of it; again where they do both in turn.
 */
export class RowApplier {
  private products: ProductsBySku | undefined;
  private readonly drafts = new Map<string, Draft>();
  /** Deletions of parts that are under way, by the path of their record. */
  private readonly removals = new Map<string, PartsRemoval>();
  private removalBytes = 0;
  /**
   * Stored bytes of records that rows have put together, and that later rows take apart again. Rows that store and rows
   * that delete parts of one long record in turn would hold up their commit.
   */
  private rebuiltBytes = 0;
  /** Whether any of the rows deletes. */
  private hasDeletions = false;
  /** Undefined: no row deletes customers. */
  private customers: CustomerDeletions | undefined;
  /** The path of the flag of deletions of the kind. */
  private readonly flag: string;

  constructor(
    private readonly workspace: Workspace,
    private readonly context: RowContext,
    private readonly dependencies: RecordDependencies,
    private readonly deadline: Deadline,
  ) {
    this.flag = deletionFlagPath(context.tenant.tenantId, context.kind);
    this.products = this.newProducts();
  }

  /**
   * Reads what the rows can touch and is not expected to be absent. Tombstones are no part of a commit, which would not
   * notice a wrong guess. They are looked for where one can be newer than its row, by the flag of deletions: none is
   * left without it being raised, so that a row from after it was lowered need not ask.
   * @param maxBytes of each kind of documents that it reads; what is beyond stays unread. Omitted: all are read
   * @returns what was found, for the next ones
   */
  async load(rows: readonly LocatedRow[], expected: Expectation, maxBytes?: number): Promise<Expectation> {
    if (!this.hasDeletions && rows.some(isDeleting)) {
      this.hasDeletions = true;
      this.products = this.newProducts();
    }
    const { workspace, products, flag } = this;
    const read = (paths: readonly string[]) =>
      maxBytes === undefined ? workspace.load(paths) : workspace.loadSome(paths, maxBytes);
    await products?.load(
      rows.map(({ dto }) => dto as UpsertProductDto),
      maxBytes,
    );
    const records = rows.map(({ path }) => path);
    const areAbsent = (paths: readonly string[]): Presence =>
      paths.every((path) => workspace.isLoaded(path) && !workspace.has(path)) ? 'absent' : 'unknown';
    if (expected.deletionFlag === 'absent') workspace.assumeAbsent([flag]);
    if (expected.records === 'absent') workspace.assumeAbsent(records);
    await read(products ? [flag] : [flag, ...records]); // by Sku, they are read by now or beyond the bound
    await workspace.load([flag]);
    const found = { records: products ? 'unknown' : areAbsent(records), deletionFlag: areAbsent([flag]) } as const;
    if (this.mayHavePendingDeletions()) await this.loadPending(rows, read);
    const deleting = rows.filter(isDeleting);
    if (this.context.kind === 'customers' && deleting.length > 0) this.customers ??= this.newCustomers();
    await read(rows.flatMap((row) => this.tombstonesFor(row)));
    if (products) await read(this.entriesOf(deleting));
    return deleting.length === 0 ? found : { records: 'unknown', deletionFlag: 'unknown' };
  }

  /** Whether deletions may be pending, by what was read. */
  mayHavePendingDeletions(): boolean {
    return mayBePending(this.workspace.get(this.flag));
  }

  /** Whether rows may delete: whoever writes older ones looks for what they delete. By what was read. */
  isFlagRaised(): boolean {
    return isRaised(this.workspace.get(this.flag));
  }

  /** Whether a deletion may be pending that means more customers than it names. */
  mayHaveWideDeletions(): boolean {
    return this.mayHavePendingDeletions() && this.workspace.get(this.flag)?.hasWide === true;
  }

  /** The identities of these rows for which deletions are pending: to be applied, and the rows read again. */
  idsWithPendingDeletions(rows: readonly LocatedRow[]): RecordId[] {
    const ids = rows.flatMap((row) => this.touchedBy(row));
    return [...new Set(ids)].filter((id) => {
      const path = this.pendingPath(id);
      return this.workspace.isLoaded(path) && this.workspace.has(path);
    });
  }

  /** Looks all that is pending through where it is little: the commit checks that nothing came since. */
  private async loadPending(
    rows: readonly LocatedRow[],
    read: (paths: readonly string[]) => Promise<unknown>,
  ): Promise<void> {
    const { workspace, dependencies, deadline } = this;
    const { tenant, kind } = this.context;
    const paths = rows.flatMap((row) => this.touchedBy(row)).map((id) => this.pendingPath(id));
    if (paths.length > FEW_PENDING_DELETIONS) {
      const limit = FEW_PENDING_DELETIONS;
      const some = await listPendingDeletions(tenant.tenantId, kind, { limit }, dependencies.store, deadline);
      const pending = new Set(some.map(({ id }) => this.pendingPath(id)));
      if (some.length < limit) workspace.assumeAbsent(paths.filter((path) => !pending.has(path)));
    }
    await read(paths);
  }

  /** Whether everything is read that placing the row needs. */
  isLoaded(row: LocatedRow): boolean {
    const { workspace, products } = this;
    if (!workspace.isLoaded(row.path) || products?.isLoaded(row.dto as UpsertProductDto) === false) return false;
    if (this.mayHavePendingDeletions() && !this.touchedBy(row).every((id) => workspace.isLoaded(this.pendingPath(id))))
      return false;
    return this.tombstonesFor(row).every((path) => workspace.isLoaded(path));
  }

  /**
   * Applies one row, before the next one is applied. A row with both stores and deletes in the order of its times, and
   * counts as what it stores.
   * @throws ValidationFailed (at the index 0) when the record would outgrow its document; nothing changed
   */
  async apply(row: LocatedRow, share: EventLoopShare): Promise<RowOutcome> {
    const { deletions } = row;
    if (!deletions) {
      this.customers?.noteStored(row);
      return this.store(row, share);
    }
    if (this.customers) {
      for (const id of this.touchedBy(row)) this.workspace.requireUnchanged(this.pendingPath(id)); // whom those mean counts as gone
      return this.customers.delete(row);
    }
    if (row.deletesOnly) return (await this.delete(row, deletions, share)) ? 'deleted' : 'stale';
    return this.placeBoth(row, deletions, share);
  }

  /** Puts all changes into the workspace. To be called once, when the last row is placed. */
  async finish(): Promise<void> {
    await this.finishRemovals();
    await this.products?.finish();
  }

  private newProducts(): ProductsBySku | undefined {
    const { workspace, context, hasDeletions } = this;
    return isBySku(context) ? new ProductsBySku(workspace, context.tenant, hasDeletions) : undefined;
  }

  private newCustomers(): CustomerDeletions {
    return new CustomerDeletions(this.workspace, this.context, this.dependencies, this.deadline);
  }

  private async store(row: LocatedRow, share: EventLoopShare): Promise<'stored' | 'stale'> {
    if (this.products ? this.removals.size > 0 : this.removals.has(row.path)) await this.finishRemovals();
    // By what was deleted before it, another product may be the first that holds its Skus.
    if (this.hasDeletions) await this.products?.load([row.dto as UpsertProductDto]);
    if (this.products) return this.placeBySku(row, this.products, share);
    const newest = this.newestOf(row, this.workspace.asOf(row.path));
    if (newest && row.at < newest) return 'stale';
    if (this.context.kind === 'customers') this.placeCustomer(row);
    else await this.placeWithParts(row, share);
    return 'stored';
  }

  /** Whether a row of which everything is read can be placed in the same commit. */
  hasRoomFor(row: LocatedRow): boolean {
    if (this.customers?.hasRoomFor(row) === false) return false;
    const left = COMMIT_BYTES - this.workspace.changedBytes() - this.removalBytes;
    if (left < 0 || this.rebuiltBytes > COMMIT_BYTES) return false;
    return this.products === undefined || this.products.hasRoomFor(row.dto as UpsertProductDto, left);
  }

  /** Looks for the customers that a row deletes, and the next ones. To be called before it is placed. */
  async findCustomersToDelete(row: LocatedRow, next: () => readonly LocatedRow[]): Promise<void> {
    if (isDeleting(row)) await this.customers?.findCustomers(row, next);
  }

  /** A record together with deletions of its parts: what is as old as the row's own fields is deleted before them. */
  private async placeBoth(
    row: LocatedRow,
    deletions: readonly TimedDeletion[],
    share: EventLoopShare,
  ): Promise<RowOutcome> {
    const { workspace } = this;
    await this.finishRecord(row.path);
    await this.finishRemovals(); // of rows before, which are not taken back
    workspace.setSavepoint();
    try {
      const isBefore = ({ at }: TimedDeletion) => at <= row.at;
      const before = await this.delete(row, deletions.filter(isBefore), share);
      const outcome = await this.store(row, share);
      const rest = deletions.filter((deletion) => !isBefore(deletion));
      const after = await this.delete(row, rest, share);
      if (outcome === 'stored') return outcome;
      return before || after ? 'deleted' : outcome;
    } catch (error) {
      workspace.rollBackToSavepoint();
      this.drafts.delete(row.path);
      this.products = this.newProducts();
      throw error;
    } finally {
      await this.finishRecord(row.path);
      workspace.dropSavepoint();
    }
  }

  /** Deletes the row's product or order, or parts of it. @returns whether any of these deletions found nothing newer */
  private async delete(row: LocatedRow, deletions: readonly TimedDeletion[], share: EventLoopShare): Promise<boolean> {
    let isAny = false;
    for (const deletion of deletions) {
      if (share.isUsedUp) await share.renew();
      if (await this.deleteOne(row, deletion)) isAny = true;
    }
    return isAny;
  }

  private async deleteOne({ id, path }: LocatedRow, { target, at }: TimedDeletion): Promise<boolean> {
    const { workspace } = this;
    const { tenant, revision } = this.context;
    workspace.requireUnchanged(this.flag); // it is raised: whoever writes a row that is older looks for tombstones
    const isPart = target.type === 'variant' || target.type === 'orderItem';
    if (!isPart || !this.removals.has(path)) await this.finishRecord(path);
    const deletedAt = workspace.has(path) ? undefined : lastDeletion(workspace, tenant.tenantId, [id]);
    if (deletedAt && deletedAt > at) return false;
    const change = { acceptedAt: at, revision, sparesNewer: true };
    let isApplied = false;
    if (target.type === 'variant' || target.type === 'orderItem') {
      isApplied = await this.removePart(path, target, change);
    } else if (target.type === 'product' || target.type === 'order') {
      isApplied = await removeRecord(workspace, tenant, target, change);
      this.products = this.newProducts();
    }
    if (!isApplied) return false;
    workspace.requireUnchanged(path); // also where there is no record: an older one may come in between
    return true;
  }

  private async removePart(path: string, target: PartTarget, deletion: DeletionTime): Promise<boolean> {
    const { workspace } = this;
    let removal = this.removals.get(path);
    if (!removal) {
      removal = await PartsRemoval.open(workspace, this.context.tenant, target);
      this.removals.set(path, removal);
      this.removalBytes += removal.bytes;
    }
    this.removalBytes -= removal.bytes;
    const isApplied = removal.remove(target, deletion);
    this.removalBytes += removal.bytes;
    return isApplied;
  }

  /** Puts what rows have made of a record so far into the workspace; of products by Sku all. */
  private async finishRecord(path: string): Promise<void> {
    if (this.products) {
      await this.products.finish();
      this.products = this.newProducts();
    }
    if (this.drafts.delete(path)) this.rebuiltBytes += this.workspace.bytesAt(path); // it stays as it is now
    if (this.removals.has(path)) await this.finishRemovals();
  }

  private async finishRemovals(): Promise<void> {
    if (this.removals.size === 0) return;
    for (const removal of this.removals.values()) {
      await removal.finish(this.context.revision);
      this.rebuiltBytes += removal.bytes;
    }
    this.removals.clear();
    this.removalBytes = 0;
    this.products = this.newProducts(); // it may have looked at products as they were before
  }

  private placeCustomer(row: LocatedRow): void {
    const { dto, at, path } = row;
    const { workspace } = this;
    const { tenant, revision } = this.context;
    const stored = workspace.get(path);
    const patch = toPatch(dto, tenant);
    const record = stored ? applyPatch(fromCustomerDocument(stored), patch) : createCustomer(patch, tenant);
    const data = toCustomerDocument(record, datedRevision(revision, at));
    workspace.put(path, data, requireFit(data, 0));
  }

  private async placeWithParts(row: LocatedRow, share: EventLoopShare): Promise<void> {
    const { workspace } = this;
    const { at, path } = row;
    const draft = this.draftOf(path);
    const buried = deletedAfter(workspace.has(path) ? draft.buried : this.buriedIn(row), at);
    const own = { revision: datedRevision(this.context.revision, at), ...toPartDeletionsField(buried) } as DocumentData;
    await runInShares(draft.merged.adding(this.withoutDeleted(row, buried)), share);
    const bytes = documentBytes(own) + draft.merged.bytes();
    const errors = tooLarge(bytes, 0, () => draft.merged.largestField());
    if (errors) {
      draft.merged.undo();
      workspace.requireUnchanged(path); // that it does not fit is true of what is stored now
      throw new ValidationFailed(errors);
    }
    draft.buried = buried;
    const toData = () => ({ ...(draft.merged.record as DocumentData), ...own });
    workspace.putDeferred(path, { bytes, asOf: at, toData });
  }

  /** The draft of a record. It stays as it was stored where a row does not fit, for the rows after it. */
  private draftOf(path: string): Draft {
    const known = this.drafts.get(path);
    if (known) return known;
    const { tenant, kind, now } = this.context;
    const data = this.workspace.get(path);
    const rules = kind === 'orders' ? orderRules(tenant.orderCustomer, now) : productRules(tenant.productIdentifier);
    const merged = new MergedRecord(rules as unknown as Rules, data && fromDocument<object>(data));
    const draft = { merged, buried: partDeletionsOf(data) };
    this.drafts.set(path, draft);
    return draft;
  }

  private async placeBySku(
    row: LocatedRow,
    products: ProductsBySku,
    share: EventLoopShare,
  ): Promise<'stored' | 'stale'> {
    const { at, id } = row;
    const product = row.dto as UpsertProductDto;
    const named = products.at(id);
    const matched = products.find(product);
    const newest = later(later(named?.asOf, matched?.asOf), products.lastSkuDeletion(product));
    const last = this.newestOf(row, newest);
    if (last && at < last) return 'stale';
    // Parts of its own that were deleted, and of the product that it takes over.
    const own = deletedAfter(named ? named.buried : this.buriedIn(row), at);
    const buried = matched && matched.id !== id ? mergePartDeletions(own, deletedAfter(matched.buried, at)) : own;
    const rest = { product: this.withoutDeleted(row, buried) as UpsertProductDto, index: 0 };
    const notes = { revision: datedRevision(this.context.revision, at), buried, asOf: at };
    await runInShares(products.placing(rest, matched, notes), share);
    return 'stored';
  }

  private withoutDeleted({ dto }: LocatedRow, buried: readonly PartDeletion[]): object {
    const targets = buried.map(({ target }) => target);
    return withoutParts(dto, targets, this.context.tenant.productIdentifier);
  }

  /** The deletions of parts that the tombstone of a record remembers that is not stored. */
  private buriedIn({ id }: LocatedRow): readonly PartDeletion[] {
    const path = tombstonePath(this.context.tenant.tenantId, id);
    return this.workspace.isLoaded(path) ? partDeletionsOf(this.workspace.get(path)) : [];
  }

  /** The later of a time and, where the row's record is not stored, that of its last deletion. */
  private newestOf(row: LocatedRow, time: Date | undefined): Date | undefined {
    const { workspace, flag } = this;
    const { tenant, kind } = this.context;
    // A row before may have taken an identity from the record: nothing newer than it was deleted by that.
    const tombstones = this.tombstonesFor(row).filter((path) => workspace.isLoaded(path));
    // That nothing was accepted or deleted since: whoever did so before the row is written did not find it.
    workspace.requireUnchanged(flag);
    if (this.mayHavePendingDeletions()) {
      for (const id of this.touchedBy(row)) workspace.requireUnchanged(this.pendingPath(id));
      for (const path of tombstones) workspace.requireUnchanged(path);
    }
    if (!workspace.has(flag) || this.isKnown(row)) return time;
    return later(time, lastDeletion(workspace, tenant.tenantId, identitiesOf(row, kind)));
  }

  /**
   * The tombstones that can be newer than a row, or that it writes. A record that has all identities of its row was
   * written after their last deletion, or is about to be removed by it, so that only the others need to ask; by Sku all
   * do, because a row before may move the record.
   */
  private tombstonesFor(row: LocatedRow): string[] {
    const { workspace, flag } = this;
    const { tenant, kind } = this.context;
    const lastChange = workspace.asOf(flag);
    if (!lastChange || !workspace.isLoaded(row.path)) return [];
    if (isDeleting(row)) {
      if (this.customers) return []; // it looks for them by itself
    } else {
      if (row.at > lastChange && !this.mayHavePendingDeletions()) return [];
      if (!this.products && this.isKnown(row)) return [];
    }
    return tombstonePaths(tenant.tenantId, identitiesOf(row, kind));
  }

  /** The index entries that deletions of whole products change, as far as these are read. */
  private entriesOf(rows: readonly LocatedRow[]): string[] {
    const { workspace } = this;
    const isWhole = ({ deletions }: LocatedRow) => deletions?.some(({ target }) => target.type === 'product');
    const paths = new Set(rows.filter(isWhole).map(({ path }) => path));
    const read = [...paths].flatMap((path) => {
      const data = workspace.isLoaded(path) ? workspace.get(path) : undefined;
      return data ? [fromDocument<ProductRecord>(data)] : [];
    });
    return skuEntryPaths(this.context.tenant.tenantId, read);
  }

  /** What a pending deletion that concerns the row is about: its identities, and the products that it may take over. */
  private touchedBy(row: LocatedRow): RecordId[] {
    const { tenant, kind } = this.context;
    const own = identitiesOf(row, kind);
    if (!this.products) return own;
    const { ProductVariants } = row.dto as UpsertProductDto;
    const entries = ProductVariants.map(({ Sku }) => skuPath(tenant.tenantId, skuEntryId(Sku)));
    const loaded = entries.filter((path) => this.workspace.isLoaded(path));
    return [...own, ...loaded.flatMap((path) => holdersOf(this.workspace.get(path)))];
  }

  private pendingPath(id: RecordId): string {
    const { tenant, kind } = this.context;
    return deletionPath(tenant.tenantId, toDeletionId(kind, id));
  }

  /** Whether a record is there that has all identities of its row. */
  private isKnown({ dto, id, path }: LocatedRow): boolean {
    if (this.products) return this.products.at(id) !== undefined;
    if (this.context.kind !== 'customers' || !this.workspace.has(path)) return this.workspace.has(path);
    const known = new Set(customerIdentities(fromDocument(this.workspace.get(path) ?? {})));
    return customerIdentities(dto).every((identity) => known.has(identity));
  }
}

type Rules = ConstructorParameters<typeof MergedRecord<object, object, object, object>>[0];
