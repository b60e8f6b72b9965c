/**
 * Each artifact, unpacked and installed in a folder of its own and started as the platform starts it, does its work on
 * the emulators; and what it loads.
 */
import type { Message, Subscription } from '@google-cloud/pubsub';
import { PubSub } from '@google-cloud/pubsub';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NO_USAGE, stepAt } from '../../shared/domain/usage';
import { createKey } from '../../shared/operations/keys';
import { listRuns } from '../../shared/operations/transfers';
import { connectTransferScheduler } from '../../shared/adapters/scheduler/cloud-scheduler';
import { acceptDeletion } from '../support/deletions';
import type { RecordKind } from '../../shared/domain/identity';
import type { Tenant } from '../../shared/domain/tenant';
import { registerLiveTransfer } from '../../shared/transfers/runs/live/live-transfers';
import { historicalJobId, recurringJobId } from '../../shared/domain/transfer';
import { systemClock } from '../../shared/platform/clock';
import { systemRandom } from '../../shared/platform/random';
import { toUsageWrite } from '../../shared/usage/usage-documents';
import { startSchedulerStandIn } from '../local/scheduler-stand-in';
import { RecordingPublisher } from '../support/recording-fakes';
import { cookieOf } from '../support/console-visitor';
import type { Received } from '../support/http-exchange';
import { exchange } from '../support/http-exchange';
import { useTransferLab } from '../support/transfer-lab';
import { build, FUNCTIONS, PROJECT, readJson, temporaryFolder } from './built-artifacts';
import type { RunningArtifact } from './running-artifact';
import { installArtifacts, startArtifact } from './running-artifact';
import { upsertCustomers } from '../support/upserts';

const RUN_MS = 30_000;
const POLL_MS = 100;

const SCHEDULER = '@google-cloud/scheduler';
const STORAGE = '@google-cloud/storage';
/** What the SDKs of Google Cloud are made with, and what adds an account's token to calls. */
const GOOGLE = ['google-gax', 'google-auth-library'];

const lab = useTransferLab();
const folder = temporaryFolder();
const installed = join(folder, 'installed');
beforeAll(async () => {
  const out = join(folder, 'out');
  build(out);
  mkdirSync(installed);
  await installArtifacts(out, FUNCTIONS, installed);
});

/** What a test has started, as functions that end it. */
const started: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of started.splice(0).reverse()) await end();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a function with topics of its own, which are named in its environment. */
async function start(name: string, env: NodeJS.ProcessEnv = {}) {
  const { projectId, emulators, reportsBucket } = lab().config;
  const pubsub = new PubSub({ projectId, apiEndpoint: emulators.pubsub!, emulatorMode: true });
  started.push(() => pubsub.close());
  const unique = systemRandom.bytes(6).toString('hex');
  const topics = {
    deletions: `deletions-${unique}`,
    transfers: `transfers-${unique}`,
    uploads: `uploads-${unique}`,
    deadLetters: `dead-${unique}`,
  };
  await Promise.all(Object.values(topics).map((topic) => pubsub.createTopic(topic)));
  const artifact = await startArtifact(installed, name, {
    GOOGLE_CLOUD_PROJECT: projectId,
    FIRESTORE_EMULATOR_HOST: emulators.firestore,
    PUBSUB_EMULATOR_HOST: emulators.pubsub,
    STORAGE_EMULATOR_HOST: emulators.storage,
    METADATA_SERVER_DETECTION: 'none',
    REPORTS_BUCKET: reportsBucket,
    DELETIONS_TOPIC: topics.deletions,
    TRANSFERS_TOPIC: topics.transfers,
    UPLOADS_TOPIC: topics.uploads,
    DEAD_LETTERS_TOPIC: topics.deadLetters,
    ...env,
  });
  started.push(() => artifact.stop());
  return { artifact, pubsub, topics };
}

async function createCaller(): Promise<{ tenant: Tenant; key: string }> {
  const tenant = await lab().createTenant();
  const { key } = await createKey({ organization: tenant.organizationId }, lab().operator);
  return { tenant, key };
}

/** Keeps a topic's events from now on. */
async function subscribeTo(pubsub: PubSub, topic: string): Promise<Subscription> {
  const [subscription] = await pubsub.createSubscription(topic, topic);
  started.push(() => subscription.delete());
  return subscription;
}

