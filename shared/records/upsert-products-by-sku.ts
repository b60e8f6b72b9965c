/**
 * Writes products of a tenant whose product identifier is `sku` (D-03): an incoming product is the stored one that
 * holds one of its Skus, and takes it over to its own `ProductId`; else the one with its `ProductId`; else it is new.
 *
 * Products can meet through their Skus, so that a batch is planned as a whole, once, and what meets is written in one
 * commit, products and index entries together. Where that is more than one commit or the memory takes, elements are
 * written in their order, as many at once as fit: each of those steps leaves what a shorter batch would. Before that
 * all of it is tried, product by product, because a batch is refused before anything of it is stored (D-30).
 */
import type { Deadline } from '../platform/deadline';
import { applyDeletionsOf } from '../deletions/apply-deletion';
import type { MayBePending } from '../deletions/pending-flag';
import { recordPath, skuPath, skusPath } from '../documents/paths';
import type { UpsertProductDto } from '../domain/dto/product';
import type { RecordId } from '../domain/identity';
import { productRecordId, skuEntryId } from '../domain/identity';
import {
  COMMIT_BYTES,
  SKU_COMMIT_BYTES,
  SKU_ENTRY_BYTES,
  SKU_GROUPS_AT_ONCE,
  SKU_PLAN_BYTES,
  SKU_PLAN_CHANGES,
  SKU_PLAN_ENTRIES,
} from '../limits/records';
import type { Tenant } from '../domain/tenant';
import { EventLoopShare, mapInShares, runInShares } from '../platform/async/event-loop-share';
import { inParallel } from '../platform/async/in-parallel';
import { RetryLater } from '../platform/retry-later';
import { ValidationFailed } from '../validation/validation-failed';
import { requireVariantsFit } from '../workspace/size-checks';
import { flagLargeRecords } from '../workspace/large-records';
import type { IndependentChanges, ProductChange } from './products-by-sku';
import { ProductsBySku } from './products-by-sku';
import type { PlannedUpsert } from './planned-upsert';
import type { UpsertDependencies } from './upsert-dependencies';
import { newRevision } from '../workspace/record-documents';
import { ContentionTimeout, retryConflicts } from '../workspace/retry-conflicts';
import { groupingBySku, orderingForWrites } from './sku-groups';
import { holdersOf } from '../workspace/sku-index';
import { Workspace } from '../workspace/workspace';

type Dependencies = Omit<UpsertDependencies, 'presencePredictor'>;

/** Plans to upsert valid products in array order (D-07). @throws ValidationFailed */
export function planProductsBySku(
  products: readonly UpsertProductDto[],
  tenant: Tenant,
  dependencies: Dependencies,
): PlannedUpsert {
  const elements = products.map((product, index) => ({ product, index }));
  // Spares reading what they would touch.
  for (const { product, index } of elements) requireVariantsFit(product.ProductVariants.length, index);
  const revision = newRevision(dependencies.random);
  return async (flag, deadline) => {
    const share = new EventLoopShare();
    const work: Work = { tenant, revision, deadline, dependencies, share, isAnyStored: false };
    await applyPending(elements, await flag, work);
    try {
      await upsert(elements, work);
    } catch (error) {
      // What did not fit then has grown since the batch was tried: the repeat is refused whole (D-30).
      if (!(error instanceof ValidationFailed) || !work.isAnyStored) throw error;
      throw new RetryLater('Products grew beyond their documents while a batch was stored.');
    }
  };
}

/** Applies what is pending for the products that elements name, and for those that they may take over. */
async function applyPending(
  elements: readonly ProductChange[],
  flag: MayBePending | undefined,
  work: Work,
): Promise<void> {
  if (!flag) return;
  const named = elements.map(({ product }) => productRecordId(product.ProductId));
  const ids = [...named, ...[...(await loadHolders(elements, work)).values()].flat()];
  await applyDeletionsOf(work.tenant, 'products', ids, flag, work.deadline, work.dependencies);
}

/** What all parts of a batch share. */
interface Work {
  readonly tenant: Tenant;
  readonly revision: string;
  readonly deadline: Deadline;
  readonly dependencies: Dependencies;
  readonly share: EventLoopShare;
  isAnyStored: boolean;
}

/** Elements that are placed in a workspace. */
interface Plan {
  readonly workspace: Workspace;
  readonly products: ProductsBySku;
  /** From the first one on. */
  readonly taken: number;
}

async function upsert(elements: readonly ProductChange[], work: Work): Promise<void> {
  const { deadline, dependencies } = work;
  const byIndex = new Map(elements.map((element) => [element.index, element]));
  const toElements = ({ elements: indexes }: IndependentChanges) =>
    [...indexes].sort((a, b) => a - b).flatMap((index) => byIndex.get(index) ?? []);
  const inOrder: (readonly ProductChange[])[] = [];
  let isTried = false;
  let isLarge = false;
  await retryConflicts(
    elements,
    async (open) => {
      const plan = await planFrom(open, work, { maxChanges: SKU_PLAN_CHANGES });
      if (plan.taken < open.length) {
        isLarge ||= !isTried;
        inOrder.push(open);
        return [];
      }
      isTried = true;
      await plan.products.finish();
      const left: ProductChange[] = [];
      for (const commit of toCommits(plan.products.independentChanges())) {
        const sent = commit.flatMap(toElements);
        const isTooMuch = commit.length === 1 && sent.length > 1 && bytesOf(commit) > SKU_COMMIT_BYTES;
        if (isTooMuch) inOrder.push(sent);
        else if (
          !(await write(
            plan.workspace,
            commit.flatMap(({ paths }) => paths),
            work,
          ))
        )
          left.push(...sent);
      }
      return left.sort((a, b) => a.index - b.index);
    },
    deadline,
    dependencies,
  );
  if (inOrder.length === 0) return;
  // What takes more than one plan conflicts with all others of its kind: they take turns, so that the first one is done
  // while the others wait, where all at once might be late.
  await dependencies.mergeQueue.runInTurn([skusPath(work.tenant.tenantId)], async () => {
    if (deadline.remainingMs() === 0) throw new ContentionTimeout(`${elements.length} products had no turn in time.`);
    for (const each of inOrder) await writeInOrder(isLarge ? await tryGroups(each, work) : each, work);
  });
}

