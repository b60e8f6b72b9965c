/**
 * What rows of a file do to a workspace: the same rules as an upsert or a deletion, except that a row yields to a
 * record or a deletion that is newer than the row (D-54, D-58, R-27).
 *
 * What a row deletes by the record's own id is removed in the commit of the row; customers are deleted through the log
 * (customer-deletions.ts).
 */
import { isRaised, lastDeletionBy, withDeletionAsOf } from '../deletions/deletion-log';
import { tombstonePath } from '../documents/paths';
import { applyPatch, createCustomer, toPatch } from '../domain/customer';
import { later } from '../domain/date-time';
import type { PartTarget } from '../domain/deletion';
import type { DocumentData } from '../domain/document';
import { documentBytes } from '../domain/document';
import type { UpsertProductDto } from '../domain/dto/product';
import { customerIdentities } from '../domain/identity';
import { MergedRecord } from '../domain/merged-record';
import { orderRules } from '../domain/order';
import type { ProductRecord } from '../domain/product';
import { productRules } from '../domain/product';
import { withoutParts } from '../domain/removed-parts';
import type { EventLoopShare } from '../event-loop-share';
import { runInShares } from '../event-loop-share';
import { ValidationFailed } from '../validation/validation-failed';
import { CustomerDeletions } from './customer-deletions';
import { requireFit, tooLarge } from './fits';
import type { LocatedRow, RowContext, TimedDeletion } from './located-row';
import { identitiesOf, isBySku, isDeleting } from './located-row';
import { ProductsBySku } from './place-product-by-sku';
import { datedStamp, fromCustomerDocument, fromDocument, toCustomerDocument } from './record-documents';
import type { Change } from './removed-records';
import { PartsRemoval, removeRecord } from './removed-records';
import { skuEntryPaths } from './sku-index';
import type { BuriedPart } from './tombstones';
import { buriedParts, deletedAfter, lastDeletion, toBuriedField, tombstonePaths, uniteParts } from './tombstones';
import type { Workspace } from './workspace';

/** What became of a row. `stale`: something newer is stored or was deleted, and nothing changed. */
export type RowOutcome = 'stored' | 'stale' | 'deleted';

/** What is expected of documents that rows rely on. Only a guess that saves reading: the commit checks it. */
export interface Expectation {
  readonly records: Presence;
  readonly deletionMark: Presence;
}

type Presence = 'absent' | 'unknown';

/** A product or an order while rows are merged into it. */
interface Draft {
  readonly merged: Merged;
  /** Deletions of parts that it remembers. */
  buried: readonly BuriedPart[];
}

type Merged = MergedRecord<object, object, object, object>;

/**
 * Places rows of one kind in a workspace, in their order, for one commit. However many rows a record has, it is merged
 * and measured once, or looked through once where they delete parts of it.
 */
export class RowPlacer {
  private products: ProductsBySku | undefined;
  private readonly drafts = new Map<string, Draft>();
  /** Deletions of parts that are under way, by the path of their record. */
  private readonly removals = new Map<string, PartsRemoval>();
  private removalBytes = 0;
  /** Undefined: the rows are of another kind. */
  private readonly customers: CustomerDeletions | undefined;
  /** When the last deletion was before those of these rows; null: it is not read yet. */
  private lastChange: Date | undefined | null = null;
  private isPending = false;

  constructor(
    private readonly workspace: Workspace,
    private readonly context: RowContext,
  ) {
    this.products = this.newProducts();
    this.customers = context.kind === 'customers' ? new CustomerDeletions(workspace, context) : undefined;
  }

