/**
 * Promise: a deployed function never has more than 512 MiB of memory, whatever its callers send and however large what
 * they have stored is; and whoever else calls it meanwhile is answered.
 *
 * The bundles of `npm run build` run as the platform runs them, with the heap that they are deployed with, on the
 * emulators. Linux tells the most memory that a process ever had.
 */
import { PubSub } from '@google-cloud/pubsub';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createKey } from '../../shared/operations/keys';
import type { ShownRun } from '../../shared/operations/transfers';
import { recordPath } from '../../shared/documents/paths';
import type { DocumentData } from '../../shared/domain/records/document';
import { documentBytes } from '../../shared/domain/records/document';
import type { RecordId, RecordKind } from '../../shared/domain/identity';
import { customerIdIdentity, orderRecordId, productRecordId } from '../../shared/domain/identity';
import { DELETIONS_AT_ONCE } from '../../shared/limits/deletions';
import { MAX_BODY_BYTES } from '../../shared/domain/limits';
import { MAX_EVENT_BYTES } from '../../shared/limits/events';
import { MAX_STREAMS } from '../../shared/limits/requests';
import { MAX_REPORT_BYTES, MAX_REPORTED_ROWS } from '../../shared/limits/transfers';
import { MAX_RECORD_BYTES, TRIAL_BYTES } from '../../shared/limits/records';
import type { Tenant } from '../../shared/domain/tenant';
import { acceptDeletions } from '../../shared/deletions/acceptance/accept-deletions';
import type { DeletionTarget } from '../../shared/domain/deletion';
import { toDeletionId } from '../../shared/domain/deletion';
import { RecordingPublisher } from '../support/recording-fakes';
import { systemRandom } from '../../shared/platform/random';
import { flagLargeRecords } from '../../shared/workspace/large-records';
import { newRevision, toDocument } from '../../shared/workspace/record-documents';
import { DeployedFunction } from '../faults/load/deployed-function';
import { ofTier, report } from '../faults/tier';
import { exchange } from '../support/http-exchange';
import { aReport, aRun, aRunFile, putFile, putRun, RUN_OBJECT, storedRunId } from '../support/stored-run';
import { useTransferLab } from '../support/transfer-lab';

const MOST_BYTES = 512 * 1024 * 1024;
/** Together far more than the heap, as objects. */
const LARGE_RECORDS = ofTier(80, 200);
const FILE_ROWS = ofTier(80, 400);
/** Stored bytes of a batch that can still be checked. */
const CHECKED_BYTES = 0.9 * TRIAL_BYTES;
/** A small request of somebody else may wait for a turn between others, but not for their end. */
const ANSWER_MS = 20_000;
const POLL_MS = 100;
/** What the platform gives a request: a busy machine takes long, and the memory is what counts. */
const SILENT_MS = 540_000;

const lab = useTransferLab();

beforeEach(async () => {
  const { projectId, emulators, topics } = lab().config;
  const pubsub = new PubSub({ projectId, apiEndpoint: emulators.pubsub! });
  await Promise.all(Object.values(topics).map((topic) => pubsub.createTopic(topic)));
  await pubsub.close();
});
const started: DeployedFunction[] = [];
afterEach(async () => {
  for (const each of started.splice(0)) await each.stop();
});

/** The heap that a function is deployed with, and the requests that Cloud Run gives to one instance of it at once. */
function deployedWith(name: string): { readonly heap: string; readonly concurrency: number } {
  const text = readFileSync(join(__dirname, '../../terraform/functions.tf'), 'utf8');
  const isUpserting = ['customers', 'products', 'orders'].includes(name);
  const [row = ''] = text.slice(text.indexOf(`  ${isUpserting ? 'upserts' : name} = {\n`)).split('\n\n');
  const [, heap = ''] = /NODE_OPTIONS\s*=\s*"([^"]*)"/.exec(row) ?? [];
  const [, concurrency] = /concurrency\s*=\s*(\d+)/.exec(row) ?? [];
  return { heap, concurrency: Number(concurrency) };
}

async function start(name: string): Promise<DeployedFunction> {
  const { projectId, emulators, reportsBucket } = lab().config;
  const instance = await DeployedFunction.start(name, {
    NODE_OPTIONS: deployedWith(name).heap,
    GOOGLE_CLOUD_PROJECT: projectId,
    FIRESTORE_EMULATOR_HOST: emulators.firestore!,
    PUBSUB_EMULATOR_HOST: emulators.pubsub!,
    STORAGE_EMULATOR_HOST: emulators.storage!,
    METADATA_SERVER_DETECTION: 'none',
    REPORTS_BUCKET: reportsBucket,
  });
  started.push(instance);
  return instance;
}

