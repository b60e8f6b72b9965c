/**
 * The index of the products that hold a `Sku`, for tenants whose product identifier is `sku` (D-03). It has one entry
 * (a document) for each Sku, written in the same commit as the products. Two requests can therefore never give one Sku
 * to two new products. An entry outlives the deletion of its product or variant: an older file must not bring the Sku
 * back, under any `ProductId` (D-54).
 *
 * An entry lists at most MAX_SKU_HOLDERS products, the first that took the Sku, and so never outgrows its document. A
 * further holder is listed once there is room and it is sent again with the Sku, or is re-keyed.
 */
import { later } from '../domain/values/date-time';
import type { DocumentData } from '../domain/records/document';
import type { RecordId } from '../domain/identity';
import { skuEntryId } from '../domain/identity';
import type { ProductRecord } from '../domain/records/product';
import { MAX_SKU_HOLDERS } from '../limits/records';
import { skuPath } from '../documents/paths';
import { deletedAtOf } from './tombstones';
import type { Workspace } from './workspace';

/** Paths of the index entries of all variants of some products. */
export function skuEntryPaths(tenantId: string, products: readonly { ProductVariants: readonly { Sku: string }[] }[]) {
  return products.flatMap(({ ProductVariants }) =>
    ProductVariants.map(({ Sku }) => skuPath(tenantId, skuEntryId(Sku))),
  );
}

/** The products that an entry lists for its Sku, in the order in which they took it. */
export function holdersOf(entry: DocumentData | undefined): readonly RecordId[] {
  return (entry?.products ?? []) as unknown as readonly RecordId[];
}

/** When a Sku was last deleted. Undefined: never, or a product holds it, and that product's own times count. */
export function skuDeletedAt(entry: DocumentData | undefined): Date | undefined {
  return holdersOf(entry).length > 0 ? undefined : deletedAtOf(entry);
}

/**
 * Updates the index entries in the workspace for the Skus that a product gained or lost. Their entries must be loaded.
 * @param before the product at `id` before the change; undefined: none
 * @param after the product after the change; undefined: it was removed
 * @param deletedAt the time of the deletion that removed a Sku, by the path of its entry
 */
export function reindex(
  workspace: Workspace,
  tenantId: string,
  id: RecordId,
  before: ProductRecord | undefined,
  after: ProductRecord | undefined,
  deletedAt?: (entryPath: string) => Date | undefined,
): void {
  const entriesBefore = new Set(skuEntryPaths(tenantId, before ? [before] : []));
  const entriesAfter = new Set(skuEntryPaths(tenantId, after ? [after] : []));
  for (const path of entriesBefore) {
    if (entriesAfter.has(path)) continue;
    const entry = workspace.get(path);
    const holders = holdersOf(entry).filter((holder) => holder !== id);
    workspace.put(path, toEntry(holders, later(deletedAtOf(entry), deletedAt?.(path))));
  }
  for (const path of entriesAfter) {
    if (entriesBefore.has(path)) continue;
    const entry = workspace.get(path);
    const listed = holdersOf(entry);
    const holders = withHolder(listed, id);
    if (holders !== listed) workspace.put(path, toEntry(holders, deletedAtOf(entry)));
  }
}

/** The holders with `id` appended, if it is not listed and there is room. */
export function withHolder(holders: readonly RecordId[], id: RecordId): readonly RecordId[] {
  return holders.includes(id) || holders.length >= MAX_SKU_HOLDERS ? holders : [...holders, id];
}

/** The document of an entry. Undefined: no product holds the Sku, and it was never deleted. */
export function toEntry(holders: readonly RecordId[], deletedAt: Date | undefined): DocumentData | undefined {
  if (holders.length === 0 && !deletedAt) return undefined;
  return { ...(holders.length > 0 && { products: holders }), ...(deletedAt && { deletedAt }) };
}
