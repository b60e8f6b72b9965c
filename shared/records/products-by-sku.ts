/**
 * Products that are matched by `Sku` (D-03) while elements of a batch, or rows of a file, are applied to them in their
 * order. A product is read, merged, measured and indexed once, however many elements it gets and however often it is
 * taken over; an element costs what it brings.
 */
import { recordPath, skuPath } from '../documents/paths';
import { later } from '../domain/values/date-time';
import type { DocumentData } from '../domain/records/document';
import { documentBytes } from '../domain/records/document';
import type { UpsertProductDto } from '../domain/dto/product';
import type { RecordId } from '../domain/identity';
import { productRecordId, skuEntryId } from '../domain/identity';
import { MAX_RECORD_BYTES, MAX_VARIANTS_BY_SKU, SKU_BESIDE_BYTES, SKU_ENTRY_BYTES } from '../limits/records';
import { PARTS_IN_STEP } from '../domain/limits';
import type { ProductRecord } from '../domain/records/product';
import type { Tenant } from '../domain/tenant';
import { toMatchingId } from '../domain/values/text';
import { EventLoopShare, mapInShares, runInShares } from '../platform/async/event-loop-share';
import { ValidationFailed } from '../validation/validation-failed';
import { mergeLists, DisjointSets, mergeSets } from './disjoint-sets';
import { requireVariantsFit, tooLarge } from '../workspace/size-checks';
import { ProductDraft } from './product-draft';
import type { Revision } from '../workspace/record-documents';
import { fromDocument, toDocument } from '../workspace/record-documents';
import { holdersOf, skuDeletedAt, toEntry, withHolder } from '../workspace/sku-index';
import type { PartDeletion } from '../workspace/tombstones';
import { partDeletionsOf, deletedAtOf, toPartDeletionsField } from '../workspace/tombstones';
import type { Workspace } from '../workspace/workspace';

/** An incoming product and its place in the batch. */
export interface ProductChange {
  readonly product: UpsertProductDto;
  readonly index: number;
}

/** What an element's product is written with. */
export interface RecordMetadata {
  readonly revision: Revision;
  /** Deletions of parts that it remembers. */
  readonly partDeletions: readonly PartDeletion[];
  /** When it was true; undefined: when it is written. */
  readonly asOf: Date | undefined;
}

/** A product as it is now in the plan. */
export interface PlannedProduct {
  readonly draft: ProductDraft;
  /** The record that it is now. */
  readonly id: RecordId;
  readonly asOf: Date | undefined;
  readonly partDeletions: readonly PartDeletion[];
}

interface MutableProduct extends PlannedProduct {
  draft: ProductDraft;
  id: RecordId;
  asOf: Date | undefined;
  partDeletions: readonly PartDeletion[];
  /** The stored records that it is made of, whose ids it may have left. */
  storedIds: RecordId[];
  /** Entries of Skus that it got in this plan. */
  addedEntries: Set<string>;
  /** Undefined: no element was merged into it. */
  written: { readonly own: DocumentData; readonly bytes: number } | undefined;
  /** Its index entries that may change; known when everything is placed. */
  changedEntries: readonly string[];
  /** About the bytes that it takes in a commit. */
  commitBytes: number;
  /** The places of the elements that it is made of. */
  elements: number[];
}

/** Documents that can be written in a commit of their own, and the places of the elements that they come from. */
export interface IndependentChanges {
  readonly paths: readonly string[];
  readonly elements: readonly number[];
  readonly bytes: number;
}

export class ProductsBySku {
  /** Products as they are stored, by the ids under which they are. */
  private readonly storedById = new Map<RecordId, MutableProduct>();
  /** Products by their ids now, where these are others than stored. */
  private readonly currentById = new Map<RecordId, MutableProduct | undefined>();
  /** Products that got a Sku in this plan, by its entry. */
  private readonly addedHolders = new Map<string, MutableProduct[]>();
  private readonly absorptions = new DisjointSets<MutableProduct>();
  /** Of the entries of Skus as they are sent: each is a hash. */
  private readonly entryPaths = new Map<string, string>();
  private readonly changed = new Set<MutableProduct>();
  /** About the stored bytes of what is to be written. */
  private bytes = 0;

