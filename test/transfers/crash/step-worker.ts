/**
 * An instance of the transfer-runner that gets its messages from the test and gives those that it publishes back, so
 * that a test decides what happens in which order. It handles one at a time, and dies by its own hand at the write it
 * is told.
 */
import '@google-cloud/storage'; // now rather than with the first step
import { createTransferRunner } from '../../../functions/transfer-runner/run-transfer-step';
import { FirestoreDocumentStore } from '../../../shared/adapters/firestore/firestore-document-store';
import { GrpcFirestore } from '../../../shared/adapters/firestore/grpc/grpc-firestore';
import { CloudObjectStorage } from '../../../shared/adapters/storage/cloud-object-storage';
import { systemClock } from '../../../shared/platform/clock';
import { readConfig } from '../../../shared/config';
import { deadlineIn } from '../../../shared/platform/deadline';
import { REQUEST_DEADLINE_MS } from '../../../shared/domain/limits';
import { systemRandom } from '../../../shared/platform/random';
import { CollectingLogger } from '../../support/recording-fakes';
import type { Message } from '../../support/transfer-lab';
import type { KillPoint } from './killing-store';
import { killingStore } from './killing-store';
import type { Flaw } from './with-planted-flaw';
import { withPlantedFlaw } from './with-planted-flaw';

export interface StepRequest {
  readonly message: Message;
  readonly stepSeconds: number;
  readonly killAt?: KillPoint;
  readonly flaw?: Flaw;
}

/** A step's answers: any number of published events, then how it ended. */
export type StepAnswer =
  { readonly published: object } | { readonly handled: true; readonly writes: number } | { readonly failure: string };

const config = readConfig();
const retry = { clock: systemClock, random: systemRandom };
const firestore = new FirestoreDocumentStore(new GrpcFirestore(config, systemClock), retry);
const dependencies = {
  ...retry,
  logger: new CollectingLogger(),
  storage: new CloudObjectStorage(config, systemClock),
  publisher: { publish: (_topic: string, published: object) => answer({ published }) },
  transfersTopic: config.topics.transfers,
  reportsBucket: config.reportsBucket,
  concurrency: 1,
  tenantConcurrency: config.transfers.tenantConcurrency,
};

/** Resolves when the answer is on its way, whatever becomes of this process. */
function answer(content: StepAnswer): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(content, undefined, undefined, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

async function handle({ message, stepSeconds, killAt, flaw }: StepRequest): Promise<void> {
  const killing = killingStore(firestore, killAt);
  const store = withPlantedFlaw(killing.store, flaw);
  const runStep = createTransferRunner({ ...dependencies, store, stepSeconds });
  await runStep(message.event, deadlineIn(REQUEST_DEADLINE_MS, systemClock), message);
  await answer({ handled: true, writes: killing.writes() });
}

process.on('message', (request: StepRequest) => {
  handle(request).catch((error: unknown) => answer({ failure: String(error) }));
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
