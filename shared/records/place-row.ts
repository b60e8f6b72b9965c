/**
 * What rows of a file do to a workspace: the same rules as an upsert, except that a row yields to a record or a
 * deletion that is newer than the row (D-54, D-58).
 */
import { listPendingDeletions } from '../deletions/pending-deletions';
import { mayBePending } from '../deletions/pending-flag';
import type { Deadline } from '../deadline';
import type { DocumentStore } from '../documents/document-store';
import { deletionFlagPath, deletionPath, recordPath, skuPath, tombstonePath } from '../documents/paths';
import { applyPatch, createCustomer, toPatch } from '../domain/customer';
import { later } from '../domain/date-time';
import type { DocumentData } from '../domain/document';
import { documentBytes } from '../domain/document';
import type { UpsertOrderDto } from '../domain/dto/order';
import type { UpsertProductDto } from '../domain/dto/product';
import type { RecordId, RecordKind } from '../domain/identity';
import { toDeletionId } from '../domain/deletion';
import { customerIdentities, customerRecordId, orderRecordId, productRecordId, skuEntryId } from '../domain/identity';
import { COMMIT_BYTES, FEW_PENDING_DELETIONS } from '../domain/limits';
import { MergedRecord } from '../domain/merged-record';
import { orderRules } from '../domain/order';
import { productRules } from '../domain/product';
import { withoutParts } from '../domain/removed-parts';
import type { Tenant } from '../domain/tenant';
import type { EventLoopShare } from '../event-loop-share';
import { runInShares } from '../event-loop-share';
import { requireFit, tooLarge } from './fits';
import { ValidationFailed } from '../validation/validation-failed';
import { ProductsBySku } from './place-product-by-sku';
import { holdersOf } from './sku-index';
import { datedStamp, fromCustomerDocument, fromDocument, toCustomerDocument } from './record-documents';
import type { BuriedPart } from './tombstones';
import { buriedParts, deletedAfter, lastDeletion, toBuriedField, tombstonePaths, uniteParts } from './tombstones';
import type { Workspace } from './workspace';

/** A valid row and the time at which it was true. */
export interface TimedRow {
  readonly dto: object;
  readonly at: Date;
}

/** A row with the record that it is about. */
export interface LocatedRow extends TimedRow {
  readonly id: RecordId;
  readonly path: string;
}

/** The record that a valid row is about, by the identifiers of its tenant. */
export function locateRow({ dto, at }: TimedRow, { tenant, kind }: Pick<RowContext, 'tenant' | 'kind'>): LocatedRow {
  const id = recordIdOf(dto, kind, tenant);
  return { dto, at, id, path: recordPath(tenant.tenantId, kind, id) };
}

/** What all rows of a slice share. */
export interface RowContext {
  readonly tenant: Tenant;
  readonly kind: RecordKind;
  readonly stamp: string;
  /** For the default of `OrderDate`. */
  readonly now: Date;
}

/** What is expected of documents that rows rely on. Only a guess that saves reading: the commit checks it. */
export interface Expectation {
  readonly records: Presence;
  readonly deletionFlag: Presence;
}

type Presence = 'absent' | 'unknown';

/** Whether rows are products that are matched by the `Sku` of their variants. */
export function isBySku({ tenant, kind }: Pick<RowContext, 'tenant' | 'kind'>): boolean {
  return kind === 'products' && tenant.productIdentifier === 'sku';
}

/** A product or an order while rows are merged into it. */
interface Draft {
  readonly merged: Merged;
  /** Deletions of parts that it remembers. */
  buried: readonly BuriedPart[];
}

type Merged = MergedRecord<object, object, object, object>;

/**
 * Places rows of one kind in a workspace, in their order, for one commit. However many rows a record has, it is merged
 * and measured once.
 */
export class RowPlacer {
  private readonly products: ProductsBySku | undefined;
  private readonly drafts = new Map<string, Draft>();

  private readonly flag: string;

  constructor(
    private readonly workspace: Workspace,
    private readonly context: RowContext,
    private readonly store: DocumentStore,
    private readonly deadline: Deadline,
  ) {
    this.flag = deletionFlagPath(context.tenant.tenantId, context.kind);
    this.products = isBySku(context) ? new ProductsBySku(workspace, context.tenant) : undefined;
  }

  /**
   * Reads what the rows can touch and is not expected to be absent. Tombstones are no part of a commit, which would not
   * notice a wrong guess. They are looked for where one can be newer than its row, by the flag of deletions: none is
   * left without it being raised, so that a row from after it was lowered need not ask.
   * @param maxBytes of each kind of documents that it reads; what is beyond stays unread. Omitted: all are read
   * @returns what was found, for the next ones
   */
  async load(rows: readonly LocatedRow[], expected: Expectation, maxBytes?: number): Promise<Expectation> {
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
    if (this.mayBePending()) await this.loadPending(rows, read);
    await read(rows.flatMap((row) => this.tombstonesFor(row)));
    return found;
  }

  /** Whether deletions may be pending, by what was read. */
  mayBePending(): boolean {
    return mayBePending(this.workspace.get(this.flag));
  }

  /** Whether a deletion may be pending that means more customers than it names. */
  mayBeWide(): boolean {
    return this.mayBePending() && this.workspace.get(this.flag)?.hasWide === true;
  }