  /**
   * Reads what the rows can touch and is not expected to be absent. Tombstones are no part of a commit, which would not
   * notice a wrong guess. They are looked for where one can be newer than its row: the mark of deletions, on which the
   * commit relies, changes with each deletion of the kind.
   * @param maxBytes of each kind of documents that it reads; what is beyond stays unread. Omitted: all are read
   * @returns what was found, for the next ones
   */
  async load(rows: readonly LocatedRow[], expected: Expectation, maxBytes?: number): Promise<Expectation> {
    const { workspace, products } = this;
    const { mark } = this.context;
    const read = (paths: readonly string[]) =>
      maxBytes === undefined ? workspace.load(paths) : workspace.loadSome(paths, maxBytes);
    await products?.load(
      rows.map(({ dto }) => dto as UpsertProductDto),
      maxBytes,
    );
    const records = rows.map(({ path }) => path);
    const areAbsent = (paths: readonly string[]): Presence =>
      paths.every((path) => workspace.isLoaded(path) && !workspace.has(path)) ? 'absent' : 'unknown';
    if (expected.deletionMark === 'absent') workspace.assumeAbsent([mark]);
    if (expected.records === 'absent') workspace.assumeAbsent(records);
    await read([mark, ...records]);
    await workspace.load([mark]);
    if (this.lastChange === null) {
      this.lastChange = lastDeletionBy(workspace.get(mark), workspace.asOf(mark));
      this.isPending = isRaised(workspace.get(mark));
    }
    const found = { records: products ? 'unknown' : areAbsent(records), deletionMark: areAbsent([mark]) } as const;
    const deleting = rows.filter(isDeleting);
    // Without any deletion there is no tombstone. If there is one by now, the commit is in conflict.
    if (!this.lastChange) workspace.assumeAbsent(deleting.flatMap((row) => this.tombstonesOf(row)));
    await read(rows.flatMap((row) => this.tombstonesFor(row)));
    if (products) await read(this.entriesOf(deleting));
    if (!this.isPending) await this.customers?.match(deleting);
    return deleting.length === 0 ? found : { records: 'unknown', deletionMark: 'unknown' };
  }

  /** Whether deletions may be pending that have to be applied before the rows, by what was read for them. */
  mayBePending(): boolean {
    return this.isPending;
  }

  /** Whether everything is read that placing the row needs. */
  isLoaded(row: LocatedRow): boolean {
    const { workspace, products } = this;
    if (!workspace.isLoaded(row.path) || products?.isLoaded(row.dto as UpsertProductDto) === false) return false;
    if (this.customers?.isMatched(row) === false) return false;
    return this.tombstonesFor(row).every((path) => workspace.isLoaded(path));
  }

  /**
   * Whether a row has to be placed for a later commit: it is about a customer of a row before it, and one of the two
   * deletes. A deletion that enters the log is applied after the commit.
   */
  mustWait(row: LocatedRow): boolean {
    return this.customers?.mustWait(row) === true;
  }

  /**
   * Applies one row, before the next one is applied. A row with both stores and deletes in the order of its times, and
   * counts as what it stores.
   * @throws ValidationFailed (at the index 0) when the record would outgrow its document; nothing changed
   */
  async place(row: LocatedRow, share: EventLoopShare): Promise<RowOutcome> {
    const { deletions } = row;
    this.customers?.note(row);
    if (!deletions) return this.store(row, share);
    if (this.customers) return this.customers.accept(row, deletions);
    if (row.deletesOnly) return (await this.delete(row, deletions, share)) ? 'deleted' : 'stale';
    return this.placeBoth(row, deletions, share);
  }

  /** About the stored bytes of what is to be written. */
  changedBytes(): number {
    return this.workspace.changedBytes() + (this.products?.changedBytes() ?? 0) + this.removalBytes;
  }

  /** Puts all changes into the workspace. To be called once, when the last row is placed. */
  async finish(): Promise<void> {
    await this.finishRemovals();
    await this.products?.finish();
  }

  private newProducts(): ProductsBySku | undefined {
    return isBySku(this.context) ? new ProductsBySku(this.workspace, this.context.tenant) : undefined;
  }

  private async store(row: LocatedRow, share: EventLoopShare): Promise<'stored' | 'stale'> {
    if (this.products ? this.removals.size > 0 : this.removals.has(row.path)) {
      await this.finishRemovals();
      await this.products?.load([row.dto as UpsertProductDto]); // another product may hold its Skus now
    }
    if (this.products) return this.placeBySku(row, this.products);
    const newest = this.newestOf(row, this.workspace.asOf(row.path));
    if (newest && row.at < newest) return 'stale';
    if (this.context.kind === 'customers') this.placeCustomer(row);
    else await this.placeWithParts(row, share);
    return 'stored';
  }

