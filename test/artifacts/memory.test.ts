/**
 * Promise: a deployed function never has more than 512 MiB of memory, whatever its callers send and however large what
 * they have stored is; and whoever else calls it meanwhile is answered.
 *
 * The bundles of `npm run build` run as the platform runs them, with the heap that they are deployed with, on the
 * emulators. Linux tells the most memory that a process ever had.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createKey } from '../../functions/admin/keys';
import { recordPath } from '../../shared/documents/paths';
import type { DocumentData } from '../../shared/domain/document';
import { documentBytes } from '../../shared/domain/document';
import type { RecordId, RecordKind } from '../../shared/domain/identity';
import { orderRecordId, productRecordId } from '../../shared/domain/identity';
import { MAX_BODY_BYTES, MAX_RECORD_BYTES } from '../../shared/domain/limits';
import type { Tenant } from '../../shared/domain/tenant';
import { systemRandom } from '../../shared/random';
import { noteLargeRecords } from '../../shared/records/large-records';
import { newStamp, toDocument } from '../../shared/records/record-documents';
import { DeployedFunction } from '../faults/load/deployed-function';
import { ofTier, report } from '../faults/tier';
import { exchange } from '../support/http-exchange';
import { useTransferLab } from '../support/transfer-lab';

const MOST_BYTES = 512 * 1024 * 1024;
/** Requests that Cloud Run gives to one instance at once. */
const CONCURRENCY = 16;
/** Together far more than the heap, as objects. */
const LARGE_RECORDS = ofTier(80, 200);
const FILE_ROWS = ofTier(80, 400);
/** A small request of somebody else may wait for a turn between others, but not for their end. */
const ANSWER_MS = 20_000;
const POLL_MS = 100;
/** What the platform gives a request: a busy machine takes long, and the memory is what counts. */
const SILENT_MS = 540_000;

const lab = useTransferLab();
const started: DeployedFunction[] = [];
afterEach(async () => {
  for (const each of started.splice(0)) await each.stop();
});

/** The size of the heap that a function is deployed with. */
function heapOptions(name: string): string {
  const text = readFileSync(join(__dirname, '../../terraform/functions.tf'), 'utf8');
  const kind = name === 'transfer-runner' ? 'transfer-runner = {' : 'upserts = {';
  const [, options] = /NODE_OPTIONS\s*=\s*"([^"]*)"/.exec(text.slice(text.indexOf(kind))) ?? [];
  return options ?? '';
}