  constructor(
    private readonly workspace: Workspace,
    private readonly tenant: Tenant,
    /** Whether others look at the products in the workspace, too. Else it lets their memory go once it has them. */
    private readonly isShared = false,
  ) {}

  /**
   * Reads what the products name, and what holds their Skus.
   * @param maxBytes of all of it together; what is beyond stays unread. Omitted: all is read
   */
  async load(products: readonly UpsertProductDto[], maxBytes?: number): Promise<void> {
    let left = maxBytes ?? Infinity;
    const read = async (paths: readonly string[]) => {
      if (maxBytes === undefined) await this.workspace.load(paths);
      else if (left > 0) left -= await this.workspace.loadSome(paths, left);
    };
    await read(await runInShares(this.namingBy(products), new EventLoopShare()));
    const holders = await mapInShares(products, (product) => this.firstHolder(product) ?? []);
    await read(holders.flat());
    if (maxBytes !== undefined) return;
    // An entry may list a product that no longer has the Sku, where the tenant's identifier was changed: then the next.
    for (const product of products) {
      for (let found = this.search(product); typeof found === 'string'; found = this.search(product)) {
        await this.workspace.load([found]);
      }
    }
  }

  /** Whether everything is read that placing the product needs. */
  isLoaded(product: UpsertProductDto): boolean {
    const isRead = (path: string) => this.workspace.isLoaded(path);
    if (!isRead(this.pathOf(productRecordId(product.ProductId)))) return false;
    return (
      product.ProductVariants.every(({ Sku }) => isRead(this.entryOf(Sku))) && typeof this.search(product) !== 'string'
    );
  }

  /**
   * The stored product that holds a variant with one of the product's Skus: the first Sku, in array order, that is
   * found. @throws Error when what holds it is not read
   */
  findBySku(product: UpsertProductDto): PlannedProduct | undefined {
    const found = this.search(product);
    if (typeof found === 'string') throw new Error('A product was matched before what holds its Skus was read.');
    return found;
  }

  /** The product of this id now; undefined: there is none. */
  findById(id: RecordId): PlannedProduct | undefined {
    return this.productAt(id);
  }

  /**
   * Whether a product of which everything is read can be placed so that the changes stay within so many bytes or,
   * beside the largest of them, within SKU_BESIDE_BYTES: one product is written once however often it is taken over,
   * and fits a commit whatever it weighs.
   */
  hasRoomFor(product: UpsertProductDto, maxBytes: number): boolean {
    const named = this.productAt(productRecordId(product.ProductId));
    const held = (this.findBySku(product) as MutableProduct | undefined) ?? named;
    const other = named === held ? undefined : named;
    const weight = this.mostWeightOf(product, held, other);
    const bytes = this.bytes - (held?.commitBytes ?? 0) - (other?.commitBytes ?? 0) + weight;
    if (bytes <= maxBytes) return true;
    const largest = Math.max(weight, ...[...this.changed].map((each) => each.commitBytes));
    return bytes - largest <= SKU_BESIDE_BYTES;
  }

  /** When one of the product's Skus was last deleted that no stored product holds; undefined: never. */
  lastSkuDeletion(product: UpsertProductDto): Date | undefined {
    const own = this.productAt(productRecordId(product.ProductId));
    const deleted = product.ProductVariants.map(({ Sku }) => {
      const path = this.entryOf(Sku);
      // One that it holds itself counts as held, listed or not.
      if (this.addedHolders.has(path) || own?.draft.hasSku(toMatchingId(Sku))) return undefined;
      return skuDeletedAt(this.workspace.get(path));
    });
    return deleted.reduce(later, undefined);
  }

