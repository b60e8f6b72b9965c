/**
 * Products that are matched by `Sku` (D-03), while elements of a batch, or rows of a file, are applied to them in
 * order. A product is read, measured, indexed and written once, however many elements are merged into it and however
 * often it is absorbed by another product. The cost of an element depends only on its own size.
 */
import { recordPath, skuPath } from '../../documents/paths';
import { later } from '../../domain/values/date-time';
import type { DocumentData } from '../../domain/records/document';
import { documentBytes } from '../../domain/records/document';
import type { UpsertProductDto } from '../../domain/dto/product';
import type { RecordId } from '../../domain/identity';
import { productRecordId, skuEntryId } from '../../domain/identity';
import { MAX_RECORD_BYTES, MAX_VARIANTS_BY_SKU, SKU_COMMIT_EXTRA_BYTES } from '../../limits/records';
import { PARTS_BETWEEN_YIELDS } from '../../domain/limits';
import type { ProductRecord } from '../../domain/records/product';
import type { Tenant } from '../../domain/tenant';
import { toMatchingId } from '../../domain/values/text';
import { EventLoopShare, mapInShares, runInShares } from '../../platform/async/event-loop-share';
import { ValidationFailed } from '../../validation/validation-failed';
import { DisjointSets, mergeLists, mergeSets } from './disjoint-sets';
import type { IndependentChanges } from './independent-changes';
import { groupIndependent } from './independent-changes';
import type { MutableProduct, PlannedProduct } from './planned-product';
import { commitBytes, isMoved, maxCommitBytes, newMutableProduct } from './planned-product';
import { requireVariantsFit, tooLarge } from '../../workspace/size-checks';
import { ProductDraft } from './product-draft';
import type { Revision } from '../../workspace/record-documents';
import { fromDocument, toDocument } from '../../workspace/record-documents';
import { holdersOf, skuDeletedAt, toEntry, withHolder } from '../../workspace/sku-index';
import type { PartDeletion } from '../../workspace/tombstones';
import { deletedAtOf, partDeletionsOf, toPartDeletionsField } from '../../workspace/tombstones';
import type { Workspace } from '../../workspace/workspace';

/** An incoming product, and its index in the batch. */
export interface ProductChange {
  readonly product: UpsertProductDto;
  readonly index: number;
}

/** The service's own data with which a product is written. */
export interface RecordMetadata {
  readonly revision: Revision;
  /** Deletions of variants that the product keeps. */
  readonly partDeletions: readonly PartDeletion[];
  /** When the product was true; undefined: when it is written. */
  readonly asOf: Date | undefined;
}

export class ProductsBySku {
  /** Products by the ids under which they are stored. */
  private readonly storedById = new Map<RecordId, MutableProduct>();
  /** Products by their current ids, where these have changed. Undefined: the id is vacated. */
  private readonly currentById = new Map<RecordId, MutableProduct | undefined>();
  /** Products to which elements gave a Sku, by the path of the Sku's index entry. */
  private readonly addedHolders = new Map<string, MutableProduct[]>();
  /** Absorbed products; the root is the product that absorbed them. */
  private readonly absorptions = new DisjointSets<MutableProduct>();
  /** Paths of index entries by Sku as sent. They are cached because each contains a hash. */
  private readonly entryPaths = new Map<string, string>();
  private readonly changed = new Set<MutableProduct>();
  /** Approximate stored bytes of all changes. */
  private bytes = 0;
  /** Stored bytes of the products that were taken apart here; 0 where the workspace is not shared. */
  takenApartBytes = 0;

  constructor(
    private readonly workspace: Workspace,
    private readonly tenant: Tenant,
    /**
     * Whether others read the products in the workspace, too. If not, their content is released once it is read here.
     */
    private readonly isShared = false,
  ) {}

  /**
   * Loads the products' records and index entries, and the records that hold their Skus.
   * @param maxBytes maximum bytes to read; the rest stays unloaded. Omitted: everything is loaded
   */
  async load(products: readonly UpsertProductDto[], maxBytes?: number): Promise<void> {
    let remainingBytes = maxBytes ?? Infinity;
    const read = async (paths: readonly string[]) => {
      if (maxBytes === undefined) await this.workspace.load(paths);
      else if (remainingBytes > 0) remainingBytes -= await this.workspace.loadSome(paths, remainingBytes);
    };
    await read(await runInShares(this.collectingPaths(products), new EventLoopShare()));
    const holders = await mapInShares(products, (product) => this.firstHolder(product) ?? []);
    await read(holders.flat());
    if (maxBytes !== undefined) return;
    // An entry may list a product that no longer has the Sku, if the tenant's identifier was changed. Then the next
    // listed product must be loaded.
    for (const product of products) {
      for (let path = this.search(product); typeof path === 'string'; path = this.search(product)) {
        await this.workspace.load([path]);
      }
    }
  }

