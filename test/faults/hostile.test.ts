/**
 * Promise: hostile input only ever gets a 4xx, or is stored faithfully: no 5xx, no HTML, nothing changed by a 4xx, memory
 * bounded. Named cases are in test/http/hostile-input; here they are drawn.
 */
import * as fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { recordsPath } from '../../shared/documents/paths';
import type { RecordKind } from '../../shared/domain/identity';
import { ROUTES } from '../http/api';
import type { Caller, FunctionName, TestService } from '../support/test-service';
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';
import { FAULTS_SEED, ofTier, report } from './tier';

const CASES = ofTier(5_000, 200_000);
const TEST_MS = ofTier(120_000, 2_400_000);
const KEY_LIMIT = 1e9;
/** The largest body takes 16 MiB, and its parsed values a multiple of that. */
const MAX_GROWTH_BYTES = 700 * 1024 * 1024;
const SAMPLE_EVERY = 100;

const service = useTestService(...HTTP_FUNCTIONS);

const FIELDS = ['Email', 'CustomerId', 'Name', 'Surname', 'Phone', 'Username', 'EmailOptin', 'IsExcluded', 'ProductId', 'ProductName', 'Taxonomy', 'ProductVariants', 'VariantId', 'Sku', 'Stock', 'OrderId', 'Currency', 'TotalRevenue', 'OrderItems', 'Quantity', 'Price', 'Size', 'TenantId', 'BucketName', 'DataFolderPaths', 'DailyJobStartingHourUTC', '__proto__', 'constructor', 'toString']; // prettier-ignore
const NASTY_TEXTS = ['', ' ', '\u0000', '\ud800', '\udfff\ud800', '\u202e', '😀'.repeat(101), 'a'.repeat(10_000), 'a@b', '@', 'EUR', '../..', '__proto__', '2x250g', '9'.repeat(400), '1e999', '2026-02-30', '%00', '<script>']; // prettier-ignore
const NASTY_NUMBERS = [0, -0, -1, 1.5, 1e308, -1e308, 5e-324, 2 ** 53, 2 ** 63, 0.1 + 0.2];

const text = fc.oneof(
  fc.constantFrom(...NASTY_TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 12 }),
);
const scalar = fc.oneof(text, fc.constantFrom(...NASTY_NUMBERS), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)); // prettier-ignore
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), text), tie('any'), { maxKeys: 4 }),
  ),
})).any;

const customer = fc.record({ Email: text, CustomerId: text, Name: text, Phone: text, EmailOptin: fc.boolean() }, { requiredKeys: [] }); // prettier-ignore
const variant = fc.record({ VariantId: text, Sku: text, Size: text, Stock: fc.integer(), SalePrice: fc.double({ noNaN: true }) }, { requiredKeys: ['VariantId', 'Sku'] }); // prettier-ignore
const product = fc.record({ ProductId: text, ProductName: text, Taxonomy: fc.array(text, { maxLength: 3 }), ProductVariants: fc.array(variant, { maxLength: 3 }) }, { requiredKeys: ['ProductId', 'ProductVariants'] }); // prettier-ignore
const item = fc.record({ ProductId: text, Sku: text, Quantity: fc.integer(), Price: fc.double({ noNaN: true }), Size: text }); // prettier-ignore
const order = fc.record({ OrderId: text, Currency: fc.constantFrom('EUR', 'usd', 'x', ''), Email: text, TotalRevenue: fc.double({ noNaN: true }), OrderItems: fc.array(item, { maxLength: 3 }) }, { requiredKeys: ['OrderId', 'Currency'] }); // prettier-ignore

/** Bytes of a body and what it says in its header. */
const body = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.oneof(customer, product, order), { maxLength: 4 }).map(toBytes) },
  { weight: 4, arbitrary: value.map(toBytes) },
  { weight: 2, arbitrary: fc.array(value, { maxLength: 4 }).map(toBytes) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 2, arbitrary: fc.tuple(value, fc.nat(300)).map(([any, end]) => toBytes([any]).subarray(0, end)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 100_000 }).map((depth) => Buffer.from('['.repeat(depth))) },
  { weight: 1, arbitrary: fc.constantFrom('NaN', '[1e999999]', '[-0]', '["\\ud800"]', '\ufeff[]', '[{"a":1}}').map((raw) => Buffer.from(raw)) }, // prettier-ignore
);

