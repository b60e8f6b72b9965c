/**
 * Hostile requests: values, bodies, encodings, headers, paths and queries that a careless service would stumble over.
 */
import * as fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import type { ApiRoute } from '../../http/api';
import { deletesRecords, ROUTES } from '../../http/api';

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

const id = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((raw) => raw.trim() !== '');
const some = <T>(records: fc.Arbitrary<T>) => fc.array(records, { minLength: 1, maxLength: 3 });
/** What a route takes, but for texts that it may refuse. */
const fitting = fc.record({
  customers: some(fc.record({ CustomerId: id, Name: text, Surname: text, EmailOptin: fc.boolean() }, { requiredKeys: ['CustomerId'] })), // prettier-ignore
  products: some(fc.record({ ProductId: id, ProductName: text, Taxonomy: fc.array(text, { maxLength: 2 }), ProductVariants: fc.constant([]) }, { requiredKeys: ['ProductId', 'ProductVariants'] })), // prettier-ignore
  orders: some(fc.record({ OrderId: id, Currency: fc.constant('EUR'), CustomerId: id, TotalRevenue: fc.double({ noNaN: true, noDefaultInfinity: true }) }, { requiredKeys: ['OrderId', 'Currency'] })), // prettier-ignore
  deletions: fc.record({
    customers: some(fc.record({ CustomerId: id, Name: text }, { requiredKeys: ['CustomerId'] })),
    products: some(fc.record({ ProductId: id, VariantId: fc.oneof(id, text) }, { requiredKeys: ['ProductId'] })),
    orders: some(fc.record({ OrderId: id, ProductId: fc.oneof(id, text), Sku: fc.oneof(id, text) }, { requiredKeys: ['OrderId'] })), // prettier-ignore
  }),
  ingestion: fc.record({ TenantId: text, BucketName: text, DataFolderPaths: fc.array(text, { maxLength: 2 }) }),
});

type FittingBodies = typeof fitting extends fc.Arbitrary<infer Bodies> ? Bodies : never;

/** Bytes that fit no route in particular. */
const unfitting = fc.oneof(
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
  fc.constantFrom('..', '.', '%2e%2e', '%2F', '%00', '%E0%A4%A', '%', '%%', '__proto__', 'variants', 'items', 'deletions', 'P-1', '%ud800', '%F0%9F%8D%B5', 'a;b', "'--"), // prettier-ignore
  fc.string({ maxLength: 8 }).map((raw) => encodeURIComponent(raw.toWellFormed())),
);
const query = fc.oneof(
  fc.constantFrom('', '?', '?email=', '?email=a@b.c', '?customerId=C-1&email=%', '?email[]=a', '?jobId=x', '?productId=%00&sku=s', '?email=a&email=b', '?email=+&customerId=', '?customerId=C-1&email=ada%40example.com', '?customerId=%ED%A0%80'), // prettier-ignore
  segment.map((name) => `?${name}=${name}`),
);

/** A request that may be wrong in any of its parts. */
export const drawnRequest = fc
  .record({
    route: fc.constantFrom(...ROUTES),
    method: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom('PUT', 'PATCH', 'GET', 'HEAD', 'OPTIONS', 'PROPFIND') }), // prettier-ignore
    /** Undefined: the route's own. */
    path: fc.oneof(
      { weight: 5, arbitrary: fc.constant(undefined) },
      { weight: 2, arbitrary: fc.tuple(fc.array(segment, { maxLength: 4 }), query) },
    ),
    bytes: fc.option(unfitting, { freq: 3 }),
    fitting,
    encoding,
    contentType,
    chunked: fc.boolean(),
    key: fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: headerText }),
    extra: fc.dictionary(
      fc.constantFrom('x-trace', 'traceparent', 'x-cloud-trace-context', 'cookie', 'x-forwarded-for', 'expect-ct', 'ce-id', 'ce-type', 'accept', 'x-http-method-override'), // prettier-ignore
      headerText,
      { maxKeys: 2 },
    ),
  })
  .map(({ bytes, fitting: bodies, ...rest }) => ({ ...rest, body: bytes ?? toBytes(fittingBody(rest.route, bodies)) }));
export type DrawnRequest = typeof drawnRequest extends fc.Arbitrary<infer R> ? R : never;

function fittingBody(route: ApiRoute, bodies: FittingBodies): unknown {
  const to = route.to === 'usage' ? 'customers' : route.to; // it takes none, so that any will do
  return to !== 'ingestion' && deletesRecords(route) ? bodies.deletions[to] : bodies[to];
}

function toBytes(any: unknown): Buffer {
  return Buffer.from(JSON.stringify(any));
}

/** The body's bytes on the wire, and what `Content-Encoding` says of them. */
export function encode(bytes: Buffer, how: DrawnRequest['encoding']): { raw: Buffer; header: string | undefined } {
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
