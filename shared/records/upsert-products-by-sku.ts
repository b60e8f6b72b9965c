/**
 * Writes products of a tenant whose product identifier is `sku` (D-03): an incoming product is the stored one that holds
 * one of its Skus, and takes it over to its own `ProductId`; else the one with its `ProductId`; else it is new.
 *
 * Products can meet through their Skus, so that a batch is planned as a whole and written in one commit, products and
 * index entries together. Where that is more than one commit takes, it is written in slices, one after the other.
 */
import type { Deadline } from '../deadline';
import { recordPath, skuPath } from '../documents/paths';
import { valueBytes } from '../domain/document';
import type { UpsertProductDto } from '../domain/dto/product';
import type { RecordId } from '../domain/identity';
import { productRecordId, skuEntryId } from '../domain/identity';
import { WRITE_CHUNK_BYTES } from '../domain/limits';
import type { ProductRecord } from '../domain/product';
import { mergeProduct, uniteProducts } from '../domain/product';
import type { Tenant } from '../domain/tenant';
import { toMatchingId } from '../domain/text';
import { requireFits } from './fits';
import type { RecordDependencies } from './record-dependencies';
import { fromDocument, newStamp, toDocument } from './record-documents';
import { settle } from './settle';
import { holdersOf, reindex, skuEntryPaths } from './sku-index';
import { Workspace } from './workspace';

interface Element {
  readonly product: UpsertProductDto;
  /** Its place in the batch. */
  readonly index: number;
}

/** Upserts valid products in array order (D-07). Repeating it is safe. @throws ValidationFailed, ContentionTimeout */
export async function upsertProductsBySku(
  products: readonly UpsertProductDto[],
  tenant: Tenant,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const { store, random } = dependencies;
  const stamp = newStamp(random);
  const plan = async (slice: readonly Element[]): Promise<Workspace> => {
    const workspace = new Workspace(store, deadline);
    await loadSlice(workspace, tenant, slice);
    for (const element of slice) place(workspace, tenant, element, stamp);
    return workspace;
  };
  const elements = products.map((product, index) => ({ product, index }));
  const whole = await plan(elements); // refuses the batch before anything is written (D-30)
  const fitsOneCommit = whole.changedBytes() <= WRITE_CHUNK_BYTES;
  for (const slice of fitsOneCommit ? [elements] : toSlices(elements)) {
    let planned = fitsOneCommit ? whole : undefined;
    await settle(
      [slice],
      async () => {
        const workspace = planned ?? (await plan(slice));
        planned = undefined;
        return (await store.commit(workspace.toWrites(), deadline)) === 'conflict' ? [slice] : [];
      },
      deadline,
      dependencies,
    );
  }
}

/** Consecutive elements whose own size leaves room for what is stored of them; a huge one is a slice of its own. */
function toSlices(elements: readonly Element[]): Element[][] {
  const slices: Element[][] = [];
  let bytes = Infinity;
  for (const element of elements) {
    const size = valueBytes(element.product);
    if (bytes + size > WRITE_CHUNK_BYTES / 4) {
      slices.push([]);
      bytes = 0;
    }
    slices.at(-1)?.push(element);
    bytes += size;
  }
  return slices;
}

/** Reads everything that the slice can touch: what it names, what holds its Skus, and all Skus of those. */
async function loadSlice(workspace: Workspace, tenant: Tenant, slice: readonly Element[]): Promise<void> {
  const { tenantId } = tenant;
  const pathOf = (id: RecordId) => recordPath(tenantId, 'products', id);
  const products = slice.map(({ product }) => product);
  const entries = skuEntryPaths(tenantId, products);
  const named = products.map(({ ProductId }) => pathOf(productRecordId(ProductId)));
  await workspace.load([...entries, ...named]);
  const holders = entries.flatMap((path) => holdersOf(workspace.get(path))).map(pathOf);
  await workspace.load(holders);
  const stored = [...new Set([...named, ...holders])].flatMap((path) => toProduct(workspace, path) ?? []);
  await workspace.load(skuEntryPaths(tenantId, stored));
}

/** Applies one element to the workspace. @throws ValidationFailed when the product outgrows its document. */
function place(workspace: Workspace, tenant: Tenant, { product, index }: Element, stamp: string): void {
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
function findBySku(
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