async function firstEvent(subscription: Subscription): Promise<unknown> {
  const [message] = (await once(subscription, 'message')) as [Message];
  await subscription.close();
  return JSON.parse(message.data.toString('utf8')) as unknown;
}

function send({ port }: RunningArtifact, method: string, path: string, key: string, body?: unknown): Promise<Received> {
  return exchange({
    port,
    method,
    path,
    headers: { 'x-service-auth-key': key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Delivers an event as a push subscription does. */
function push({ port }: RunningArtifact, event: object): Promise<Received> {
  const data = Buffer.from(JSON.stringify(event)).toString('base64');
  const messageId = systemRandom.bytes(6).toString('hex');
  const message = { messageId, publishTime: new Date().toISOString(), data };
  const body = JSON.stringify({ message, subscription: 'projects/p/subscriptions/s' });
  return exchange({ port, method: 'POST', path: '/', headers: { 'content-type': 'application/json' }, body });
}

describe('an installed artifact', () => {
  it.each<[RecordKind, object]>([
    ['customers', { Email: 'ann@example.com', Name: 'Ann' }],
    ['products', { ProductId: 'tea', ProductVariants: [{ VariantId: 'tea-500', Sku: 'tea-500' }] }],
    ['orders', { OrderId: '1001', Currency: 'EUR', TotalRevenue: 42.5 }],
  ])('of %s stores a record, from its own folder alone, and loads no SDK', async (kind, record) => {
    const { tenant, key } = await createCaller();
    const { artifact } = await start(kind);
    const answer = await send(artifact, 'POST', `/${tenant.tenantId}`, key, [record]);

    expect(answer).toMatchObject({ status: 200, json: { success: true, data: { count: 1 } } });
    expect(await lab().records(tenant, kind)).toMatchObject([record]);
    const packages = await artifact.loadedPackages();
    expect(packages).toContain('@google-cloud/functions-framework');
    expect(packages.filter((name) => [...GOOGLE, SCHEDULER, STORAGE].includes(name))).toEqual([]);
    const files = await artifact.loadedFiles();
    expect(files.filter((file) => !file.startsWith(installed))).toEqual([]);
  });

  it('of docs sends the reference, and loads nothing but the framework (R-141)', async () => {
    const { artifact } = await start('docs');
    const page = await send(artifact, 'GET', '/', '');
    expect(page.status).toBe(200);
    const [, script] = /<script src="(.*?)"/.exec(page.text)!;
    expect(await send(artifact, 'GET', script!, '')).toMatchObject({ status: 200 });
    const own = (await artifact.loadedFiles()).filter((file) => !/\/node_modules\/|\/probe\.js$/.test(file));
    expect(own).toEqual([join(installed, 'docs', 'index.js')]);
    const packages = await artifact.loadedPackages();
    expect(packages).toContain('@google-cloud/functions-framework');
    expect(packages.filter((name) => ['@grpc/grpc-js', ...GOOGLE, SCHEDULER, STORAGE].includes(name))).toEqual([]);
  });

  it('of console lets a key in, stores a record for its session, and loads no SDK (R-230)', async () => {
    const { tenant, key } = await createCaller();
    const { artifact } = await start('console');
    const page = await send(artifact, 'GET', '/', '');
    const [, script] = /<script type="module" src="(.*?)"/.exec(page.text)!;
    expect(await send(artifact, 'GET', script!, '')).toMatchObject({ status: 200 });
    const sent = {
      port: artifact.port,
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    };
    const signedIn = await exchange({ ...sent, method: 'POST', path: '/session', body: JSON.stringify({ key }) });
    const { csrfToken } = (signedIn.json as { data: { csrfToken: string } }).data;
    const headers = { ...sent.headers, cookie: cookieOf(signedIn)!, 'x-csrf-token': csrfToken };
    const path = `/api/customers/${tenant.tenantId}`;
    const stored = await exchange({ ...sent, headers, method: 'POST', path, body: '[{"Email":"ann@example.com"}]' });
    expect(stored).toMatchObject({ status: 200, json: { success: true, data: { count: 1 } } });
    const packages = await artifact.loadedPackages();
    expect(packages.filter((name) => [...GOOGLE, SCHEDULER, STORAGE].includes(name))).toEqual([]);
    const { sources } = readJson<{ sources: string[] }>(installed, 'console', 'index.js.map');
    expect(sources.filter((source) => /functions\/(admin|console\/(app|site))\//.test(source))).toEqual([]);
  });

  it('of usage shows what was counted, and loads no SDK (R-183)', async () => {
    const { tenant } = await createCaller();
    const { operator } = lab();
    const options = { organization: tenant.organizationId, permissions: ['records'] } as const;
    const { key } = await createKey(options, operator);
    const counts = { ...NO_USAGE, requests: 2, records: 3 };
    const hourMs = stepAt(operator.clock.nowMs(), 'hour');
    const usage = [{ hourMs, keyId: 'key', route: 'upsertOrders', counts }];
    await operator.store.writeEach([toUsageWrite(tenant.tenantId, 'instance', usage)], operator.deadline());
    const { artifact } = await start('usage');
    const answer = await send(artifact, 'GET', `/${tenant.tenantId}`, key);

    expect(answer).toMatchObject({ status: 200, json: { data: { totals: counts } } });
    const packages = await artifact.loadedPackages();
    expect(packages.filter((name) => [...GOOGLE, SCHEDULER, STORAGE].includes(name))).toEqual([]);
  });

  it('of customers publishes a deletion, and loads nothing more for it', async () => {
    const { tenant, key } = await createCaller();
    const { artifact, pubsub, topics } = await start('customers');
    const subscription = await subscribeTo(pubsub, topics.deletions);
    expect((await send(artifact, 'POST', `/${tenant.tenantId}`, key, [{ Email: 'ann@example.com' }])).status).toBe(200);
    const packages = await artifact.loadedPackages();

    const answer = await send(artifact, 'DELETE', `/${tenant.tenantId}?email=ann%40example.com`, key);
    expect(answer).toMatchObject({ status: 200, json: { message: 'Customer removed.' } });
    expect(await firstEvent(subscription)).toMatchObject({ tenantId: tenant.tenantId });
    expect(await artifact.loadedPackages()).toEqual(packages);
  });

  it('of ingestion publishes a historical transfer without an SDK', async () => {
    const { tenant, key } = await createCaller();
    const { artifact, pubsub, topics } = await start('ingestion');
    const subscription = await subscribeTo(pubsub, topics.transfers);
    const { tenantId } = tenant;
    const options = { TenantId: tenantId, BucketName: `exports-${tenantId}` };
    const answer = await send(artifact, 'POST', '/google-cloud-storage/register/historical-transfer', key, options);
    expect(answer).toMatchObject({ status: 200, json: { Success: true } });
    expect(await firstEvent(subscription)).toMatchObject({ tenantId });
    const packages = await artifact.loadedPackages();
    expect(packages.filter((name) => [...GOOGLE, SCHEDULER, STORAGE].includes(name))).toEqual([]);
  });

  it('of ingestion schedules a transfer, and loads Cloud Scheduler only then', async () => {
    const { projectId, emulators } = lab().config;
    const pubsub = new PubSub({ projectId, apiEndpoint: emulators.pubsub!, emulatorMode: true });
    started.push(() => pubsub.close());
    const standIn = await startSchedulerStandIn({ host: '127.0.0.1', port: 0 }, pubsub);
    started.push(() => standIn.stop());
    const scheduler = `127.0.0.1:${standIn.port}`;
    const { tenant, key } = await createCaller();
    const { artifact } = await start('ingestion', { CLOUD_SCHEDULER_EMULATOR_HOST: scheduler });
    expect(await artifact.loadedPackages()).not.toContain(SCHEDULER);

    const { tenantId } = tenant;
    const options = { TenantId: tenantId, BucketName: `exports-${tenantId}`, DailyJobStartingHourUTC: 3 };
    const answer = await send(artifact, 'POST', '/google-cloud-storage/register/daily-transfer', key, options);
    const jobId = recurringJobId('daily', tenantId);
    expect(answer).toMatchObject({ status: 200, json: { Success: true, Data: { recurringJobId: jobId } } });
    const jobs = connectTransferScheduler({ ...lab().config, emulators: { scheduler } }, systemClock);
    expect(await jobs.find(jobId)).toMatchObject({ schedule: '0 3 * * *' });
    const packages = await artifact.loadedPackages();
    expect(packages).toContain(SCHEDULER);
  });

  it('of deletion-consumer applies a deletion that is pushed to it', async () => {
    const { operator } = lab();
    const { tenant } = await createCaller();
    await upsertCustomers(
      [{ Email: 'ann@example.com' }, { Email: 'bob@example.com' }],
      tenant,
      operator.deadline(),
      operator,
    );
    const publisher = new RecordingPublisher();
    const target = { type: 'customer', customerId: null, email: 'ann@example.com' } as const;
    const log = { ...operator, publisher, deletionsTopic: 'deletions' };
    await acceptDeletion(tenant, target, operator.deadline(), log);

    const { artifact } = await start('deletion-consumer');
    const { status } = await push(artifact, publisher.published[0]?.event as object);
    expect(status).toBe(204);
    expect(await lab().records(tenant, 'customers')).toMatchObject([{ Email: 'bob@example.com' }]);
    const packages = await artifact.loadedPackages();
    expect(packages.filter((name) => [SCHEDULER, STORAGE].includes(name))).toEqual([]);
  });

  it('of upload-consumer notes an upload, and starts its run (R-378, R-379)', async () => {
    const { operator } = lab();
    const { tenant } = await createCaller();
    const { tenantId } = tenant;
    const { name: bucketName } = await lab().createBucket(tenant);
    await registerLiveTransfer({ tenantId, bucketName, folderPaths: [] }, operator.deadline(), operator);

    const { artifact, pubsub, topics } = await start('upload-consumer');
    const triggers = await subscribeTo(pubsub, topics.transfers);
    const upload = { kind: 'storage#object', bucket: bucketName, name: 'customers.csv', generation: '1' };
    for (const event of [upload, { start: true }]) expect(await push(artifact, event)).toMatchObject({ status: 204 });
    expect(await firstEvent(triggers)).toMatchObject({ tenantId, bucketName, ofUploads: true });
    const packages = await artifact.loadedPackages();
    expect(packages.filter((name) => [SCHEDULER, STORAGE].includes(name))).toEqual([]);
  });

  it("of transfer-runner takes a tenant's files in, its further steps coming through Pub/Sub (R-369)", async () => {
    const { operator } = lab();
    const { tenant } = await createCaller();
    const bucket = await lab().createBucket(tenant);
    bucket.put('customers.ndjson', '{"Email":"ann@example.com","Name":"Ann"}\n');
    bucket.put('orders.csv', 'OrderId,Currency\n1001,EUR\n');
    const parquet = (name: string) => readFileSync(join(PROJECT, 'test/unit/files/parquet', `${name}.parquet`));
    bucket.put('products.parquet', parquet('products-nested'));

    const { artifact, pubsub, topics } = await start('transfer-runner');
    expect(await artifact.loadedPackages()).not.toContain(STORAGE);
    const pushEndpoint = `http://127.0.0.1:${artifact.port}/`;
    const [subscription] = await pubsub.createSubscription(topics.transfers, topics.transfers, { pushEndpoint });
    started.push(() => subscription.delete());
    const jobId = historicalJobId(tenant.tenantId, '1');
    const trigger = { jobId, tenantId: tenant.tenantId, bucketName: bucket.name, folderPaths: [] };
    expect(await push(artifact, trigger)).toMatchObject({ status: 204 });

    const byMs = operator.clock.nowMs() + RUN_MS;
    const run = async () => (await listRuns(tenant.tenantId, operator))[0];
    while ((await run())?.status === 'running' && operator.clock.nowMs() < byMs) await operator.clock.sleep(POLL_MS);
    expect(await run()).toMatchObject({ status: 'succeeded', rows: { read: 52, stored: 52 } });
    expect(await lab().records(tenant, 'customers')).toMatchObject([{ Name: 'Ann' }]);
    expect(await lab().records(tenant, 'orders')).toMatchObject([{ OrderId: '1001' }]);
    expect(await lab().records(tenant, 'products')).toHaveLength(50);
    const packages = await artifact.loadedPackages();
    expect(packages).toContain(STORAGE);
    expect(packages).not.toContain('zstddec');
  });
});
