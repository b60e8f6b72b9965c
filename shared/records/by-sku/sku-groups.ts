/**
 * Groups the elements of a batch of products that are matched by Sku by the product that they end up in. Only the index
 * is used for that. Each product can then be checked without the others: a batch may name more than memory holds.
 */
import { skuPath } from '../../documents/paths';
import type { RecordId } from '../../domain/identity';
import { productRecordId, skuEntryId } from '../../domain/identity';
import type { Tenant } from '../../domain/tenant';
import { DisjointSets, mergeLists, mergeSets } from './disjoint-sets';
import type { ProductChange } from './products-by-sku';

/** The elements that end up in one product, in array order. */
export interface SkuGroup {
  readonly elements: readonly ProductChange[];
  /** Ids that the product of another group had before the elements of this group name them. */
  readonly vacatedIds: ReadonlySet<RecordId>;
  /** All ids and index paths that the group touches. Groups that affect each other share one of them. */
  readonly touchedKeys: ReadonlySet<string>;
}

interface Product {
  id: RecordId;
  elements: ProductChange[];
  /** Ids under which it is stored, according to the index. */
  storedIds: Set<RecordId>;
  touchedKeys: Set<string>;
  vacatedIds: Set<RecordId>;
}

/**
 * Groups the elements. Yields for each element, and for each of its Skus.
 * @param holders the products that the index lists for a Sku, by the path of its entry
 */
export function* groupingBySku(
  elements: readonly ProductChange[],
  { tenantId }: Tenant,
  holders: ReadonlyMap<string, readonly RecordId[]>,
): Generator<void, SkuGroup[]> {
  const storedById = new Map<RecordId, Product>();
  /** Undefined: the product that had the id was given another one. */
  const currentById = new Map<RecordId, Product | undefined>();
  /** The first product that an element gave a Sku, by the path of the Sku's entry. */
  const firstByEntry = new Map<string, Product>();
  const groups = new Set<Product>();
  const absorptions = new DisjointSets<Product>();
  const newProduct = (id: RecordId, storedIds: readonly RecordId[]): Product => {
    return {
      id,
      elements: [],
      storedIds: new Set(storedIds),
      touchedKeys: new Set(storedIds),
      vacatedIds: new Set(),
    };
  };
  const storedAt = (id: RecordId): Product => {
    const product = storedById.get(id) ?? newProduct(id, [id]);
    storedById.set(id, product);
    return absorptions.rootOf(product);
  };
  const find = (path: string): Product | undefined => {
    const [first] = holders.get(path) ?? [];
    const product = first === undefined ? firstByEntry.get(path) : storedAt(first);
    return product && absorptions.rootOf(product);
  };
  for (const element of elements) {
    const { product } = element;
    const id = productRecordId(product.ProductId);
    const paths: string[] = [];
    for (const { Sku } of product.ProductVariants) {
      paths.push(skuPath(tenantId, skuEntryId(Sku)));
      yield;
    }
    let target: Product | undefined;
    for (const path of paths) if ((target = find(path))) break;
    const isVacated = currentById.has(id) && !currentById.get(id);
    const named = currentById.has(id) ? currentById.get(id) : storedAt(id);
    target ??= named ?? newProduct(id, []);
    if (named && named !== target) {
      absorptions.union(named, target);
      target.elements = mergeLists(target.elements, named.elements);
      target.vacatedIds = mergeSets(target.vacatedIds, named.vacatedIds);
      target.storedIds = mergeSets(target.storedIds, named.storedIds);
      target.touchedKeys = mergeSets(target.touchedKeys, named.touchedKeys);
      groups.delete(named);
    }
    if (isVacated) target.vacatedIds.add(id);
    if (target.id !== id && (currentById.get(target.id) ?? target) === target) currentById.set(target.id, undefined);
    target.id = id;
    currentById.set(id, target);
    for (const path of paths) if (!firstByEntry.has(path)) firstByEntry.set(path, target);
    for (const key of [id, ...paths]) target.touchedKeys.add(key);
    target.elements.push(element);
    groups.add(target);
    yield;
  }
  return [...groups].map((group) => ({
    elements: group.elements.sort(byIndex),
    touchedKeys: group.touchedKeys,
    vacatedIds: new Set([...group.vacatedIds].filter((id) => !group.storedIds.has(id))),
  }));
}

/**
 * Orders the elements so that they can be written in many commits. Groups that affect each other form a cluster, whose
 * elements keep their array order. The clusters follow one another, so that each product is written few times. Yields
 * for each group.
 */
export function* orderingForWrites(groups: readonly SkuGroup[]): Generator<void, ProductChange[]> {
  const owners = new Map<string, SkuGroup>();
  const clustered = new DisjointSets<SkuGroup>();
  for (const group of groups) {
    for (const key of group.touchedKeys) {
      clustered.union(group, owners.get(key) ?? group);
      owners.set(key, group);
    }
    yield;
  }
  const clusters = new Map<SkuGroup, ProductChange[]>();
  for (const group of groups) {
    const root = clustered.rootOf(group);
    const cluster = clusters.get(root) ?? [];
    cluster.push(...group.elements);
    clusters.set(root, cluster);
  }
  return [...clusters.values()].flatMap((elements) => elements.sort(byIndex));
}

function byIndex(a: ProductChange, b: ProductChange): number {
  return a.index - b.index;
}