  /** The path of the index entry of a Sku. It is hashed once. */
  entryPathOf(sku: string): string {
    const known = this.entryPaths.get(sku);
    if (known !== undefined) return known;
    const path = skuPath(this.tenant.tenantId, skuEntryId(sku));
    this.entryPaths.set(sku, path);
    return path;
  }

  /** Whether everything is loaded that `applying` the product needs. */
  isLoaded(product: UpsertProductDto): boolean {
    const isRead = (path: string) => this.workspace.isLoaded(path);
    if (!isRead(this.pathOf(productRecordId(product.ProductId)))) return false;
    return (
      product.ProductVariants.every(({ Sku }) => isRead(this.entryPathOf(Sku))) &&
      typeof this.search(product) !== 'string'
    );
  }

  /**
   * The product that holds one of the product's Skus: of the first Sku, in array order, that any product holds.
   * @throws Error if a record that may hold a Sku is not loaded
   */
  findBySku(product: UpsertProductDto): PlannedProduct | undefined {
    const found = this.search(product);
    if (typeof found === 'string') throw new Error('A product was matched before what holds its Skus was read.');
    return found;
  }

  /** The product that currently has this id; undefined: none. */
  findById(id: RecordId): PlannedProduct | undefined {
    return this.currentAt(id);
  }

  /**
   * Whether a loaded product can be applied so that all changes stay within `maxBytes` or, without the largest product,
   * within SKU_COMMIT_EXTRA_BYTES. A single product always fits a commit, and is written once, however often it is
   * taken over.
   */
  hasRoomFor(product: UpsertProductDto, maxBytes: number): boolean {
    const named = this.currentAt(productRecordId(product.ProductId));
    const target = (this.findBySku(product) as MutableProduct | undefined) ?? named;
    const absorbed = named === target ? undefined : named;
    const ownBytes = maxCommitBytes(product, this.pathOf(productRecordId(product.ProductId)), target, absorbed);
    const bytes = this.bytes - (target?.commitBytes ?? 0) - (absorbed?.commitBytes ?? 0) + ownBytes;
    if (bytes <= maxBytes) return true;
    const largest = Math.max(ownBytes, ...[...this.changed].map((each) => each.commitBytes));
    return bytes - largest <= SKU_COMMIT_EXTRA_BYTES;
  }

  /** When any of the product's Skus that no product holds was last deleted; undefined: never. */
  lastSkuDeletion(product: UpsertProductDto): Date | undefined {
    const own = this.currentAt(productRecordId(product.ProductId));
    const deleted = product.ProductVariants.map(({ Sku }) => {
      const path = this.entryPathOf(Sku);
      // A Sku of the product itself is held, even if the index does not list the product.
      if (this.addedHolders.has(path) || own?.draft.hasSku(toMatchingId(Sku))) return undefined;
      return skuDeletedAt(this.workspace.get(path));
    });
    return deleted.reduce(later, undefined);
  }

  /**
   * Applies one element. Yields every PARTS_BETWEEN_YIELDS variants; nothing else may be done to the products in
   * between. If the element is refused, the products are as before.
   * @param matched the product that `findBySku` finds for the element
   * @throws ValidationFailed if the product outgrows its document or, with its index entries, a commit
   */
  *applying(
    { product, index }: ProductChange,
    matched: PlannedProduct | undefined,
    { revision, partDeletions, asOf }: RecordMetadata,
  ): Generator<void, void> {
    const id = productRecordId(product.ProductId);
    const named = this.currentAt(id);
    // The match takes over the incoming ProductId; a product that already has it becomes part of the match.
    const target = (matched as MutableProduct | undefined) ?? named ?? this.newProduct(id);
    const absorbed = named === target ? undefined : named;
    const ownFields = { revision, ...toPartDeletionsField(partDeletions) } as DocumentData;
    target.draft.setSavepoint();
    absorbed?.draft.setSavepoint();
    if (absorbed) target.draft.absorb(absorbed.draft);
    yield* target.draft.merging(product);
    const bytes = target.draft.bytesWith(ownFields);
    if (bytes > MAX_RECORD_BYTES || target.draft.variantCount > MAX_VARIANTS_BY_SKU) {
      this.refuse([id, target, absorbed], ownFields, bytes, index);
    }
    if (absorbed) this.absorb(target, absorbed);
    if (target.id !== id) {
      if (this.currentAt(target.id) === target) this.currentById.set(target.id, undefined);
      target.id = id;
    }
    this.currentById.set(id, target);
    yield* this.addingSkus(target, product);
    Object.assign(target, { written: { ownFields, bytes }, partDeletions, asOf });
    target.elements.push(index);
    this.changed.add(target);
    this.bytes -= target.commitBytes;
    target.commitBytes = commitBytes(target, this.pathOf(id), bytes);
    this.bytes += target.commitBytes;
  }

