/** `EventPublisher` on Pub/Sub (its emulator): what is published is what a subscriber pulls. */
import { PubSub, v1 } from '@google-cloud/pubsub';
import { credentials } from '@grpc/grpc-js';
import { randomBytes } from 'node:crypto';
import { PubSubPublisher } from '../../shared/adapters/pubsub/pubsub-publisher';
import { systemClock } from '../../shared/platform/clock';
import { readConfig } from '../../shared/config';
import { systemRandom } from '../../shared/platform/random';

const config = readConfig();
const pubsub = new PubSub({ projectId: config.projectId, apiEndpoint: config.emulators.pubsub!, emulatorMode: true });
const publisher = new PubSubPublisher(config, { clock: systemClock, random: systemRandom });
const topic = `events-${randomBytes(6).toString('hex')}`;
const subscription = `projects/${config.projectId}/subscriptions/${topic}`;
const [servicePath, port] = config.emulators.pubsub!.split(':');
const subscriber = new v1.SubscriberClient({
  projectId: config.projectId,
  servicePath: servicePath!,
  port: Number(port),
  sslCreds: credentials.createInsecure(),
});

beforeAll(async () => {
  const [created] = await pubsub.createTopic(topic);
  await created.createSubscription(topic);
});
afterAll(async () => {
  await subscriber.close();
  await pubsub.close();
});

interface Received {
  readonly event: unknown;
  readonly attributes: unknown;
}

/** The next messages, acknowledged. */
async function pull(count: number): Promise<Received[]> {
  const received: Received[] = [];
  while (received.length < count) {
    const [{ receivedMessages }] = await subscriber.pull({ subscription, maxMessages: count - received.length });
    for (const { message } of receivedMessages ?? []) {
      const text = Buffer.from(message?.data ?? '').toString('utf8');
      received.push({ event: JSON.parse(text) as unknown, attributes: message?.attributes });
    }
    const ackIds = (receivedMessages ?? []).flatMap(({ ackId }) => ackId ?? []);
    if (ackIds.length > 0) await subscriber.acknowledge({ subscription, ackIds });
  }
  return received;
}

describe('EventPublisher on Pub/Sub', () => {
  it('has handed over the event as JSON, with its attributes, when it resolves', async () => {
    const event = { tenantId: 't', text: 'Ädä 🍵', nested: { list: [1, null, 0.5] } };
    await publisher.publish(topic, event, { function: 'x', reason: 'because' });
    expect(await pull(1)).toEqual([{ event, attributes: { function: 'x', reason: 'because' } }]);
  });

  it('has no attributes unless they are given', async () => {
    await publisher.publish(topic, { a: 1 });
    expect(await pull(1)).toEqual([{ event: { a: 1 }, attributes: {} }]);
  });

  it('hands over every event of many at once, each once', async () => {
    const events = Array.from({ length: 50 }, (_, n) => ({ n }));
    await Promise.all(events.map((event) => publisher.publish(topic, event)));
    const received = (await pull(50)).map(({ event }) => event as { n: number });
    expect(received.sort((a, b) => a.n - b.n)).toEqual(events);
  });

  it('fails when there is no such topic, and works for others afterwards', async () => {
    await expect(publisher.publish(`${topic}-none`, {})).rejects.toMatchObject({ code: 5 });
    await publisher.publish(topic, { after: true });
    expect(await pull(1)).toEqual([{ event: { after: true }, attributes: {} }]);
  });
});
