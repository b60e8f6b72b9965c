import { resolve } from 'node:path';
import type { FirestoreCalls } from '../../shared/adapters/firestore/firestore-calls';
import { GoogleAccount } from '../../shared/adapters/google-account';
import { FirestoreDocumentStore } from '../../shared/adapters/firestore/firestore-document-store';
import { GrpcFirestore } from '../../shared/adapters/firestore/grpc/grpc-firestore';
import { SdkFirestore } from '../../shared/adapters/firestore/sdk/sdk-firestore';
import { PubSubDeadLetters } from '../../shared/adapters/pubsub/pubsub-dead-letters';
import { PubSubPublisher } from '../../shared/adapters/pubsub/pubsub-publisher';
import { PubSubTopicGrants } from '../../shared/adapters/pubsub/pubsub-topic-grants';
import { connectTransferScheduler } from '../../shared/adapters/scheduler/cloud-scheduler';
import { CloudObjectStorage } from '../../shared/adapters/storage/cloud-object-storage';
import { seal } from '../../shared/audit/audit-log';
import type { Door } from '../../shared/audit/entry';
import { systemClock } from '../../shared/platform/clock';
import type { Config } from '../../shared/config';
import { readProjectConfig, skipMetadataServer } from '../../shared/config';
import { deadlineIn } from '../../shared/platform/deadline';
import { isPresent } from '../../shared/domain/values/text';
import { readEmulatorConfig, toLocalConfig } from '../../shared/emulator-config';
import { systemRandom } from '../../shared/platform/random';
import type { Messages, Operator, OperatorMeans } from '../../shared/operations/operator';
import { OperatorError } from '../../shared/operations/operator-error';
import { systemUser } from './system-user';

export interface ConnectionOptions {
  readonly config: string;
  readonly project?: string;
}

/** The deadline of one step of a command, with its retries. The local stack answers at once or is not running. */
const STEP_MS = 15_000;
const LOCAL_STEP_MS = 5_000;

/**
 * The configuration that the options name: a real project, or the local stack.
 * @throws OperatorError also for what is wrong in the environment or in the file: the operator can mend both
 */
export function configOf({ config, project }: ConnectionOptions): Config {
  try {
    if (project !== undefined) return readProjectConfig(requireProject(project));
    skipMetadataServer();
    return toLocalConfig(readEmulatorConfig(resolve(config)));
  } catch (error) {
    throw error instanceof OperatorError ? error : new OperatorError((error as Error).message, { cause: error });
  }
}

function requireProject(text: string): string {
  if (isPresent(text)) return text.trim();
  throw new OperatorError('--project must be the id of a Google Cloud project; leave it out for the local stack.');
}

/** Drops all messages. */
const SILENT: Messages = { progress: () => undefined, notice: () => undefined };

/** A real project is reached with the SDK's sign-in; the local stack, which has none, without the time to load it. */
function callsOf(config: Config): FirestoreCalls {
  return config.emulators.firestore === undefined ? new SdkFirestore(config) : new GrpcFirestore(config, systemClock);
}

/** Connects a command, or the console. The first call of each service opens its connection; `close` closes them. */
export function connect(
  config: Config,
  messages: Messages = SILENT,
  door: Door = 'command line',
): Operator & OperatorMeans & { close(): Promise<void> } {
  const isLocal = config.emulators.firestore !== undefined;
  const stores: FirestoreDocumentStore[] = [];
  const database = (databaseId: string) => {
    const store = new FirestoreDocumentStore(callsOf({ ...config, databaseId }), {
      clock: systemClock,
      random: systemRandom,
    });
    stores.push(store);
    return store;
  };
  return seal({
    config,
    authority: 'operator',
    actor: isLocal ? systemUser(door) : new GoogleAccount(door),
    store: database(config.databaseId),
    database,
    deadLetters: new PubSubDeadLetters(config, { clock: systemClock, random: systemRandom }),
    publisher: new PubSubPublisher(config, { clock: systemClock, random: systemRandom }),
    topicGrants: new PubSubTopicGrants(config),
    storage: new CloudObjectStorage(config, systemClock),
    jobs: connectTransferScheduler(config, systemClock),
    clock: systemClock,
    random: systemRandom,
    deadline: () => deadlineIn(isLocal ? LOCAL_STEP_MS : STEP_MS, systemClock),
    ...messages,
    close: async () => {
      await Promise.all(stores.map((store) => store.close()));
    },
  });
}