  /** Puts all changes into the workspace. Must be called once, after all elements were applied. */
  async finish(): Promise<void> {
    const share = new EventLoopShare();
    for (const planned of this.changed) planned.changedEntries = await this.changedEntriesOf(planned, share);
    await this.workspace.load([...this.changed].filter(isMoved).flatMap(({ changedEntries }) => changedEntries));
    for (const planned of this.changed) {
      if (share.isUsedUp) await share.renew();
      for (const id of planned.storedIds) {
        if (!this.currentAt(id)) this.workspace.put(this.pathOf(id), undefined);
      }
    }
    for (const { id, draft, asOf, written } of this.changed) {
      if (!written) continue;
      const { ownFields, bytes } = written;
      this.workspace.putDeferred(this.pathOf(id), {
        bytes,
        asOf,
        toData: () => Object.assign(toDocument(draft.toRecord(), ''), ownFields),
      });
    }
    for (const path of new Set([...this.changed].flatMap(({ changedEntries }) => changedEntries))) {
      if (share.isUsedUp) await share.renew();
      this.updateEntry(path);
    }
  }

  /** The products that elements were merged into. */
  changedProducts(): PlannedProduct[] {
    return [...this.changed];
  }

  /** The changes, after `finish`, in groups that share no document. */
  independentChanges(): IndependentChanges<PlannedProduct>[] {
    return groupIndependent(
      this.changed,
      (planned) => this.pathsOf(planned),
      (path) => this.workspace.bytesAt(path),
    );
  }

  private pathsOf(planned: MutableProduct): string[] {
    return [...[planned.id, ...planned.storedIds].map((id) => this.pathOf(id)), ...planned.changedEntries];
  }

  /** The product that `findBySku` finds, or the path of the record that must be loaded first. */
  private search(product: UpsertProductDto): MutableProduct | undefined | string {
    for (const { Sku } of product.ProductVariants) {
      const sku = toMatchingId(Sku);
      const entry = this.entryPathOf(Sku);
      for (const id of holdersOf(this.workspace.get(entry))) {
        if (!this.workspace.isLoaded(this.pathOf(id))) return this.pathOf(id);
        const planned = this.storedAt(id);
        if (planned?.draft.hasSku(sku)) return planned;
      }
      const [first] = this.addedHolders.get(entry) ?? [];
      if (first) return this.absorptions.rootOf(first);
    }
    return undefined;
  }

  /** The paths of the products' records and index entries. Yields for each entry. */
  private *collectingPaths(products: readonly UpsertProductDto[]): Generator<void, string[]> {
    const paths: string[] = [];
    for (const { ProductId, ProductVariants } of products) {
      paths.push(this.pathOf(productRecordId(ProductId)));
      for (const { Sku } of ProductVariants) {
        paths.push(this.entryPathOf(Sku));
        yield;
      }
    }
    return paths;
  }

  /** The path of the first product that the index lists for one of the Skus, if the entries are loaded up to there. */
  private firstHolder(product: UpsertProductDto): string | undefined {
    for (const { Sku } of product.ProductVariants) {
      const path = this.entryPathOf(Sku);
      if (!this.workspace.isLoaded(path)) return undefined;
      const [first] = holdersOf(this.workspace.get(path));
      if (first !== undefined) return this.pathOf(first);
    }
    return undefined;
  }