const encoding = fc.constantFrom<'none' | 'gzip' | 'cut gzip' | 'false gzip' | 'unknown'>(
  'none',
  'none',
  'none',
  'none',
  'gzip',
  'cut gzip',
  'false gzip',
  'unknown', // prettier-ignore
);
const headerText = fc.string({ unit: fc.integer({ min: 0x21, max: 0xff }).filter((code) => code < 0x7f || code > 0xa0).map((code) => String.fromCharCode(code)), maxLength: 60 }); // prettier-ignore
const contentType = fc.oneof(
  { weight: 8, arbitrary: fc.constant('application/json') },
  { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/cloudevents+json', '') }, // prettier-ignore
  { weight: 1, arbitrary: headerText },
);

const segment = fc.oneof(
  fc.constantFrom('..', '.', '%2e%2e', '%2F', '%00', '%E0%A4%A', '%', '%%', '__proto__', 'variants', 'items', 'P-1', '%ud800', '%F0%9F%8D%B5', 'a;b', "'--"), // prettier-ignore
  fc.string({ maxLength: 8 }).map((raw) => encodeURIComponent(raw.toWellFormed())),
);
const query = fc.oneof(
  fc.constantFrom('', '?', '?email=', '?email=a@b.c', '?customerId=C-1&email=%', '?email[]=a', '?jobId=x', '?productId=%00&sku=s', '?email=a&email=b', '?customerId=%ED%A0%80'), // prettier-ignore
  segment.map((name) => `?${name}=${name}`),
);

const request = fc.record({
  route: fc.constantFrom(...ROUTES),
  method: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom('PUT', 'PATCH', 'GET', 'HEAD', 'OPTIONS', 'PROPFIND') }), // prettier-ignore
  /** Undefined: the route's own. */
  path: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.tuple(fc.array(segment, { maxLength: 4 }), query) },
  ),
  body,
  encoding,
  contentType,
  chunked: fc.boolean(),
  key: fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: headerText }),
  extra: fc.dictionary(
    fc.constantFrom('x-trace', 'traceparent', 'x-cloud-trace-context', 'cookie', 'x-forwarded-for', 'expect-ct', 'ce-id', 'ce-type', 'accept', 'x-http-method-override'), // prettier-ignore
    headerText,
    { maxKeys: 2 },
  ),
});
type Request = typeof request extends fc.Arbitrary<infer R> ? R : never;

function toBytes(any: unknown): Buffer {
  return Buffer.from(JSON.stringify(any));
}

function encode(bytes: Buffer, how: Request['encoding']): { raw: Buffer; header: string | undefined } {
  switch (how) {
    case 'none':
      return { raw: bytes, header: undefined };
    case 'gzip':
      return { raw: gzipSync(bytes), header: 'gzip' };
    case 'cut gzip':
      return { raw: gzipSync(bytes).subarray(0, -5), header: 'gzip' };
    case 'false gzip':
      return { raw: bytes, header: 'gzip' };
    case 'unknown':
      return { raw: bytes, header: 'br' };
  }
}

async function send(to: TestService, caller: Caller, sent: Request) {
  const { route, path, encoding: how, chunked, extra } = sent;
  const { raw, header } = encode(sent.body, how);
  const drawn = path && `/${caller.tenantId}${path[0].map((part) => `/${part}`).join('')}${path[1]}`;
  const method = sent.method ?? route.method;
  return to.request(method, `/${route.to}${drawn ?? route.path(caller.tenantId)}`, {
    key: sent.key ?? caller.key,
    to: route.to,
    headers: { ...extra, 'content-type': sent.contentType, ...(header && { 'content-encoding': header }) },
    ...(method === 'POST' || method === 'PUT' || method === 'PATCH' ? { raw, chunked } : {}),
  });
}

