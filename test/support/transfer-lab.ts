/**
 * Transfers without Pub/Sub and Cloud Scheduler: the real steps on the real database and the storage stand-in, with
 * messages that a test delivers in the order that it decides, some of them more than once.
 */
import { Storage } from '@google-cloud/storage';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { exportRecords } from '../../shared/operations/records';
import type { TenantOptions } from '../../shared/operations/tenants';
import { createTenant } from '../../shared/operations/tenants';
import type { ShownRun } from '../../shared/operations/transfers';
import { listBadRows, listRuns } from '../../shared/operations/transfers';
import { createTransferRunner } from '../../functions/transfer-runner/run-transfer-step';
import { CloudObjectStorage } from '../../shared/adapters/storage/cloud-object-storage';
import type { Config } from '../../shared/config';
import { DEFAULT_TRANSFERS, readConfig } from '../../shared/config';
import { deadlineIn } from '../../shared/platform/deadline';
import { runPath } from '../../shared/documents/paths';
import type { RecordKind } from '../../shared/domain/identity';
import type { Tenant } from '../../shared/domain/tenant';
import type { TransferKind } from '../../shared/domain/transfer';
import { isRecurring, oneTimeJobId, oneTimePart, recurringJobId } from '../../shared/domain/transfer';
import type { EventPublisher } from '../../shared/events/event-publisher';
import { systemRandom } from '../../shared/platform/random';
import { claimBucket } from '../../shared/transfers/runs/bucket-ownership';
import { requestReplay } from '../../shared/transfers/runs/replay-run';
import type { BadRowReport } from '../../shared/transfers/runs/report';
import { resumeRun } from '../../shared/transfers/runs/resume-run';
import { fromRunDocument } from '../../shared/transfers/runs/run';
import type { TransferDependencies } from '../../shared/transfers/runs/steps';
import { startStorageStandIn } from '../local/storage-stand-in';
import { takeNewProject } from './new-project';
import type { DeployedOperator } from './emulator-operator';
import { connectAsDeployed } from './emulator-operator';
import { CollectingLogger } from './recording-fakes';
import { SeededRandom } from './seeded-random';

const REPORTS_BUCKET = 'transfer-reports';

/** How long a step may take. */
const STEP_SECONDS = 240;

/** No run of a test takes more; one that does never ends. */
const MAX_DELIVERIES = 20_000;

/** A message that waits for its delivery. */
export interface Message {
  readonly messageId: string;
  readonly publishedAt: Date;
  readonly event: object;
  /** Absent: the message carries none. */
  readonly traceparent?: string | undefined;
}

/** How the messages of a run are delivered. */
export interface DeliveryOptions {
  /** Which of the waiting messages is next, and whether it stays to come again. Default: the oldest, once. */
  readonly next?: (waiting: readonly Message[]) => { readonly index: number; readonly comesAgain: boolean };
  /** What the steps work with in place of the real thing. */
  readonly overrides?: Partial<TransferDependencies>;
  /** How long a step may take that does not end by itself; default: as long as one that reads. */
  readonly deadlineMs?: number;
}

export interface RunOptions extends DeliveryOptions {
  readonly kind?: TransferKind;
  readonly folders?: readonly string[];
  /** Of a preview. */
  readonly sampleRowsPerFile?: number;
}

/** A tenant's bucket: a folder whose files are its objects. */
export interface TestBucket {
  readonly name: string;
  /** Writes an object by hand; `at`: its `updated` time. */
  put(object: string, content: string | Buffer, at?: Date): void;
  /** Writes an object that says that it is compressed. */
  upload(object: string, content: Buffer, contentEncoding: string): Promise<void>;
  remove(object: string): void;
  /** Removes the bucket with all of its objects. */
  destroy(): void;
  /** Answers "access denied" until access is allowed again. */
  denyAccess(): void;
  allowAccess(): void;
}

/** A tenant with a bucket of its own. */
export interface Shop {
  readonly tenant: Tenant;
  readonly bucket: TestBucket;
}

