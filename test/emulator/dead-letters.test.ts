/** `dead-letters list`, `replay` and `discard` on the Pub/Sub emulator. */
import type { Topic } from '@google-cloud/pubsub';
import { PubSub } from '@google-cloud/pubsub';
import { randomBytes } from 'node:crypto';
import type { Operator, OperatorMeans } from '../../shared/operations/operator';
import { connect } from '../../functions/admin/connection';
import type { DeadLetterSelection, ShownDeadLetter } from '../../shared/operations/dead-letters/dead-letters';
import {
  discardDeadLetters,
  listDeadLetters,
  replayDeadLetters,
} from '../../shared/operations/dead-letters/dead-letters';
import { PubSubDeadLetters } from '../../shared/adapters/pubsub/pubsub-dead-letters';
import { readConfig } from '../../shared/config';
import type { DeadLetterQueue } from '../../shared/events/dead-letter-queue';

const base = readConfig();
const pubsub = new PubSub({ projectId: base.projectId, apiEndpoint: base.emulators.pubsub!, emulatorMode: true });
afterAll(() => pubsub.close());

const EVENT = { tenantId: '11111111-1111-4111-8111-111111111111', deletionId: 'AAAAAAAAAAAAAAAAAAAA' };

let operator: Operator & OperatorMeans & { close(): Promise<void> };
let noticed: string[];

/** Topics of its own for each test; each has a pull subscription of its name. */
beforeEach(async () => {
  const id = randomBytes(6).toString('hex');
  const topics = {
    deletions: `deletions-${id}`,
    transfers: `transfers-${id}`,
    uploads: `uploads-${id}`,
    deadLetters: `dead-${id}`,
  };
  for (const topic of Object.values(topics)) await (await pubsub.createTopic(topic))[0].createSubscription(topic);
  noticed = [];
  const notice = (message: string) => noticed.push(message);
  operator = connect({ ...base, topics }, { notice, progress: () => undefined });
});
afterEach(() => operator.close());

/** Publishes what a function publishes that rejects a message with this data. */
async function reject(name: string, data: string | Buffer, reason = 'It is bad.'): Promise<string> {
  const json = { function: name, messageId: '17', data: Buffer.from(data).toString('base64') };
  return publish({ json, attributes: { function: name, reason } });
}

/** Publishes what Pub/Sub forwards when a subscription gives up. */
async function forward(subscription: string, data: string, attributes: Record<string, string> = {}): Promise<string> {
  const added = {
    CloudPubSubDeadLetterSourceDeliveryCount: '20',
    CloudPubSubDeadLetterSourceSubscription: subscription,
    CloudPubSubDeadLetterSourceSubscriptionProject: base.projectId,
    CloudPubSubDeadLetterSourceTopicPublishTime: '2026-03-01T12:00:30.732+00:00',
  };
  return publish({ data: Buffer.from(data), attributes: { ...attributes, ...added } });
}

/** Publishes to the dead letters, each message in a millisecond of its own, so that their order is known. */
async function publish(message: Parameters<Topic['publishMessage']>[0]): Promise<string> {
  const id = await pubsub.topic(operator.config.topics.deadLetters).publishMessage(message);
  await new Promise((resolve) => setTimeout(resolve, 5));
  return id;
}

const list = (limit?: number) => listDeadLetters({ ...(limit !== undefined && { limit }) }, operator);
const listedIds = async () => (await list()).map(({ id }) => id);

/** What a command prints, and how it fails. */
async function run(
  command: (choice: DeadLetterSelection, operator: Operator) => AsyncGenerator<ShownDeadLetter>,
  choice: Partial<DeadLetterSelection>,
) {
  const printed: ShownDeadLetter[] = [];
  try {
    for await (const line of command({ ids: [], ...choice }, operator)) printed.push(line);
  } catch (error) {
    return { printed, error: (error as Error).message };
  }
  return { printed };
}

/** Everything that was published to a topic. */
async function published(topic: 'deletions' | 'transfers') {
  const { config } = operator;
  const topics = { ...config.topics, deadLetters: config.topics[topic] };
  const queue = new PubSubDeadLetters({ ...config, topics }, operator);
  return (await queue.pull(100, 1_000)).map(({ data, attributes }) => ({ data: data.toString(), attributes }));
}