async function start(name: string): Promise<DeployedFunction> {
  const { projectId, emulators, reportsBucket } = lab().config;
  const instance = await DeployedFunction.start(name, {
    NODE_OPTIONS: heapOptions(name),
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
  const { key } = await createKey({ organization: tenant.organizationId, limit: '1000000' }, lab().operator);
  return { tenant, key };
}

function post({ port }: DeployedFunction, { tenant, key }: Caller, body: string | Buffer, headers = {}) {
  const path = `/${tenant.tenantId}`;
  const all = { 'x-service-auth-key': key, 'content-type': 'application/json', ...headers };
  return exchange({ port, method: 'POST', path, headers: all, body, silentMs: SILENT_MS });
}

const SMALL: Readonly<Record<RecordKind, object>> = {
  customers: { Email: 'ann@example.com' },
  products: { ProductId: 'tea', ProductVariants: [] },
  orders: { OrderId: '1', Currency: 'EUR' },
};

/** Sends small requests of somebody else until some work is over. @returns the longest wait for an answer */
async function answeredMeanwhile(instance: DeployedFunction, kind: RecordKind, work: Promise<unknown>) {
  const other = await createCaller();
  const body = JSON.stringify([SMALL[kind]]);
  let isOver = false as boolean;
  const over = work.finally(() => (isOver = true));
  over.catch(() => undefined); // awaited below
  let longestMs = 0;
  do {
    const sentMs = performance.now();
    // 503 says at once that the caller shall come again, which is an answer, but not for ever.
    while ((await post(instance, other, body)).status !== 200) await sleep(POLL_MS);
    longestMs = Math.max(longestMs, performance.now() - sentMs);
    await sleep(POLL_MS);
  } while (!isOver);
  await over;
  return longestMs;
}

/** The largest record there is, of as many parts as fit, which take the most memory as objects. */
function largeRecord(kind: 'products' | 'orders', number: number): { id: RecordId; data: DocumentData } {
  const text = 'x'.repeat(150); // the emulator takes seconds for a record of many thousand tiny parts
  const parts = Array.from({ length: 6_000 }, (_, place) =>
    kind === 'products'
      ? { VariantId: `v${place}`, Sku: `v${place}`, Name: text }
      : { ProductId: `p${place}`, Sku: `s${place}`, Quantity: 1, Price: 1, Brand: text },
  );
  const fields = kind === 'products' ? { ProductId: `x${number}` } : { OrderId: `x${number}`, Currency: 'EUR' };
  const list = kind === 'products' ? 'ProductVariants' : 'OrderItems';
  const toData = (count: number) => toDocument({ ...fields, [list]: parts.slice(0, count) }, newStamp(systemRandom));
  const fitting = Math.floor((parts.length * (MAX_RECORD_BYTES - 10_000)) / documentBytes(toData(parts.length)));
  const id = kind === 'products' ? productRecordId(`x${number}`) : orderRecordId(`x${number}`);
  return { id, data: toData(Math.min(parts.length, fitting)) };
}

async function storeLarge(tenant: Tenant, kind: 'products' | 'orders', count: number): Promise<void> {
  const { store, deadline } = lab().operator;
  await noteLargeRecords(tenant, store, deadline());
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

/** Sends the ids of all large records at once. */
async function sendIds(caller: Caller, kind: 'products' | 'orders'): Promise<void> {
  const instance = await start(kind);
  const body = JSON.stringify(Array.from({ length: LARGE_RECORDS }, (_, number) => naming(kind, number)));
  const statuses: number[] = [];
  const work = post(instance, caller, body).then(({ status }) => statuses.push(status));
  const waitedMs = await answeredMeanwhile(instance, kind, work);
  const answers = `answered ${statuses.join()}, others after ${Math.round(waitedMs)} ms`;
  check(`${LARGE_RECORDS} large stored ${kind}`, instance, answers);
  expect(statuses.filter((status) => !DONE_OR_LATE.includes(status))).toEqual([]);
  expect(waitedMs).toBeLessThan(ANSWER_MS);
}

// Storing the records takes the emulator longer than all that is measured: both functions work on the same.
it('products and transfer-runner: ids of large stored products, sent and in a file', async () => {
  const { tenant, bucket } = await lab().openShop();
  const { key } = await createKey({ organization: tenant.organizationId, limit: '1000000' }, lab().operator);
  await storeLarge(tenant, 'products', LARGE_RECORDS);
  await sendIds({ tenant, key }, 'products');
  const names = (_: unknown, number: number) => JSON.stringify(naming('products', number % LARGE_RECORDS));
  bucket.put('products.ndjson', `${Array.from({ length: FILE_ROWS }, names).join('\n')}\n`);
  const run = lab().start(tenant, bucket, { kind: 'historical' });
  await run.deliver(run.trigger);
  for (const plan of run.waiting.splice(0)) await run.deliver(plan);
  const instance = await start('transfer-runner');
  const [file] = run.waiting;
  const data = Buffer.from(JSON.stringify(file?.event)).toString('base64');
  const message = { messageId: '1', publishTime: new Date().toISOString(), data };
  const body = JSON.stringify({ message, subscription: 'projects/p/subscriptions/s' });
  const headers = { 'content-type': 'application/json' };
  const { port } = instance;
  const { status } = await exchange({ port, method: 'POST', path: '/', headers, body, silentMs: SILENT_MS });
  const shown = await run.shown();
  check(`a file of ${FILE_ROWS} rows of large stored products`, instance, `answered ${status}`);
  expect(shown).toMatchObject({ status: 'succeeded', rows: { read: FILE_ROWS, stored: FILE_ROWS } });
});

const ALSO = ofTier<readonly 'orders'[]>([], ['orders']);
for (const kind of ALSO) {
  it(`${kind}: ids of large stored records`, async () => {
    const caller = await createCaller();
    await storeLarge(caller.tenant, kind, LARGE_RECORDS);
    await sendIds(caller, kind);
  });
}

/** A valid body of as many bytes and values as there may be, most of them unknown; some kilobytes as gzip. */
function largestBody(kind: RecordKind): Buffer {
  const head = JSON.stringify([SMALL[kind]]).slice(0, -2);
  const element = '{"a":{}},';
  const count = 450_000;
  const body = `${head},"more":[${element.repeat(count)}0]}]`;
  return gzipSync(Buffer.from(body.padEnd(MAX_BODY_BYTES, ' ')));
}

it.each(ofTier<RecordKind[]>(['customers'], ['customers', 'products', 'orders']))(
  '%s: the largest bodies of gzip at once',
  async (kind) => {
    const callers = await Promise.all(Array.from({ length: CONCURRENCY }, createCaller));
    const body = largestBody(kind);
    const instance = await start(kind);
    const statuses: number[] = [];
    const send = async (caller: Caller) => {
      const { status } = await post(instance, caller, body, { 'content-encoding': 'gzip' });
      statuses.push(status);
    };
    const waitedMs = await answeredMeanwhile(instance, kind, Promise.all(callers.map(send)));
    check(
      `${CONCURRENCY} bodies of 16 MiB of gzip at once on ${kind}`,
      instance,
      `answered ${statuses.join()}, others after ${Math.round(waitedMs)} ms`,
    );
    expect(statuses.filter((status) => !DONE.includes(status))).toEqual([]);
    expect(waitedMs).toBeLessThan(ANSWER_MS);
  },
);
