/** What an upsert by `Sku` does to a workspace (D-03). */
import { recordPath, skuPath } from '../documents/paths';
import { later } from '../domain/date-time';
import type { DocumentData } from '../domain/document';
import type { UpsertProductDto } from '../domain/dto/product';
import type { RecordId } from '../domain/identity';
import { productRecordId, skuEntryId } from '../domain/identity';
import type { ProductRecord } from '../domain/product';
import { mergeProduct, uniteProducts } from '../domain/product';
import type { Tenant } from '../domain/tenant';
import { toMatchingId } from '../domain/text';
import { requireFit, requireVariantsFit } from './fits';
import type { Stamp } from './record-documents';
import { fromDocument, toDocument } from './record-documents';
import { holdersOf, reindex, skuDeletedAt, skuEntryPaths } from './sku-index';
import type { Workspace } from './workspace';

/** An incoming product and its place in the batch. */
export interface PlacedProduct {
  readonly product: UpsertProductDto;
  readonly index: number;
}

/** A stored product that holds a Sku. */
export interface SkuMatch {
  readonly id: RecordId;
  readonly path: string;
  readonly product: ProductRecord;
}

/**
 * Reads everything that the products can touch: what they name, what holds their Skus, and all Skus of what may move.
 */
export async function loadProductsBySku(
  workspace: Workspace,
  tenant: Tenant,
  products: readonly UpsertProductDto[],
): Promise<void> {
  const { tenantId } = tenant;
  const pathOf = (id: RecordId) => recordPath(tenantId, 'products', id);
  const targets = new Map<string, Set<RecordId>>(); // by index entry: the products that are sent with its Sku
  for (const product of products) {
    for (const entry of skuEntryPaths(tenantId, [product])) {
      targets.set(entry, (targets.get(entry) ?? new Set()).add(productRecordId(product.ProductId)));
    }
  }
  await workspace.load([...targets.keys(), ...products.map(({ ProductId }) => pathOf(productRecordId(ProductId)))]);
  // A product moves when its Sku is sent under another id, by what is stored or by another element of the batch.
  const meeting = [...targets].map(([entry, sent]) => new Set([...holdersOf(workspace.get(entry)), ...sent]));
  const moving = new Set(meeting.filter((ids) => ids.size > 1).flatMap((ids) => [...ids].map(pathOf)));
  await workspace.load([...moving]);
  await workspace.load(
    skuEntryPaths(
      tenantId,
      [...moving].flatMap((path) => toProduct(workspace, path) ?? []),
    ),
  );
}

/**
 * Applies one element to the workspace. @throws ValidationFailed when the product outgrows its document.
 * @param matched the stored product that it is by its Skus
 * @param notes what its document holds beside the record
 */
export function placeProductBySku(
  workspace: Workspace,
  tenant: Tenant,
  { product, index }: PlacedProduct,
  matched: SkuMatch | undefined,
  { stamp, ...notes }: DocumentData & { readonly stamp: Stamp },
): void {
  const { tenantId } = tenant;
  const id = productRecordId(product.ProductId);
  const path = recordPath(tenantId, 'products', id);
  const named = toProduct(workspace, path);
  // The match takes over the incoming ProductId; a product that already has it becomes part of the match.
  const moved = matched && matched.id !== id ? matched : undefined;
  const before = moved ? (named ? uniteProducts(moved.product, named, 'sku') : moved.product) : named;
  const after = mergeProduct(before, product, 'sku');
  const data = Object.assign(toDocument(after, stamp), notes);
  // That it does not fit is true of what is stored now; and nothing is changed yet.
  for (const merged of moved ? [path, moved.path] : [path]) workspace.rely(merged);
  requireVariantsFit(after, index);
  const bytes = requireFit(data, index);
  if (moved) {
    workspace.put(moved.path, undefined);
    reindex(workspace, tenantId, moved.id, moved.product, undefined);
  }
  workspace.put(path, data, bytes);
  reindex(workspace, tenantId, id, named, after);
}

/** When one of the product's Skus was last deleted that no stored product holds; undefined: never. */
export function lastSkuDeletion(workspace: Workspace, tenantId: string, product: UpsertProductDto): Date | undefined {
  const times = skuEntryPaths(tenantId, [product]).map((path) => skuDeletedAt(workspace.get(path)));
  return times.reduce(later, undefined);
}

/**
 * The stored product that holds a variant with one of the product's Skus: the first Sku, in array order, that is found.
 */
export function findBySku(workspace: Workspace, tenantId: string, product: UpsertProductDto): SkuMatch | undefined {
  for (const { Sku } of product.ProductVariants) {
    for (const id of holdersOf(workspace.get(skuPath(tenantId, skuEntryId(Sku))))) {
      const path = recordPath(tenantId, 'products', id);
      const holder = toProduct(workspace, path);
      if (holder?.ProductVariants.some((variant) => toMatchingId(variant.Sku) === toMatchingId(Sku))) {
        return { id, path, product: holder };
      }
    }
  }
  return undefined;
}

function toProduct(workspace: Workspace, path: string): ProductRecord | undefined {
  const data = workspace.get(path);
  return data && fromDocument<ProductRecord>(data);
}