  /**
   * Applies one element, in steps of PARTS_IN_STEP variants, between which nothing else may be done to the plan. Where
   * it is refused, the plan is as before.
   * @param matched the stored product that it is by its Skus
   * @throws ValidationFailed when the product outgrows its document, or one commit with its index entries
   */
  *applying(
    { product, index }: ProductChange,
    matched: PlannedProduct | undefined,
    { revision, partDeletions: buried, asOf }: RecordMetadata,
  ): Generator<void, void> {
    const id = productRecordId(product.ProductId);
    const named = this.productAt(id);
    // The match takes over the incoming ProductId; a product that already has it becomes part of the match.
    const held = (matched as MutableProduct | undefined) ?? named ?? this.newProduct(id);
    const other = named === held ? undefined : named;
    const own = { revision, ...toPartDeletionsField(buried) } as DocumentData;
    held.draft.setSavepoint();
    other?.draft.setSavepoint();
    if (other) held.draft.absorb(other.draft);
    yield* held.draft.merging(product);
    const bytes = held.draft.bytesWith(own);
    if (bytes > MAX_RECORD_BYTES || held.draft.variantCount > MAX_VARIANTS_BY_SKU) {
      this.refuse([id, held, other], own, bytes, index);
    }
    if (other) this.takeIn(held, other);
    if (held.id !== id) {
      if (this.productAt(held.id) === held) this.currentById.set(held.id, undefined);
      held.id = id;
    }
    this.currentById.set(id, held);
    yield* this.joining(held, product);
    Object.assign(held, { written: { own, bytes }, buried, asOf });
    held.elements.push(index);
    this.changed.add(held);
    this.bytes += this.weightOf(held, bytes) - held.commitBytes;
    held.commitBytes = this.weightOf(held, bytes);
  }

  /** Puts all changes into the workspace. To be called once, when everything is placed. */
  async finish(): Promise<void> {
    const share = new EventLoopShare();
    for (const held of this.changed) held.changedEntries = await this.changedEntriesOf(held, share);
    await this.workspace.load([...this.changed].filter(isMoved).flatMap(({ changedEntries }) => changedEntries));
    for (const held of this.changed) {
      if (share.isUsedUp) await share.renew();
      for (const source of held.storedIds) {
        if (!this.productAt(source)) this.workspace.put(this.pathOf(source), undefined);
      }
    }
    for (const { id, draft, asOf, written } of this.changed) {
      if (!written) continue;
      const { own, bytes } = written;
      this.workspace.putDeferred(this.pathOf(id), {
        bytes,
        asOf,
        toData: () => Object.assign(toDocument(draft.toRecord(), ''), own),
      });
    }
    for (const path of new Set([...this.changed].flatMap(({ changedEntries }) => changedEntries))) {
      if (share.isUsedUp) await share.renew();
      this.index(path);
    }
  }

  /** The changes after `finish`, in the parts that touch nothing of each other. */
  independentChanges(): IndependentChanges[] {
    const owners = new Map<string, MutableProduct>();
    const together = new DisjointSets<MutableProduct>();
    for (const held of this.changed) {
      for (const path of this.pathsOf(held)) {
        together.union(held, owners.get(path) ?? held);
        owners.set(path, held);
      }
    }
    const parts = new Map<MutableProduct, { paths: string[]; elements: number[]; bytes: number }>();
    for (const [path, owner] of owners) {
      const whole = together.rootOf(owner);
      const part = parts.get(whole) ?? { paths: [], elements: [], bytes: 0 };
      part.paths.push(path);
      part.bytes += this.workspace.bytesAt(path);
      parts.set(whole, part);
    }
    for (const held of this.changed) parts.get(together.rootOf(held))?.elements.push(...held.elements);
    return [...parts.values()];
  }

  private pathsOf(held: MutableProduct): string[] {
    return [...[held.id, ...held.storedIds].map((id) => this.pathOf(id)), ...held.changedEntries];
  }

