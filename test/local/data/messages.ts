/** Messages in the subscriptions of the Pub/Sub emulator, which keeps them in memory alone. */
import { v1 } from '@google-cloud/pubsub';
import { emulatorOptions } from '../../../shared/adapters/emulator-options';
import type { Config } from '../../../shared/config';
import { inParallel } from '../../../shared/platform/async/in-parallel';
import { KEPT_TOPICS, PUSH_SUBSCRIPTIONS } from '../pubsub-topology';

/** A message that was not delivered. */
export interface KeptMessage {
  readonly topic: string;
  /** In base64. */
  readonly data: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A subscription from which messages can be pulled, with its topic. */
interface Source {
  readonly subscription: string;
  readonly topic: string;
}

const PULLED_MESSAGES = 1_000;
/** A pull may leave messages behind: after so many that bring none, none is left. */
const EMPTY_PULLS = 2;
const PUBLISHED_AT_ONCE = 10;
const CALL_TIMEOUT_MS = 10_000;

export class EmulatorMessages {
  private constructor(
    private readonly config: Config,
    private readonly subscriber: v1.SubscriberClient,
    private readonly publisher: v1.PublisherClient,
  ) {}

  static async connect(config: Config): Promise<EmulatorMessages> {
    const options = { projectId: config.projectId, ...(await emulatorOptions(config.emulators.pubsub)) };
    return new EmulatorMessages(config, new v1.SubscriberClient(options), new v1.PublisherClient(options));
  }

  /** What is kept for whoever pulls it. It stays there. */
  async readKept(): Promise<KeptMessage[]> {
    const { topics } = this.config;
    return this.readAll(KEPT_TOPICS.map((role) => ({ subscription: topics[role], topic: topics[role] })));
  }

  /** Pushes nothing more to functions, so that what they have not taken can be read. */
  async stopDelivery(): Promise<void> {
    for (const { name } of PUSH_SUBSCRIPTIONS) {
      const request = { subscription: this.nameOf(name), pushConfig: {} };
      await this.subscriber.modifyPushConfig(request, { timeout: CALL_TIMEOUT_MS });
    }
  }

  /** What no function has taken, after `stopDelivery`. What one had taken and not done by then may be missing. */
  async readUndelivered(): Promise<KeptMessage[]> {
    const { topics } = this.config;
    return this.readAll(PUSH_SUBSCRIPTIONS.map(({ name, topic }) => ({ subscription: name, topic: topics[topic] })));
  }

  /** Publishes messages that were read. Their ids are new. */
  async publish(messages: readonly KeptMessage[]): Promise<void> {
    await inParallel(messages, PUBLISHED_AT_ONCE, async ({ topic, data, attributes }) => {
      const name = `projects/${this.config.projectId}/topics/${topic}`;
      const message = { data: Buffer.from(data, 'base64'), attributes };
      await this.publisher.publish({ topic: name, messages: [message] }, { timeout: CALL_TIMEOUT_MS });
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.subscriber.close(), this.publisher.close()]);
  }

  private async readAll(sources: readonly Source[]): Promise<KeptMessage[]> {
    return (await Promise.all(sources.map((source) => this.read(source)))).flat();
  }

  /** Pulls until nothing more comes, and gives all of it back. */
  private async read({ subscription, topic }: Source): Promise<KeptMessage[]> {
    const name = this.nameOf(subscription);
    const messages: KeptMessage[] = [];
    const ackIds: string[] = [];
    for (let emptyPulls = 0; emptyPulls < EMPTY_PULLS;) {
      // Without `returnImmediately` the emulator waits for a message.
      const request = { subscription: name, maxMessages: PULLED_MESSAGES, returnImmediately: true };
      const [{ receivedMessages }] = await this.subscriber.pull(request, { timeout: CALL_TIMEOUT_MS });
      emptyPulls = receivedMessages?.length ? 0 : emptyPulls + 1;
      for (const { ackId, message } of receivedMessages ?? []) {
        ackIds.push(ackId ?? '');
        const data = Buffer.from((message?.data ?? '') as Uint8Array).toString('base64');
        messages.push({ topic, data, attributes: message?.attributes ?? {} });
      }
    }
    for (let from = 0; from < ackIds.length; from += PULLED_MESSAGES) {
      const request = { subscription: name, ackIds: ackIds.slice(from, from + PULLED_MESSAGES), ackDeadlineSeconds: 0 };
      await this.subscriber.modifyAckDeadline(request, { timeout: CALL_TIMEOUT_MS });
    }
    return messages;
  }

  private nameOf(subscription: string): string {
    return `projects/${this.config.projectId}/subscriptions/${subscription}`;
  }
}
