import type {
  FoundProduct,
  Product,
  ProductDeleted,
  ProductDeletion,
  ProductVariantDeleted,
  StoredProduct,
  UpsertResult,
} from './contract';
import { BATCHES } from './contract';
import { runFeed } from './feed/feed';
import type { FeedOptions, FeedResult, Rows } from './feed/feed-types';
import { keysOfAny, keysOfProduct } from './feed/identity';
import { sendOne } from './feed/send-one';
import type { CallOptions } from './http/platform';
import type { Transport } from './http/transport';
import { toPath } from './paths';

export interface ProductsOptions {
  /**
   * What the tenant's products are identified by, if you know it: `productId` lets upserts of different products go at
   * once. Otherwise they are sent one request at a time: of a tenant with `sku`, any two products can be about the same
   * stored one, which holds a Sku of each.
   */
  readonly identifier?: 'productId' | 'sku' | undefined;
}

/** The products of a tenant. */
export class Products {
  readonly #transport: Transport;
  readonly #tenantId: string;
  readonly #path: string;
  readonly #keysOf: typeof keysOfProduct | typeof keysOfAny;

  constructor(transport: Transport, tenantId: string, { identifier }: ProductsOptions) {
    this.#transport = transport;
    this.#tenantId = tenantId;
    this.#path = toPath('products', tenantId);
    this.#keysOf = identifier === 'productId' ? keysOfProduct : keysOfAny;
  }

  /** Creates or updates products: rows about the same one in their order. Resolves when all are accounted for. */
  upsertAll<T extends Product>(rows: Rows<T>, options: FeedOptions<T> = {}): Promise<FeedResult> {
    const target = { path: this.#path, maxElements: BATCHES.upsertProducts, keysOf: this.#keysOf };
    return runFeed(this.#transport, target, rows, options);
  }

  /** Deletes products, and variants where an element has a `VariantId`. */
  deleteAll<T extends ProductDeletion>(rows: Rows<T>, options: FeedOptions<T> = {}): Promise<FeedResult> {
    const path = `${this.#path}/deletions`;
    const target = { path, maxElements: BATCHES.deleteProducts, keysOf: keysOfProduct };
    return runFeed(this.#transport, target, rows, options);
  }

  /** @throws ValidationError with the paths of the product's fields */
  upsert(product: Product, { signal }: CallOptions = {}): Promise<UpsertResult> {
    return sendOne(this.#transport, this.#path, product, signal);
  }

  /** The deletion is durable when this resolves, whether or not there is such a product. */
  async delete(productId: string, { signal }: CallOptions = {}): Promise<ProductDeleted> {
    return this.#transport.send({ method: 'DELETE', path: this.#pathOf(productId), signal });
  }

  /** As `delete`, of one variant. */
  async deleteVariant(
    productId: string,
    variantId: string,
    { signal }: CallOptions = {},
  ): Promise<ProductVariantDeleted> {
    const path = this.#pathOf(productId, 'variants', variantId);
    return this.#transport.send({ method: 'DELETE', path, signal });
  }

  /** The key needs the permission `records`. @throws NotFoundError */
  async get(productId: string, options: CallOptions = {}): Promise<StoredProduct> {
    return (await this.find(productId, options)).record;
  }

  /** As `get`, with what is said beside the record: of a deletion that is not applied yet. @throws NotFoundError */
  find(productId: string, { signal }: CallOptions = {}): Promise<FoundProduct> {
    return this.#transport.send({ method: 'GET', path: this.#pathOf(productId), signal });
  }

  #pathOf(...segments: readonly string[]): string {
    return toPath('products', this.#tenantId, ...segments);
  }
}
