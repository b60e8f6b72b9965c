import type { Config } from '../../config';
import { deadlineIn } from '../../platform/deadline';
import { CALL_TIMEOUT_MS } from '../../limits/platform';
import type { EventPublisher } from '../../events/event-publisher';
import { GrpcChannel } from '../grpc/grpc-channel';
import { WireWriter } from '../grpc/wire-writer';
import type { RetryDependencies } from '../../platform/retry';
import { withRetry } from '../../platform/retry';

/** The field numbers of `google.pubsub.v1` that the publisher uses, by message. */
const PublishRequest = { topic: 1, messages: 2 } as const;
const PubsubMessage = { data: 1, attributes: 2 } as const;
const AttributesEntry = { key: 1, value: 2 } as const;

type Attributes = Readonly<Record<string, string>>;

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
    const service = {
      name: 'google.pubsub.v1.Publisher',
      address: 'pubsub.googleapis.com:443',
      scope: 'https://www.googleapis.com/auth/pubsub',
      emulator: emulators.pubsub,
    };
    this.channel = new GrpcChannel(service, retry.clock);
  }

  async publish(topic: string, event: object, attributes: Attributes = {}): Promise<void> {
    const name = topic.startsWith('projects/') ? topic : `${this.project}/topics/${topic}`;
    const request = encodePublish(name, event, attributes);
    await withRetry(
      (timeoutMs) => this.channel.unary('Publish', request, ['topic', name], timeoutMs),
      deadlineIn(CALL_TIMEOUT_MS, this.retry.clock),
      this.retry,
    );
  }
}

/** A PublishRequest of one message: the event as JSON. */
function encodePublish(topic: string, event: object, attributes: Attributes): Buffer {
  const out = new WireWriter();
  out.text(PublishRequest.topic, topic);
  const message = out.open(PublishRequest.messages);
  out.text(PubsubMessage.data, JSON.stringify(event));
  for (const [key, value] of Object.entries(attributes)) {
    const entry = out.open(PubsubMessage.attributes);
    out.text(AttributesEntry.key, key);
    out.text(AttributesEntry.value, value);
    out.close(entry);
  }
  out.close(message);
  return out.finish();
}
