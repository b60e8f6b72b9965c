import type { Config } from '../../config';
import { deadlineIn } from '../../platform/deadline';
import { CALL_TIMEOUT_MS } from '../../limits/platform';
import type { Message } from '../../events/dead-letter-queue';
import type { EventPublisher } from '../../events/event-publisher';
import type { GrpcChannel } from '../grpc/grpc-channel';
import type { RetryDependencies } from '../../platform/retry';
import { withRetry } from '../../platform/retry';
import { encodePublish } from './messages';
import { pubsubChannel } from './pubsub-channel';

/**
 * `EventPublisher` on Pub/Sub over plain gRPC, because its SDK takes longer to load than everything else in a function.
 * A publish that fails for a transient reason is retried for 8 s in all, so an event may arrive twice.
 */
export class PubSubPublisher implements EventPublisher {
  private readonly channel: GrpcChannel;
  private readonly project: string;

  constructor(
    { projectId, emulators }: Pick<Config, 'projectId' | 'emulators'>,
    private readonly retry: RetryDependencies,
  ) {
    this.project = `projects/${projectId}`;
    this.channel = pubsubChannel('Publisher', emulators.pubsub, retry.clock);
  }

  async publish(topic: string, event: object, attributes: Message['attributes'] = {}): Promise<void> {
    await this.publishMessage(topic, { data: Buffer.from(JSON.stringify(event)), attributes });
  }

  /** Publishes a message byte for byte. */
  async publishMessage(topic: string, message: Message): Promise<void> {
    const name = topic.startsWith('projects/') ? topic : `${this.project}/topics/${topic}`;
    const request = encodePublish(name, message);
    await withRetry(
      (timeoutMs) => this.channel.unary('Publish', request, ['topic', name], timeoutMs),
      deadlineIn(CALL_TIMEOUT_MS, this.retry.clock),
      this.retry,
    );
  }
}
