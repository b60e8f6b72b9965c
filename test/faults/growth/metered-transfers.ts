import { createHash } from 'node:crypto';
import { createTransferRunner } from '../../../functions/transfer-runner/run-transfer-step';
import { toTenantDocument } from '../../../shared/auth/tenant-documents';
import { deadlineIn } from '../../../shared/platform/deadline';
import { acceptDeletion } from '../../support/deletions';
import type { DocumentStore } from '../../../shared/documents/document-store';
import { recordsPath, runPath, tenantPath } from '../../../shared/documents/paths';
import type { DeletionTarget } from '../../../shared/domain/deletion';
import { documentBytes } from '../../../shared/domain/records/document';
import type { RecordKind } from '../../../shared/domain/identity';
import { RECORD_KINDS } from '../../../shared/domain/identity';
import type { Tenant, TenantId, TenantSettings } from '../../../shared/domain/tenant';
import { DEFAULT_SETTINGS } from '../../../shared/domain/tenant';
import type { OneTimeTransferKind } from '../../../shared/domain/transfer';
import { oneTimeJobId } from '../../../shared/domain/transfer';
import type { EventPublisher } from '../../../shared/events/event-publisher';
import { PresencePredictor } from '../../../shared/records/presence-predictor';
import { claimBucket } from '../../../shared/transfers/runs/bucket-ownership';
import type { ObjectStorage, StoredObject } from '../../../shared/transfers/object-storage';
import { requestReplay } from '../../../shared/transfers/runs/replay-run';
import type { Run } from '../../../shared/transfers/runs/run';
import { fromRunDocument } from '../../../shared/transfers/runs/run';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { CollectingLogger, RecordingPublisher } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';
import type { Prepared } from './cost';
import { excusingParses } from './metered-service';
import { meteredStore, noTraffic } from './metered-store';
import { TurnMeter } from './turn-meter';

const BUCKET = 'shop-exports';
const REPORTS = 'reports';
/** As Cloud Storage's library hands them out. */
const PIECE_BYTES = 64 * 1024;
const GENERATION = '1';

const TENANT: Tenant = {
  ...DEFAULT_SETTINGS,
  tenantId: '11111111-1111-4111-8111-111111111111' as TenantId,
  organizationId: 'acme',
};

/** Transfers of one tenant: the real steps, on a store and buckets in memory whose traffic is counted. */
export class MeteredTransfers {
  readonly meter = new TurnMeter();
  readonly traffic = noTraffic();
  readonly clock = new FixedClock();
  readonly logger = new CollectingLogger();
  readonly store: DocumentStore = meteredStore(new MemoryDocumentStore(this.clock), this.traffic, this.meter);
  readonly tenant: Tenant;
  /** Names of objects that are stored with `Content-Encoding: gzip`. */
  private readonly encoded = new Set<string>();
  private readonly objects = new Map<string, Buffer>();
  private readonly reports = new Map<string, Buffer>();
  private readonly waiting: object[] = [];
  private runs = 0;
  private delivered = 0;
  private readonly handle;
  private readonly dependencies;

  private constructor(settings: Partial<TenantSettings>) {
    this.tenant = { ...TENANT, ...settings };
    const publisher: EventPublisher = {
      publish: (_topic, event) => {
        this.waiting.push(event);
        return Promise.resolve();
      },
    };
    this.dependencies = {
      store: this.store,
      storage: this.storage(),
      publisher,
      clock: this.clock,
      random: new SeededRandom(),
      logger: this.logger,
      presencePredictor: new PresencePredictor(),
      transfersTopic: 'transfers',
      reportsBucket: REPORTS,
      stepSeconds: 240,
      concurrency: 64,
      tenantConcurrency: 8,
    };
    this.handle = createTransferRunner(this.dependencies);
  }

  static async open(settings: Partial<TenantSettings> = {}): Promise<MeteredTransfers> {
    const opened = new MeteredTransfers(settings);
    const { store, tenant } = opened;
    await store.commit([{ set: tenantPath(tenant.tenantId), data: toTenantDocument(tenant) }], opened.deadline());
    await claimBucket(BUCKET, tenant.organizationId, store, opened.deadline());
    return opened;
  }

  put(name: string, content: Buffer, isEncoded = false): void {
    this.objects.set(name, content);
    if (isEncoded) this.encoded.add(name);
  }

  /** Removes all objects. */
  clear(): void {
    this.objects.clear();
  }

  /** Runs a transfer of everything in the bucket to its end. @param workers that handle messages at once */
  async run(workers = 1, kind: OneTimeTransferKind = 'historical'): Promise<Run> {
    const runId = this.begin(kind);
    await this.deliver(0, workers);
    return this.find(runId);
  }

