import type { Customer, CustomerDeleted, CustomerDeletion, FoundCustomers, UpsertResult } from './contract';
import { BATCHES } from './contract';
import { runFeed } from './feed/feed';
import type { FeedOptions, FeedResult, Rows } from './feed/feed-types';
import { keysOfCustomer, keysOfCustomerDeletion } from './feed/identity';
import { sendOne } from './feed/send-one';
import type { CallOptions } from './http/platform';
import type { Transport } from './http/transport';
import { toPath } from './paths';

/** The customers of a tenant. Of two identifiers of a customer one is enough. */
export class Customers {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, tenantId: string) {
    this.#transport = transport;
    this.#path = toPath('customers', tenantId);
  }

  /** Creates or updates customers: rows about the same one in their order. Resolves when all are accounted for. */
  upsertAll<T extends Customer>(rows: Rows<T>, options: FeedOptions<T> = {}): Promise<FeedResult> {
    const target = { path: this.#path, maxElements: BATCHES.upsertCustomers, keysOf: keysOfCustomer };
    return runFeed(this.#transport, target, rows, options);
  }

  /** Deletes customers. Elements that name both identifiers are sent one request at a time. */
  deleteAll<T extends CustomerDeletion>(rows: Rows<T>, options: FeedOptions<T> = {}): Promise<FeedResult> {
    const path = `${this.#path}/deletions`;
    const target = { path, maxElements: BATCHES.deleteCustomers, keysOf: keysOfCustomerDeletion };
    return runFeed(this.#transport, target, rows, options);
  }

  /** @throws ValidationError with the paths of the customer's fields */
  upsert(customer: Customer, { signal }: CallOptions = {}): Promise<UpsertResult> {
    return sendOne(this.#transport, this.#path, customer, signal);
  }

  /** The deletion is durable when this resolves, whether or not anybody matches. */
  delete({ CustomerId, Email }: CustomerDeletion, { signal }: CallOptions = {}): Promise<CustomerDeleted> {
    const query = { customerId: CustomerId ?? undefined, email: Email ?? undefined };
    return this.#transport.send({ method: 'DELETE', path: this.#path, query, signal });
  }

  /** The customers who match all identifiers given. The key needs the permission `records`. */
  find({ CustomerId, Email }: CustomerDeletion, { signal }: CallOptions = {}): Promise<FoundCustomers> {
    const query = { customerId: CustomerId ?? undefined, email: Email ?? undefined };
    return this.#transport.send({ method: 'GET', path: this.#path, query, signal });
  }
}
