import { createTransferRunner } from '../../functions/transfer-runner/run-transfer-step';
import { createUploadConsumer } from '../../functions/upload-consumer/consume-upload';
import { toTenantDocument } from '../../shared/auth/tenant-documents';
import { idOf, recordsPath, tenantPath } from '../../shared/documents/paths';
import type { Tenant, TenantId } from '../../shared/domain/tenant';
import { DEFAULT_SETTINGS } from '../../shared/domain/tenant';
import type { RecurringTransferKind, TransferTrigger } from '../../shared/domain/transfer';
import { recurringJobId } from '../../shared/domain/transfer';
import type { MessageIdentity } from '../../shared/events/event-handler';
import { START_SPREAD_MINUTES } from '../../shared/limits/transfers';
import { deadlineIn } from '../../shared/platform/deadline';
import { claimBucket } from '../../shared/transfers/runs/bucket-ownership';
import { registerLiveTransfer } from '../../shared/transfers/runs/live/live-transfers';
import type { Run } from '../../shared/transfers/runs/run';
import { fromRunDocument } from '../../shared/transfers/runs/run';
import { findLastRuns } from '../../shared/transfers/runs/view/find-runs';
import type { RunKind } from '../../shared/transfers/runs/view/run-kind';
import { runKindOf } from '../../shared/transfers/runs/view/run-kind';
import type { ObjectStorage, StoredObject } from '../../shared/transfers/object-storage';
import { ObjectGone } from '../../shared/transfers/object-storage';
import { FixedClock } from './fixed-clock';
import { MemoryDocumentStore } from './memory-document-store';
import { ObservedDocumentStore } from './observed-document-store';
import { CollectingLogger } from './recording-fakes';
import { SeededRandom } from './seeded-random';

export const BUCKET = 'ada-exports';

/** What Cloud Storage tells of an object that was uploaded. */
export interface UploadEvent {
  readonly kind: 'storage#object';
  readonly bucket: string;
  readonly name: string;
  readonly generation: string;
}

export interface ShownLiveRun {
  readonly runId: string;
  readonly kind: RunKind | null;
  readonly run: Run;
}

/**
 * Live transfers, and runs that wait: the real consumer and runner, on a store and a bucket in memory. A test delivers
 * all messages.
 */
export class LiveWorld {
  readonly clock = new FixedClock();
  readonly logger = new CollectingLogger();
  readonly store = new ObservedDocumentStore(new MemoryDocumentStore(this.clock));
  /** Triggers and steps that wait for `transfer-runner`. */
  readonly steps: object[] = [];
  /** How many objects the service has asked for, or listed. */
  looks = 0;
  /** Thrown by what asks Cloud Storage, while it is set. */
  refusal: Error | undefined;
  private readonly objects = new Map<string, { readonly object: StoredObject; readonly content: string }>();
  private generations = 0;
  readonly dependencies = {
    store: this.store,
    storage: this.storage(),
    publisher: {
      publish: (topic: string, event: object) => {
        if (topic === 'uploads') this.again.push(event);
        else this.steps.push(event);
        return Promise.resolve();
      },
    },
    clock: this.clock,
    random: new SeededRandom(),
    logger: this.logger,
    transfersTopic: 'transfers',
    uploadsTopic: 'uploads',
    reportsBucket: 'reports',
    stepSeconds: 240,
    concurrency: 64,
    tenantConcurrency: 8,
    startSpreadMinutes: START_SPREAD_MINUTES,
  };
  /** What the consumer has published for itself. */
  readonly again: object[] = [];

  async openTenant(tenantId: string, overrides: Partial<Tenant> = {}): Promise<TenantId> {
    const tenant = { ...DEFAULT_SETTINGS, organizationId: 'acme', ...overrides, tenantId: tenantId as TenantId };
    await this.store.commit([{ set: tenantPath(tenantId), data: toTenantDocument(tenant) }], this.deadline());
    return tenant.tenantId;
  }

