/**
 * The service as histories use it: the real code, a database, messages that wait, and processes that may end at any
 * call.
 */
import { upsertCustomersDefinition } from '../../../functions/customers/upsert-customers';
import { createDeletionConsumer } from '../../../functions/deletion-consumer/consume-deletion';
import { sweepFlags } from '../../../functions/deletion-consumer/sweep';
import { upsertOrdersDefinition } from '../../../functions/orders/upsert-orders';
import { upsertProductsDefinition } from '../../../functions/products/upsert-products';
import { StoredAdmission } from '../../../shared/auth/stored-admission';
import { toTenantDocument } from '../../../shared/auth/tenant-documents';
import type { Clock } from '../../../shared/platform/clock';
import { acceptDeletions } from '../../../shared/deletions/acceptance/accept-deletions';
import { findPendingHint } from '../../../shared/deletions/pending-flag';
import type { DocumentStore } from '../../../shared/documents/document-store';
import { keyedWrite } from '../../../shared/workspace/customer-keys';
import { bucketPath, recordsPath, runFilePath, runPath, tenantPath } from '../../../shared/documents/paths';
import type { DeletionRequested, DeletionTarget, DrainRequested } from '../../../shared/domain/deletion';
import { DELETION_KIND } from '../../../shared/domain/deletion';
import { bucketId } from '../../../shared/domain/identity';
import type { RecordKind } from '../../../shared/domain/identity';
import { DELETION_REPUBLISH_AFTER_SECONDS } from '../../../shared/limits/deletions';
import type { Tenant } from '../../../shared/domain/tenant';
import { historicalJobId } from '../../../shared/domain/transfer';
import { FILE_START } from '../../../shared/files/row';
import type { Random } from '../../../shared/platform/random';
import { withoutStubs } from '../../../shared/workspace/kept-tombstones';
import { fromDocument } from '../../../shared/workspace/record-documents';
import type { ObjectStorage } from '../../../shared/transfers/object-storage';
import { runExpiry, runPartExpiry } from '../../../shared/transfers/runs/expiry';
import { readUnit } from '../../../shared/transfers/reading/read-unit';
import { NO_ROWS, toFileDocument, toRunDocument } from '../../../shared/transfers/runs/run';
import type { UnitStep } from '../../../shared/transfers/runs/steps';
import { MergeQueue } from '../../../shared/records/merge-queue';
import { PresencePredictor } from '../../../shared/records/presence-predictor';
import { encodeRecords } from '../../support/file-formats';
import { pendingDeletions } from '../../support/pending-deletions';
import { CollectingLogger } from '../../support/recording-fakes';
import { toText } from './model';
import { changingTransactions, overriding, withMethods } from '../../support/overriding';
import type { Protocol } from './protocol';
import type { SentCompound, Sent, Trouble, Work } from './work';

const DEFINITIONS = {
  customers: upsertCustomersDefinition,
  products: upsertProductsDefinition,
  orders: upsertOrdersDefinition,
} as const;

/** A process that was ended. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

export interface WorldClock extends Clock {
  /** Moves on between commands, so that no two of them share a millisecond. */
  tick(): Promise<void>;
  /** Waits until something is done, but only as long as nothing that it needs can be locked. */
  inTime(done: Promise<void>): Promise<'done' | 'late'>;
}

export interface Message {
  readonly event: DeletionRequested | DrainRequested | UnitStep;
  /** The number of the file that the message is about. */
  readonly file?: number;
}

/** What a process does around each call that it makes. */
type AroundCalls = <T>(call: () => Promise<T>) => Promise<T>;

const UNTROUBLED: AroundCalls = (call) => call();
const NO_DEADLINE = { remainingMs: () => 20_000 };
const ORDER_DATE = '2026-01-01T00:00:00Z';

export class World {
  /** Messages that are to be delivered, in any order. */
  readonly waiting: Message[] = [];
  /** Messages that were lost on their way. */
  readonly lost: Message[] = [];
  private sweeps = 0;
  private readonly files: { readonly content: Buffer; readonly updated: Date }[] = [];