interface Caller {
  readonly tenant: Tenant;
  readonly key: string;
}

async function createCaller(): Promise<Caller> {
  const tenant = await lab().createTenant();
  const { key } = await createKey({ organization: tenant.organizationId, limit: 1_000_000 }, lab().operator);
  return { tenant, key };
}

function post(
  { port }: DeployedFunction,
  { tenant, key }: Caller,
  body: string | Buffer,
  headers = {},
  path = `/${tenant.tenantId}`,
) {
  const all = { 'x-service-auth-key': key, 'content-type': 'application/json', ...headers };
  return exchange({ port, method: 'POST', path, headers: all, body, silentMs: SILENT_MS });
}

const SMALL: Readonly<Record<RecordKind, object>> = {
  customers: { Email: 'ann@example.com' },
  products: { ProductId: 'tea', ProductVariants: [] },
  orders: { OrderId: '1', Currency: 'EUR' },
};

/** Sends small requests of somebody else until some work is over. @returns the longest wait for an answer */
async function answeredMeanwhile(sendSmall: () => Promise<{ status: number }>, work: Promise<unknown>) {
  let isOver = false as boolean;
  const over = work.finally(() => (isOver = true));
  over.catch(() => undefined); // awaited below
  let longestMs = 0;
  do {
    const sentMs = performance.now();
    // 503 says at once that the caller shall come again, which is an answer, but not for ever.
    while (![200, 204].includes((await sendSmall()).status)) await sleep(POLL_MS);
    longestMs = Math.max(longestMs, performance.now() - sentMs);
    await sleep(POLL_MS);
  } while (!isOver);
  await over;
  return longestMs;
}

/** A small request of somebody else. */
async function smallUpserts(instance: DeployedFunction, kind: RecordKind) {
  const other = await createCaller();
  return () => post(instance, other, JSON.stringify([SMALL[kind]]));
}

/** Pushes an event, as Pub/Sub does. */
function push({ port }: DeployedFunction, event: string) {
  const data = Buffer.from(event).toString('base64');
  const message = { messageId: '1', publishTime: new Date().toISOString(), data };
  const body = JSON.stringify({ message, subscription: 'projects/p/subscriptions/s' });
  const headers = { 'content-type': 'application/json' };
  return exchange({ port, method: 'POST', path: '/', headers, body, silentMs: SILENT_MS });
}

/** The largest record there is, of as many parts as fit, which take the most memory as objects. */
function largeRecord(kind: 'products' | 'orders', number: number): { id: RecordId; data: DocumentData } {
  const text = 'x'.repeat(150); // the emulator takes seconds for a record of many thousand tiny parts
  const parts = Array.from({ length: 6_000 }, (_, index) =>
    kind === 'products'
      ? { VariantId: `v${index}`, Sku: `v${index}`, Name: text }
      : { ProductId: `p${index}`, Sku: `s${index}`, Quantity: 1, Price: 1, Brand: text },
  );
  const fields = kind === 'products' ? { ProductId: `x${number}` } : { OrderId: `x${number}`, Currency: 'EUR' };
  const list = kind === 'products' ? 'ProductVariants' : 'OrderItems';
  const toData = (count: number) => toDocument({ ...fields, [list]: parts.slice(0, count) }, newRevision(systemRandom));
  const fitting = Math.floor((parts.length * (MAX_RECORD_BYTES - 10_000)) / documentBytes(toData(parts.length)));
  const id = kind === 'products' ? productRecordId(`x${number}`) : orderRecordId(`x${number}`);
  return { id, data: toData(Math.min(parts.length, fitting)) };
}

async function storeLarge(tenant: Tenant, kind: 'products' | 'orders', count: number): Promise<void> {
  const { store, deadline } = lab().operator;
  await flagLargeRecords(tenant, store, deadline());
  for (let number = 0; number < count; number += 1) {
    const { id, data } = largeRecord(kind, number);
    await store.commit([{ set: recordPath(tenant.tenantId, kind, id), data }], deadline());
  }
}

/** What names a stored record and changes nothing about its parts. */
function naming(kind: 'products' | 'orders', number: number): object {
  return kind === 'products' ? { ProductId: `x${number}`, ProductVariants: [] } : { OrderId: `x${number}`, Currency: 'EUR' };
} // prettier-ignore

