/**
 * Writes products of a tenant whose product identifier is `sku` (D-03): an incoming product is the stored one that
 * holds one of its Skus, and takes it over to its own `ProductId`; else the one with its `ProductId`; else it is new.
 *
 * Products can meet through their Skus, so that a batch is planned as a whole and written in one commit, products and
 * index entries together. Where that is more than one commit takes, it is halved, and the halves are written one after
 * the other.
 */
import type { Deadline } from '../deadline';
import { applyPendingDeletions } from '../deletions/apply-deletion';
import type { RaisedMark } from '../deletions/deletion-log';
import type { UpsertProductDto } from '../domain/dto/product';
import { COMMIT_BYTES } from '../domain/limits';
import type { Tenant } from '../domain/tenant';
import { requireVariantsFit } from './fits';
import { noteLargeRecords } from './large-records';
import type { PlacedProduct } from './place-product-by-sku';
import { findBySku, loadProductsBySku, placeProductBySku } from './place-product-by-sku';
import type { RecordDependencies } from './record-dependencies';
import { newStamp } from './record-documents';
import { settle } from './settle';
import { Workspace } from './workspace';

/**
 * Upserts valid products in array order (D-07), after the deletions that were accepted before. Repeating it is safe.
 * @param mark the deletion mark of this kind, if the caller has begun to read it; omitted: it is read here
 * @throws ValidationFailed, ContentionTimeout
 */
export async function upsertProductsBySku(
  products: readonly UpsertProductDto[],
  tenant: Tenant,
  deadline: Deadline,
  dependencies: RecordDependencies,
  mark?: Promise<RaisedMark | undefined>,
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
    for (const element of slice) {
      const matched = findBySku(workspace, tenant.tenantId, element.product);
      placeProductBySku(workspace, tenant, element, matched, { stamp });
    }
    return workspace;
  };
  const write = async (slice: readonly PlacedProduct[], planned?: Workspace): Promise<void> => {
    let ready = planned;
    let isTooMuch = false as boolean;
    await settle(
      [slice],
      async () => {
        const workspace = ready ?? (await plan(slice));
        ready = undefined;
        isTooMuch = slice.length > 1 && workspace.changedBytes() > COMMIT_BYTES;
        if (isTooMuch) return [];
        if (workspace.holdsLarge()) await noteLargeRecords(tenant, store, deadline);
        return (await store.commit(workspace.toWrites(), deadline)) === 'conflict' ? [slice] : [];
      },
      deadline,
      dependencies,
    );
    if (!isTooMuch) return;
    const middle = Math.ceil(slice.length / 2);
    await write(slice.slice(0, middle));
    await write(slice.slice(middle));
  };
  const elements = products.map((product, index) => ({ product, index }));
  for (const { product, index } of elements) requireVariantsFit(product, index); // spares reading what they would touch
  await applyPendingDeletions(tenant, 'products', deadline, dependencies, mark);
  await write(elements, await plan(elements)); // the plan refuses the batch before anything is written (D-30)
}