const IDENTIFIERS = { customers: ['Email', 'CustomerId'], products: ['ProductId'], orders: ['OrderId'] } as const;
const FAITHFUL = ['Email', 'CustomerId', 'Name', 'Phone', 'EmailOptin', 'ProductId', 'ProductName', 'Taxonomy', 'OrderId', 'TotalRevenue']; // prettier-ignore

/** Of the records that were accepted one after the other, the last one's fields are stored as they were sent. */
async function expectFaithful(to: TestService, caller: Caller, kind: RecordKind, bytes: Buffer): Promise<void> {
  const batch = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>[];
  const last = batch.at(-1);
  if (!last) return;
  const sent = Object.entries(last).filter(
    ([name, any]) => FAITHFUL.includes(name) && any !== null && knows(kind, name),
  );
  const stored = await to.store.list(recordsPath(caller.tenantId, kind), { limit: 10 }, to.deadline());
  const isBlank = (any: unknown) => typeof any === 'string' && any.trim() === '';
  const isStored = stored.some(({ data }) =>
    sent.every(([name, any]) => (isIdentifier(name) && isBlank(any) ? !(name in data) : isSame(data[name], any))),
  );
  if (!isStored)
    throw new Error(`Sent ${JSON.stringify(last)}, stored ${JSON.stringify(stored.map(({ data }) => data))}`);
}

function knows(kind: RecordKind, field: string): boolean {
  const own = {
    customers: ['Email', 'CustomerId', 'Name', 'Phone', 'EmailOptin'],
    products: ['ProductId', 'ProductName', 'Taxonomy'],
    orders: ['OrderId', 'Email', 'CustomerId', 'TotalRevenue'],
  };
  return own[kind].includes(field);
}

function isIdentifier(field: string): boolean {
  return Object.values(IDENTIFIERS).some((fields) => (fields as readonly string[]).includes(field));
}

function isSame(stored: unknown, sent: unknown): boolean {
  return JSON.stringify(stored) === JSON.stringify(sent);
}

const isRecordKind = (name: FunctionName): name is RecordKind => name === 'customers' || name === 'products' || name === 'orders'; // prettier-ignore

it(
  'gets a 4xx or is stored faithfully, whatever it is',
  async () => {
    const to = service();
    const statuses = new Map<number, number>();
    const startBytes = process.memoryUsage().rss;
    let mostBytes = startBytes;
    let cases = 0;
    const property = fc.asyncProperty(request, async (sent) => {
      const caller = await to.createCaller({ requestsPerMinute: KEY_LIMIT });
      const effects = to.publisher.published.length + to.scheduler.jobs.size;
      const answer = await send(to, caller, sent);
      const { status, headers } = answer;
      if (sent.method !== 'HEAD' && !isEnvelope(answer.json))
        throw new Error(`${status}: ${answer.text.slice(0, 200)}`);
      if (headers['content-type'] !== 'application/json') throw new Error(`${status} ${headers['content-type'] ?? ''}`);
      if (status !== 200 && (status < 400 || status > 499)) throw new Error(`The answer was ${status}.`);
      if (status !== 200) {
        const writes = to.store.writes.filter(({ method }) => method !== 'increment');
        const isChanged = writes.length > 0 || effects !== to.publisher.published.length + to.scheduler.jobs.size;
        if (isChanged) throw new Error(`A ${status} has changed something: ${JSON.stringify(writes)}`);
      } else if (sent.route.method === 'POST' && isRecordKind(sent.route.to) && !sent.path) {
        await expectFaithful(to, caller, sent.route.to, sent.body);
      }
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      cases += 1;
      if (cases % SAMPLE_EVERY === 0) mostBytes = Math.max(mostBytes, process.memoryUsage().rss);
    });
    await fc.assert(property, { numRuns: CASES, seed: FAULTS_SEED });
    const seen = [...statuses].sort().map(([status, count]) => `${count} × ${status}`);
    report('hostile input gets a 4xx or is stored faithfully', CASES, 0, seen.join(', '));
    expect(mostBytes - startBytes).toBeLessThan(MAX_GROWTH_BYTES);
  },
  TEST_MS,
);

function isEnvelope(json: unknown): boolean {
  return typeof json === 'object' && json !== null && ['success', 'Success', 'errors'].some((name) => name in json);
}