function toMiB(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}

function check(what: string, instance: DeployedFunction, more: string): void {
  const peak = instance.peakBytes();
  report(`memory is bounded: ${what}`, 1, peak <= MOST_BYTES ? 0 : 1, `at most ${toMiB(peak)}, ${more}`);
  expect(instance.isRunning).toBe(true);
  expect(peak).toBeLessThanOrEqual(MOST_BYTES);
}

const DONE: readonly number[] = [200, 503];
/** The emulator may take longer to read so much than a request may last; a call that it does not answer is 500. */
const DONE_OR_LATE: readonly number[] = [...DONE, 500];

/** Sends the ids of all large records at once. @returns whether they are stored; else they may still be, any time */
async function sendIds(caller: Caller, kind: 'products' | 'orders'): Promise<boolean> {
  const instance = await start(kind);
  const body = JSON.stringify(Array.from({ length: LARGE_RECORDS }, (_, number) => naming(kind, number)));
  const statuses: number[] = [];
  const work = post(instance, caller, body).then(({ status }) => statuses.push(status));
  const waitedMs = await answeredMeanwhile(await smallUpserts(instance, kind), work);
  const answers = `answered ${statuses.join()}, others after ${Math.round(waitedMs)} ms`;
  check(`${LARGE_RECORDS} large stored ${kind}`, instance, answers);
  expect(statuses.filter((status) => !DONE_OR_LATE.includes(status))).toEqual([]);
  expect(waitedMs).toBeLessThan(ANSWER_MS);
  return statuses.every((status) => status === 200);
}

// Storing the records takes the emulator longer than all that is measured: both functions work on the same.
it('products and transfer-runner: ids of large stored products, sent and in a file', async () => {
  const { tenant, bucket } = await lab().openShop();
  const { key } = await createKey({ organization: tenant.organizationId, limit: 1_000_000 }, lab().operator);
  await storeLarge(tenant, 'products', LARGE_RECORDS);
  const isAnswered = await sendIds({ tenant, key }, 'products');
  const names = (_: unknown, number: number) => JSON.stringify(naming('products', number % LARGE_RECORDS));
  bucket.put('products.ndjson', `${Array.from({ length: FILE_ROWS }, names).join('\n')}\n`);
  const run = lab().start(tenant, bucket, { kind: 'historical' });
  await run.deliver(run.trigger);
  for (const plan of run.waiting.splice(0)) await run.deliver(plan);
  const instance = await start('transfer-runner');
  const [file] = run.waiting;
  const statuses: number[] = [];
  let shown: ShownRun;
  do {
    // A step that makes room for others hands itself over: its next message is the same.
    statuses.push((await push(instance, JSON.stringify(file?.event))).status);
    shown = await run.shown();
  } while (shown.status === 'running' && statuses.at(-1) === 204);
  check(`a file of ${FILE_ROWS} rows of large stored products`, instance, `answered ${statuses.join()}`);
  expect(shown).toMatchObject({ status: 'succeeded', rows: { read: FILE_ROWS, invalid: 0, deleted: 0 } });
  // What the database writes of a request that was given up is newer than the file.
  const stale = isAnswered ? 0 : shown.rows.stale;
  expect(shown.rows.stored).toBe(FILE_ROWS - stale);
});

const ALSO = ofTier<readonly 'orders'[]>([], ['orders']);
for (const kind of ALSO) {
  it(`${kind}: ids of large stored records`, async () => {
    const caller = await createCaller();
    await storeLarge(caller.tenant, kind, LARGE_RECORDS);
    await sendIds(caller, kind);
  });
}

/** Each message applies the deletions of DELETIONS_AT_ONCE records at once: as many, and then as many again. */
const DELETED_PARTS = 2 * DELETIONS_AT_ONCE;

it('deletion-consumer: deletions of parts of large stored products', async () => {
  const { operator, config } = lab();
  const { tenant } = await createCaller();
  await storeLarge(tenant, 'products', DELETED_PARTS);
  const publisher = new RecordingPublisher();
  const targets = Array.from({ length: DELETED_PARTS }, (_, number): DeletionTarget => {
    return { type: 'variant', productId: `x${number}`, variantId: 'v0' };
  });
  const log = { ...operator, publisher, deletionsTopic: config.topics.deletions };
  await acceptDeletions(tenant, 'products', targets, operator.deadline(), log);
  const instance = await start('deletion-consumer');
  const { concurrency } = deployedWith('deletion-consumer');
  const statuses: number[] = [];
  const pushed = publisher.published.slice(0, concurrency).map(async ({ event }) => {
    let status = 0;
    // Pub/Sub does so, too: the emulator may take longer than a message may.
    for (; status !== 204; statuses.push(status)) ({ status } = await push(instance, JSON.stringify(event)));
  });
  await Promise.all(pushed);
  check(`${DELETED_PARTS} deletions of parts of large products`, instance, `answered ${statuses.join()}`);
});

