/** `DeadLetterQueue` on Pub/Sub (its emulator). */
import { PubSub } from '@google-cloud/pubsub';
import { randomBytes } from 'node:crypto';
import { PubSubDeadLetters } from '../../shared/adapters/pubsub/pubsub-dead-letters';
import { readConfig } from '../../shared/config';
import type { LeasedMessage } from '../../shared/events/dead-letter-queue';
import { systemClock } from '../../shared/platform/clock';
import { systemRandom } from '../../shared/platform/random';

const WAIT_MS = 2_000;
const RETRY = { clock: systemClock, random: systemRandom };

const base = readConfig();
const pubsub = new PubSub({ projectId: base.projectId, apiEndpoint: base.emulators.pubsub!, emulatorMode: true });
afterAll(() => pubsub.close());

/** A queue of its own for a test. */
async function createQueue() {
  const topic = `dead-${randomBytes(6).toString('hex')}`;
  const [created] = await pubsub.createTopic(topic);
  await created.createSubscription(topic);
  const queue = new PubSubDeadLetters({ ...base, topics: { ...base.topics, deadLetters: topic } }, RETRY);
  const publish = (text: string) => queue.publish(topic, { data: Buffer.from(text), attributes: {} });
  return { topic, queue, publish };
}

const texts = (messages: readonly LeasedMessage[]) => messages.map(({ data }) => data.toString());

describe('DeadLetterQueue on Pub/Sub', () => {
  it('hands out a message byte for byte, with its attributes and the time of its publication', async () => {
    const { topic, queue } = await createQueue();
    const data = Buffer.from('not JSON \xff\x00', 'latin1');
    const before = Date.now();
    await queue.publish(topic, { data, attributes: { function: 'x', reason: 'Ädä 🍵' } });
    const [message, ...others] = await queue.pull(10, WAIT_MS);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ data, attributes: { function: 'x', reason: 'Ädä 🍵' } });
    expect(Math.abs(message!.publishedAt.getTime() - before)).toBeLessThan(60_000);
  });

  it('has nothing when nothing is there', async () => {
    const { queue } = await createQueue();
    expect(await queue.pull(10, WAIT_MS)).toEqual([]);
  });

  it('hands out no more than was asked for', async () => {
    const { queue, publish } = await createQueue();
    await Promise.all(['a', 'b', 'c'].map(publish));
    expect(await queue.pull(2, WAIT_MS)).toHaveLength(2);
    expect(await queue.pull(2, WAIT_MS)).toHaveLength(1);
  });

  it('hands out what is taken to nobody else until it is released, under the same id', async () => {
    const { queue, publish } = await createQueue();
    await publish('kept');
    const first = await queue.pull(10, WAIT_MS);
    expect(await queue.pull(10, WAIT_MS)).toEqual([]);
    await queue.release(first);
    const second = await queue.pull(10, WAIT_MS);
    expect(texts(second)).toEqual(['kept']);
    expect(second[0]!.messageId).toBe(first[0]!.messageId);
  });

  it('never hands out again what was acknowledged', async () => {
    const { queue, publish } = await createQueue();
    await Promise.all(['gone', 'kept'].map(publish));
    const taken = await queue.pull(10, WAIT_MS);
    await queue.acknowledge(taken.filter(({ data }) => data.toString() === 'gone'));
    await queue.release(taken);
    expect(texts(await queue.pull(10, WAIT_MS))).toEqual(['kept']);
  });

  it('releases and acknowledges more messages than one request may name', async () => {
    const { queue, publish } = await createQueue();
    for (let sent = 0; sent < 1_200; sent += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => publish(String(sent + index))));
    }
    const takeAll = async () => {
      const taken: LeasedMessage[] = [];
      for (let next = await queue.pull(1_000, WAIT_MS); next.length > 0; next = await queue.pull(1_000, WAIT_MS)) {
        taken.push(...next);
      }
      return taken;
    };
    await queue.release(await takeAll());
    const again = await takeAll();
    expect(new Set(texts(again)).size).toBe(1_200);
    await queue.acknowledge(again);
    await queue.release(again);
    expect(await queue.pull(1, WAIT_MS)).toEqual([]);
  });

  it('has nothing to do for no messages', async () => {
    const { queue } = await createQueue();
    await expect(queue.release([])).resolves.toBeUndefined();
    await expect(queue.acknowledge([])).resolves.toBeUndefined();
  });

  it('fails when there is no subscription, and says which setting names it', async () => {
    const queue = new PubSubDeadLetters({ ...base, topics: { ...base.topics, deadLetters: 'dead-none' } }, RETRY);
    await expect(queue.pull(1, WAIT_MS)).rejects.toThrow(/subscriptions\/dead-none; DEAD_LETTERS_TOPIC/);
  });

  it('fails when Pub/Sub cannot be reached, rather than having nothing', async () => {
    const queue = new PubSubDeadLetters({ ...base, emulators: { pubsub: '127.0.0.1:1' } }, RETRY);
    await expect(queue.pull(1, WAIT_MS)).rejects.toThrow(/UNAVAILABLE/);
  });
});
