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
import type { UpsertProductDto } from '../domain/dto/product';
import { COMMIT_BYTES } from '../domain/limits';
import type { Tenant } from '../domain/tenant';
import { requireVariantsFit } from './fits';
import { noteLargeRecords } from './large-records';
import type { PlacedProduct } from './place-product-by-sku';
import { findBySku, loadProductsBySku, placeProductBySku } from './place-product-by-sku';
import type { PlannedUpsert } from './planned-upsert';
import type { RecordDependencies } from './record-dependencies';
import { newStamp } from './record-documents';
import { settle } from './settle';
import { Workspace } from './workspace';

/** Plans to upsert valid products in array order (D-07). @throws ValidationFailed */
export function planProductsBySku(
  products: readonly UpsertProductDto[],
  tenant: Tenant,
  dependencies: RecordDependencies,
): PlannedUpsert {
  const elements = products.map((product, index) => ({ product, index }));
  for (const { product, index } of elements) requireVariantsFit(product, index); // spares reading what they would touch
  const stamp = newStamp(dependencies.random);
  return async (mark, deadline) => {
    await applyPendingDeletions(tenant, 'products', deadline, dependencies, mark);
    const work = { tenant, stamp, deadline, dependencies };
    await write(elements, work, await place(elements, work)); // refuses the batch before anything is written (D-30)
  };
}

/** What all slices of a batch share. */
interface Work {
  readonly tenant: Tenant;
  readonly stamp: string;
  readonly deadline: Deadline;
  readonly dependencies: RecordDependencies;
}

/** Products in a workspace, ready for one commit. */
async function place(
  slice: readonly PlacedProduct[],
  { tenant, stamp, deadline, dependencies }: Work,
): Promise<Workspace> {
  const workspace = new Workspace(dependencies.store, deadline);
  const products = slice.map(({ product }) => product);
  await loadProductsBySku(workspace, tenant, products);
  for (const element of slice) {
    const matched = findBySku(workspace, tenant.tenantId, element.product);
    placeProductBySku(workspace, tenant, element, matched, { stamp });
  }
  return workspace;
}

/** @param placed the slice in a workspace, if it is there already */
async function write(slice: readonly PlacedProduct[], work: Work, placed?: Workspace): Promise<void> {
  const { tenant, deadline, dependencies } = work;
  const { store } = dependencies;
  let ready = placed;
  let isTooMuch = false as boolean;
  await settle(
    [slice],
    async () => {
      const workspace = ready ?? (await place(slice, work));
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
  await write(slice.slice(0, middle), work);
  await write(slice.slice(middle), work);
}
