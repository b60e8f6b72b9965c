/**
 * Which elements of a batch of products that are matched by Sku end in one product, told by the index alone, so that
 * each of these products can be tried without the others: a batch may name more than memory holds.
 */
import { skuPath } from '../documents/paths';
import type { RecordId } from '../domain/identity';
import { productRecordId, skuEntryId } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import { mergeLists, DisjointSets, mergeSets } from './disjoint-sets';
import type { ProductChange } from './products-by-sku';

/** Elements that end in one product, in their order. */
export interface SkuGroup {
  readonly elements: readonly ProductChange[];
  /** Ids that another group's product has left when the elements of this one name them. */
  readonly vacated: ReadonlySet<RecordId>;
  /** The ids and Skus that it shares with every group that it can meet. */
  readonly touched: ReadonlySet<string>;
}

interface Product {
  id: RecordId;
  elements: ProductChange[];
  /** Ids under which it is stored, as far as the index tells. */
  sources: Set<RecordId>;
  touched: Set<string>;
  vacated: Set<RecordId>;
}

/**
 * In steps, between which others can have their turn: one for each element, and for each of its Skus.
 * @param holders the products that the index lists for a Sku, by the path of its entry
 */
export function* groupingBySku(
  elements: readonly ProductChange[],
  { tenantId }: Tenant,
  holders: ReadonlyMap<string, readonly RecordId[]>,
): Generator<void, SkuGroup[]> {
  const stored = new Map<RecordId, Product>();
  const now = new Map<RecordId, Product | undefined>();
  const found = new Map<string, Product>();
  const groups = new Set<Product>();
  const merged = new DisjointSets<Product>();
  const newProduct = (id: RecordId, sources: readonly RecordId[]): Product => {
    return {
      id,
      elements: [],
      sources: new Set(sources),
      touched: new Set(sources),
      vacated: new Set(),
    };
  };
  const storedAt = (id: RecordId): Product => {
    const product = stored.get(id) ?? newProduct(id, [id]);
    stored.set(id, product);
    return merged.rootOf(product);
  };
  const find = (path: string): Product | undefined => {
    const [first] = holders.get(path) ?? [];
    const product = first === undefined ? found.get(path) : storedAt(first);
    return product && merged.rootOf(product);
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
    const isLeft = now.has(id) && !now.get(id);
    const named = now.has(id) ? now.get(id) : storedAt(id);
    target ??= named ?? newProduct(id, []);
    if (named && named !== target) {
      merged.union(named, target);
      target.elements = mergeLists(target.elements, named.elements);
      target.vacated = mergeSets(target.vacated, named.vacated);
      target.sources = mergeSets(target.sources, named.sources);
      target.touched = mergeSets(target.touched, named.touched);
      groups.delete(named);
    }
    if (isLeft) target.vacated.add(id);
    if (target.id !== id && (now.get(target.id) ?? target) === target) now.set(target.id, undefined);
    target.id = id;
    now.set(id, target);
    for (const path of paths) if (!found.has(path)) found.set(path, target);
    for (const each of [id, ...paths]) target.touched.add(each);
    target.elements.push(element);
    groups.add(target);
    yield;
  }
  return [...groups].map(({ elements: members, vacated, sources, touched }) => ({
    elements: members.sort(byIndex),
    touched,
    vacated: new Set([...vacated].filter((id) => !sources.has(id))),
  }));
}

/**
 * The elements in an order in which they can be written bit by bit: those of groups that can meet as they were sent,
 * and what has nothing to do with each other apart, so that each product is written few times. In a step for each
 * group.
 */
export function* orderingForWrites(groups: readonly SkuGroup[]): Generator<void, ProductChange[]> {
  const owners = new Map<string, SkuGroup>();
  const together = new DisjointSets<SkuGroup>();
  for (const group of groups) {
    for (const each of group.touched) {
      together.union(group, owners.get(each) ?? group);
      owners.set(each, group);
    }
    yield;
  }
  const clusters = new Map<SkuGroup, ProductChange[]>();
  for (const group of groups) {
    const whole = together.rootOf(group);
    const cluster = clusters.get(whole) ?? [];
    cluster.push(...group.elements);
    clusters.set(whole, cluster);
  }
  return [...clusters.values()].flatMap((elements) => elements.sort(byIndex));
}

function byIndex(a: ProductChange, b: ProductChange): number {
  return a.index - b.index;
}
