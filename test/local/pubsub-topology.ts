import type { CreateSubscriptionOptions, PubSub } from '@google-cloud/pubsub';
import { status } from '@grpc/grpc-js';
import type { Config } from '../../shared/config';

type TopicRole = keyof Config['topics'];

/** Subscriptions that push a topic's messages to a function; a new consumer is one row. */
export const PUSH_SUBSCRIPTIONS: readonly { readonly name: string; readonly topic: TopicRole }[] = [
  { name: 'deletion-consumer', topic: 'deletions' },
  { name: 'transfer-runner', topic: 'transfers' },
  { name: 'upload-consumer', topic: 'uploads' },
];

/** Topics whose messages are kept for whoever pulls them, from a subscription of the topic's name. */
export const KEPT_TOPICS: readonly TopicRole[] = ['deadLetters'];

/** The longest that Pub/Sub has: a step of a transfer takes minutes. */
const PUSH_ACK_DEADLINE_SECONDS = 600;
/** What the operator's command line took and did not give back, because it was killed, is soon there again. */
const KEPT_ACK_DEADLINE_SECONDS = 60;
/** Messages of one subscription that the emulator pushes at once, however many wait. */
export const PUSHED_AT_ONCE = 2;

const RETRY_POLICY = { minimumBackoff: { seconds: 1 }, maximumBackoff: { seconds: 10 } };

/** The functions that Pub/Sub calls, each through the push subscription of its name. */
export const EVENT_FUNCTIONS: readonly string[] = PUSH_SUBSCRIPTIONS.map(({ name }) => name);

/**
 * Creates the topics and subscriptions that Terraform creates on Google Cloud; safe to repeat.
 * @param eventBaseUrl without a slash at its end; a message goes to `<eventBaseUrl>/<function>`.
 */
export async function createTopology(pubsub: PubSub, topics: Config['topics'], eventBaseUrl: string): Promise<void> {
  await Promise.all(Object.values(topics).map((topic: string) => ignoreExisting(pubsub.createTopic(topic))));
  const pushed = PUSH_SUBSCRIPTIONS.map(async ({ name, topic }) => {
    const pushConfig = { pushEndpoint: `${eventBaseUrl}/${name}` };
    await createSubscription(pubsub, topics[topic], name, {
      pushConfig,
      retryPolicy: RETRY_POLICY,
      ackDeadlineSeconds: PUSH_ACK_DEADLINE_SECONDS,
    });
    await pubsub.subscription(name).modifyPushConfig(pushConfig);
  });
  const kept = KEPT_TOPICS.map((topic) =>
    createSubscription(pubsub, topics[topic], topics[topic], { ackDeadlineSeconds: KEPT_ACK_DEADLINE_SECONDS }),
  );
  await Promise.all([...pushed, ...kept]);
}

function createSubscription(
  pubsub: PubSub,
  topic: string,
  name: string,
  options: CreateSubscriptionOptions,
): Promise<void> {
  return ignoreExisting(pubsub.createSubscription(topic, name, options));
}

async function ignoreExisting(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if ((error as { code?: number }).code !== status.ALREADY_EXISTS) throw error;
  }
}