/** An object of as many bytes and values as a body may have, most of them unknown. */
function largest(known: object, ends: readonly [string, string] = ['', '']): string {
  const head = JSON.stringify(known).slice(0, -1);
  const element = '{"a":{}},';
  const count = 450_000;
  return `${ends[0]}${head},"more":[${element.repeat(count)}0]}${ends[1]}`.padEnd(MAX_BODY_BYTES, ' ');
}

/** As many callers as one instance has at once send bodies of 16 MiB, some kilobytes as gzip. */
async function sendLargest(
  instance: DeployedFunction,
  name: string,
  bodyOf: (caller: Caller) => string,
  path: (caller: Caller) => string,
  sendSmall: () => Promise<{ status: number }>,
): Promise<void> {
  const callers = await Promise.all(Array.from({ length: deployedWith(name).concurrency }, createCaller));
  const bodies = callers.map((caller) => gzipSync(Buffer.from(bodyOf(caller))));
  const statuses: number[] = [];
  const send = async (caller: Caller, index: number) => {
    const headers = { 'content-encoding': 'gzip' };
    const { status } = await post(instance, caller, bodies[index] ?? '', headers, path(caller));
    statuses.push(status);
  };
  const waitedMs = await answeredMeanwhile(sendSmall, Promise.all(callers.map(send)));
  const answers = `answered ${statuses.join()}, others after ${Math.round(waitedMs)} ms`;
  check(`${callers.length} bodies of 16 MiB of gzip at once on ${name}`, instance, answers);
  expect(statuses.filter((status) => !DONE.includes(status))).toEqual([]);
  expect(waitedMs).toBeLessThan(ANSWER_MS);
}

it.each(ofTier<RecordKind[]>(['customers'], ['customers', 'products', 'orders']))(
  '%s: the largest bodies of gzip at once',
  async (kind) => {
    const instance = await start(kind);
    const body = largest(SMALL[kind], ['[', ']']);
    const path = ({ tenant }: Caller) => `/${tenant.tenantId}`;
    await sendLargest(instance, kind, () => body, path, await smallUpserts(instance, kind));
  },
);

/** A batch of new products, of the smallest parts, which take the most memory as objects: just under `bytes` stored. */
function checkedProducts(bytes: number): object[] {
  const parts = 5_000;
  const product = (number: number) => ({
    ProductId: `p${number}`,
    ProductVariants: Array.from({ length: parts }, (_, part) => ({ VariantId: `${part}`, Sku: `${number}-${part}` })),
  });
  const count = Math.floor(bytes / documentBytes(toDocument({ ...product(1) }, newRevision(systemRandom))));
  return Array.from({ length: count }, (_, number) => product(number));
}

it('products: as many checks of the largest batches as an instance has requests at once', async () => {
  const instance = await start('products');
  const { concurrency } = deployedWith('products');
  const body = gzipSync(Buffer.from(JSON.stringify(checkedProducts(CHECKED_BYTES))));
  const callers = await Promise.all(Array.from({ length: concurrency }, createCaller));
  const statuses: number[] = [];
  const validate = async (caller: Caller) => {
    const path = `/${caller.tenant.tenantId}?validateOnly=true`;
    const { status } = await post(instance, caller, body, { 'content-encoding': 'gzip' }, path);
    statuses.push(status);
  };
  const waitedMs = await answeredMeanwhile(
    await smallUpserts(instance, 'products'),
    Promise.all(callers.map(validate)),
  );
  const answers = `answered ${statuses.join()}, others after ${Math.round(waitedMs)} ms`;
  check(`${concurrency} checks of products of ${toMiB(CHECKED_BYTES)} at once`, instance, answers);
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => !DONE.includes(status))).toEqual([]);
  expect(waitedMs).toBeLessThan(ANSWER_MS);
});

// Forty bodies of 16 MiB keep both processors busy for minutes.
const inFullTier = ofTier(it.skip, it);