interface PlanOptions {
  /** Ids at which nothing is taken to be stored. */
  readonly vacated?: Iterable<RecordId>;
  /** Stored bytes of changes after which no more is placed; omitted: all elements are placed. */
  readonly maxChanges?: number;
}

/** Places elements, from the first one on, as many as memory takes: of the first everything is read, however large. */
async function planFrom(
  elements: readonly ProductChange[],
  { tenant, revision, deadline, dependencies, share }: Work,
  { vacated = [], maxChanges = Infinity }: PlanOptions,
): Promise<Plan> {
  const workspace = new Workspace(dependencies.store, deadline);
  const products = new ProductsBySku(workspace, tenant);
  workspace.assumeAbsent([...vacated].map((id) => recordPath(tenant.tenantId, 'products', id)));
  // More than the changes take would be read again with those that come next.
  const maxBytes = Math.min(SKU_PLAN_BYTES, maxChanges);
  const first = firstWithin(elements, Math.min(SKU_PLAN_ENTRIES, maxChanges / SKU_ENTRY_BYTES));
  if (share.isUsedUp) await share.renew();
  await products.load(toProducts(first), maxBytes);
  let taken = 0;
  for (const element of maxChanges === Infinity ? elements : first) {
    if (share.isUsedUp) await share.renew();
    const isLoaded = products.isLoaded(element.product);
    if (maxChanges < Infinity && taken > 0) {
      if (!isLoaded || !products.hasRoomFor(element.product, maxChanges)) break;
    }
    if (!isLoaded) await products.load([element.product]);
    const metadata = { revision, partDeletions: [], asOf: undefined };
    await runInShares(products.applying(element, products.findBySku(element.product), metadata), share);
    taken += 1;
  }
  return { workspace, products, taken };
}

/** The first elements with so many index entries; one at least. */
function firstWithin(elements: readonly ProductChange[], maxEntries: number): readonly ProductChange[] {
  let entries = 0;
  const end = elements.findIndex(({ product }, index) => {
    entries += product.ProductVariants.length;
    return index > 0 && entries > maxEntries;
  });
  return end < 0 ? elements : elements.slice(0, end);
}

/**
 * Places all elements, product by product, without writing anything. @returns them in an order in which they can be
 * written. @throws ValidationFailed
 */
async function tryGroups(elements: readonly ProductChange[], work: Work): Promise<readonly ProductChange[]> {
  const holders = await loadHolders(elements, work);
  const groups = await runInShares(groupingBySku(elements, work.tenant, holders), work.share);
  await inParallel(groups, SKU_GROUPS_AT_ONCE, async (group) => {
    await planFrom(group.elements, work, { vacated: group.vacated });
  });
  return runInShares(orderingForWrites(groups), work.share);
}

/** The products that the index lists for the Skus of the elements, by the path of the entry. */
async function loadHolders(
  elements: readonly ProductChange[],
  { tenant, deadline, dependencies }: Work,
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

/** Writes elements in their order, in as many commits as they take. */
async function writeInOrder(elements: readonly ProductChange[], work: Work): Promise<void> {
  const { deadline, dependencies } = work;
  let rest = elements;
  await retryConflicts(
    [rest],
    async () => {
      while (rest.length > 0) {
        const { workspace, products, taken } = await planFrom(rest, work, { maxChanges: COMMIT_BYTES });
        await products.finish();
        if (!(await write(workspace, workspace.changedPaths(), work))) return [rest];
        rest = rest.slice(taken);
      }
      return [];
    },
    deadline,
    dependencies,
  );
}

/** @returns false for a conflict */
async function write(workspace: Workspace, paths: readonly string[], work: Work): Promise<boolean> {
  const { tenant, deadline, dependencies } = work;
  if (workspace.hasLargeChange()) await flagLargeRecords(tenant, dependencies.store, deadline);
  const isStored = (await dependencies.store.commit(workspace.toWrites(paths), deadline)) !== 'conflict';
  work.isAnyStored ||= isStored;
  return isStored;
}

/** Parts of a plan in commits of a size that the database takes; one that is larger by itself. */
function toCommits(parts: readonly IndependentChanges[]): IndependentChanges[][] {
  const commits: IndependentChanges[][] = [];
  for (const part of parts) {
    const last = commits.at(-1);
    if (last && bytesOf(last) + part.bytes <= COMMIT_BYTES) last.push(part);
    else commits.push([part]);
  }
  return commits;
}

function bytesOf(parts: readonly IndependentChanges[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

function toProducts(elements: readonly ProductChange[]): UpsertProductDto[] {
  return elements.map(({ product }) => product);
}
