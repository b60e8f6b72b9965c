/** What an upsert by `Sku` does to a workspace (D-03). */
import { recordPath, skuPath } from '../documents/paths';
import type { UpsertProductDto } from '../domain/dto/product';
import type { RecordId } from '../domain/identity';
import { productRecordId, skuEntryId } from '../domain/identity';
import type { ProductRecord } from '../domain/product';
import { mergeProduct, uniteProducts } from '../domain/product';
import type { Tenant } from '../domain/tenant';
import { toMatchingId } from '../domain/text';
import { requireFits } from './fits';
import { fromDocument, toDocument } from './record-documents';
import { holdersOf, reindex, skuEntryPaths } from './sku-index';
import type { Workspace } from './workspace';

/** An incoming product and its place in the batch. */
export interface PlacedProduct {
  readonly product: UpsertProductDto;
  readonly index: number;
}

/** Reads everything that the products can touch: what they name, what holds their Skus, and all Skus of those. */
export async function loadProductsBySku(
  workspace: Workspace,
  tenant: Tenant,
  products: readonly UpsertProductDto[],
): Promise<void> {
  const { tenantId } = tenant;
  const pathOf = (id: RecordId) => recordPath(tenantId, 'products', id);
  const entries = skuEntryPaths(tenantId, products);
  const named = products.map(({ ProductId }) => pathOf(productRecordId(ProductId)));
  await workspace.load([...entries, ...named]);
  const holders = entries.flatMap((path) => holdersOf(workspace.get(path))).map(pathOf);
  await workspace.load(holders);
  const stored = [...new Set([...named, ...holders])].flatMap((path) => toProduct(workspace, path) ?? []);
  await workspace.load(skuEntryPaths(tenantId, stored));
}

/** Applies one element to the workspace. @throws ValidationFailed when the product outgrows its document. */
export function placeProductBySku(
  workspace: Workspace,
  tenant: Tenant,
  { product, index }: PlacedProduct,
  stamp: string,
): void {
  const { tenantId } = tenant;
  const id = productRecordId(product.ProductId);
  const path = recordPath(tenantId, 'products', id);
  const named = toProduct(workspace, path);
  const matched = findBySku(workspace, tenantId, product);
  let before = named;
  if (matched && matched.id !== id) {
    // The match takes over the incoming ProductId; a product that already has it becomes part of the match.
    workspace.put(recordPath(tenantId, 'products', matched.id), undefined);
    reindex(workspace, tenantId, matched.id, matched.product, undefined);
    before = named ? uniteProducts(matched.product, named, 'sku') : matched.product;
  }
  const after = mergeProduct(before, product, 'sku');
  const data = toDocument(after, stamp);
  requireFits([{ data, index }]);
  workspace.put(path, data);
  reindex(workspace, tenantId, id, named, after);
}

/** The stored product that holds a variant with one of the product's Skus: the first Sku, in array order, that is found. */
export function findBySku(
  workspace: Workspace,
  tenantId: string,
  product: UpsertProductDto,
): { id: RecordId; product: ProductRecord } | undefined {
  for (const { Sku } of product.ProductVariants) {
    for (const id of holdersOf(workspace.get(skuPath(tenantId, skuEntryId(Sku))))) {
      const holder = toProduct(workspace, recordPath(tenantId, 'products', id));
      if (holder?.ProductVariants.some((variant) => toMatchingId(variant.Sku) === toMatchingId(Sku))) {
        return { id, product: holder };
      }
    }
  }
  return undefined;
}

function toProduct(workspace: Workspace, path: string): ProductRecord | undefined {
  const data = workspace.get(path);
  return data && fromDocument<ProductRecord>(data);
}