  /** The product into which the record stored under this id went; undefined: none is stored. */
  private storedAt(id: RecordId): MutableProduct | undefined {
    const known = this.storedById.get(id);
    if (known) return this.absorptions.rootOf(known);
    const data = this.workspace.get(this.pathOf(id));
    if (!data) return undefined;
    if (this.isShared) this.takenApartBytes += documentBytes(data);
    const draft = new ProductDraft(fromDocument<ProductRecord>(data));
    const planned = newMutableProduct(id, draft, [id], partDeletionsOf(data), this.workspace.asOf(this.pathOf(id)));
    this.storedById.set(id, planned);
    if (!this.isShared) this.workspace.release(this.pathOf(id)); // the draft holds it
    return planned;
  }

  private currentAt(id: RecordId): MutableProduct | undefined {
    return this.currentById.has(id) ? this.currentById.get(id) : this.storedAt(id);
  }

  private newProduct(id: RecordId): MutableProduct {
    return newMutableProduct(id, new ProductDraft(undefined), [], [], undefined);
  }

  /** Rolls back the drafts and refuses the element. @throws ValidationFailed */
  private refuse(
    [id, target, absorbed]: readonly [RecordId, MutableProduct, MutableProduct | undefined],
    ownFields: DocumentData,
    bytes: number,
    index: number,
  ): never {
    const { variantCount } = target.draft;
    const errors = tooLarge(bytes, index, () => target.draft.largestFieldWith(ownFields));
    target.draft.rollBackToSavepoint();
    absorbed?.draft.rollBackToSavepoint();
    // The refusal depends on the stored records: the commit must fail if they have changed.
    for (const usedId of [id, ...target.storedIds, ...(absorbed?.storedIds ?? [])])
      this.workspace.requireUnchanged(this.pathOf(usedId));
    requireVariantsFit(variantCount, index);
    throw new ValidationFailed(errors ?? {});
  }

  /** Makes `absorbed` part of `target`, whose draft has absorbed it already. */
  private absorb(target: MutableProduct, absorbed: MutableProduct): void {
    this.bytes -= absorbed.commitBytes;
    this.changed.delete(absorbed);
    this.absorptions.union(absorbed, target);
    target.storedIds = mergeLists(target.storedIds, absorbed.storedIds);
    target.elements = mergeLists(target.elements, absorbed.elements);
    target.addedEntries = mergeSets(target.addedEntries, absorbed.addedEntries);
    absorbed.draft = new ProductDraft(undefined); // it is not used any more: frees its memory
  }

  /** Notes the Skus that the element gives to the product. Yields every PARTS_BETWEEN_YIELDS variants. */
  private *addingSkus(target: MutableProduct, product: UpsertProductDto): Generator<void, void> {
    for (const [count, { Sku }] of product.ProductVariants.entries()) {
      if ((count + 1) % PARTS_BETWEEN_YIELDS === 0) yield;
      const path = this.entryPathOf(Sku);
      if (holdersOf(this.workspace.get(path)).some((id) => this.storedById.has(id) && this.storedAt(id) === target))
        continue;
      const others = this.addedHolders.get(path) ?? [];
      if (others.some((other) => this.absorptions.rootOf(other) === target)) continue;
      this.addedHolders.set(path, [...others, target]);
      target.addedEntries.add(path);
    }
  }

  /** Updates an index entry in the workspace. */
  private updateEntry(path: string): void {
    const entry = this.workspace.get(path);
    const listed = holdersOf(entry);
    const current = listed.map((id) => (this.storedById.has(id) ? (this.storedAt(id)?.id ?? id) : id));
    const added = (this.addedHolders.get(path) ?? []).map((planned) => this.absorptions.rootOf(planned).id);
    const holders = added.reduce(withHolder, [...new Set(current)]);
    const isSame = holders.length === listed.length && holders.every((id, index) => id === listed[index]);
    if (!isSame) this.workspace.put(path, toEntry(holders, deletedAtOf(entry)));
  }

  private async changedEntriesOf(planned: MutableProduct, share: EventLoopShare): Promise<readonly string[]> {
    if (!isMoved(planned)) return [...planned.addedEntries];
    const entries: string[] = [];
    for (const sku of planned.draft.skus()) {
      if (share.isUsedUp) await share.renew();
      entries.push(this.entryPathOf(sku));
    }
    return entries;
  }

  private pathOf(id: RecordId): string {
    return recordPath(this.tenant.tenantId, 'products', id);
  }
}