  /** A record together with deletions of its parts: what is as old as the row's own fields is deleted before them. */
  private async placeBoth(
    row: LocatedRow,
    deletions: readonly TimedDeletion[],
    share: EventLoopShare,
  ): Promise<RowOutcome> {
    const { workspace } = this;
    await this.finishRecord(row.path);
    workspace.begin();
    try {
      const isBefore = ({ at }: TimedDeletion) => at <= row.at;
      const before = await this.delete(row, deletions.filter(isBefore), share);
      const outcome = await this.store(row, share);
      const rest = deletions.filter((deletion) => !isBefore(deletion));
      const after = await this.delete(row, rest, share);
      if (outcome === 'stored') return outcome;
      return before || after ? 'deleted' : outcome;
    } catch (error) {
      workspace.takeBack();
      this.drafts.delete(row.path);
      this.products = this.newProducts();
      throw error;
    } finally {
      await this.finishRecord(row.path);
      workspace.keep();
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
    const { tenant, mark, stamp } = this.context;
    workspace.rely(mark); // a deletion that was accepted since can be newer
    const isPart = target.type === 'variant' || target.type === 'orderItem';
    if (!isPart || !this.removals.has(path)) await this.finishRecord(path);
    const deletedAt = workspace.has(path) ? undefined : lastDeletion(workspace, tenant.tenantId, [id]);
    if (deletedAt && deletedAt > at) return false;
    const change = { acceptedAt: at, stamp, sparesNewer: true };
    let isApplied = false;
    if (target.type === 'variant' || target.type === 'orderItem') {
      isApplied = await this.removePart(path, target, change);
    } else if (target.type === 'product' || target.type === 'order') {
      isApplied = await removeRecord(workspace, tenant, target, change);
      this.products = this.newProducts();
    }
    if (!isApplied) return false;
    workspace.rely(path); // also where there is no record: an older one may come in between
    const before = workspace.get(mark);
    if (before?.cause !== stamp || !isAsLate(before, at)) workspace.put(mark, withDeletionAsOf(before, at, stamp));
    return true;
  }

  private async removePart(path: string, target: PartTarget, change: Change): Promise<boolean> {
    const { workspace } = this;
    let removal = this.removals.get(path);
    if (!removal) {
      removal = await PartsRemoval.open(workspace, this.context.tenant, target);
      this.removals.set(path, removal);
      this.removalBytes += removal.bytes;
    }
    this.removalBytes -= removal.bytes;
    const isApplied = removal.remove(target, change);
    this.removalBytes += removal.bytes;
    return isApplied;
  }

  /** Puts what rows have made of a record so far into the workspace; of products by Sku all. */
  private async finishRecord(path: string): Promise<void> {
    if (this.products) {
      await this.products.finish();
      this.products = this.newProducts();
    }
    this.drafts.delete(path); // what it has put into the workspace stays as it is now
    if (this.removals.has(path)) await this.finishRemovals();
  }

  private async finishRemovals(): Promise<void> {
    if (this.removals.size === 0) return;
    for (const removal of this.removals.values()) await removal.finish(this.context.stamp);
    this.removals.clear();
    this.removalBytes = 0;
    this.products = this.newProducts(); // it may have looked at products as they were before
  }

  private placeCustomer({ dto, at, path }: LocatedRow): void {
    const { workspace } = this;
    const { tenant, stamp } = this.context;
    const stored = workspace.get(path);
    const patch = toPatch(dto, tenant);
    const record = stored ? applyPatch(fromCustomerDocument(stored), patch) : createCustomer(patch, tenant);
    const data = toCustomerDocument(record, datedStamp(stamp, at));
    workspace.put(path, data, requireFit(data, 0));
  }

  private async placeWithParts(row: LocatedRow, share: EventLoopShare): Promise<void> {
    const { workspace } = this;
    const { at, path } = row;
    const draft = this.drafts.get(path) ?? this.newDraft(path);
    const buried = deletedAfter(workspace.has(path) ? draft.buried : this.buriedIn(row), at);
    const own = { stamp: datedStamp(this.context.stamp, at), ...toBuriedField(buried) } as DocumentData;
    await runInShares(draft.merged.adding(this.withoutDeleted(row, buried)), share);
    const bytes = documentBytes(own) + draft.merged.bytes();
    const errors = tooLarge(bytes, 0, () => draft.merged.largestField());
    if (errors) {
      draft.merged.undo();
      workspace.rely(path); // that it does not fit is true of what is stored now
      throw new ValidationFailed(errors);
    }
    draft.buried = buried;
    this.drafts.set(path, draft);
    const toData = () => ({ ...(draft.merged.record as DocumentData), ...own });
    workspace.putLater(path, { bytes, asOf: at, toData });
  }

  private newDraft(path: string): Draft {
    const { tenant, kind, now } = this.context;
    const data = this.workspace.get(path);
    const rules = kind === 'orders' ? orderRules(tenant.orderCustomer, now) : productRules(tenant.productIdentifier);
    const merged = new MergedRecord(rules as unknown as Rules, data && fromDocument<object>(data));
    return { merged, buried: buriedParts(data) };
  }

  private placeBySku(row: LocatedRow, products: ProductsBySku): 'stored' | 'stale' {
    const { at, id } = row;
    const product = row.dto as UpsertProductDto;
    const named = products.at(id);
    const matched = products.find(product);
    const newest = later(later(named?.asOf, matched?.asOf), products.lastSkuDeletion(product));
    const last = this.newestOf(row, newest);
    if (last && at < last) return 'stale';
    // Parts of its own that were deleted, and of the product that it takes over.
    const own = deletedAfter(named ? named.buried : this.buriedIn(row), at);
    const buried = matched && matched.id !== id ? uniteParts(own, deletedAfter(matched.buried, at)) : own;
    const rest = { product: this.withoutDeleted(row, buried) as UpsertProductDto, index: 0 };
    products.place(rest, matched, { stamp: datedStamp(this.context.stamp, at), buried, asOf: at });
    return 'stored';
  }

  private withoutDeleted({ dto }: LocatedRow, buried: readonly BuriedPart[]): object {
    const targets = buried.map(({ target }) => target);
    return withoutParts(dto, targets, this.context.tenant.productIdentifier);
  }

  /** The deletions of parts that the tombstone of a record remembers that is not stored. */
  private buriedIn({ id }: LocatedRow): readonly BuriedPart[] {
    const path = tombstonePath(this.context.tenant.tenantId, id);
    return this.workspace.isLoaded(path) ? buriedParts(this.workspace.get(path)) : [];
  }

  /** The later of a time and, where the row's record is not stored, that of its last deletion. */
  private newestOf(row: LocatedRow, time: Date | undefined): Date | undefined {
    const { tenant, kind, mark } = this.context;
    // That no deletion was accepted since: one that has looked before the row is written does not find it, and a
    // tombstone that it leaves afterwards is too late.
    this.workspace.rely(mark);
    if (!this.workspace.has(mark) || this.isKnown(row)) return time;
    return later(time, lastDeletion(this.workspace, tenant.tenantId, identitiesOf(row, kind)));
  }

  /**
   * The tombstones that can be newer than a row, or that it writes. A record that has all identities of its row was
   * written after their last deletion, so that only the others need to ask; by Sku all do, because a row before may
   * move the record.
   */
  private tombstonesFor(row: LocatedRow): string[] {
    const { workspace, lastChange } = this;
    if (!lastChange || !workspace.isLoaded(row.path)) return [];
    if (isDeleting(row)) return this.tombstonesOf(row);
    if (row.at > lastChange || (!this.products && this.isKnown(row))) return [];
    return this.tombstonesOf(row);
  }

  private tombstonesOf(row: LocatedRow): string[] {
    const { tenant, kind } = this.context;
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

  /** Whether a record is there that has all identities of its row. */
  private isKnown({ dto, id, path }: LocatedRow): boolean {
    if (this.products) return this.products.at(id) !== undefined;
    if (this.context.kind !== 'customers' || !this.workspace.has(path)) return this.workspace.has(path);
    const known = new Set(customerIdentities(fromDocument(this.workspace.get(path) ?? {})));
    return customerIdentities(dto).every((identity) => known.has(identity));
  }
}

/** Whether a mark already tells of a deletion as of this moment or later. */
function isAsLate(mark: DocumentData, at: Date): boolean {
  const latest = lastDeletionBy(mark, undefined);
  return latest !== undefined && latest >= at;
}

type Rules = ConstructorParameters<typeof MergedRecord<object, object, object, object>>[0];