  /** The identities of these rows for which deletions are pending: to be applied, and the rows read again. */
  pendingFor(rows: readonly LocatedRow[]): RecordId[] {
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
    const { workspace, store, deadline } = this;
    const { tenant, kind } = this.context;
    const paths = rows.flatMap((row) => this.touchedBy(row)).map((id) => this.pendingPath(id));
    if (paths.length > FEW_PENDING_DELETIONS) {
      const limit = FEW_PENDING_DELETIONS;
      const some = await listPendingDeletions(tenant.tenantId, kind, { limit }, store, deadline);
      const pending = new Set(some.map(({ id }) => this.pendingPath(id)));
      if (some.length < limit) workspace.assumeAbsent(paths.filter((path) => !pending.has(path)));
    }
    await read(paths);
  }

  /** Whether everything is read that placing the row needs. */
  isLoaded(row: LocatedRow): boolean {
    const { workspace, products } = this;
    if (!workspace.isLoaded(row.path) || products?.isLoaded(row.dto as UpsertProductDto) === false) return false;
    if (this.mayBePending() && !this.touchedBy(row).every((id) => workspace.isLoaded(this.pendingPath(id))))
      return false;
    return this.tombstonesFor(row).every((path) => workspace.isLoaded(path));
  }

  /**
   * Applies one row, before the next one is applied. `stale`: something newer is stored or was deleted, and nothing
   * changed.
   * @throws ValidationFailed (at the index 0) when the record would outgrow its document; nothing changed
   */
  async place(row: LocatedRow, share: EventLoopShare): Promise<'stored' | 'stale'> {
    if (this.products) return this.placeBySku(row, this.products, share);
    const newest = this.newestOf(row, this.workspace.asOf(row.path));
    if (newest && row.at < newest) return 'stale';
    if (this.context.kind === 'customers') this.placeCustomer(row);
    else await this.placeWithParts(row, share);
    return 'stored';
  }

  /** Whether a row of which everything is read can be placed in the same commit. */
  hasRoomFor(row: LocatedRow): boolean {
    const left = COMMIT_BYTES - this.workspace.changedBytes();
    return this.products ? this.products.hasRoomFor(row.dto as UpsertProductDto, left) : left >= 0;
  }

  /** Puts all changes into the workspace. To be called once, when the last row is placed. */
  async finish(): Promise<void> {
    await this.products?.finish();
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
    const draft = this.draftOf(path);
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
    const toData = () => ({ ...(draft.merged.record as DocumentData), ...own });
    workspace.putLater(path, { bytes, asOf: at, toData });
  }

  /** The draft of a record. It stays as it was stored where a row does not fit, for the rows after it. */
  private draftOf(path: string): Draft {
    const known = this.drafts.get(path);
    if (known) return known;
    const { tenant, kind, now } = this.context;
    const data = this.workspace.get(path);
    const rules = kind === 'orders' ? orderRules(tenant.orderCustomer, now) : productRules(tenant.productIdentifier);
    const merged = new MergedRecord(rules as unknown as Rules, data && fromDocument<object>(data));
    const draft = { merged, buried: buriedParts(data) };
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
    const buried = matched && matched.id !== id ? uniteParts(own, deletedAfter(matched.buried, at)) : own;
    const rest = { product: this.withoutDeleted(row, buried) as UpsertProductDto, index: 0 };
    const notes = { stamp: datedStamp(this.context.stamp, at), buried, asOf: at };
    await runInShares(products.placing(rest, matched, notes), share);
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
    const { workspace, flag } = this;
    const { tenant, kind } = this.context;
    // A row before may have taken an identity from the record: nothing newer than it was deleted by that.
    const tombstones = this.tombstonesFor(row).filter((path) => workspace.isLoaded(path));
    // That nothing was accepted or deleted since: whoever did so before the row is written did not find it.
    workspace.rely(flag);
    if (this.mayBePending()) {
      for (const id of this.touchedBy(row)) workspace.rely(this.pendingPath(id));
      for (const path of tombstones) workspace.rely(path);
    }
    if (!workspace.has(flag) || this.isKnown(row)) return time;
    return later(time, lastDeletion(workspace, tenant.tenantId, identitiesOf(row, kind)));
  }

  /**
   * The tombstones that can be newer than a row. A record that has all identities of its row was written after their
   * last deletion, so that only the others need to ask; by Sku all do, because a row before may move the record.
   */
  private tombstonesFor(row: LocatedRow): string[] {
    const { workspace, flag } = this;
    const { tenant, kind } = this.context;
    const lastChange = workspace.asOf(flag);
    if (!lastChange || !workspace.isLoaded(row.path)) return [];
    if (row.at > lastChange && !this.mayBePending()) return [];
    if (!this.products && this.isKnown(row)) return [];
    return tombstonePaths(tenant.tenantId, identitiesOf(row, kind));
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

function recordIdOf(dto: object, kind: RecordKind, tenant: Tenant): RecordId {
  switch (kind) {
    case 'customers':
      return customerRecordId(dto, tenant.customerIdentifier);
    case 'products':
      return productRecordId((dto as UpsertProductDto).ProductId);
    case 'orders':
      return orderRecordId((dto as UpsertOrderDto).OrderId);
  }
}

/** What a deletion of the row's record can be addressed to. */
function identitiesOf({ dto, id }: LocatedRow, kind: RecordKind): RecordId[] {
  return kind === 'customers' ? customerIdentities(dto) : [id];
}