/** Puts something else in the place of a part of the queue. */
function withQueue(overrides: Partial<DeadLetterQueue>): void {
  const { deadLetters: real } = operator;
  const queue: DeadLetterQueue = {
    pull: (limit, waitMs) => real.pull(limit, waitMs),
    release: (messages) => real.release(messages),
    acknowledge: (messages) => real.acknowledge(messages),
    publish: (topic, message) => real.publish(topic, message),
    ...overrides,
  };
  operator = { ...operator, deadLetters: queue };
}

describe('dead-letters list', () => {
  it('shows where a message failed and why, and what it was, and leaves it where it is', async () => {
    const rejected = await reject('deletion-consumer', JSON.stringify(EVENT), 'The tenant does not exist.');
    const forwarded = await forward('transfer-runner', '{"step":"file"}');
    const publishedAt = expect.stringMatching(/^\d{4}-.*Z$/) as unknown;
    const shown = [
      {
        id: rejected,
        function: 'deletion-consumer',
        topic: operator.config.topics.deletions,
        reason: 'The tenant does not exist.',
        failedMessageId: '17',
        attempts: null,
        publishedAt,
        data: EVENT,
      },
      {
        id: forwarded,
        function: 'transfer-runner',
        topic: operator.config.topics.transfers,
        reason: 'The subscription gave up on it after its attempts.',
        failedMessageId: null,
        attempts: 20,
        publishedAt,
        data: { step: 'file' },
      },
    ];
    expect(await list()).toEqual(shown);
    expect(await list()).toEqual(shown);
  });

  it.each([
    ['not JSON', Buffer.from('not JSON')],
    ['"a\\xff"', Buffer.from('"a\xff"', 'latin1')],
  ])('shows data that is no JSON in UTF-8 in base64: %s', async (_, data) => {
    await reject('deletion-consumer', data);
    const [shown] = await list();
    expect(shown).toMatchObject({ dataBase64: data.toString('base64') });
    expect(shown).not.toHaveProperty('data');
  });

  it('shows nothing when there is nothing, and no more than the limit', async () => {
    expect(await list()).toEqual([]);
    for (const data of ['1', '2', '3']) await reject('deletion-consumer', data);
    expect(await list(2)).toHaveLength(2);
    expect(await list()).toHaveLength(3);
  });

  it.each([0, -1, 1.5, 1001, NaN])('refuses the limit %d', async (limit) => {
    await expect(list(limit)).rejects.toThrow(/limit must be a whole number, 1 to 1000/);
  });
});

describe('dead-letters replay', () => {
  it('publishes what was published first to the topic of its function, removes and prints it', async () => {
    const ids = [
      await reject('deletion-consumer', 'not JSON'),
      await reject('deletion-consumer', JSON.stringify(EVENT)),
      await forward('transfer-runner', '{"step" : "file"}', { color: 'red' }),
    ];
    const { printed, error } = await run(replayDeadLetters, { all: true });
    expect({ printed: printed.map(({ id }) => id), error }).toEqual({ printed: ids, error: undefined });
    expect(await published('deletions')).toEqual(
      expect.arrayContaining([
        { data: 'not JSON', attributes: {} },
        { data: JSON.stringify(EVENT), attributes: {} },
      ]),
    );
    expect(await published('transfers')).toEqual([{ data: '{"step" : "file"}', attributes: { color: 'red' } }]);
    expect(await list()).toEqual([]);
  });

  it('takes those that are named, and leaves the others', async () => {
    const [first, second] = [await reject('deletion-consumer', '1'), await reject('deletion-consumer', '2')];
    const { printed } = await run(replayDeadLetters, { ids: [second, second] });
    expect(printed.map(({ data }) => data)).toEqual([2]);
    expect(await published('deletions')).toEqual([{ data: '2', attributes: {} }]);
    expect(await listedIds()).toEqual([first]);
  });

  it.each(['publish', 'acknowledge'] as const)('loses nothing when it fails at %s', async (method) => {
    const id = await reject('deletion-consumer', JSON.stringify(EVENT));
    const healthy = operator;
    withQueue({ [method]: () => Promise.reject(new Error('Killed.')) });
    expect(await run(replayDeadLetters, { all: true })).toEqual({ printed: [], error: 'Killed.' });
    operator = healthy;
    expect(await listedIds()).toEqual([id]);
    expect(await run(replayDeadLetters, { ids: [id] })).toMatchObject({ printed: [{ id }] });
    expect(await list()).toEqual([]);
  });

  it('publishes before it acknowledges', async () => {
    await reject('deletion-consumer', '1');
    const { deadLetters } = operator;
    const steps: string[] = [];
    withQueue({
      publish: async (topic, message) => {
        await deadLetters.publish(topic, message);
        steps.push('published');
      },
      acknowledge: async (messages) => {
        steps.push('acknowledging');
        await deadLetters.acknowledge(messages);
      },
    });
    await run(replayDeadLetters, { all: true });
    expect(steps).toEqual(['published', 'acknowledging']);
  });

  it('leaves what has no known function or no data, says so, and replays the rest', async () => {
    const stuck = [
      await reject('somebody', '{}'),
      await reject('constructor', '{}'),
      await reject('deletion-consumer', ''),
      await publish({ data: Buffer.from('?') }),
    ];
    const good = await reject('transfer-runner', '{}');
    const { printed, error } = await run(replayDeadLetters, { all: true });
    expect(printed).toMatchObject([{ id: good }]);
    expect(error).toMatch(/cannot be replayed.*dead-letters discard ID/);
    for (const id of stuck) expect(error).toContain(id);
    const left = await list();
    expect(left.map(({ id }) => id)).toEqual(stuck);
    expect(left.map(({ topic }) => topic)).toEqual([null, null, null, null]);
  });

  it('does not replay again what fails again meanwhile', async () => {
    await reject('deletion-consumer', '1');
    const { deadLetters } = operator;
    withQueue({
      publish: async (topic, message) => {
        await deadLetters.publish(topic, message);
        await reject('deletion-consumer', '1');
      },
    });
    expect((await run(replayDeadLetters, { all: true })).printed).toHaveLength(1);
    expect(await list()).toHaveLength(1);
  });
});

