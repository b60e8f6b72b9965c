/**
 * Writes products of a tenant whose product identifier is `sku` (D-03). An incoming product matches the stored product
 * that holds one of its Skus, which then moves to the incoming `ProductId`. Otherwise it matches the product with its
 * `ProductId`. Otherwise it is new.
 *
 * Products can affect each other through their Skus. So a batch is planned as a whole, once. Products that affect each
 * other are written in one commit, with their index entries. If that exceeds a commit or the memory, the elements are
 * written in array order, as many at once as fit; each commit leaves what a shorter batch would leave. Before that the
 * whole batch is checked, product by product, because a batch is refused before any of it is stored (D-30).
 */
import type { Deadline } from '../../platform/deadline';
import { applyDeletionsBeforeWrite, applyFoundDeletions } from '../../deletions/apply-deletion';
import { findPendingDeletions } from '../../deletions/pending-deletions';
import type { PendingHint } from '../../deletions/pending-flag';
import { recordPath, skuPath, skusPath } from '../../documents/paths';
import { toDeletionId } from '../../domain/deletion';
import type { UpsertProductDto } from '../../domain/dto/product';
import type { RecordId } from '../../domain/identity';
import { productRecordId, skuEntryId } from '../../domain/identity';
import {
  COMMIT_BYTES,
  SKU_COMMIT_BYTES,
  SKU_ENTRY_BYTES,
  SKU_GROUPS_AT_ONCE,
  SKU_PLAN_BYTES,
  SKU_PLAN_CHANGES,
  SKU_PLAN_ENTRIES,
} from '../../limits/records';
import type { Tenant } from '../../domain/tenant';
import { EventLoopShare, mapInShares, runInShares } from '../../platform/async/event-loop-share';
import { inParallel } from '../../platform/async/in-parallel';
import { RetryLater } from '../../platform/retry-later';
import { ValidationFailed } from '../../validation/validation-failed';
import { requireVariantsFit } from '../../workspace/size-checks';
import { flagLargeRecords } from '../../workspace/large-records';
import type { IndependentChanges } from './independent-changes';
import type { PlannedProduct } from './planned-product';
import type { ProductChange } from './products-by-sku';
import { ProductsBySku } from './products-by-sku';
import { WrittenProducts } from './written-products';
import type { PlannedUpsert } from '../planned-upsert';
import type { UpsertDependencies } from '../upsert-dependencies';
import { newRevision } from '../../workspace/record-documents';
import { ContentionTimeout, retryConflicts } from '../../workspace/retry-conflicts';
import { groupingBySku, orderingForWrites } from './sku-groups';
import { holdersOf } from '../../workspace/sku-index';
import { Workspace } from '../../workspace/workspace';

type Dependencies = Omit<UpsertDependencies, 'presencePredictor'>;
type ProductChanges = IndependentChanges<PlannedProduct>;

/** Plans to upsert valid products in array order (D-07). @throws ValidationFailed */
export function planProductsBySku(
  products: readonly UpsertProductDto[],
  tenant: Tenant,
  dependencies: Dependencies,
): PlannedUpsert {
  const elements = products.map((product, index) => ({ product, index }));
  // Checked here, before anything is read.
  for (const { product, index } of elements) requireVariantsFit(product.ProductVariants.length, index);
  const revision = newRevision(dependencies.random);
  return async (flag, deadline) => {
    const share = new EventLoopShare();
    const written = new WrittenProducts();
    const pendingHint = await flag;
    const batch: BatchContext = {
      tenant,
      revision,
      deadline,
      dependencies,
      share,
      written,
      pendingHint,
      settled: new Set(),
    };
    await applyPending(elements, batch);
    try {
      await upsert(elements, batch);
    } catch (error) {
      // A product has grown since the batch was checked. The repeat of the batch is refused as a whole (D-30).
      if (!(error instanceof ValidationFailed) || written.isEmpty) throw error;
      throw new RetryLater('Products grew beyond their documents while a batch was stored.');
    }
    return written.counts();
  };
}

/** Applies pending deletions of the products that elements name, and of those that they may take over. */
async function applyPending(elements: readonly ProductChange[], batch: BatchContext): Promise<void> {
  const { tenant, pendingHint, settled, deadline, dependencies } = batch;
  if (!pendingHint || pendingHint.pending?.length === 0) return;
  const named = elements.map(({ product }) => productRecordId(product.ProductId));
  const ids = [...named, ...[...(await loadHolders(elements, batch)).values()].flat()];
  await applyDeletionsBeforeWrite(tenant, 'products', ids, pendingHint, deadline, dependencies);
  for (const id of ids) settled.add(id);
}

/**
 * Applies deletions of products that a plan takes over and that nobody held a Sku of when the batch began: others have
 * given them one since. Such a deletion may have been accepted before the batch was sent.
 * @returns whether there were any: then the plan is outdated
 */