export interface TransferLab {
  /** Of the emulators and the stand-in. */
  readonly config: Config;
  readonly operator: DeployedOperator;
  readonly storage: CloudObjectStorage;
  createTenant(options?: TenantOptions): Promise<Tenant>;
  /** A bucket that a tenant's organization has registered; without a tenant nobody has. */
  createBucket(tenant?: Tenant): Promise<TestBucket>;
  openShop(options?: TenantOptions): Promise<Shop>;
  /** Runs a transfer to its end. */
  run(tenant: Tenant, bucket: TestBucket | string, options?: RunOptions): Promise<ShownRun>;
  /** A run whose trigger, as yet undelivered, and further messages the test delivers. */
  start(tenant: Tenant, bucket: TestBucket | string, options?: RunOptions): StartedRun;
  replay(runId: string, options?: DeliveryOptions): Promise<ShownRun>;
  /** A replay whose first message is `trigger`. */
  startReplay(runId: string, options?: DeliveryOptions): Promise<StartedRun>;
  report(runId: string): Promise<BadRowReport[]>;
  /** The stored records under the specification's names, in the order of their ids. */
  records(tenant: Tenant, kind: RecordKind): Promise<object[]>;
  stop(): Promise<void>;
}

/** A run whose messages a test delivers one by one. */
export interface StartedRun {
  readonly trigger: Message;
  readonly waiting: Message[];
  /** Adds a message to those that wait. */
  readonly publish: (event: object) => void;
  /** Delivers a message, as one more instance of the function. */
  readonly deliver: (message: Message) => Promise<void>;
  /** Delivers what waits until nothing does. */
  deliverAll(next?: DeliveryOptions['next']): Promise<void>;
  /** Hands out again what the run still has to do; how many messages that is. */
  resume(): Promise<number>;
  shown(): Promise<ShownRun>;
}

/** Any order, and about every third message again, drawn by a seed. */
export function reordered(seed: string): NonNullable<DeliveryOptions['next']> {
  const random = new SeededRandom(seed);
  return (waiting) => ({
    index: Math.floor(random.fraction() * waiting.length),
    comesAgain: random.fraction() < 0.3,
  });
}

/** The newest message first, and none again. */
export const newestFirst: NonNullable<DeliveryOptions['next']> = (waiting) => ({
  index: waiting.length - 1,
  comesAgain: false,
});

