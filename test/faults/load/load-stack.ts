import { PubSub } from '@google-cloud/pubsub';
import { systemRandom } from '../../../shared/platform/random';
import type { TransferLab } from '../../support/transfer-lab';
import { DeployedFunction } from './deployed-function';

const HTTP_FUNCTIONS = ['customers', 'products', 'orders'] as const;
/** Each with the variable that names its topic. */
const EVENT_FUNCTIONS = { 'deletion-consumer': 'DELETIONS_TOPIC', 'transfer-runner': 'TRANSFERS_TOPIC' } as const;
type Name = (typeof HTTP_FUNCTIONS)[number] | keyof typeof EVENT_FUNCTIONS;

/** One instance of each function that takes part in the load, and the queues between them. */
export interface LoadStack {
  readonly functions: Readonly<Record<Name, DeployedFunction>>;
  /** Publishes a trigger of a transfer. */
  readonly startTransfer: (trigger: object) => Promise<void>;
  stop(): Promise<void>;
}

/** Starts the functions on topics of their own, whose messages the emulator pushes to them. */
export async function startLoadStack({ config }: TransferLab): Promise<LoadStack> {
  const unique = systemRandom.bytes(6).toString('hex');
  const topics = {
    DELETIONS_TOPIC: `deletions-${unique}`,
    TRANSFERS_TOPIC: `transfers-${unique}`,
    DEAD_LETTERS_TOPIC: `dead-letters-${unique}`,
  };
  const environment = {
    ...topics,
    REPORTS_BUCKET: config.reportsBucket,
    STORAGE_EMULATOR_HOST: config.emulators.storage ?? '',
  };
  const pubsub = new PubSub({ projectId: config.projectId, apiEndpoint: config.emulators.pubsub ?? '' });
  await Promise.all(Object.values(topics).map((topic) => pubsub.createTopic(topic)));
  const start = async (name: Name) => [name, await DeployedFunction.start(name, environment)] as const;
  const names: Name[] = [...HTTP_FUNCTIONS, 'deletion-consumer', 'transfer-runner'];
  const functions = Object.fromEntries(await Promise.all(names.map(start))) as Record<Name, DeployedFunction>;
  const subscriptions = Object.entries(EVENT_FUNCTIONS).map(async ([name, variable]) => {
    const pushEndpoint = `http://127.0.0.1:${functions[name as Name].port}/`;
    const retryPolicy = { minimumBackoff: { seconds: 1 }, maximumBackoff: { seconds: 10 } };
    const options = { pushConfig: { pushEndpoint }, retryPolicy, ackDeadlineSeconds: 600 };
    const [subscription] = await pubsub.createSubscription(topics[variable], `${name}-${unique}`, options);
    return subscription;
  });
  const created = await Promise.all(subscriptions);
  return {
    functions,
    startTransfer: async (trigger) => {
      await pubsub.topic(topics.TRANSFERS_TOPIC).publishMessage({ json: trigger });
    },
    async stop() {
      await Promise.all(created.map((subscription) => subscription.delete()));
      await Promise.all(Object.values(functions).map((instance) => instance.stop()));
      await Promise.all(Object.values(topics).map((topic) => pubsub.topic(topic).delete()));
      await pubsub.close();
    },
  };
}
