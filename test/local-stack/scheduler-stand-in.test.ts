import { randomUUID } from 'node:crypto';
import type { Message, Subscription } from '@google-cloud/pubsub';
import { PubSub } from '@google-cloud/pubsub';
import { CloudSchedulerClient } from '@google-cloud/scheduler';
import { credentials, status } from '@grpc/grpc-js';
import { systemClock } from '../../shared/platform/clock';
import type { SchedulerStandIn } from '../local/scheduler-stand-in';
import { startSchedulerStandIn } from '../local/scheduler-stand-in';
import { FixedClock } from '../support/fixed-clock';

const MINUTE_MS = 60_000;
const POLL_MS = 10;

/** Stands still until a test moves it; who sleeps looks at it again soon. */
class HandMovedClock extends FixedClock {
  override sleep(): Promise<void> {
    return systemClock.sleep(POLL_MS);
  }
}

const clock = new HandMovedClock();

const projectId = process.env.GOOGLE_CLOUD_PROJECT!;
const parent = `projects/${projectId}/locations/europe-west1`;
const topicName = `scheduled-${randomUUID()}`;
const pubsubTarget = {
  topicName: `projects/${projectId}/topics/${topicName}`,
  data: Buffer.from('{"run":1}'),
  attributes: { kind: 'test' },
};

let pubsub: PubSub;
let subscription: Subscription;
let standIn: SchedulerStandIn;
let client: CloudSchedulerClient;
/** The messages of the test. */
let received: Message[];

beforeAll(async () => {
  pubsub = new PubSub({ projectId });
  const [topic] = await pubsub.createTopic(topicName);
  [subscription] = await topic.createSubscription(topicName);
  received = [];
  subscription.on('message', (message: Message) => {
    message.ack();
    received.push(message);
  });
  standIn = await startSchedulerStandIn({ host: '127.0.0.1', port: 0 }, pubsub, clock);
  client = new CloudSchedulerClient({
    apiEndpoint: '127.0.0.1',
    port: standIn.port,
    projectId,
    sslCreds: credentials.createInsecure(),
  });
});

afterAll(async () => {
  await client.close();
  await standIn.stop();
  await subscription.close();
  await pubsub.close();
});

function newName(): string {
  return `${parent}/jobs/${randomUUID()}`;
}

async function createJob(
  fields: { name?: string; schedule?: string; timeZone?: string; pubsubTarget?: typeof pubsubTarget } = {},
): Promise<string> {
  const job = { name: newName(), schedule: '0 3 1 1 *', timeZone: 'Europe/Vienna', pubsubTarget, ...fields };
  await client.createJob({ parent, job });
  return job.name;
}

async function nextMessage(count = 1): Promise<Message> {
  const giveUpMs = systemClock.nowMs() + 10_000;
  while (received.length < count && systemClock.nowMs() < giveUpMs) await systemClock.sleep(POLL_MS);
  return received[count - 1]!;
}

/** A page of two jobs and the request of the next page. */
function listPage(request: object) {
  return client.listJobs({ ...request, pageSize: 2 }, { autoPaginate: false });
}

beforeEach(() => {
  received = [];
});

test('a created job is enabled, has its next run in its time zone, and can be read', async () => {
  const name = await createJob({ schedule: '30 6 15 6 *', timeZone: 'America/New_York' });
  const [job] = await client.getJob({ name });
  expect(job).toMatchObject({ name, schedule: '30 6 15 6 *', timeZone: 'America/New_York', state: 'ENABLED' });
  const nextRun = new Date(Number(job.scheduleTime?.seconds) * 1_000);
  expect(nextRun.toISOString()).toMatch(/-06-15T10:30:00.000Z$/);
  expect(nextRun.getTime()).toBeGreaterThan(clock.nowMs());
});

test('a name is given only once', async () => {
  const name = await createJob();
  await expect(createJob({ name })).rejects.toMatchObject({ code: status.ALREADY_EXISTS });
});