  constructor(
    private readonly tenant: Tenant,
    private readonly store: DocumentStore,
    readonly clock: WorldClock,
    private readonly random: Random,
    private readonly protocol: Protocol,
  ) {}

  /** Stores what the service presupposes. @param isKeyed whether deletions may get customers by their keys */
  async open(isKeyed = true): Promise<void> {
    const { tenantId, organizationId } = this.tenant;
    const bucket = { name: tenantId, organizationId };
    await this.store.writeEach(
      [
        { set: tenantPath(tenantId), data: toTenantDocument(this.tenant) },
        { set: bucketPath(bucketId(tenantId)), data: bucket },
        ...(isKeyed ? [keyedWrite(this.tenant, undefined, this.random)] : []),
      ],
      NO_DEADLINE,
    );
  }

  /** Sends a request. @throws Crash */
  async request(work: Exclude<Work, { do: 'file' }>, skewMs: number, around = UNTROUBLED): Promise<void> {
    const process = this.startProcess(skewMs, around);
    if (work.do !== 'upsert') {
      const store = this.protocol.whileAccepting(process.store, process.clock);
      const target = toTarget(work);
      await acceptDeletions(this.tenant, DELETION_KIND[target.type], [target], NO_DEADLINE, { ...process, store });
      return;
    }
    const { kind } = work.sent;
    const dependencies = { ...process, store: this.protocol.whileWriting(process.store, process.clock) };
    const { records } = DEFINITIONS[kind].validate(toDtos(work.sent), this.tenant);
    const store = await DEFINITIONS[kind].plan(records as never, this.tenant, dependencies);
    const flag = findPendingHint(this.tenant.tenantId, kind, records.length, dependencies.store, NO_DEADLINE);
    await store(flag, NO_DEADLINE, Promise.resolve(false));
  }

  /** Puts a file into the bucket, and the message that asks to read it into the queue. */
  async addFile(sent: Sent, updated: Date): Promise<Message> {
    const content = Buffer.from(encodeRecords(toRows(sent, updated), 'ndjson'));
    const file = this.files.push({ content, updated }) - 1;
    const { tenantId } = this.tenant;
    const runId = `${tenantId}-${file}`;
    const event: UnitStep = { step: 'unit', runId, lane: 0, unitId: 'unit', fileIds: ['file'] };
    const run = {
      tenantId,
      jobId: historicalJobId(tenantId, String(file)),
      bucketName: tenantId,
      folderPaths: [],
      takesAll: true,
      status: 'running',
      startedAt: updated,
      finishedAt: null,
      isPlanned: true,
      error: null,
      expireAt: runExpiry(updated),
    } as const;
    const runFile = {
      object: String(file),
      generation: '1',
      updated,
      size: content.length,
      kind: sent.kind,
      format: 'ndjson',
      gzip: false,
      status: 'pending',
      checkpoint: FILE_START,
      done: 0,
      rows: NO_ROWS,
      error: null,
      expireAt: runPartExpiry(run),
    } as const;
    await this.store.writeEach(
      [
        { set: runPath(runId), data: toRunDocument(run) },
        { set: runFilePath(runId, 'file'), data: toFileDocument(runFile) },
      ],
      NO_DEADLINE,
    );
    const message = { event, file };
    this.waiting.push(message);
    return message;
  }

  /** Hands a message to a process. @throws Crash */
  async deliver({ event }: Message, skewMs: number, around = UNTROUBLED): Promise<void> {
    const process = this.startProcess(skewMs, around);
    if ('step' in event) {
      const store = this.protocol.whileWriting(process.store, process.clock);
      await readUnit(event, { ...process, store });
      return;
    }
    const store = this.protocol.whileDeleting(process.store, this.tenant.tenantId);
    const consume = createDeletionConsumer({ ...process, store, admissionStore: new StoredAdmission(this.store) });
    await consume(event, NO_DEADLINE, { messageId: 'm', publishedAt: new Date(0) });
  }

