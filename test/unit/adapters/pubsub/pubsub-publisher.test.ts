/** What the publisher asks of Pub/Sub, beside what the SDK asks, and what it does when Pub/Sub fails. */
import { v1 } from '@google-cloud/pubsub';
import { credentials } from '@grpc/grpc-js';
import * as fc from 'fast-check';
import { PubSubPublisher } from '../../../../shared/adapters/pubsub/pubsub-publisher';
import { Status } from '../../../../shared/platform/retry';
import type { Clock } from '../../../../shared/platform/clock';
import { systemClock } from '../../../../shared/platform/clock';
import { CALL_TIMEOUT_MS } from '../../../../shared/limits/platform';
import type { EventPublisher } from '../../../../shared/events/event-publisher';
import { FixedClock } from '../../../support/fixed-clock';
import { SeededRandom } from '../../../support/seeded-random';
import { FakeService } from '../grpc/fake-service';

const TOPIC = 'projects/p/topics/deletions';

let pubsub: FakeService;
let sdk: v1.PublisherClient;
let clock: FixedClock;
let publisher: EventPublisher;

const sdkClient = (port: number) =>
  new v1.PublisherClient({
    projectId: 'p',
    servicePath: '127.0.0.1',
    port,
    sslCreds: credentials.createInsecure(),
  });

function publisherBy(time: Clock): EventPublisher {
  return new PubSubPublisher(
    { projectId: 'p', emulators: { pubsub: pubsub.address } },
    { clock: time, random: new SeededRandom() },
  );
}

function publisherAt(timeMs: number): EventPublisher {
  clock = new FixedClock(timeMs);
  return publisherBy(clock);
}

beforeAll(async () => {
  pubsub = await FakeService.start(sdkClient(1));
  sdk = sdkClient(Number(pubsub.address.split(':')[1]));
});
afterAll(async () => {
  await sdk.close();
  pubsub.stop();
});
beforeEach(() => {
  pubsub.received.length = 0;
  pubsub.answer = [{ messageIds: ['1'] }];
  publisher = publisherAt(Date.now());
});

const failure = (code: number) => Object.assign(new Error('It failed.'), { code });

describe('PubSubPublisher', () => {
  it('sends what the SDK sends, whatever the event and its attributes are', async () => {
    publisher = publisherBy(systemClock); // gRPC's deadlines are times of day, and a hundred events take their time
    const event = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());
    const attributes = fc.dictionary(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: 'binary' }));
    await fc.assert(
      fc.asyncProperty(event, attributes, async (each, beside) => {
        pubsub.received.length = 0;
        await publisher.publish('deletions', each, beside);
        const messages = [{ data: Buffer.from(JSON.stringify(each)), attributes: beside }];
        await sdk.publish({ topic: TOPIC, messages });
        const [ours, theirs] = pubsub.received;
        expect(ours?.method).toBe('Publish');
        expect(ours?.request).toStrictEqual(theirs?.request);
        const routing = 'x-goog-request-params';
        expect(ours?.headers[routing]).toBe(`topic=${encodeURIComponent(TOPIC)}`);
        expect(ours?.headers[routing]).toBe(theirs?.headers[routing]);
      }),
    );
  });

  it.each(['CANCELLED', 'UNKNOWN', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED', 'ABORTED', 'INTERNAL', 'UNAVAILABLE'] as const)(
    'repeats after %s, as the SDK does',
    async (name) => {
      pubsub.answer = failure(Status[name]);
      const recover = jest.spyOn(clock, 'sleep').mockImplementation(() => {
        pubsub.answer = [{ messageIds: ['1'] }];
        return Promise.resolve();
      });
      await publisher.publish('deletions', { a: 1 });
      expect(recover).toHaveBeenCalledTimes(1);
      const [first, second] = pubsub.received;
      expect(pubsub.received).toHaveLength(2);
      expect(second?.request).toStrictEqual(first?.request);
    },
  ); // prettier-ignore

  it.each([Status.NOT_FOUND, Status.INVALID_ARGUMENT, Status.FAILED_PRECONDITION])(
    'rejects at once with status %i, which no repeat can mend',
    async (code) => {
      pubsub.answer = failure(code);
      await expect(publisher.publish('deletions', {})).rejects.toMatchObject({ code });
      expect(pubsub.received).toHaveLength(1);
    },
  );

  it('rejects with the last failure when it has repeated for 8 s', async () => {
    const startMs = clock.nowMs();
    pubsub.answer = failure(Status.UNAVAILABLE);
    await expect(publisher.publish('deletions', {})).rejects.toMatchObject({ code: Status.UNAVAILABLE });
    expect(pubsub.received.length).toBeGreaterThan(4);
    expect(clock.nowMs() - startMs).toBeLessThanOrEqual(CALL_TIMEOUT_MS);
  });

  it('rejects when there is no answer for 8 s', async () => {
    publisher = publisherAt(Date.now() - CALL_TIMEOUT_MS + 500); // so that half a second of them is left
    pubsub.answer = 'none';
    await expect(publisher.publish('deletions', {})).rejects.toMatchObject({ code: Status.DEADLINE_EXCEEDED });
  });
});