  /** As a registration does, without its job. */
  async register(tenantId: TenantId, folderPaths: readonly string[] = [], bucketName = BUCKET): Promise<void> {
    await claimBucket(bucketName, 'acme', this.store, this.deadline());
    await registerLiveTransfer({ tenantId, bucketName, folderPaths }, this.deadline(), this);
  }

  /** Puts an object into a bucket. @returns its event, which nobody has told yet */
  upload(name: string, content = '{"Email":"ann@example.com"}\n', bucket = BUCKET): UploadEvent {
    const generation = String((this.generations += 1));
    const updated = new Date(this.clock.nowMs());
    const object = { name, generation, size: content.length, updated, contentEncoding: null };
    this.objects.set(`${bucket}/${name}`, { object, content });
    return { kind: 'storage#object', bucket, name, generation };
  }

  remove(name: string): void {
    this.objects.delete(`${BUCKET}/${name}`);
  }

  /** Delivers an event of the uploads topic. */
  tell(event: unknown, deadline = this.deadline()): Promise<void> {
    return createUploadConsumer(this.dependencies)(event, deadline, this.message());
  }

  /** Lets a minute pass, at whose end the runs of what waits are started. */
  async start(): Promise<void> {
    this.clock.advance(60_000);
    await this.tell({ start: true });
  }

  /** Delivers the triggers and steps that wait, and those that follow. */
  async runSteps(): Promise<void> {
    for (let next = this.steps.shift(); next; next = this.steps.shift()) await this.deliver(next);
  }

  deliver(event: object, message = this.message()): Promise<void> {
    return createTransferRunner(this.dependencies)(event, this.deadline(), message);
  }

  /** What a recurring job publishes when it fires. */
  trigger(kind: RecurringTransferKind, tenantId: TenantId, folderPaths: readonly string[] = []): TransferTrigger {
    return { jobId: recurringJobId(kind, tenantId), kind, tenantId, bucketName: BUCKET, folderPaths };
  }

  /** The daily job of a live transfer fires, and its run comes to its end. */
  async sweep(tenantId: TenantId, folderPaths: readonly string[] = []): Promise<void> {
    this.steps.push(this.trigger('live', tenantId, folderPaths));
    await this.runSteps();
  }

  /** The runs of a tenant, the oldest first. */
  async runs(tenantId: TenantId): Promise<ShownLiveRun[]> {
    const documents = await findLastRuns({ tenantId }, { limit: 100 }, this.store, this.deadline());
    const shown = documents.map((document) => {
      const run = fromRunDocument(document);
      return { runId: idOf(document.path), kind: runKindOf(run), run };
    });
    return shown.reverse();
  }

  /** How many customers are stored. */
  customers(tenantId: TenantId): Promise<number> {
    return this.store.count(recordsPath(tenantId, 'customers'), this.deadline());
  }

  deadline() {
    return deadlineIn(20_000, this.clock);
  }

  message(): MessageIdentity {
    return { messageId: String((this.generations += 1)), publishedAt: new Date(this.clock.nowMs()) };
  }

  private look(): void {
    this.looks += 1;
    if (this.refusal) throw this.refusal;
  }

  private storage(): ObjectStorage {
    const inBucket = (bucket: string) =>
      [...this.objects].filter(([path]) => path.startsWith(`${bucket}/`)).map(([, { object }]) => object);
    return {
      // eslint-disable-next-line @typescript-eslint/require-await
      list: async (bucket, prefix) => {
        this.look();
        return { objects: inBucket(bucket).filter(({ name }) => name.startsWith(prefix)) };
      },
      // eslint-disable-next-line @typescript-eslint/require-await
      find: async (bucket, name) => {
        this.look();
        return this.objects.get(`${bucket}/${name}`)?.object;
      },
      read: (bucket, { name, generation }) => this.read(`${bucket}/${name}`, generation),
      write: () => Promise.resolve('1'),
    };
  }

  private async *read(path: string, generation: string): AsyncGenerator<Buffer> {
    const found = this.objects.get(path);
    if (found?.object.generation !== generation) throw new ObjectGone(path);
    yield await Promise.resolve(Buffer.from(found.content));
  }
}
