/** Rows of products that are found by the `Sku` of their variants. */
import type { UpsertProductDto } from '../../../domain/dto/product';
import type { RecordId } from '../../../domain/identity';
import type { ProductRecord } from '../../../domain/records/product';
import { withoutParts } from '../../../domain/records/removed-parts';
import { later } from '../../../domain/values/date-time';
import type { EventLoopShare } from '../../../platform/async/event-loop-share';
import { runInShares } from '../../../platform/async/event-loop-share';
import { ProductsBySku } from '../../../records/by-sku/products-by-sku';
import { datedRevision, fromDocument } from '../../../workspace/record-documents';
import { skuEntryPaths } from '../../../workspace/sku-index';
import { deletedAfter, mergePartDeletions } from '../../../workspace/tombstones';
import type { Workspace } from '../../../workspace/workspace';
import type { RecordChange } from '../../runs/changes';
import type { LocatedRow, RowContext } from './located-row';
import type { NewerDeletions } from './newer-deletions';

export class ProductRowsBySku {
  private products: ProductsBySku;
  private hasDeletions = false;

  constructor(
    private readonly workspace: Workspace,
    private readonly context: RowContext,
  ) {
    this.products = this.newProducts();
  }

  /**
   * To be called when any row of the commit deletes: then the products stay in the workspace, for the deletions too.
   */
  noteDeletions(): void {
    if (this.hasDeletions) return;
    this.hasDeletions = true;
    this.reset();
  }

  /**
   * Forgets the products, because the workspace has changed. What `finish` did not put there is lost.
   * @returns the stored bytes of products that the next rows may have to take apart again
   */
  reset(): number {
    const { takenApartBytes } = this.products;
    this.products = this.newProducts();
    return takenApartBytes;
  }

  /** @param maxBytes of all that is read; what is beyond stays unread. Omitted: all is read */
  load(rows: readonly LocatedRow[], maxBytes?: number): Promise<void> {
    return this.products.load(rows.map(toProduct), maxBytes);
  }

  isLoaded(row: LocatedRow): boolean {
    return this.products.isLoaded(toProduct(row));
  }

  /** Whether there is a product with this id, after the rows so far. */
  exists(id: RecordId): boolean {
    return this.products.findById(id) !== undefined;
  }

  /** The path of the index entry of a Sku. */
  entryPathOf(sku: string): string {
    return this.products.entryPathOf(sku);
  }

  hasRoomFor(row: LocatedRow, maxBytes: number): boolean {
    return this.products.hasRoomFor(toProduct(row), maxBytes);
  }

  /**
   * @returns what the row has changed: a product that takes over another `ProductId`, or another product, is updated
   * @throws ValidationFailed (at the index 0) when the product would outgrow its document; nothing changed
   */
  async store(
    row: LocatedRow,
    newerDeletions: NewerDeletions,
    share: EventLoopShare,
  ): Promise<Exclude<RecordChange, 'Deleted'> | 'stale'> {
    const { products } = this;
    const { at, id } = row;
    const product = toProduct(row);
    // Earlier deletions may have made another product the first that holds the row's Skus.
    if (this.hasDeletions) await products.load([product]);
    const named = products.findById(id);
    const matched = products.findBySku(product);
    const newest = later(later(named?.asOf, matched?.asOf), products.lastSkuDeletion(product));
    const last = newerDeletions.laterDeletion(row, newest);
    if (last && at < last) return 'stale';
    // The deleted parts of the row's own product and of the one that it takes over.
    const own = deletedAfter(named ? named.partDeletions : newerDeletions.partDeletionsInTombstone(row), at);
    const partDeletions =
      matched && matched.id !== id ? mergePartDeletions(own, deletedAfter(matched.partDeletions, at)) : own;
    const targets = partDeletions.map(({ target }) => target);
    const rest = withoutParts<UpsertProductDto>(product, targets, this.context.tenant.productIdentifier);
    const target = matched ?? named;
    const isTakenOver = target !== undefined && target.id !== id;
    const metadata = { revision: datedRevision(this.context.revision, at), partDeletions, asOf: at };
    await runInShares(products.applying({ product: rest, index: 0 }, matched, metadata), share);
    if (!target) return 'Created';
    return isTakenOver || target.draft.hasChanged ? 'Updated' : 'Unchanged';
  }

  /** Puts all changes into the workspace. Before the next row it needs a `reset`. */
  finish(): Promise<void> {
    return this.products.finish();
  }

  /** The index entries that change when these rows delete whole products, as far as the products are read. */
  entriesOfDeletedProducts(rows: readonly LocatedRow[]): string[] {
    const { workspace } = this;
    const isWhole = ({ deletions }: LocatedRow) => deletions?.some(({ target }) => target.type === 'product');
    const paths = new Set(rows.filter(isWhole).map(({ path }) => path));
    const read = [...paths].flatMap((path) => {
      const data = workspace.isLoaded(path) ? workspace.get(path) : undefined;
      return data ? [fromDocument<ProductRecord>(data)] : [];
    });
    return skuEntryPaths(this.context.tenant.tenantId, read);
  }

  private newProducts(): ProductsBySku {
    return new ProductsBySku(this.workspace, this.context.tenant, this.hasDeletions);
  }
}

const toProduct = ({ dto }: LocatedRow) => dto as UpsertProductDto;
