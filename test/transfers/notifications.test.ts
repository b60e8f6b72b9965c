/** The notifications at a tenant's own topic when a run ends. */
import { PubSub, v1 } from '@google-cloud/pubsub';
import { credentials } from '@grpc/grpc-js';
import { PubSubPublisher } from '../../shared/adapters/pubsub/pubsub-publisher';
import { tenantPath } from '../../shared/documents/paths';
import type { DocumentStore } from '../../shared/documents/document-store';
import type { EventPublisher } from '../../shared/events/event-publisher';
import { RedeliverLater } from '../../shared/events/event-handler';
import { NOTIFICATION_RETRY_SECONDS } from '../../shared/limits/transfers';
import { updateTenant } from '../../shared/operations/tenants';
import { systemClock } from '../../shared/platform/clock';
import { systemRandom } from '../../shared/platform/random';
import { Status } from '../../shared/platform/retry';
import { cancelRun } from '../../shared/transfers/runs/finish-run';
import { firstStep } from '../../shared/transfers/runs/resume-run';
import { changingCommits, overriding } from '../support/overriding';
import type { PublishedEvent } from '../support/recording-fakes';
import type { RunOptions, Shop, StartedRun } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';
import { BAD_LINE, customers, finished, ndjson, stored } from './numbered-customers';

/** So that each file has a message of its own, as large ones have. */
jest.mock<object>('../../shared/limits/transfers', () => ({
  ...jest.requireActual<object>('../../shared/limits/transfers'),
  UNIT_FILES: 1,
}));

const lab = useTransferLab();
const TOPIC = 'projects/shop-of-ada/topics/runs';

/** Where the notifications go; the steps of the run stay in its queue. */
type Publish = EventPublisher['publish'];

/** A run whose notifications go to `publish`, with the trigger waiting. */
function start({ tenant, bucket }: Shop, publish: Publish, options: RunOptions = {}): StartedRun {
  const publisher: EventPublisher = {
    publish: (topic, event, attributes) =>
      topic.startsWith('projects/') ? publish(topic, event, attributes) : enqueue(event),
  };
  const enqueue = (event: object) => {
    started.publish(event);
    return Promise.resolve();
  };
  const started = lab().start(tenant, bucket, { ...options, overrides: { publisher, ...options.overrides } });
  started.waiting.push(started.trigger);
  return started;
}

/** Remembers what is published. */
function recorder() {
  const sent: PublishedEvent[] = [];
  const publish: Publish = (topic, event, attributes = {}) => {
    sent.push({ topic, event, attributes });
    return Promise.resolve();
  };
  return { sent, publish };
}

/** A topic that fails like Pub/Sub. */
const failing = (code: number): Publish => {
  return () => Promise.reject(Object.assign(new Error('Pub/Sub refuses.'), { code }));
};

async function openShop(notifyTopic: string | null = TOPIC): Promise<Shop> {
  const shop = await lab().openShop({ notifyTopic });
  shop.bucket.put('customers.ndjson', ndjson(customers(1, 3)));
  return shop;
}

/** Delivers until a delivery fails, and gives back its failure. The message that failed waits again. */
async function deliverUntilFailure(started: StartedRun): Promise<unknown> {
  for (;;) {
    const message = started.waiting[0];
    if (!message) return undefined;
    try {
      await started.deliver(message);
      started.waiting.shift();
    } catch (error) {
      return error;
    }
  }
}

/** A store whose process dies once, right after the commit that ends the run. */
function dyingAfterEnd(store: DocumentStore): DocumentStore {
  let isDead = false;
  return changingCommits(store, async (commit, writes) => {
    const outcome = await commit();
    const isEnd = writes.some((write) => 'data' in write && write.data.finishedAt instanceof Date);
    if (!isEnd || isDead) return outcome;
    isDead = true;
    throw new Error('The process died.');
  });
}

