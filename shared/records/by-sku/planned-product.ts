/** A product that is matched by `Sku` (D-03) while elements are applied to it, and how much it takes in a commit. */
import type { UpsertProductDto } from '../../domain/dto/product';
import type { RecordId } from '../../domain/identity';
import { productRecordId } from '../../domain/identity';
import type { DocumentData } from '../../domain/records/document';
import { documentBytes } from '../../domain/records/document';
import { SKU_ENTRY_BYTES } from '../../limits/records';
import type { PartDeletion } from '../../workspace/tombstones';
import type { ProductDraft } from './product-draft';

/** A product after the elements that were applied so far. */
export interface PlannedProduct {
  readonly draft: ProductDraft;
  /** Its current id. */
  readonly id: RecordId;
  readonly asOf: Date | undefined;
  readonly partDeletions: readonly PartDeletion[];
  /** The ids of the stored records that it is made of. They may differ from its current id. */
  readonly storedIds: readonly RecordId[];
}

export interface MutableProduct extends PlannedProduct {
  draft: ProductDraft;
  id: RecordId;
  asOf: Date | undefined;
  partDeletions: readonly PartDeletion[];
  storedIds: RecordId[];
  /** Paths of the index entries of Skus that elements gave to it. */
  addedEntries: Set<string>;
  /** What is written of it beside its draft; undefined: no element was merged into it. */
  written: { readonly ownFields: DocumentData; readonly bytes: number } | undefined;
  /** Paths of its index entries that may change. Set by `ProductsBySku.finish`. */
  changedEntries: readonly string[];
  /** Approximate bytes that it takes in a commit. */
  commitBytes: number;
  /** The indexes of the elements that were merged into it. */
  elements: number[];
}

export function newMutableProduct(
  id: RecordId,
  draft: ProductDraft,
  storedIds: RecordId[],
  partDeletions: readonly PartDeletion[],
  asOf: Date | undefined,
): MutableProduct {
  return {
    id,
    draft,
    storedIds,
    partDeletions,
    asOf,
    addedEntries: new Set(),
    written: undefined,
    changedEntries: [],
    commitBytes: 0,
    elements: [],
  };
}

/** Whether any stored record of a product has another id than the product. */
export function isMoved({ id, storedIds }: MutableProduct): boolean {
  return storedIds.some((storedId) => storedId !== id);
}

/**
 * Approximate bytes of a changed product in a commit, with the documents that it vacates and its index entries.
 * @param path where it is written
 * @param bytes of its record
 */
export function commitBytes(target: MutableProduct, path: string, bytes: number): number {
  const entries = isMoved(target) ? target.draft.variantCount : target.addedEntries.size;
  return sumBytes(path, bytes, target.storedIds.length, entries);
}

/**
 * Maximum bytes in a commit of the product to which an element is applied.
 * @param path of the element's own id, under which the product is written
 * @param target the product to which it is applied; undefined: a new one
 * @param absorbed the product that becomes a part of it; undefined: none
 */
export function maxCommitBytes(
  element: UpsertProductDto,
  path: string,
  target: MutableProduct | undefined,
  absorbed: MutableProduct | undefined,
): number {
  const merged = [target, absorbed].filter((each) => each !== undefined);
  const sum = (of: (each: MutableProduct) => number) => merged.reduce((total, each) => total + of(each), 0);
  const bytes = documentBytes(element) + sum(({ draft }) => draft.bytesWith({}));
  const storedIds = sum((each) => each.storedIds.length);
  const id = productRecordId(element.ProductId);
  const isStaying = absorbed === undefined && (target === undefined || (target.id === id && !isMoved(target)));
  const entries = sum(({ draft, addedEntries }) => (isStaying ? addedEntries.size : draft.variantCount));
  return sumBytes(path, bytes, storedIds, entries + element.ProductVariants.length);
}

function sumBytes(path: string, bytes: number, storedIds: number, entries: number): number {
  return path.length + bytes + storedIds * (path.length + documentBytes({})) + entries * SKU_ENTRY_BYTES;
}
