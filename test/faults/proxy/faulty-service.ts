/**
 * The HTTP functions as they are deployed, with every call to Firestore, Pub/Sub and Cloud Scheduler through a fault
 * proxy.
 */
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { customersEndpoint } from '../../../functions/customers/endpoint';
import { ingestionEndpoint } from '../../../functions/ingestion/endpoint';
import { ordersEndpoint } from '../../../functions/orders/endpoint';
import { productsEndpoint } from '../../../functions/products/endpoint';
import { usageEndpoint } from '../../../functions/usage/endpoint';
import { FirestoreDocumentStore } from '../../../shared/adapters/firestore/firestore-document-store';
import { GrpcFirestore } from '../../../shared/adapters/firestore/grpc/grpc-firestore';
import { PubSubPublisher } from '../../../shared/adapters/pubsub/pubsub-publisher';
import { connectTransferScheduler } from '../../../shared/adapters/scheduler/cloud-scheduler';
import { StoredAdmission } from '../../../shared/auth/stored-admission';
import { systemClock } from '../../../shared/platform/clock';
import type { Config } from '../../../shared/config';
import type { DocumentStore } from '../../../shared/documents/document-store';
import type { EventPublisher } from '../../../shared/events/event-publisher';
import { createEndpoint } from '../../../shared/endpoint/endpoint';
import { systemRandom } from '../../../shared/platform/random';
import { createRuntime } from '../../../shared/runtime';
import { UsageCounters } from '../../../shared/usage/usage-counters';
import { CollectingLogger, MemoryObjects, RecordingBucketLook } from '../../support/recording-fakes';
import { HTTP_FUNCTIONS } from '../../support/test-service';
import type { Fault, FaultProxy, ProxiedCall } from './fault-proxy';
import { startFaultProxy } from './fault-proxy';
import { HurriedClock } from './hurried-clock';

export interface FaultyAnswer {
  readonly status: number;
  readonly message: unknown;
  readonly ms: number;
}

/** Longest time that a caller is promised to wait. */
export const LONGEST_ANSWER_MS = 30_000;

export interface FaultyService {
  /** Everything that the service has logged. */
  readonly logger: CollectingLogger;
  /** The calls of the requests since `trouble`. */
  calls(): ProxiedCall[];
  /**
   * What goes wrong from now on, undefined: nothing; and how many times as fast as real time the service's clock runs.
   */
  trouble(faultOf?: (path: string) => Fault | undefined, speed?: number): void;
  /** Lets the service's clock jump ahead, while it has no request. */
  skip(ms: number): void;
  request(method: string, path: string, key: string, body?: unknown): Promise<FaultyAnswer>;
  stop(): Promise<void>;
}

/** Puts something between the service and what it calls. */
export interface Between {
  store?(store: DocumentStore): DocumentStore;
  publisher?(publisher: EventPublisher): EventPublisher;
  /** Holds the reports of runs; by default none. */
  readonly storage?: MemoryObjects;
}

type Backends = Required<Pick<Config['emulators'], 'firestore' | 'pubsub' | 'scheduler'>>;

export async function startFaultyService(
  config: Config & { readonly emulators: Backends },
  between: Between = {},
): Promise<FaultyService> {
  const { firestore, pubsub, scheduler } = config.emulators;
  const proxies = await Promise.all([firestore, pubsub, scheduler].map(startFaultProxy));
  const [first, second, third] = proxies as [FaultProxy, FaultProxy, FaultProxy];
  const troubled: Config = {
    ...config,
    emulators: { firestore: first.address, pubsub: second.address, scheduler: third.address },
  };
  const logger = new CollectingLogger();
  const clock = new HurriedClock();
  const retry = { clock, random: systemRandom };
  const database = new FirestoreDocumentStore(new GrpcFirestore(troubled, clock), retry);
  const pubsubPublisher = new PubSubPublisher(troubled, retry);
  const runtime = {
    ...createRuntime(troubled),
    clock,
    logger,
    store: between.store?.(database) ?? database,
    admissionStore: new StoredAdmission(database),
    publisher: between.publisher?.(pubsubPublisher) ?? pubsubPublisher,
    usage: new UsageCounters({ ...retry, store: database, logger }),
  };
  const { deletions: deletionsTopic, transfers: transfersTopic, uploads: uploadsTopic } = config.topics;
  const dependencies = {
    ...runtime,
    deletionsTopic,
    transfersTopic,
    uploadsTopic,
    projectId: config.projectId,
    scheduler: connectTransferScheduler(troubled, clock),
    storage: between.storage ?? new MemoryObjects(),
    reportsBucket: config.reportsBucket,
    bucketLook: new RecordingBucketLook(),
    transferServiceAccount: config.transferServiceAccount,
  };
  const endpoints = {
    customers: customersEndpoint(dependencies),
    products: productsEndpoint(dependencies),
    orders: ordersEndpoint(dependencies),
    ingestion: ingestionEndpoint(dependencies),
    usage: usageEndpoint(dependencies),
  };
  const servers = new Map<string, Server>();
  for (const name of HTTP_FUNCTIONS) {
    http(name, createEndpoint(endpoints[name], runtime));
    const server = getTestServer(name);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.set(name, server);
  }
  return {
    logger,
    calls: () => proxies.flatMap(({ calls }) => calls),
    trouble(faultOf = () => undefined, speed = 1) {
      clock.runAt(speed);
      for (const proxy of proxies) {
        proxy.calls.length = 0;
        proxy.faultOf = faultOf;
      }
    },
    skip: (ms) => clock.skip(ms),
    async request(method, path, key, body) {
      const server = servers.get(path.split('/')[1] ?? '');
      const { port } = server?.address() as AddressInfo;
      const startMs = systemClock.nowMs();
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { 'x-service-auth-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(2 * LONGEST_ANSWER_MS),
      });
      const { message, Message } = (await response.json()) as { message?: unknown; Message?: unknown };
      return { status: response.status, message: message ?? Message, ms: systemClock.nowMs() - startMs };
    },
    async stop() {
      for (const server of servers.values()) {
        server.closeAllConnections();
        await new Promise<void>((resolve) => server.close(() => resolve()));
      }
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    },
  };
}
