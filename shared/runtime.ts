/** The runtime of a deployed function: its adapters, clock and log, created once per instance. */
import { PubSubPublisher } from './adapters/pubsub/pubsub-publisher';
import { FirestoreDocumentStore } from './adapters/firestore/firestore-document-store';
import { GrpcFirestore } from './adapters/firestore/grpc/grpc-firestore';
import type { AdmissionStore } from './auth/admission-store';
import { StoredAdmission } from './auth/stored-admission';
import type { Clock } from './platform/clock';
import { systemClock } from './platform/clock';
import { deadlineIn } from './platform/deadline';
import type { Config } from './config';
import { isRunByFramework } from './config';
import type { DocumentStore } from './documents/document-store';
import type { EventPublisher } from './events/event-publisher';
import { drainOnSigterm } from './http/drain';
import { LAST_USAGE_WRITE_MS, USAGE_LOOK_MS } from './limits/usage';
import { MergeQueue } from './records/merge-queue';
import { PresencePredictor } from './records/presence-predictor';
import type { Logger } from './platform/logger';
import { createLogger } from './platform/logger';
import type { Random } from './platform/random';
import { systemRandom } from './platform/random';
import { UsageCounters } from './usage/usage-counters';

export interface Runtime {
  readonly config: Pick<Config, 'topics'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly store: DocumentStore;
  readonly presencePredictor: PresencePredictor;
  readonly mergeQueue: MergeQueue;
  readonly admissionStore: AdmissionStore;
  readonly publisher: EventPublisher;
  /** Counts what an HTTP function answers. */
  readonly usage: UsageCounters;
}

/** Those of this process: one in an instance, on the local stack one of each function. */
const created: Pick<Runtime, 'usage'>[] = [];

/** Stores what the functions of this process have counted and not stored yet, before it ends. Never rejects. */
export async function storeLast(): Promise<void> {
  await Promise.all(created.map(({ usage }) => usage.store(deadlineIn(LAST_USAGE_WRITE_MS, systemClock))));
}

/** Creates the runtime, once per instance. The first calls open the connections. */
export function createRuntime(config: Config): Runtime {
  const retry = { clock: systemClock, random: systemRandom };
  const store = new FirestoreDocumentStore(new GrpcFirestore(config, systemClock), retry);
  const logger = createLogger(config.projectId);
  const usage = new UsageCounters({ ...retry, store, logger });
  setInterval(() => usage.storeIfDue(), USAGE_LOOK_MS).unref();
  created.push({ usage });
  if (isRunByFramework()) drainOnSigterm(storeLast);
  return {
    config,
    clock: systemClock,
    random: systemRandom,
    logger,
    store,
    usage,
    presencePredictor: new PresencePredictor(),
    mergeQueue: new MergeQueue(),
    admissionStore: new StoredAdmission(store),
    publisher: new PubSubPublisher(config, retry),
  };
}
