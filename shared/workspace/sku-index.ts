/**
 * Which products hold a variant with a `Sku`, for tenants whose product identifier is `sku` (D-03). One document a Sku,
 * written in the same commit as the products, so that two requests can never give one Sku to two new products. It
 * outlives the deletion of its product or variant: an older file must not bring the Sku back under whatever `ProductId`
 * (D-54).
 *
 * An entry lists the first MAX_SKU_HOLDERS products that took the Sku, so that it never outgrows its document. Another
 * one that holds it is listed as soon as there is room and it is sent with the Sku, or is re-keyed.
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

/** Paths of the entries of all variants of some products. */
export function skuEntryPaths(tenantId: string, products: readonly { ProductVariants: readonly { Sku: string }[] }[]) {
  return products.flatMap(({ ProductVariants }) =>
    ProductVariants.map(({ Sku }) => skuPath(tenantId, skuEntryId(Sku))),
  );
}

/** The products that hold a Sku, in the order in which they took it; not more than an entry lists. */
export function holdersOf(entry: DocumentData | undefined): readonly RecordId[] {
  return (entry?.products ?? []) as unknown as readonly RecordId[];
}

/** When a Sku that no product holds was last deleted; undefined: never, or it is held, and what holds it counts. */
export function skuDeletedAt(entry: DocumentData | undefined): Date | undefined {
  return holdersOf(entry).length > 0 ? undefined : deletedAtOf(entry);
}

/**
 * Notes in the workspace that `before` (undefined: no product) at `id` became `after` (undefined: it is gone). Looks
 * only at the entries of Skus that came or went; these must be loaded.
 * @param deletedAt the time of the deletion by which a Sku went, by the path of its entry
 */
export function reindex(
  workspace: Workspace,
  tenantId: string,
  id: RecordId,
  before: ProductRecord | undefined,
  after: ProductRecord | undefined,
  deletedAt?: (entryPath: string) => Date | undefined,
): void {
  const held = new Set(skuEntryPaths(tenantId, before ? [before] : []));
  const kept = new Set(skuEntryPaths(tenantId, after ? [after] : []));
  for (const path of held) {
    if (kept.has(path)) continue;
    const entry = workspace.get(path);
    const holders = holdersOf(entry).filter((holder) => holder !== id);
    workspace.put(path, toEntry(holders, later(deletedAtOf(entry), deletedAt?.(path))));
  }
  for (const path of kept) {
    if (held.has(path)) continue;
    const entry = workspace.get(path);
    const listed = holdersOf(entry);
    const holders = withHolder(listed, id);
    if (holders !== listed) workspace.put(path, toEntry(holders, deletedAtOf(entry)));
  }
}

/** These holders and one more, if it is not listed and there is room. */
export function withHolder(holders: readonly RecordId[], id: RecordId): readonly RecordId[] {
  return holders.includes(id) || holders.length >= MAX_SKU_HOLDERS ? holders : [...holders, id];
}

/** The entry of a Sku; undefined: there is nothing to remember. */
export function toEntry(holders: readonly RecordId[], deletedAt: Date | undefined): DocumentData | undefined {
  if (holders.length === 0 && !deletedAt) return undefined;
  return { ...(holders.length > 0 && { products: holders }), ...(deletedAt && { deletedAt }) };
}
