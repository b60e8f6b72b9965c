import { chunksOf } from '../../platform/chunks';
import type { Config } from '../../config';
import { CALL_TIMEOUT_MS } from '../../limits/platform';
import type { DeadLetterQueue, Message, LeasedMessage } from '../../events/dead-letter-queue';
import { deadlineIn } from '../../platform/deadline';
import type { RetryDependencies } from '../../platform/retry';
import { Status, statusOf, withRetry } from '../../platform/retry';
import type { GrpcChannel } from '../grpc/grpc-channel';
import { lazyClient } from '../lazy-client';
import { decodePulled, encodeAcknowledge, encodeGetSubscription, encodePull, encodeRelease } from './messages';
import { pubsubChannel } from './pubsub-channel';
import { PubSubPublisher } from './pubsub-publisher';

/** Messages that one request names. Pub/Sub takes 512 KiB, and an ackId has about 200 bytes. */
const ACK_IDS_PER_REQUEST = 1_000;

/**
 * `DeadLetterQueue` on the pull subscription of the dead-letter topic, which has the topic's name. Calls that may be
 * repeated are retried for 8 s in all.
 */
export class PubSubDeadLetters implements DeadLetterQueue {
  private readonly channel: GrpcChannel;
  private readonly publisher: PubSubPublisher;
  private readonly subscription: string;
  private readonly checked: () => Promise<void>;

  constructor(
    config: Pick<Config, 'projectId' | 'emulators' | 'topics'>,
    private readonly retry: RetryDependencies,
  ) {
    this.channel = pubsubChannel('Subscriber', config.emulators.pubsub, retry.clock);
    this.publisher = new PubSubPublisher(config, retry);
    this.subscription = `projects/${config.projectId}/subscriptions/${config.topics.deadLetters}`;
    this.checked = lazyClient(() => this.requireSubscription());
  }

  async pull(limit: number, waitMs: number): Promise<LeasedMessage[]> {
    await this.checked();
    try {
      // Pub/Sub may keep a pull waiting for over a minute. A retry would make an outage look like an empty queue.
      return decodePulled(await this.call('Pull', encodePull(this.subscription, limit), waitMs));
    } catch (error) {
      if (statusOf(error) === Status.DEADLINE_EXCEEDED) return [];
      throw error;
    }
  }

  async release(messages: readonly LeasedMessage[]): Promise<void> {
    for (const ackIds of ackIdsOf(messages)) {
      await this.callAgain('ModifyAckDeadline', encodeRelease(this.subscription, ackIds));
    }
  }

  async acknowledge(messages: readonly LeasedMessage[]): Promise<void> {
    for (const ackIds of ackIdsOf(messages)) {
      await this.callAgain('Acknowledge', encodeAcknowledge(this.subscription, ackIds));
    }
  }

  publish(topic: string, message: Message): Promise<void> {
    return this.publisher.publishMessage(topic, message);
  }

  /** A pull that times out means "no message" only if Pub/Sub can be reached and has the subscription. */
  private async requireSubscription(): Promise<void> {
    try {
      await this.call('GetSubscription', encodeGetSubscription(this.subscription), CALL_TIMEOUT_MS);
    } catch (error) {
      if (statusOf(error) !== Status.NOT_FOUND) throw error;
      throw new Error(
        `There is no ${this.subscription}; DEAD_LETTERS_TOPIC names the topic, and so its subscription.`,
        {
          cause: error,
        },
      );
    }
  }

  private call(method: string, request: Buffer, timeoutMs: number): Promise<Buffer> {
    return this.channel.unary(method, request, ['subscription', this.subscription], timeoutMs);
  }

  /** A call whose repeat changes nothing. */
  private async callAgain(method: string, request: Buffer): Promise<void> {
    const deadline = deadlineIn(CALL_TIMEOUT_MS, this.retry.clock);
    await withRetry((timeoutMs) => this.call(method, request, timeoutMs), deadline, this.retry);
  }
}

function ackIdsOf(messages: readonly LeasedMessage[]): string[][] {
  const ackIds = messages.map(({ ackId }) => ackId);
  return chunksOf(ackIds, ACK_IDS_PER_REQUEST);
}
