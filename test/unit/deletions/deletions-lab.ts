/** Deletions on the store in memory: a tenant, what it sends, and what it can look at. */
import { createDeletionConsumer } from '../../../functions/deletion-consumer/consume-deletion';
import { StoredAdmission } from '../../../shared/auth/stored-admission';
import type { Operator, OperatorMeans } from '../../../shared/operations/operator';
import { TEST_ACTOR } from '../../support/memory-operator';
import { toTenantDocument } from '../../../shared/auth/tenant-documents';
import { drainDeletions } from '../../../shared/deletions/apply-deletion';
import { acceptDeletions } from '../../../shared/deletions/acceptance/accept-deletions';
import { acceptDeletion } from '../../support/deletions';
import type { Deadline } from '../../../shared/platform/deadline';
import type { DocumentStore, StoredDocument } from '../../../shared/documents/document-store';
import { idOf, recordsPath, tenantPath } from '../../../shared/documents/paths';
import type { DeletionTarget } from '../../../shared/domain/deletion';
import type { UpsertOrderDto } from '../../../shared/domain/dto/order';
import type { RecordKind } from '../../../shared/domain/identity';
import { RECORD_KINDS } from '../../../shared/domain/identity';
import { MergeQueue } from '../../../shared/records/merge-queue';
import { PresencePredictor } from '../../../shared/records/presence-predictor';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { pendingDeletions } from '../../support/pending-deletions';
import { CollectingLogger, RecordingPublisher } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';
import { upsertCustomers, upsertOrders, upsertProducts } from '../../support/upserts';
import { keyedWrite } from '../../../shared/workspace/customer-keys';
import { withoutStubs } from '../../../shared/workspace/kept-tombstones';
import { aTenant } from '../support/tenant';

export const AMPLE: Deadline = { remainingMs: () => 20_000 };

export class DeletionsLab {
  /** A clock that goes on by a millisecond each time it is read. */
  readonly clock = { nowMs: () => (this.nowMs += 1), sleep: () => Promise.resolve() };
  readonly memory = new MemoryDocumentStore(this.clock);
  readonly random = new SeededRandom();
  readonly presencePredictor = new PresencePredictor();
  readonly mergeQueue = new MergeQueue();
  readonly publisher = new RecordingPublisher();
  readonly deletionsTopic = 'deletions';
  /** The database as the service sees it. */
  store: DocumentStore = this.memory;
  private nowMs = Date.UTC(2026, 2, 1);

  constructor(readonly tenant = aTenant()) {}

  accept(target: DeletionTarget): Promise<void> {
    return acceptDeletion(this.tenant, target, AMPLE, this);
  }

  /** Notes that all customers are stored by the tenant's identifier, as they are of a new tenant. */
  async noteKeyed(): Promise<void> {
    await this.memory.commit([keyedWrite(this.tenant, undefined, this.random)]);
  }

  /** Accepts deletions of customers as one batch. */
  acceptAll(targets: readonly DeletionTarget[]): Promise<void> {
    return acceptDeletions(this.tenant, 'customers', targets, AMPLE, this);
  }

  /** Lets time pass. */
  passMs(ms: number): void {
    this.nowMs += ms;
  }

  deleteCustomer(customerId: string | null, email: string | null): Promise<void> {
    return this.accept({ type: 'customer', customerId, email });
  }

  /** Hands a message to the consumer. */
  async deliver(event: object, store = this.store): Promise<void> {
    const { publisher, deletionsTopic } = this;
    const [logger, admissionStore] = [new CollectingLogger(), new StoredAdmission(store)];
    const consume = createDeletionConsumer({ ...this.with(store), publisher, deletionsTopic, logger, admissionStore });
    await consume(event, AMPLE, { messageId: '1', publishedAt: new Date(0) });
  }

  /** What it works with, on another database. */
  with(store: DocumentStore) {
    const { clock, random, presencePredictor, mergeQueue } = this;
    return { store, clock, random, presencePredictor, mergeQueue };
  }

  upsertProduct(ProductId: string, ...ProductVariants: { VariantId: string; Sku: string }[]): Promise<void> {
    return upsertProducts([{ ProductId, ProductVariants }], this.tenant, AMPLE, this);
  }

  upsert(...customers: object[]): Promise<void> {
    return upsertCustomers(customers, this.tenant, AMPLE, this);
  }

  upsertOrder(order: UpsertOrderDto): Promise<void> {
    return upsertOrders([order], this.tenant, AMPLE, this);
  }

  /** Applies what is pending of a kind: all of it, where there is time for that. */
  async apply(kind: RecordKind = 'customers'): Promise<void> {
    await drainDeletions(this.tenant, kind, AMPLE, this);
  }

  /** Applies everything that is pending. */
  async drain(): Promise<void> {
    for (const kind of RECORD_KINDS) await this.apply(kind);
  }

  /** The operator's command line; the tenant is one that it knows. */
  async operator(): Promise<Operator & OperatorMeans> {
    await this.memory.commit([{ set: tenantPath(this.tenant.tenantId), data: toTenantDocument(this.tenant) }]);
    const known = { ...this.with(this.store), deadline: () => AMPLE, progress: () => undefined, actor: TEST_ACTOR };
    return known as unknown as Operator & OperatorMeans;
  }

  /** Ids of accepted deletions that are not applied, in their order. */
  async pending(): Promise<string[]> {
    const entries = await pendingDeletions(this.tenant.tenantId, this.memory, AMPLE);
    return entries.map(({ path }) => idOf(path));
  }

  /** What the stored customers have in a field, sorted. */
  async customers(field: string): Promise<unknown[]> {
    return (await this.documents()).map(({ data }) => data[field]).sort();
  }

  /** The stored records as documents. */
  async documents(kind: RecordKind = 'customers'): Promise<StoredDocument[]> {
    return withoutStubs(await this.memory.list(recordsPath(this.tenant.tenantId, kind), { limit: 10_000 }));
  }
}
