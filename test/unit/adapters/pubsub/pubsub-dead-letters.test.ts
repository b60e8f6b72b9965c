/** What the queue of dead letters asks of Pub/Sub, beside what the SDK asks, and what it makes of the answers. */
import { v1 } from '@google-cloud/pubsub';
import { credentials } from '@grpc/grpc-js';
import * as fc from 'fast-check';
import { PubSubDeadLetters } from '../../../../shared/adapters/pubsub/pubsub-dead-letters';
import { readConfig } from '../../../../shared/config';
import type { DeadLetterQueue, LeasedMessage } from '../../../../shared/events/dead-letter-queue';
import { systemClock } from '../../../../shared/platform/clock';
import { Status } from '../../../../shared/platform/retry';
import { SeededRandom } from '../../../support/seeded-random';
import { FakeService } from '../grpc/fake-service';

const SUBSCRIPTION = 'projects/p/subscriptions/dead';
const WAIT_MS = 5_000;

let pubsub: FakeService;
let sdk: v1.SubscriberClient;
let queue: DeadLetterQueue;

const sdkClient = (port: number) =>
  new v1.SubscriberClient({ projectId: 'p', servicePath: '127.0.0.1', port, sslCreds: credentials.createInsecure() });

// One of its own for each test: a call that a test before has given up may arrive late.
beforeEach(async () => {
  pubsub = await FakeService.start(sdkClient(1));
  sdk = sdkClient(Number(pubsub.address.split(':')[1]));
  pubsub.answer = [{}];
  const topics = { ...readConfig().topics, deadLetters: 'dead' };
  queue = new PubSubDeadLetters(
    { projectId: 'p', emulators: { pubsub: pubsub.address }, topics },
    { clock: systemClock, random: new SeededRandom() },
  );
});
afterEach(async () => {
  await sdk.close();
  pubsub.stop();
});

const leased = (ackId: string): LeasedMessage => ({
  ackId,
  messageId: 'm',
  publishedAt: new Date(0),
  data: Buffer.alloc(0),
  attributes: {},
});
const failure = (code: number) => Object.assign(new Error('It failed.'), { code });
const methods = () => pubsub.received.map(({ method }) => method);

/** Holds two calls, ours and the SDK's, against each other. */
function expectSame(): void {
  const [ours, theirs] = pubsub.received;
  expect(pubsub.received).toHaveLength(2);
  expect(ours?.method).toBe(theirs?.method);
  expect(ours?.request).toStrictEqual(theirs?.request);
  const routing = 'x-goog-request-params';
  expect(ours?.headers[routing]).toBe(`subscription=${encodeURIComponent(SUBSCRIPTION)}`);
  expect(ours?.headers[routing]).toBe(theirs?.headers[routing]);
}

describe('PubSubDeadLetters', () => {
  it('looks once whether the subscription is there, then pulls as the SDK does', async () => {
    await queue.pull(1, WAIT_MS);
    expect(methods()).toEqual(['GetSubscription', 'Pull']);
    expect(pubsub.received[0]?.request).toMatchObject({ subscription: SUBSCRIPTION });
    pubsub.received.length = 0;
    await queue.pull(1_000, WAIT_MS);
    await sdk.pull({ subscription: SUBSCRIPTION, maxMessages: 1_000 });
    expectSame();
  });

  it('releases and acknowledges as the SDK does, whatever the ids are', async () => {
    const ids = fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(ids, async (ackIds) => {
        const messages = ackIds.map(leased);
        pubsub.received.length = 0;
        await queue.release(messages);
        await sdk.modifyAckDeadline({ subscription: SUBSCRIPTION, ackIds, ackDeadlineSeconds: 0 });
        expectSame();
        pubsub.received.length = 0;
        await queue.acknowledge(messages);
        await sdk.acknowledge({ subscription: SUBSCRIPTION, ackIds });
        expectSame();
      }),
    );
  });

  it('reads the messages of a pull, with fields that it does not know, and without those that are empty', async () => {
    const message = {
      data: Buffer.from([0, 255, 123]),
      attributes: { 'ä 🍵': 'ö', empty: '' },
      messageId: '42',
      publishTime: { seconds: 1_790_000_000, nanos: 250_000_000 },
      orderingKey: 'a key',
    };
    pubsub.answer = [{ receivedMessages: [{ ackId: 'first', message, deliveryAttempt: 7 }, { ackId: 'bare' }] }];
    expect(await queue.pull(10, WAIT_MS)).toEqual([
      {
        ackId: 'first',
        messageId: '42',
        publishedAt: new Date(1_790_000_000_250),
        data: message.data,
        attributes: message.attributes,
      },
      { ...leased('bare'), messageId: '' },
    ]);
  });

  it('takes an answer that is larger than what gRPC takes by default', async () => {
    const data = Buffer.alloc(6 * 1024 * 1024, 'x');
    pubsub.answer = [{ receivedMessages: [{ ackId: 'large', message: { data } }] }];
    const [message] = await queue.pull(1, WAIT_MS);
    expect(message?.data.equals(data)).toBe(true);
  });

  it('does not repeat a pull that fails, so that an outage never looks like an empty queue', async () => {
    await queue.pull(1, WAIT_MS);
    pubsub.received.length = 0;
    pubsub.answer = failure(Status.UNAVAILABLE);
    await expect(queue.pull(1, WAIT_MS)).rejects.toMatchObject({ code: Status.UNAVAILABLE });
    expect(methods()).toEqual(['Pull']);
  });

  it('has nothing when Pub/Sub keeps a pull waiting for longer than it may', async () => {
    await queue.pull(1, WAIT_MS);
    pubsub.answer = 'none';
    expect(await queue.pull(1, 200)).toEqual([]);
  });

  it('looks again whether the subscription is there after a look that failed', async () => {
    pubsub.answer = failure(Status.NOT_FOUND);
    await expect(queue.pull(1, WAIT_MS)).rejects.toThrow(/There is no projects\/p\/subscriptions\/dead/);
    pubsub.answer = [{}];
    expect(await queue.pull(1, WAIT_MS)).toEqual([]);
    expect(methods()).toEqual(['GetSubscription', 'GetSubscription', 'Pull']);
  });

  it.each(['release', 'acknowledge'] as const)('repeats to %s after a failure that passes', async (act) => {
    pubsub.answer = failure(Status.UNAVAILABLE);
    const done = queue[act]([leased('a')]);
    while (pubsub.received.length === 0) await systemClock.sleep(1);
    pubsub.answer = [{}];
    await done;
    expect(pubsub.received.length).toBeGreaterThan(1);
    pubsub.received.length = 0;
    pubsub.answer = failure(Status.PERMISSION_DENIED);
    await expect(queue[act]([leased('a')])).rejects.toMatchObject({ code: Status.PERMISSION_DENIED });
    expect(pubsub.received).toHaveLength(1);
  });
});