async function applyPendingOfPlan({ products }: Plan, batch: BatchContext): Promise<boolean> {
  const { tenant, pendingHint, settled, deadline, dependencies } = batch;
  if (!pendingHint) return false;
  const known = pendingHint.pending && new Set(pendingHint.pending.map(({ id }) => id));
  const ids = products
    .changedProducts()
    .flatMap(({ storedIds }) => storedIds)
    .filter((id) => !settled.has(id) && known?.has(id) !== false);
  const deletionIds = ids.map((id) => toDeletionId('products', id));
  const found = await findPendingDeletions(tenant.tenantId, deletionIds, dependencies.store, deadline);
  for (const id of ids) settled.add(id);
  if (found.pending.length === 0 && found.unread.length === 0) return false;
  await applyFoundDeletions(tenant, found, deadline, dependencies);
  return true;
}

/** The state that all plans and commits of one batch share. */
interface BatchContext {
  readonly tenant: Tenant;
  readonly revision: string;
  readonly deadline: Deadline;
  readonly dependencies: Dependencies;
  readonly share: EventLoopShare;
  /** What is stored of the batch. */
  readonly written: WrittenProducts;
  /** Undefined: no deletion can be pending. */
  readonly pendingHint: PendingHint | undefined;
  /** The products whose pending deletions were applied. */
  readonly settled: Set<RecordId>;
}

/** The first elements of a list, applied to the products in a workspace. */
interface Plan {
  readonly workspace: Workspace;
  readonly products: ProductsBySku;
  /** Number of elements that were applied. */
  readonly appliedCount: number;
}

async function upsert(elements: readonly ProductChange[], batch: BatchContext): Promise<void> {
  const { deadline, dependencies } = batch;
  const byIndex = new Map(elements.map((element) => [element.index, element]));
  const toElements = ({ elements: indexes }: ProductChanges) =>
    [...indexes].sort((a, b) => a - b).flatMap((index) => byIndex.get(index) ?? []);
  const inOrder: (readonly ProductChange[])[] = [];
  let isPlanned = false;
  let isTooLarge = false;
  await retryConflicts(
    elements,
    async (open) => {
      const plan = await planFrom(open, batch, { maxChanges: SKU_PLAN_CHANGES });
      if (plan.appliedCount < open.length) {
        isTooLarge ||= !isPlanned;
        inOrder.push(open);
        return [];
      }
      isPlanned = true;
      if (await applyPendingOfPlan(plan, batch)) return open;
      await plan.products.finish();
      const inConflict: ProductChange[] = [];
      for (const commit of toCommits(plan.products.independentChanges())) {
        const elementsOfCommit = commit.flatMap(toElements);
        const exceedsCommit = commit.length === 1 && elementsOfCommit.length > 1 && bytesOf(commit) > SKU_COMMIT_BYTES;
        if (exceedsCommit) inOrder.push(elementsOfCommit);
        else if (!(await write(plan.workspace, commit, batch))) inConflict.push(...elementsOfCommit);
      }
      return inConflict.sort((a, b) => a.index - b.index);
    },
    deadline,
    dependencies,
  );
  if (inOrder.length === 0) return;
  // Batches of more than one plan conflict with each other, so they queue: the first is stored while the others wait.
  // If all were stored at once, all might miss their deadlines.
  await dependencies.mergeQueue.runInTurn([skusPath(batch.tenant.tenantId)], async () => {
    if (deadline.remainingMs() === 0) throw new ContentionTimeout(`${elements.length} products had no turn in time.`);
    for (const part of inOrder) await writeInOrder(isTooLarge ? await checkGroups(part, batch) : part, batch);
  });
}

interface PlanOptions {
  /** Ids whose products are assumed to be absent. */
  readonly vacatedIds?: Iterable<RecordId>;
  /** Stored bytes of changes after which no more elements are applied. Omitted: all elements are applied. */
  readonly maxChanges?: number;
}

/**
 * Applies elements in their order, as many as memory allows. The first is always applied, however much is read for it.
 */
async function planFrom(
  elements: readonly ProductChange[],
  { tenant, revision, deadline, dependencies, share }: BatchContext,
  { vacatedIds = [], maxChanges = Infinity }: PlanOptions,
): Promise<Plan> {
  const workspace = new Workspace(dependencies.store, deadline);
  const products = new ProductsBySku(workspace, tenant);
  workspace.assumeAbsent([...vacatedIds].map((id) => recordPath(tenant.tenantId, 'products', id)));
  // Reading more than the changes can take is useless: it would be read again for the next elements.
  const maxBytes = Math.min(SKU_PLAN_BYTES, maxChanges);
  const first = firstWithin(elements, Math.min(SKU_PLAN_ENTRIES, maxChanges / SKU_ENTRY_BYTES));
  if (share.isUsedUp) await share.renew();
  await products.load(toProducts(first), maxBytes);
  let appliedCount = 0;
  for (const element of maxChanges === Infinity ? elements : first) {
    if (share.isUsedUp) await share.renew();
    const isLoaded = products.isLoaded(element.product);
    if (maxChanges < Infinity && appliedCount > 0) {
      if (!isLoaded || !products.hasRoomFor(element.product, maxChanges)) break;
    }
    if (!isLoaded) await products.load([element.product]);
    const metadata = { revision, partDeletions: [], asOf: undefined };
    await runInShares(products.applying(element, products.findBySku(element.product), metadata), share);
    appliedCount += 1;
  }
  return { workspace, products, appliedCount };
}