  /** Publishes again what has been pending for so long that its message must be lost. */
  async sweep(around = UNTROUBLED): Promise<void> {
    this.sweeps += 1; // each comes long after the one before it
    const process = this.startProcess(this.sweeps * (DELETION_REPUBLISH_AFTER_SECONDS + 1) * 1000, around);
    const own = `${tenantPath(this.tenant.tenantId)}/`;
    // Other histories may use the same database at once.
    const listGroup: DocumentStore['listGroup'] = async (collectionId, page, deadline) => {
      const start = `${own}${collectionId}/!`; // before all ids
      const after = page.after !== undefined && page.after > start ? page.after : start;
      const found = await process.store.listGroup(collectionId, { ...page, after }, deadline);
      return found.filter(({ path }) => path.startsWith(own));
    };
    const sweep = { sweep: true } as const;
    const store = overriding(process.store, { listGroup });
    await sweepFlags(sweep, NO_DEADLINE, {
      ...process,
      store,
    });
  }

  /** All records that are stored, in the form of the model's `possible`. */
  async stored(): Promise<string> {
    const [customers, orders, products] = await Promise.all([
      this.recordsOf('customers'),
      this.recordsOf('orders'),
      this.recordsOf('products'),
    ]);
    return toText(
      customers.map(({ SmsOptin, WhatsappOptin, AppPushOptin, GdprOptin, IsExcluded, ...fields }) => {
        const others = [SmsOptin, WhatsappOptin, AppPushOptin, GdprOptin, IsExcluded];
        return others.some((flag) => flag !== false) ? { ...fields, others } : fields;
      }),
      [
        ...orders.map(({ OrderId, TotalRevenue, OrderItems }) => [
          `orders ${String(OrderId)}`,
          String(TotalRevenue),
          (OrderItems as { Sku: string; Quantity: number }[]).map(({ Sku, Quantity }) => [Sku, Quantity]),
        ]),
        ...products.map(({ ProductId, ProductName, ProductVariants }) => [
          `products ${String(ProductId)}`,
          ProductName,
          (ProductVariants as { VariantId: string; Stock: number }[]).map(({ VariantId, Stock }) => [VariantId, Stock]),
        ]),
      ],
    );
  }

  /** How many accepted deletions are not applied yet. */
  async pending(): Promise<number> {
    return (await pendingDeletions(this.tenant.tenantId, this.store, NO_DEADLINE)).length;
  }

  private async recordsOf(kind: RecordKind): Promise<Record<string, unknown>[]> {
    const documents = await this.store.list(recordsPath(this.tenant.tenantId, kind), { limit: 100 }, NO_DEADLINE);
    return withoutStubs(documents).map(({ data }) => fromDocument<Record<string, unknown>>(data));
  }

  private startProcess(skewMs: number, around: AroundCalls) {
    const { clock } = this;
    return {
      store: aroundCalls(this.store, around),
      clock: { nowMs: () => clock.nowMs() + skewMs, sleep: (ms: number) => clock.sleep(ms) },
      random: this.protocol.random ?? this.random,
      presencePredictor: this.presencePredictor,
      mergeQueue: this.mergeQueue,
      logger: new CollectingLogger(),
      publisher: {
        publish: (_topic: string, event: object) =>
          around(() => {
            this.waiting.push({ event: event as DeletionRequested | DrainRequested });
            return Promise.resolve();
          }),
      },
      storage: this.storage,
      deletionsTopic: 'deletions',
      transfersTopic: 'transfers',
      reportsBucket: 'reports',
      stepSeconds: 240,
      tenantConcurrency: 8,
    };
  }

  /** Outlives the instances, so that it is wrong more often. */
  private readonly presencePredictor = new PresencePredictor();
  private readonly mergeQueue = new MergeQueue();

  private readonly storage: ObjectStorage = {
    list: () => Promise.reject(new Error('Histories list no bucket.')),
    find: () => Promise.reject(new Error('No file of a history is replaced.')),
    read: (_bucket, { name }, offset) => this.contentOf(name, offset),
    write: () => Promise.reject(new Error('No row of a history is bad.')),
  };