inFullTier('ingestion: the largest bodies of gzip at once', async () => {
  const instance = await start('ingestion');
  const registrationOf = ({ tenant }: Caller) => ({ TenantId: tenant.tenantId, BucketName: tenant.organizationId });
  const path = () => '/google-cloud-storage/register/historical-transfer';
  const other = await createCaller();
  const sendSmall = () => post(instance, other, JSON.stringify(registrationOf(other)), {}, path());
  await sendLargest(instance, 'ingestion', (caller) => largest(registrationOf(caller)), path, sendSmall);
});

/** Stores a run with a file whose report is as large as one may be. @returns the id of the run */
async function storeLargestReport({ tenant }: Caller): Promise<string> {
  const { operator, storage, config } = lab();
  const runId = storedRunId(tenant.tenantId);
  const text = 'x'.repeat(MAX_REPORT_BYTES / MAX_REPORTED_ROWS - 60);
  const rows = Array.from({ length: MAX_REPORTED_ROWS }, (_, index) => ({ line: index + 2, messages: { a: [text] } }));
  const { name, content, write } = aReport({ runId, object: RUN_OBJECT }, rows);
  const generation = await storage.write(config.reportsBucket, name, content);
  const report = 'data' in write ? { ...write, data: { ...write.data, generation } } : write;
  const writes = [putRun(runId, aRun(tenant.tenantId)), putFile(runId, aRunFile()), report];
  await operator.store.commit(writes, operator.deadline());
  return runId;
}

function get({ port }: DeployedFunction, { key }: Caller, path: string, headers = {}) {
  const all = { 'x-service-auth-key': key, ...headers };
  return exchange({ port, method: 'GET', path, headers: all, silentMs: SILENT_MS });
}

it('ingestion: as many streams of the largest reports as an instance sends at once', async () => {
  const instance = await start('ingestion');
  const callers = await Promise.all(Array.from({ length: MAX_STREAMS }, createCaller));
  const runIds: string[] = [];
  for (const caller of callers) runIds.push(await storeLargestReport(caller));
  const [first] = callers;
  const path = (index: number) => `/google-cloud-storage/runs/${runIds[index]}`;
  const lines: number[] = [];
  const read = async (caller: Caller, index: number) => {
    const answer = await get(instance, caller, `${path(index)}/errors`, { accept: 'application/x-ndjson' });
    lines.push(answer.text.split('\n').length - 1);
  };
  const waitedMs = await answeredMeanwhile(() => get(instance, first!, path(0)), Promise.all(callers.map(read)));
  const answers = `others answered after ${Math.round(waitedMs)} ms`;
  check(`${callers.length} streams of ${toMiB(MAX_REPORT_BYTES)} at once`, instance, answers);
  expect(lines).toEqual(callers.map(() => MAX_REPORTED_ROWS));
  expect(waitedMs).toBeLessThan(ANSWER_MS);
});

/** The largest message that a topic takes. */
const LARGEST_MESSAGE_BYTES = 10_000_000;

it('deletion-consumer: the largest messages at once, and then the largest that are read', async () => {
  const instance = await start('deletion-consumer');
  const { tenant } = await createCaller();
  const deletionIds = [toDeletionId('customers', customerIdIdentity('none'))];
  const event = { tenantId: tenant.tenantId, deletionIds };
  const head = JSON.stringify(event).slice(0, -1);
  /** What takes the most memory when it is read. */
  const largeOf = (bytes: number) => `${head},"more":[${'{},'.repeat((bytes - 500) / 3)}0]}`;
  const { concurrency } = deployedWith('deletion-consumer');
  const statuses: number[] = [];
  const pushAll = async () => {
    for (const bytes of [LARGEST_MESSAGE_BYTES, MAX_EVENT_BYTES]) {
      const message = largeOf(bytes);
      const answers = Array.from({ length: concurrency }, () => push(instance, message));
      statuses.push(...(await Promise.all(answers)).map(({ status }) => status));
    }
  };
  const waitedMs = await answeredMeanwhile(() => push(instance, JSON.stringify(event)), pushAll());
  const answers = `answered ${statuses.join()}, others after ${Math.round(waitedMs)} ms`;
  check(`${concurrency} messages of 10 MB and of 1 MiB at once on deletion-consumer`, instance, answers);
  expect(statuses.filter((status) => ![204, 503].includes(status))).toEqual([]);
  expect(waitedMs).toBeLessThan(ANSWER_MS);
});