  /** The product that `find` finds; the path of what has to be read to know. */
  private search(product: UpsertProductDto): MutableProduct | undefined | string {
    for (const { Sku } of product.ProductVariants) {
      const sku = toMatchingId(Sku);
      const entry = this.entryOf(Sku);
      for (const id of holdersOf(this.workspace.get(entry))) {
        if (!this.workspace.isLoaded(this.pathOf(id))) return this.pathOf(id);
        const held = this.storedAt(id);
        if (held?.draft.hasSku(sku)) return held;
      }
      const [first] = this.addedHolders.get(entry) ?? [];
      if (first) return this.absorptions.rootOf(first);
    }
    return undefined;
  }

  /** The paths that products name, in a step for each. */
  private *namingBy(products: readonly UpsertProductDto[]): Generator<void, string[]> {
    const paths: string[] = [];
    for (const { ProductId, ProductVariants } of products) {
      paths.push(this.pathOf(productRecordId(ProductId)));
      for (const { Sku } of ProductVariants) {
        paths.push(this.entryOf(Sku));
        yield;
      }
    }
    return paths;
  }

  /** The path of the first product that is listed for one of the Skus, if the entries are read up to there. */
  private firstHolder(product: UpsertProductDto): string | undefined {
    for (const { Sku } of product.ProductVariants) {
      const path = this.entryOf(Sku);
      if (!this.workspace.isLoaded(path)) return undefined;
      const [first] = holdersOf(this.workspace.get(path));
      if (first !== undefined) return this.pathOf(first);
    }
    return undefined;
  }

  /** What the product that is stored under this id has become; undefined: none is stored. */
  private storedAt(id: RecordId): MutableProduct | undefined {
    const known = this.storedById.get(id);
    if (known) return this.absorptions.rootOf(known);
    const data = this.workspace.get(this.pathOf(id));
    if (!data) return undefined;
    const draft = new ProductDraft(fromDocument<ProductRecord>(data));
    const held = newHeld(id, draft, [id], partDeletionsOf(data), this.workspace.asOf(this.pathOf(id)));
    this.storedById.set(id, held);
    if (!this.isShared) this.workspace.release(this.pathOf(id)); // the draft has it
    return held;
  }

  private productAt(id: RecordId): MutableProduct | undefined {
    return this.currentById.has(id) ? this.currentById.get(id) : this.storedAt(id);
  }

  private newProduct(id: RecordId): MutableProduct {
    return newHeld(id, new ProductDraft(undefined), [], [], undefined);
  }

  /** Takes the last step back and refuses it. @throws ValidationFailed */
  private refuse(
    [id, held, other]: readonly [RecordId, MutableProduct, MutableProduct | undefined],
    own: DocumentData,
    bytes: number,
    index: number,
  ): never {
    const { variantCount } = held.draft;
    const errors = tooLarge(bytes, index, () => held.draft.largestFieldWith(own));
    held.draft.rollBackToSavepoint();
    other?.draft.rollBackToSavepoint();
    // That it does not fit is true of what is stored now.
    for (const each of [id, ...held.storedIds, ...(other?.storedIds ?? [])])
      this.workspace.requireUnchanged(this.pathOf(each));
    requireVariantsFit(variantCount, index);
    throw new ValidationFailed(errors ?? {});
  }

  private takeIn(held: MutableProduct, other: MutableProduct): void {
    this.bytes -= other.commitBytes;
    this.changed.delete(other);
    this.absorptions.union(other, held);
    held.storedIds = mergeLists(held.storedIds, other.storedIds);
    held.elements = mergeLists(held.elements, other.elements);
    held.addedEntries = mergeSets(held.addedEntries, other.addedEntries);
    other.draft = new ProductDraft(undefined); // nobody asks it any more: its memory is for what comes next
  }

