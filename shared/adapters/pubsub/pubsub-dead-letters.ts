import type { protos, v1 } from '@google-cloud/pubsub';
import { chunksOf } from '../../platform/chunks';
import type { Config } from '../../config';
import { CALL_TIMEOUT_MS } from '../../limits/platform';
import type { DeadLetterQueue, Message, LeasedMessage } from '../../events/dead-letter-queue';
import { emulatorOptions } from '../emulator-options';
import { lazyClient } from '../lazy-client';
import { Status, statusOf } from '../../platform/retry';

/** Messages that one request names. Pub/Sub takes 512 KiB, and an ackId has about 200 bytes. */
const ACK_IDS_PER_REQUEST = 1_000;

const OPTIONS = { timeout: CALL_TIMEOUT_MS };

interface Clients {
  readonly subscriber: v1.SubscriberClient;
  readonly publisher: v1.PublisherClient;
}

/**
 * `DeadLetterQueue` on the pull subscription of the dead-letter topic, which has the topic's name. The first call loads
 * the SDK.
 */
export class PubSubDeadLetters implements DeadLetterQueue {
  private readonly connected: () => Promise<Clients>;
  private readonly subscription: string;

  constructor(private readonly config: Config) {
    this.subscription = `projects/${config.projectId}/subscriptions/${config.topics.deadLetters}`;
    this.connected = lazyClient(() => connect(config, this.subscription));
  }

  async pull(limit: number, waitMs: number): Promise<LeasedMessage[]> {
    const { subscriber } = await this.connected();
    const request = { subscription: this.subscription, maxMessages: limit };
    try {
      // Pub/Sub may keep a pull waiting for over a minute. The SDK must not retry it, or an outage would look like an
      // empty queue.
      const [{ receivedMessages }] = await subscriber.pull(request, { timeout: waitMs, retry: null });
      return (receivedMessages ?? []).map(toTaken);
    } catch (error) {
      if (statusOf(error) === Status.DEADLINE_EXCEEDED) return [];
      throw error;
    }
  }

  async release(messages: readonly LeasedMessage[]): Promise<void> {
    const { subscriber } = await this.connected();
    for (const ackIds of ackIdsOf(messages)) {
      await subscriber.modifyAckDeadline({ subscription: this.subscription, ackIds, ackDeadlineSeconds: 0 }, OPTIONS);
    }
  }

  async acknowledge(messages: readonly LeasedMessage[]): Promise<void> {
    const { subscriber } = await this.connected();
    for (const ackIds of ackIdsOf(messages)) {
      await subscriber.acknowledge({ subscription: this.subscription, ackIds }, OPTIONS);
    }
  }

  async publish(topic: string, { data, attributes }: Message): Promise<void> {
    const { publisher } = await this.connected();
    const messages = [{ data, attributes }];
    await publisher.publish({ topic: `projects/${this.config.projectId}/topics/${topic}`, messages }, OPTIONS);
  }
}

/**
 * Connects, and first checks that the subscription exists. A pull that times out means "no message" only if Pub/Sub can
 * be reached and has the subscription.
 */
async function connect(config: Config, subscription: string): Promise<Clients> {
  const { v1 } = await import('@google-cloud/pubsub');
  const options = { projectId: config.projectId, ...(await emulatorOptions(config.emulators.pubsub)) };
  const subscriber = new v1.SubscriberClient(options);
  await subscriber.getSubscription({ subscription }, { ...OPTIONS, retry: null }).catch((error: unknown) => {
    if (statusOf(error) !== Status.NOT_FOUND) throw error;
    throw new Error(`There is no ${subscription}; DEAD_LETTERS_TOPIC names the topic, and so its subscription.`);
  });
  const publisher = new v1.PublisherClient(options);
  await publisher.initialize(); // a client caches its first failure to find credentials for good
  return { subscriber, publisher };
}

function ackIdsOf(messages: readonly LeasedMessage[]): string[][] {
  const ackIds = messages.map(({ ackId }) => ackId);
  return chunksOf(ackIds, ACK_IDS_PER_REQUEST);
}

function toTaken({ ackId, message }: protos.google.pubsub.v1.IReceivedMessage): LeasedMessage {
  const { seconds, nanos } = message?.publishTime ?? {};
  return {
    messageId: message?.messageId ?? '',
    ackId: ackId ?? '',
    publishedAt: new Date(Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1_000_000),
    data: Buffer.from((message?.data ?? '') as Uint8Array),
    attributes: message?.attributes ?? {},
  };
}
