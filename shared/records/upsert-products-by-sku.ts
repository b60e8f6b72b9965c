/**
 * Writes products of a tenant whose product identifier is `sku` (D-03): an incoming product is the stored one that holds
 * one of its Skus, and takes it over to its own `ProductId`; else the one with its `ProductId`; else it is new.
 *
 * Products can meet through their Skus, so that a batch is planned as a whole and written in one commit, products and
 * index entries together. Where that is more than one commit takes, it is written in slices, one after the other.
 */
import type { Deadline } from '../deadline';
import { valueBytes } from '../domain/document';
import type { UpsertProductDto } from '../domain/dto/product';
import { WRITE_CHUNK_BYTES } from '../domain/limits';
import type { Tenant } from '../domain/tenant';
import type { PlacedProduct } from './place-product-by-sku';
import { loadProductsBySku, placeProductBySku } from './place-product-by-sku';
import type { RecordDependencies } from './record-dependencies';
import { newStamp } from './record-documents';
import { settle } from './settle';
import { Workspace } from './workspace';

/** Upserts valid products in array order (D-07). Repeating it is safe. @throws ValidationFailed, ContentionTimeout */
export async function upsertProductsBySku(
  products: readonly UpsertProductDto[],
  tenant: Tenant,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const { store, random } = dependencies;
  const stamp = newStamp(random);
  const plan = async (slice: readonly PlacedProduct[]): Promise<Workspace> => {
    const workspace = new Workspace(store, deadline);
    await loadProductsBySku(
      workspace,
      tenant,
      slice.map(({ product }) => product),
    );
    for (const element of slice) placeProductBySku(workspace, tenant, element, stamp);
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
function toSlices(elements: readonly PlacedProduct[]): PlacedProduct[][] {
  const slices: PlacedProduct[][] = [];
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