  private async *contentOf(name: string, offset: number): AsyncGenerator<Buffer> {
    await Promise.resolve();
    yield this.files[Number(name)]!.content.subarray(offset);
  }
}

/** Troubles the calls of one process. @returns what the process is to do around each. */
export function troubled({ crash, meanwhile }: Trouble, perform: () => Promise<void>): AroundCalls {
  let calls = 0;
  let isDead = false;
  const end = (): never => {
    isDead = true;
    throw new Crash('The process was ended.');
  };
  const take = async <T>(call: () => Promise<T>): Promise<T> => {
    if (isDead) throw new Crash('The process has ended.');
    calls += 1;
    const at = calls;
    if (meanwhile?.call === at) {
      if (meanwhile.isAnswerLost) await call();
      await perform();
    }
    if (crash?.call === at && crash.when === 'before') end();
    const result = await call();
    if (crash?.call === at) end();
    return result;
  };
  // Calls that are made at once are taken one after the other: a history is the same whenever it is replayed.
  let before: Promise<unknown> = Promise.resolve();
  return (call) => {
    const result = before.then(() => take(call));
    before = result.catch(() => undefined);
    return result;
  };
}

function aroundCalls(store: DocumentStore, around: AroundCalls): DocumentStore {
  if (around === UNTROUBLED) return store;
  const troubledStore = withMethods(
    store,
    (method, name) =>
      (...args) =>
        name === 'begin' ? method(...args) : around(() => method(...args)),
  );
  return changingTransactions(troubledStore, (transaction) =>
    withMethods(
      transaction,
      (method, name) =>
        (...args) =>
          // Whoever ends leaves no locks here: nobody is to wait for the database to give them up.
          name === 'end' ? method(...args) : around(() => method(...args)),
    ),
  );
}

function toTarget(work: Exclude<Work, { do: 'upsert' | 'file' }>): DeletionTarget {
  if (work.do === 'deleteCustomer') return { type: 'customer', customerId: work.customerId, email: work.email };
  if (work.kind === 'orders') {
    return work.do === 'deleteCompound'
      ? { type: 'order', orderId: work.id }
      : { type: 'orderItem', orderId: work.id, productId: null, sku: work.part };
  }
  return work.do === 'deleteCompound'
    ? { type: 'product', productId: work.id }
    : { type: 'variant', productId: work.id, variantId: work.part };
}

/** Rows of a file of this time. */
function toRows(sent: Sent, updated: Date): object[] {
  const DeletedAt = updated.toISOString();
  return toDtos(sent).map((dto, index) => {
    const { deletes, ...row } = { deletes: undefined, ...dto };
    const deleted = sent.records[index]!.deletes;
    if (deleted === undefined) return row;
    if (sent.kind === 'customers') return { ...row, DeletedAt };
    const { id } = sent.records[index] as SentCompound;
    const identified = sent.kind === 'orders' ? { OrderId: id } : { ProductId: id };
    if (typeof deleted !== 'object') return { ...identified, DeletedAt };
    const part = sent.kind === 'orders' ? { Sku: deleted.part } : { VariantId: deleted.part };
    return { ...identified, ...part, DeletedAt };
  });
}

function toDtos(sent: Sent): object[] {
  switch (sent.kind) {
    case 'customers':
      return [...sent.records];
    case 'orders':
      return sent.records.map(toOrder);
    case 'products':
      return sent.records.map(toProduct);
  }
}

function toOrder({ id, value, parts }: SentCompound): object {
  return {
    OrderId: id,
    Currency: 'EUR',
    OrderDate: ORDER_DATE,
    ...(value !== undefined && { TotalRevenue: value === null ? null : Number(value) }),
    OrderItems: parts.map((part) => ({ ProductId: 'p', Sku: part.id, Quantity: part.amount, Price: 1 })),
  };
}

function toProduct({ id, value, parts }: SentCompound): object {
  return {
    ProductId: id,
    ...(value !== undefined && { ProductName: value }),
    ProductVariants: parts.map((part) => ({ VariantId: part.id, Sku: `${id}-${part.id}`, Stock: part.amount })),
  };
}