  /** Begins such a run; its messages wait. @returns its id */
  begin(kind: OneTimeTransferKind = 'historical'): string {
    const runId = String((this.runs += 1));
    const jobId = oneTimeJobId(kind, this.tenant.tenantId, runId);
    this.waiting.push({ jobId, tenantId: this.tenant.tenantId, bucketName: BUCKET, folderPaths: [] });
    return runId;
  }

  /** Delivers messages, so many at once, until only so many wait. */
  async deliver(left = 0, atOnce = 1): Promise<void> {
    while (this.waiting.length > left || this.delivered < 2) await this.deliverAtOnce(atOnce);
  }

  /** Delivers messages side by side. */
  async deliverAtOnce(count: number): Promise<void> {
    const message = { messageId: '1', publishedAt: new Date(this.clock.nowMs()) };
    const next = this.waiting.splice(0, count);
    this.delivered += next.length;
    await Promise.all(next.map((event) => this.handle(event, this.deadline(), message)));
  }

  async replay(runId: string): Promise<Run> {
    const run = await this.find(runId);
    const replayId = await requestReplay({ runId, run }, this.deadline(), this.dependencies);
    await this.deliver();
    return this.find(replayId);
  }

  async find(runId: string): Promise<Run> {
    const document = await this.store.get(runPath(runId), this.deadline());
    if (!document) throw new Error('There is no such run.');
    return fromRunDocument(document);
  }

  /** Accepts a deletion; the next file of its kind applies it. */
  delete(target: DeletionTarget): Promise<void> {
    const log = { ...this.dependencies, publisher: new RecordingPublisher(), deletionsTopic: 'deletions' };
    return acceptDeletion(this.tenant, target, this.deadline(), log);
  }

  /** A run, ready to begin; before it nothing is counted. */
  prepare(statuses: readonly Run['status'][], bytes: number, start: () => Promise<Run> = () => this.run()): Prepared {
    const { meter, traffic } = this;
    Object.assign(traffic, noTraffic());
    const work = async () => {
      const { status, error } = await excusingParses(meter, start);
      if (!statuses.includes(status)) throw new Error(`The run is ${status}: ${error}`);
    };
    return { bytes, traffic, meter, work, close: () => Promise.resolve() };
  }

  /** Stored bytes of all records. */
  async storedBytes(): Promise<number> {
    let bytes = 0;
    for (const kind of RECORD_KINDS) for (const { data } of await this.records(kind)) bytes += documentBytes(data);
    return bytes;
  }

  records(kind: RecordKind) {
    return this.store.list(recordsPath(this.tenant.tenantId, kind), { limit: Infinity }, this.deadline());
  }

  deadline() {
    return deadlineIn(20_000, this.clock);
  }

  private storage(): ObjectStorage {
    const bucketOf = (bucket: string) => (bucket === REPORTS ? this.reports : this.objects);
    const toObject = (name: string, content: Buffer): StoredObject => ({
      name,
      generation: GENERATION,
      size: content.length,
      updated: new Date(this.clock.nowMs() - 1_000),
      contentEncoding: this.encoded.has(name) ? 'gzip' : null,
    });
    return {
      list: (bucket, prefix, limit, pageToken) => {
        const names = [...bucketOf(bucket).keys()].filter((name) => name.startsWith(prefix)).sort();
        const from = Number(pageToken ?? 0);
        const page = names.slice(from, from + limit);
        const objects = page.map((name) => toObject(name, bucketOf(bucket).get(name)!));
        const isLast = from + limit >= names.length;
        return Promise.resolve({ objects, ...(!isLast && { nextPageToken: String(from + limit) }) });
      },
      find: (bucket, name) => {
        const content = bucketOf(bucket).get(name);
        return Promise.resolve(content && toObject(name, content));
      },
      read: (bucket, { name }, offset) => this.piecesOf(bucketOf(bucket).get(name)!, offset, bucket !== REPORTS),
      write: (_bucket, name, content) => {
        const bytes = this.meter.excuse(() => Buffer.from(content));
        this.reports.set(name, bytes);
        this.traffic.bytesReported += bytes.length;
        return Promise.resolve(GENERATION);
      },
    };
  }

  private async *piecesOf(content: Buffer, offset: number, isCounted: boolean): AsyncGenerator<Buffer> {
    for (let index = offset; index < content.length; index += PIECE_BYTES) {
      const piece = content.subarray(index, index + PIECE_BYTES);
      if (isCounted) this.traffic.bytesFetched += piece.length;
      // Each piece comes from the network, in a turn of its own.
      await new Promise((resolve) => setImmediate(resolve));
      yield piece;
    }
  }
}

/** A name for an object, as long as names may be. */
export function longName(end: string): string {
  return `${createHash('sha256').update(end).digest('hex').repeat(15)}${end}`;
}