  private *joining(held: MutableProduct, product: UpsertProductDto): Generator<void, void> {
    for (const [count, { Sku }] of product.ProductVariants.entries()) {
      if ((count + 1) % PARTS_IN_STEP === 0) yield;
      const path = this.entryOf(Sku);
      if (holdersOf(this.workspace.get(path)).some((id) => this.storedById.has(id) && this.storedAt(id) === held))
        continue;
      const others = this.addedHolders.get(path) ?? [];
      if (others.some((other) => this.absorptions.rootOf(other) === held)) continue;
      this.addedHolders.set(path, [...others, held]);
      held.addedEntries.add(path);
    }
  }

  /** About what a changed product takes in a commit, with the documents that it leaves and its index entries. */
  private weightOf(held: MutableProduct, bytes: number): number {
    const entries = isMoved(held) ? held.draft.variantCount : held.addedEntries.size;
    return this.commitBytesFor(held.id, bytes, held.storedIds.length, entries);
  }

  /** The most that a product can weigh when an element is placed in it. @param other becomes part of it */
  private mostWeightOf(
    product: UpsertProductDto,
    held: MutableProduct | undefined,
    other: MutableProduct | undefined,
  ): number {
    const parts = [held, other].filter((each) => each !== undefined);
    const sum = (of: (part: MutableProduct) => number) => parts.reduce((total, part) => total + of(part), 0);
    const bytes = documentBytes(product) + sum(({ draft }) => draft.bytesWith({}));
    const sources = sum((part) => part.storedIds.length);
    const id = productRecordId(product.ProductId);
    const isStaying = other === undefined && (held === undefined || (held.id === id && !isMoved(held)));
    const entries = sum(({ draft, addedEntries }) => (isStaying ? addedEntries.size : draft.variantCount));
    return this.commitBytesFor(id, bytes, sources, entries + product.ProductVariants.length);
  }

  private commitBytesFor(id: RecordId, bytes: number, sources: number, entries: number): number {
    const path = this.pathOf(id).length;
    return path + bytes + sources * (path + documentBytes({})) + entries * SKU_ENTRY_BYTES;
  }

  private index(path: string): void {
    const entry = this.workspace.get(path);
    const listed = holdersOf(entry);
    const before = listed.map((id) => (this.storedById.has(id) ? (this.storedAt(id)?.id ?? id) : id));
    const joined = (this.addedHolders.get(path) ?? []).map((held) => this.absorptions.rootOf(held).id);
    const holders = joined.reduce(withHolder, [...new Set(before)]);
    const isSame = holders.length === listed.length && holders.every((id, n) => id === listed[n]);
    if (!isSame) this.workspace.put(path, toEntry(holders, deletedAtOf(entry)));
  }

  private async changedEntriesOf(held: MutableProduct, share: EventLoopShare): Promise<readonly string[]> {
    if (!isMoved(held)) return [...held.addedEntries];
    const entries: string[] = [];
    for (const sku of held.draft.skus()) {
      if (share.isUsedUp) await share.renew();
      entries.push(this.entryOf(sku));
    }
    return entries;
  }

  private pathOf(id: RecordId): string {
    return recordPath(this.tenant.tenantId, 'products', id);
  }

  private entryOf(sku: string): string {
    const known = this.entryPaths.get(sku);
    if (known !== undefined) return known;
    const path = skuPath(this.tenant.tenantId, skuEntryId(sku));
    this.entryPaths.set(sku, path);
    return path;
  }
}

function newHeld(
  id: RecordId,
  draft: ProductDraft,
  sources: RecordId[],
  buried: readonly PartDeletion[],
  asOf: Date | undefined,
): MutableProduct {
  const gained = new Set<string>();
  return {
    id,
    draft,
    storedIds: sources,
    partDeletions: buried,
    asOf,
    addedEntries: gained,
    written: undefined,
    changedEntries: [],
    commitBytes: 0,
    elements: [],
  };
}

/** Whether a product is, or in part was, stored under another id. */
function isMoved({ id, storedIds: sources }: MutableProduct): boolean {
  return sources.some((source) => source !== id);
}