describe('a topic of Pub/Sub, in a project of the tenant', () => {
  const project = `shop-${systemRandom.bytes(4).toString('hex')}`;
  const topic = `projects/${project}/topics/runs`;

  const real = () => new PubSubPublisher(lab().config, { clock: systemClock, random: systemRandom });
  const publish: Publish = (...args) => real().publish(...args);

  it('gets one message about a run that has ended, which can be filtered by its attributes (R-110)', async () => {
    const apiEndpoint = lab().config.emulators.pubsub!;
    const pubsub = new PubSub({ projectId: project, apiEndpoint, emulatorMode: true });
    const [created] = await pubsub.createTopic('runs');
    await created.createSubscription('runs');
    const shop = await openShop(topic);
    shop.bucket.put('customers-2.ndjson', BAD_LINE);
    const started = start(shop, publish);
    const delivered = [started.trigger];
    for (let message = started.waiting.shift(); message; message = started.waiting.shift()) {
      await started.deliver(message);
      delivered.push(message);
    }
    for (const message of delivered) await started.deliver(message);
    const run = await started.shown();
    expect(run).toMatchObject({ status: 'partial', notificationError: null });

    const [servicePath, port] = apiEndpoint.split(':');
    const sslCreds = credentials.createInsecure();
    const subscriber = new v1.SubscriberClient({
      projectId: project,
      servicePath: servicePath!,
      port: Number(port),
      sslCreds,
    });
    const subscription = `projects/${project}/subscriptions/runs`;
    const [{ receivedMessages }] = await subscriber.pull({ subscription, maxMessages: 10 });
    await subscriber.close();
    await pubsub.close();
    const messages = (receivedMessages ?? []).map(({ message }) => ({
      event: JSON.parse(Buffer.from(message?.data ?? '').toString('utf8')) as unknown,
      attributes: message?.attributes,
    }));
    const { tenantId } = shop.tenant;
    const { runId, jobId, status, rows, changes } = run;
    expect(changes).toMatchObject({ Customers: { Created: 3, Consents: { EmailOptin: { Granted: 1 } } } });
    expect(rows).toEqual({ ...stored(3), read: 4, invalid: 1 });
    expect(messages).toEqual([
      {
        event: { tenantId, runId, jobId, kind: 'daily', status, rows, changes, error: null },
        attributes: { tenantId, runId, status },
      },
    ]);
  });

  it('that does not exist holds nothing up, and the run says so (R-111)', async () => {
    const missing = `projects/${project}/topics/missing`;
    const started = start(await openShop(missing), publish);
    await started.deliverAll();
    expect(await started.shown()).toMatchObject({
      status: 'succeeded',
      files: finished(1),
      notificationError: `The topic ${missing} does not exist.`,
    });
  });
});

it('a tenant without a topic is not notified, and its runs say nothing of it (R-110)', async () => {
  const { sent, publish } = recorder();
  const started = start(await openShop(null), publish);
  await started.deliverAll();
  expect(await started.shown()).toMatchObject({ status: 'succeeded', notificationError: null });
  expect(sent).toEqual([]);
});

it('a topic that refuses the service is tried once, and the run names the role to grant (R-111)', async () => {
  let tries = 0;
  const shop = await openShop();
  const started = start(shop, () => {
    tries += 1;
    return failing(Status.PERMISSION_DENIED)('', {});
  });
  await started.deliverAll();
  const { status, notificationError } = await started.shown();
  expect({ status, tries }).toEqual({ status: 'succeeded', tries: 1 });
  expect(notificationError).toBe(
    `Access denied to the topic ${TOPIC}: grant the service's service account the role Pub/Sub Publisher (roles/pubsub.publisher) on it.`,
  );
});

describe('a topic that does not answer', () => {
  it('is notified when the step comes again, and the error is gone then (R-111)', async () => {
    const { sent, publish } = recorder();
    let current = failing(Status.UNAVAILABLE);
    const started = start(await openShop(), (...args) => current(...args));
    expect(await deliverUntilFailure(started)).toBeInstanceOf(RedeliverLater);
    const reason = `The topic ${TOPIC} does not take the message now.`;
    expect(await started.shown()).toMatchObject({ status: 'succeeded', notificationError: reason });
    current = publish;
    await started.deliverAll();
    expect(await started.shown()).toMatchObject({ status: 'succeeded', notificationError: null });
    expect(sent).toHaveLength(1);
  });

  it('is given up an hour after the end of the run (R-111)', async () => {
    let laterMs = 0;
    const clock = overriding(systemClock, { nowMs: () => systemClock.nowMs() + laterMs });
    const started = start(await openShop(), failing(Status.DEADLINE_EXCEEDED), { overrides: { clock } });
    expect(await deliverUntilFailure(started)).toBeInstanceOf(RedeliverLater);
    laterMs = NOTIFICATION_RETRY_SECONDS * 1000 - 60_000;
    expect(await deliverUntilFailure(started)).toBeInstanceOf(RedeliverLater);
    laterMs = NOTIFICATION_RETRY_SECONDS * 1000;
    expect(await deliverUntilFailure(started)).toBeUndefined();
    const { notificationError } = await started.shown();
    expect(notificationError).toBe(`The topic ${TOPIC} does not take the message now.`);
  });
});

