import type { PubSub, Topic } from '@google-cloud/pubsub';
import type { Config } from '../../config';
import { CALL_TIMEOUT_MS } from '../../domain/limits';
import type { EventPublisher } from '../../events/event-publisher';

/** `EventPublisher` on Pub/Sub. The SDK is loaded by the first event: most requests publish none. */
export class PubSubPublisher implements EventPublisher {
  private client: Promise<PubSub> | undefined;
  private readonly topics = new Map<string, Topic>();

  constructor(private readonly config: Config) {}

  async publish(topic: string, event: object, attributes: Readonly<Record<string, string>> = {}): Promise<void> {
    await (await this.topic(topic)).publishMessage({ json: event, attributes: { ...attributes } });
  }

  private async topic(name: string): Promise<Topic> {
    const client = await (this.client ??= connect(this.config));
    const topic =
      this.topics.get(name) ??
      client.topic(name, {
        batching: { maxMessages: 1 }, // a caller waits for each
        gaxOpts: { timeout: CALL_TIMEOUT_MS },
      });
    this.topics.set(name, topic);
    return topic;
  }
}

async function connect(config: Config): Promise<PubSub> {
  const { PubSub } = await import('@google-cloud/pubsub');
  const emulator = config.emulators.pubsub;
  return new PubSub({
    projectId: config.projectId,
    ...(emulator !== undefined && { apiEndpoint: emulator, emulatorMode: true }),
  });
}