describe('dead-letters discard', () => {
  it('prints and removes those that are named, and leaves the others', async () => {
    const [first, second] = [await reject('deletion-consumer', '1'), await reject('somebody', '2')];
    const { printed } = await run(discardDeadLetters, { ids: [second] });
    expect(printed).toMatchObject([{ id: second, function: 'somebody', data: 2 }]);
    expect(await listedIds()).toEqual([first]);
    expect(await published('deletions')).toEqual([]);
  });

  it('removes all, over a hundred too', async () => {
    await Promise.all(Array.from({ length: 250 }, (_, index) => reject('deletion-consumer', String(index))));
    const { printed } = await run(discardDeadLetters, { all: true });
    expect(new Set(printed.map(({ data }) => data)).size).toBe(250);
    expect(await list()).toEqual([]);
  });

  it('removes one that was handed out twice, because its first lease was over', async () => {
    await reject('deletion-consumer', '1');
    const { deadLetters } = operator;
    withQueue({
      pull: async (limit, waitMs) => {
        const first = await deadLetters.pull(limit, waitMs);
        await deadLetters.release(first);
        return [...first, ...(await deadLetters.pull(limit, waitMs))];
      },
    });
    expect((await run(discardDeadLetters, { all: true })).printed).toHaveLength(1);
    expect(await list()).toEqual([]);
  });

  it('leaves what its reader has not taken', async () => {
    const id = await reject('deletion-consumer', '1');
    for await (const line of discardDeadLetters({ ids: [], all: true }, operator)) {
      expect(line.id).toBe(id);
      break;
    }
    expect(await listedIds()).toEqual([id]);
  });
});

describe.each([
  ['replay', replayDeadLetters],
  ['discard', discardDeadLetters],
])('dead-letters %s', (_, command) => {
  it('changes nothing when one of the ids is not there, and says which and what to do', async () => {
    const id = await reject('deletion-consumer', '1');
    const { printed, error } = await run(command, { ids: ['none', id, 'nil'] });
    expect(printed).toEqual([]);
    expect(error).toMatch(/^There is no dead letter none, nil, so nothing was changed\. .*; dead-letters list shows/);
    expect(await listedIds()).toEqual([id]);
  });

  it('asks for ids or --all, and not for both, before it asks Pub/Sub', async () => {
    const unreachable = () => Promise.reject(new Error('Unreachable.'));
    withQueue({ pull: unreachable, release: unreachable });
    const message = { printed: [], error: 'Name dead letters by their ids, or ask for all of them; --all does.' };
    expect(await run(command, {})).toEqual(message);
    expect(await run(command, { ids: ['1'], all: true })).toEqual(message);
  });

  it('says so when there are none', async () => {
    expect(await run(command, { all: true })).toEqual({ printed: [] });
    expect(noticed).toEqual(['There are no dead letters.']);
  });
});
