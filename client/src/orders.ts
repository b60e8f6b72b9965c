import type {
  FoundOrder,
  Order,
  OrderDeleted,
  OrderDeletion,
  OrderItemsDeleted,
  StoredOrder,
  UpsertResult,
} from './contract';
import { BATCHES } from './contract';
import { runFeed } from './feed/feed';
import type { FeedOptions, FeedResult, Rows } from './feed/feed-types';
import { keysOfOrder } from './feed/identity';
import { sendOne } from './feed/send-one';
import type { CallOptions } from './http/platform';
import type { Transport } from './http/transport';
import { toPath } from './paths';

/** The orders of a tenant. */
export class Orders {
  readonly #transport: Transport;
  readonly #tenantId: string;
  readonly #path: string;

  constructor(transport: Transport, tenantId: string) {
    this.#transport = transport;
    this.#tenantId = tenantId;
    this.#path = toPath('orders', tenantId);
  }

  /** Creates or updates orders: rows about the same one in their order. Resolves when all are accounted for. */
  upsertAll<T extends Order>(rows: Rows<T>, options: FeedOptions<T> = {}): Promise<FeedResult> {
    const target = { path: this.#path, maxElements: BATCHES.upsertOrders, keysOf: keysOfOrder };
    return runFeed(this.#transport, target, rows, options);
  }

  /** Deletes orders, and items where an element has a `ProductId` or `Sku`. */
  deleteAll<T extends OrderDeletion>(rows: Rows<T>, options: FeedOptions<T> = {}): Promise<FeedResult> {
    const path = `${this.#path}/deletions`;
    const target = { path, maxElements: BATCHES.deleteOrders, keysOf: keysOfOrder };
    return runFeed(this.#transport, target, rows, options);
  }

  /** @throws ValidationError with the paths of the order's fields */
  upsert(order: Order, { signal }: CallOptions = {}): Promise<UpsertResult> {
    return sendOne(this.#transport, this.#path, order, signal);
  }

  /** The deletion is durable when this resolves, whether or not there is such an order. */
  async delete(orderId: string, { signal }: CallOptions = {}): Promise<OrderDeleted> {
    return this.#transport.send({ method: 'DELETE', path: this.#pathOf(orderId), signal });
  }

  /** As `delete`, of the items with this `ProductId` or `Sku`: send both if you know them. */
  async deleteItems(
    orderId: string,
    { ProductId, Sku }: Omit<OrderDeletion, 'OrderId'>,
    { signal }: CallOptions = {},
  ): Promise<OrderItemsDeleted> {
    const query = { productId: ProductId ?? undefined, sku: Sku ?? undefined };
    return this.#transport.send({ method: 'DELETE', path: this.#pathOf(orderId, 'items'), query, signal });
  }

  /** The key needs the permission `records`. @throws NotFoundError */
  async get(orderId: string, options: CallOptions = {}): Promise<StoredOrder> {
    return (await this.find(orderId, options)).record;
  }

  /** As `get`, with what is said beside the record: of a deletion that is not applied yet. @throws NotFoundError */
  find(orderId: string, { signal }: CallOptions = {}): Promise<FoundOrder> {
    return this.#transport.send({ method: 'GET', path: this.#pathOf(orderId), signal });
  }

  #pathOf(...segments: readonly string[]): string {
    return toPath('orders', this.#tenantId, ...segments);
  }
}
