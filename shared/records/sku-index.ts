/**
 * Which products hold a variant with a `Sku`, for tenants whose product identifier is `sku` (D-03). One document a Sku,
 * written in the same commit as the products, so that two requests can never give one Sku to two new products.
 */
import type { DocumentData } from '../domain/document';
import type { RecordId } from '../domain/identity';
import { skuEntryId } from '../domain/identity';
import type { ProductRecord } from '../domain/product';
import { skuPath } from '../documents/paths';
import type { Workspace } from './workspace';

/** Paths of the entries of all variants of some products. */
export function skuEntryPaths(tenantId: string, products: readonly { ProductVariants: readonly { Sku: string }[] }[]) {
  return products.flatMap(({ ProductVariants }) =>
    ProductVariants.map(({ Sku }) => skuPath(tenantId, skuEntryId(Sku))),
  );
}

/** The products that hold a Sku, in the order in which they took it. */
export function holdersOf(entry: DocumentData | undefined): readonly RecordId[] {
  return (entry?.products ?? []) as unknown as readonly RecordId[];
}

/**
 * Notes in the workspace that `before` (undefined: no product) at `id` became `after` (undefined: it is gone). Looks only
 * at the entries of Skus that came or went; these must be loaded.
 */
export function reindex(
  workspace: Workspace,
  tenantId: string,
  id: RecordId,
  before: ProductRecord | undefined,
  after: ProductRecord | undefined,
): void {
  const held = new Set(skuEntryPaths(tenantId, before ? [before] : []));
  const kept = new Set(skuEntryPaths(tenantId, after ? [after] : []));
  for (const path of held) {
    if (kept.has(path)) continue;
    const holders = holdersOf(workspace.get(path)).filter((holder) => holder !== id);
    workspace.put(path, holders.length === 0 ? undefined : { products: holders });
  }
  for (const path of kept) {
    if (held.has(path)) continue;
    const holders = holdersOf(workspace.get(path));
    if (!holders.includes(id)) workspace.put(path, { products: [...holders, id] });
  }
}