export async function openTransferLab(): Promise<TransferLab> {
  const root = mkdtempSync(join(tmpdir(), 'transfers-test-'));
  const standIn = await startStorageStandIn({ host: '127.0.0.1', port: 0, root });
  mkdirSync(join(root, REPORTS_BUCKET));
  const environment = readConfig();
  const address = `http://127.0.0.1:${standIn.port}`;
  const config: Config = {
    ...environment,
    reportsBucket: REPORTS_BUCKET,
    emulators: { ...environment.emulators, storage: address },
  };
  const connection = connectAsDeployed(config);
  // A busy machine may take its time; a step has as much.
  const operator: DeployedOperator = {
    ...connection,
    deadline: () => deadlineIn(STEP_SECONDS * 1_000, connection.clock),
  };
  const storage = new CloudObjectStorage(config, connection.clock);
  const client = new Storage({ projectId: config.projectId, apiEndpoint: address, useAuthWithCustomEndpoint: false });

  /** The run whose id ends like this. */
  const shownOf = async (tenantId: string, idEnd: string): Promise<ShownRun> => {
    const run = (await listRuns(tenantId, operator)).find(({ runId }) => runId.endsWith(idEnd));
    if (!run?.files || !run.rows) throw new Error(`The run ${idEnd} does not exist, or cannot be counted.`);
    return { ...run, files: run.files, rows: run.rows };
  };

  const toMessage = (event: object, traceparent?: string): Message => ({
    messageId: unique(),
    publishedAt: new Date(operator.clock.nowMs()),
    event,
    traceparent,
  });

  const queueOf = ({ overrides = {}, deadlineMs = STEP_SECONDS * 1_000 }: DeliveryOptions) => {
    const waiting: Message[] = [];
    const publish = (event: object, traceparent?: string) => void waiting.push(toMessage(event, traceparent));
    const publisher: EventPublisher = {
      publish: (_topic, event, attributes = {}) => {
        publish(event, attributes.traceparent);
        return Promise.resolve();
      },
    };
    const dependencies = {
      ...operator,
      logger: new CollectingLogger(),
      storage,
      publisher,
      transfersTopic: 'transfers',
      reportsBucket: REPORTS_BUCKET,
      stepSeconds: STEP_SECONDS,
      concurrency: 4,
      tenantConcurrency: DEFAULT_TRANSFERS.tenantConcurrency,
      ...overrides,
    };
    const deliver = (message: Message) =>
      createTransferRunner(dependencies)(message.event, deadlineIn(deadlineMs, operator.clock), message);
    const deliverAll = async (next: DeliveryOptions['next'] = () => ({ index: 0, comesAgain: false })) => {
      for (let deliveries = 0; waiting.length > 0; deliveries += 1) {
        if (deliveries > MAX_DELIVERIES) throw new Error('The run does not end.');
        const { index, comesAgain } = next(waiting);
        const message = waiting[index];
        if (!message) throw new Error('There is no such message.');
        if (!comesAgain) waiting.splice(index, 1);
        await deliver(message);
      }
    };
    return { waiting, publish, dependencies, deliver, deliverAll };
  };

  /** The run that a message starts, whose id ends like this. */
  const startedRun = (
    tenantId: string,
    trigger: Message,
    idEnd: string,
    queue: ReturnType<typeof queueOf>,
    next: DeliveryOptions['next'],
  ): StartedRun => {
    const { waiting, publish, dependencies, deliver, deliverAll } = queue;
    const shown = () => shownOf(tenantId, idEnd);
    return {
      trigger,
      waiting,
      publish,
      deliver,
      deliverAll: (order = next) => deliverAll(order),
      async resume() {
        const { runId } = await shown();
        const document = await operator.store.get(runPath(runId), operator.deadline());
        return resumeRun(runId, fromRunDocument(document!), operator.deadline, dependencies);
      },
      shown,
    };
  };

  const lab: TransferLab = {
    config,
    operator,
    storage,
    createTenant: (options = {}) => createTenant({ organization: `org-${unique()}`, ...options }, operator),

    async createBucket(tenant) {
      const name = `bucket-${unique()}`;
      mkdirSync(join(root, name));
      if (tenant) await claimBucket(name, tenant.organizationId, operator.store, operator.deadline());
      return {
        name,
        put(object, content, at) {
          const file = join(root, name, object);
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, content);
          // In the middle of the millisecond: the file system keeps no exact one.
          if (at) utimesSync(file, (at.getTime() + 0.5) / 1000, (at.getTime() + 0.5) / 1000);
        },
        upload: (object, content, contentEncoding) =>
          client.bucket(name).file(object).save(content, { resumable: false, metadata: { contentEncoding } }),
        remove: (object) => rmSync(join(root, name, object)),
        destroy: () => rmSync(join(root, name), { recursive: true }),
        denyAccess: () => writeFileSync(join(root, name, '.access-denied'), ''),
        allowAccess: () => rmSync(join(root, name, '.access-denied')),
      };
    },

    async openShop(options) {
      const tenant = await lab.createTenant(options);
      return { tenant, bucket: await lab.createBucket(tenant) };
    },

    start(tenant, bucket, { kind = 'daily', folders = [], sampleRowsPerFile, next, ...delivery } = {}) {
      const { tenantId } = tenant;
      const jobId = isRecurring(kind) ? recurringJobId(kind, tenantId) : oneTimeJobId(kind, tenantId, unique());
      const bucketName = typeof bucket === 'string' ? bucket : bucket.name;
      const trigger = toMessage({ jobId, tenantId, bucketName, folderPaths: folders, sampleRowsPerFile });
      const idEnd = oneTimePart(jobId) ?? trigger.messageId;
      return startedRun(tenantId, trigger, idEnd, queueOf(delivery), next);
    },

    async run(tenant, bucket, options = {}) {
      const started = lab.start(tenant, bucket, options);
      started.waiting.push(started.trigger);
      await started.deliverAll();
      return started.shown();
    },

    async startReplay(runId, { next, ...delivery } = {}) {
      const document = await operator.store.get(runPath(runId), operator.deadline());
      if (!document) throw new Error(`The run ${runId} does not exist.`);
      const run = fromRunDocument(document);
      const queue = queueOf(delivery);
      const replayId = await requestReplay({ runId, run }, operator.deadline(), queue.dependencies);
      return startedRun(run.tenantId, queue.waiting.pop()!, replayId, queue, next);
    },

    async replay(runId, options) {
      const started = await lab.startReplay(runId, options);
      started.waiting.push(started.trigger);
      await started.deliverAll();
      return started.shown();
    },

    report: (runId) => toArray(listBadRows(runId, operator)),
    records: (tenant, kind) => toArray(exportRecords(tenant.tenantId, kind, operator)),

    async stop() {
      await connection.close();
      await standIn.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
  return lab;
}

/** A lab with a project of its own for each test. */
export function useTransferLab(): () => TransferLab {
  let lab: TransferLab | undefined;
  beforeEach(async () => {
    takeNewProject();
    lab = await openTransferLab();
  });
  afterEach(() => lab?.stop());
  return () => lab!;
}

function unique(): string {
  return systemRandom.bytes(6).toString('hex');
}

async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
  const array: T[] = [];
  for await (const item of items) array.push(item);
  return array;
}