/** The first elements that have at most `maxEntries` index entries together: at least one element. */
function firstWithin(elements: readonly ProductChange[], maxEntries: number): readonly ProductChange[] {
  let entries = 0;
  const end = elements.findIndex(({ product }, index) => {
    entries += product.ProductVariants.length;
    return index > 0 && entries > maxEntries;
  });
  return end < 0 ? elements : elements.slice(0, end);
}

/**
 * Checks that all elements can be stored, product by product, without writing anything.
 * @returns the elements in an order in which they can be written
 * @throws ValidationFailed
 */
async function checkGroups(elements: readonly ProductChange[], batch: BatchContext): Promise<readonly ProductChange[]> {
  const holders = await loadHolders(elements, batch);
  const groups = await runInShares(groupingBySku(elements, batch.tenant, holders), batch.share);
  await inParallel(groups, SKU_GROUPS_AT_ONCE, async (group) => {
    await planFrom(group.elements, batch, { vacatedIds: group.vacatedIds });
  });
  return runInShares(orderingForWrites(groups), batch.share);
}

/** Reads which products the index lists for the Skus of the elements, by the path of the entry. */
async function loadHolders(
  elements: readonly ProductChange[],
  { tenant, deadline, dependencies }: BatchContext,
): Promise<Map<string, readonly RecordId[]>> {
  const holders = new Map<string, readonly RecordId[]>();
  for (let rest = elements; rest.length > 0;) {
    const first = firstWithin(rest, SKU_PLAN_ENTRIES);
    rest = rest.slice(first.length);
    const skus = new Set(first.flatMap(({ product }) => product.ProductVariants.map(({ Sku }) => Sku)));
    const paths = await mapInShares([...skus], (sku) => skuPath(tenant.tenantId, skuEntryId(sku)));
    const found = await dependencies.store.getAll([...new Set(paths)], deadline);
    for (const { path, data } of found) if (holdersOf(data).length > 0) holders.set(path, holdersOf(data));
  }
  return holders;
}

/** Writes elements in their order, in as many commits as necessary. */
async function writeInOrder(elements: readonly ProductChange[], batch: BatchContext): Promise<void> {
  const { deadline, dependencies } = batch;
  let rest = elements;
  await retryConflicts(
    [rest],
    async () => {
      while (rest.length > 0) {
        const plan = await planFrom(rest, batch, { maxChanges: COMMIT_BYTES });
        if (await applyPendingOfPlan(plan, batch)) return [rest];
        const { workspace, products, appliedCount } = plan;
        await products.finish();
        const changes = { paths: workspace.changedPaths(), records: products.changedProducts() };
        if (!(await write(workspace, [changes], batch))) return [rest];
        rest = rest.slice(appliedCount);
      }
      return [];
    },
    deadline,
    dependencies,
  );
}

/** Commits these changes. @returns false: conflict */
async function write(
  workspace: Workspace,
  changes: readonly Pick<ProductChanges, 'paths' | 'records'>[],
  batch: BatchContext,
): Promise<boolean> {
  const { tenant, deadline, dependencies } = batch;
  if (workspace.hasLargeChange()) await flagLargeRecords(tenant, dependencies.store, deadline);
  const writes = workspace.toWrites(changes.flatMap(({ paths }) => paths));
  if ((await dependencies.store.commit(writes, deadline)) === 'conflict') return false;
  batch.written.add(changes.flatMap(({ records }) => records));
  return true;
}

/** Distributes independent changes over commits of at most COMMIT_BYTES. Larger changes get a commit of their own. */
function toCommits(changes: readonly ProductChanges[]): ProductChanges[][] {
  const commits: ProductChanges[][] = [];
  for (const change of changes) {
    const last = commits.at(-1);
    if (last && bytesOf(last) + change.bytes <= COMMIT_BYTES) last.push(change);
    else commits.push([change]);
  }
  return commits;
}

function bytesOf(changes: readonly ProductChanges[]): number {
  return changes.reduce((sum, { bytes }) => sum + bytes, 0);
}

function toProducts(elements: readonly ProductChange[]): UpsertProductDto[] {
  return elements.map(({ product }) => product);
}