describe('a process that dies when the run has just ended', () => {
  const ENDS: readonly (readonly [string, (shop: Shop) => void, object])[] = [
    ['has succeeded', () => undefined, { status: 'succeeded', rows: stored(3) }],
    ['has no file', ({ bucket }) => bucket.remove('customers.ndjson'), { status: 'succeeded', rows: stored(0) }],
    ['may not read the bucket', ({ bucket }) => bucket.denyAccess(), { status: 'failed' }],
  ];

  it.each(ENDS)('is followed by a delivery that notifies: the run %s (R-112)', async (_, change, notification) => {
    const { sent, publish } = recorder();
    const shop = await openShop();
    change(shop);
    const store = dyingAfterEnd(lab().operator.store);
    const started = start(shop, publish, { overrides: { store } });
    expect(await deliverUntilFailure(started)).toMatchObject({ message: 'The process died.' });
    expect(sent).toEqual([]);
    await started.deliverAll();
    expect(sent).toMatchObject([{ topic: TOPIC, event: notification }]);
  });

  it('is followed by a delivery that notifies: the bucket is not registered (R-112)', async () => {
    const { sent, publish } = recorder();
    const shop = await openShop();
    const bucket = await lab().createBucket();
    const store = dyingAfterEnd(lab().operator.store);
    const started = start({ ...shop, bucket }, publish, { overrides: { store } });
    expect(await deliverUntilFailure(started)).toMatchObject({ message: 'The process died.' });
    await started.deliverAll();
    const error = `The bucket ${bucket.name} is not registered: register the transfer again.`;
    expect(sent).toMatchObject([{ event: { status: 'failed', error } }]);
  });
});

it('a run whose files are refused by several steps at once notifies once, with its counts (R-112)', async () => {
  const { sent, publish } = recorder();
  const shop = await openShop();
  for (const n of [2, 3, 4]) shop.bucket.put(`customers-${n}.ndjson`, ndjson(customers(1, 3)));
  const started = start(shop, publish);
  for (const _ of ['trigger', 'plan']) await started.deliver(started.waiting.shift()!);
  shop.bucket.denyAccess();
  await Promise.all(started.waiting.splice(0).map((message) => started.deliver(message)));
  const { rows } = await started.shown();
  expect(sent).toMatchObject([{ event: { status: 'failed', rows } }]);
});

it('the step that sums a cancelled run notifies of it (R-110)', async () => {
  const { sent, publish } = recorder();
  const started = start(await openShop(), publish);
  for (const _ of ['trigger', 'plan']) await started.deliver(started.waiting.shift()!);
  const { runId } = await started.shown();
  const { operator } = lab();
  await cancelRun(runId, operator.deadline(), operator);
  expect(sent).toEqual([]);
  started.publish(firstStep(runId, {}));
  await started.deliverAll();
  expect(sent).toMatchObject([{ event: { runId, status: 'cancelled', rows: stored(0), error: null } }]);
});

it('notifications tell runs that were asked for, and replays, from others (R-110)', async () => {
  const { sent, publish } = recorder();
  const shop = await openShop();
  shop.bucket.put('customers.ndjson', BAD_LINE);
  const manual = start(shop, publish);
  const runId = `20260301110000-manual${manual.trigger.messageId}`;
  manual.waiting[0] = { ...manual.trigger, event: { ...manual.trigger.event, runId } };
  await manual.deliverAll();

  const { trigger } = await lab().startReplay(runId);
  const replay = start(shop, publish);
  replay.waiting.splice(0, 1, trigger);
  await replay.deliverAll();
  expect(sent).toMatchObject([{ event: { runId, kind: 'manual' } }, { event: { kind: 'replay', status: 'partial' } }]);
});

it('a tenant that is being erased is not notified any more (R-110)', async () => {
  const { sent, publish } = recorder();
  const shop = await openShop();
  const started = start(shop, publish);
  for (const _ of ['trigger', 'plan']) await started.deliver(started.waiting.shift()!);
  const { store, deadline } = lab().operator;
  const path = tenantPath(shop.tenant.tenantId);
  await store.commit([{ set: path, data: { erasingSince: new Date() }, fields: ['erasingSince'] }], deadline());
  await started.deliverAll();
  expect(sent).toEqual([]);
});

it('the topic counts that the tenant has when the run ends (R-110)', async () => {
  const { sent, publish } = recorder();
  const shop = await openShop(null);
  const started = start(shop, publish);
  await started.deliver(started.waiting.shift()!);
  await updateTenant(shop.tenant.tenantId, { notifyTopic: TOPIC }, lab().operator);
  await started.deliverAll();
  expect(sent).toMatchObject([{ topic: TOPIC, event: { status: 'succeeded' } }]);
});