test.each([
  ['no cron expression', { schedule: 'tomorrow' }],
  ['six fields', { schedule: '* * * * * *' }],
  ['an hour of 25', { schedule: '0 25 * * *' }],
  ['an extension of unix-cron', { schedule: '0 0 L * *' }],
  ['no schedule', { schedule: '' }],
  ['an unknown time zone', { timeZone: 'Europe/Atlantis' }],
  ['an offset as time zone', { timeZone: '+01:00' }],
  ['a name with a dot', { name: `${parent}/jobs/a.b` }],
  ['a name of 501 characters', { name: `${parent}/jobs/${'a'.repeat(501)}` }],
  ['a name of another location', { name: `projects/${projectId}/locations/us-east1/jobs/a` }],
])('%s is an INVALID_ARGUMENT', async (_, fields) => {
  await expect(createJob(fields)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
});

test('an update changes what its mask names and keeps the rest', async () => {
  const name = await createJob();
  const [updated] = await client.updateJob({
    job: { name, schedule: '0 4 * * *', description: 'ignored' },
    updateMask: { paths: ['schedule'] },
  });
  expect(updated).toMatchObject({ schedule: '0 4 * * *', description: '', timeZone: 'Europe/Vienna', pubsubTarget });
});

test('an update without a mask replaces the job but not its state', async () => {
  const name = await createJob();
  await client.pauseJob({ name });
  const [updated] = await client.updateJob({ job: { name, schedule: '0 5 * * *', pubsubTarget } });
  expect(updated).toMatchObject({ schedule: '0 5 * * *', timeZone: 'Etc/UTC', state: 'PAUSED', scheduleTime: null });
});

test('a job that does not exist is NOT_FOUND for every method', async () => {
  const name = newName();
  const missing = { code: status.NOT_FOUND };
  await expect(client.updateJob({ job: { name, schedule: '* * * * *', pubsubTarget } })).rejects.toMatchObject(missing);
  await expect(client.deleteJob({ name })).rejects.toMatchObject(missing);
  await expect(client.getJob({ name })).rejects.toMatchObject(missing);
  await expect(client.runJob({ name })).rejects.toMatchObject(missing);
});

test('a deleted job is gone and its name can be given again', async () => {
  const name = await createJob();
  await client.deleteJob({ name });
  await expect(client.getJob({ name })).rejects.toMatchObject({ code: status.NOT_FOUND });
  await createJob({ name });
});

test('a list has every job of its location once over pages of any size', async () => {
  const elsewhere = `projects/${projectId}/locations/europe-north1`;
  const names = [1, 2, 3, 4, 5].map((number) => `${elsewhere}/jobs/job-${number}`);
  for (const name of names) {
    await client.createJob({ parent: elsewhere, job: { name, schedule: '0 0 1 1 *', pubsubTarget } });
  }
  const listed: unknown[] = [];
  let request: { parent?: string | null } | null = { parent: elsewhere };
  while (request) {
    const page: Awaited<ReturnType<typeof listPage>> = await listPage(request);
    expect(page[0].length).toBeLessThanOrEqual(2);
    listed.push(...page[0].map(({ name }) => name));
    request = page[1];
  }
  expect(listed).toEqual(names);
});

test('running a job publishes its data and attributes now', async () => {
  const name = await createJob();
  await client.runJob({ name });
  const message = await nextMessage();
  expect(message.data.toString()).toBe('{"run":1}');
  expect(message.attributes).toEqual({ kind: 'test' });
  const [job] = await client.getJob({ name });
  expect(Number(job.lastAttemptTime?.seconds)).toBeGreaterThan(0);
});

test('a failed run is remembered with its reason', async () => {
  const missingTopic = { ...pubsubTarget, topicName: `projects/${projectId}/topics/no-such-topic` };
  const name = newName();
  await client.createJob({ parent, job: { name, schedule: '0 3 1 1 *', pubsubTarget: missingTopic } });
  const [job] = await client.runJob({ name });
  expect(job.status).toMatchObject({ code: status.NOT_FOUND });
});

test('an enabled job fires each time its time comes; a paused or deleted one does not', async () => {
  const name = await createJob({ schedule: '* * * * *' });
  const paused = await createJob({ schedule: '* * * * *' });
  await client.pauseJob({ name: paused });
  const fired = () => received.map(({ attributes }) => attributes.kind);
  for (const count of [1, 2]) {
    clock.advance(MINUTE_MS);
    await nextMessage(count);
  }
  expect(fired()).toEqual(['test', 'test']);

  await client.deleteJob({ name });
  // Another job tells that the minutes in which the first two would have fired are over.
  const other = { ...pubsubTarget, attributes: { kind: 'other' } };
  const third = await createJob({ schedule: '* * * * *', pubsubTarget: other });
  for (const count of [3, 4]) {
    clock.advance(MINUTE_MS);
    await nextMessage(count);
  }
  expect(fired()).toEqual(['test', 'test', 'other', 'other']);

  await client.deleteJob({ name: third });
  await client.resumeJob({ name: paused });
  clock.advance(MINUTE_MS);
  await nextMessage(5);
  expect(fired()).toEqual(['test', 'test', 'other', 'other', 'test']);
  await client.deleteJob({ name: paused });
});

test('kept jobs are there again, with their state, their message and their last run, and fire (R-220)', async () => {
  const name = await createJob({ schedule: '* * * * *' });
  await client.runJob({ name });
  await nextMessage();
  const paused = await createJob({ schedule: '0 4 * * *' });
  await client.pauseJob({ name: paused });
  const [before] = await client.getJob({ name });
  // As a file holds them.
  const jobs = JSON.parse(JSON.stringify(standIn.keptJobs())) as ReturnType<SchedulerStandIn['keptJobs']>;
  await client.deleteJob({ name });
  received = [];

  const next = await startSchedulerStandIn({ host: '127.0.0.1', port: 0, jobs }, pubsub, clock);
  const nextClient = new CloudSchedulerClient({
    apiEndpoint: '127.0.0.1',
    port: next.port,
    projectId,
    sslCreds: credentials.createInsecure(),
  });
  const [after] = await nextClient.getJob({ name });
  expect(after).toEqual(before);
  const [afterPaused] = await nextClient.getJob({ name: paused });
  expect(afterPaused).toMatchObject({ schedule: '0 4 * * *', state: 'PAUSED', scheduleTime: null });
  clock.advance(MINUTE_MS);
  const message = await nextMessage();
  expect(message.data.toString()).toBe('{"run":1}');
  expect(message.attributes).toEqual({ kind: 'test' });
  await nextClient.close();
  await next.stop();
});
