/** Requests other than batches: deletions, reads and registrations, with the longest and the most of everything. */
import type { RecordKind } from '../../../shared/domain/identity';
import type { Prepare } from './cost';
import { MeteredService } from './metered-service';
import { json, order, product, times, unknownFields, variants } from './records';
import type { FunctionName } from '../../support/test-service';
import type { Input } from './upsert-inputs';
import { batch } from './upsert-inputs';

interface Request {
  readonly to: FunctionName;
  readonly size: number;
  readonly method?: string;
  /** After the tenant, or the function for a registration. */
  readonly path: (size: number) => string;
  readonly body?: (size: number, tenantId: string) => string;
  /** What is stored before. */
  readonly stored?: (size: number) => readonly object[];
}

const ANSWERED = [200, 400, 404, 413, 414, 431];

export function request(name: string, { to, size, method = 'DELETE', path, body, stored }: Request): Input {
  const prepare: Prepare = async (n) => {
    const service = await MeteredService.open(to);
    const caller = await service.createMeteredCaller();
    const target = to === 'ingestion' ? `/ingestion${path(n)}` : `/${to}/${caller.tenantId}${path(n)}`;
    if (stored) await service.upsert(caller, to as RecordKind, stored(n));
    const sent = body && Buffer.from(body(n, caller.tenantId));
    // What is read is as large as what is stored.
    const bytes = method === 'GET' && target.length + (await service.storedBytes(caller));
    return service.prepare(caller, ANSWERED, {
      method,
      path: target,
      ...(sent && { body: sent }),
      ...(bytes !== false && { bytes }),
    });
  };
  return { name: `${method} ${to}: ${name}`, size, prepare };
}

interface Deletions {
  readonly kind: RecordKind;
  readonly size: number;
  /** What is stored before. */
  readonly stored?: (size: number) => readonly object[];
  readonly elements: (size: number) => readonly object[];
}

/** A batch of deletions. */
function deletionsOf(name: string, { kind, size, stored, elements }: Deletions): Input {
  return batch(`deletions: ${name}`, {
    kind,
    size,
    path: BATCH_PATH,
    statuses: ANSWERED,
    body: (n) => json(elements(n)),
    ...(stored && { stored }),
  });
}

/** Node takes 16 KB of headers, the path included. */
const LONG = 3_500;
const letters = (count: number) => 'x'.repeat(count);

const DELETIONS: readonly Input[] = [
  request('a customer with long identifiers', {
    to: 'customers',
    size: LONG / 2,
    path: (n) => `?customerId=${letters(n)}&email=${letters(n)}`,
  }),
  request('a customer with an identifier of escapes', {
    to: 'customers',
    size: LONG / 3,
    path: (n) => `?email=${'%C3%A9'.repeat(n / 2)}`,
  }),
  request('a customer with many parameters', {
    to: 'customers',
    size: LONG / 4,
    path: (n) => `?email=a&${'b=&'.repeat(n)}`,
  }),
  request('a product with a long id', { to: 'products', size: LONG, path: (n) => `/${letters(n)}` }),
  request('a variant with long ids', {
    to: 'products',
    size: LONG / 2,
    path: (n) => `/${letters(n)}/variants/${letters(n)}`,
  }),
  request('an order with a long id', { to: 'orders', size: LONG, path: (n) => `/${letters(n)}` }),
  request('an item with long ids', {
    to: 'orders',
    size: LONG / 3,
    path: (n) => `/${letters(n)}/items?productId=${letters(n)}&sku=${letters(n)}`,
  }),
  request('an item of a stored order of many', {
    to: 'orders',
    size: 500,
    stored: (n) => [order('x', n)],
    path: () => '/x/items?productId=p0',
  }),
  request('a variant of a stored product of many', {
    to: 'products',
    size: 500,
    stored: (n) => [product('x', variants(n))],
    path: () => '/x/variants/v0',
  }),
  request('a path of many segments', { to: 'orders', size: LONG / 2, path: (n) => '/x'.repeat(n) }),
  request('a transfer with a long job id', {
    to: 'ingestion',
    size: LONG,
    path: (n) => `/google-cloud-storage/unregister?jobId=daily-transfer/${letters(n)}`,
  }),
];

/** Requests that read back: the longest of everything, and the largest records. */
const READS: readonly Input[] = [
  request('customers with long identifiers', {
    to: 'customers',
    size: LONG / 2,
    method: 'GET',
    path: (n) => `?customerId=${letters(n)}&email=${letters(n)}`,
  }),
  request('customers who share an id', {
    to: 'customers',
    size: 25,
    method: 'GET',
    stored: (n) => times(n, (index) => ({ CustomerId: 'c', Email: `c${index}@example.com` })),
    path: () => '?customerId=c',
  }),
  request('a product of many variants', {
    to: 'products',
    size: 500,
    method: 'GET',
    stored: (n) => [product('x', variants(n))],
    path: () => '/x',
  }),
  request('an order of many items', {
    to: 'orders',
    size: 500,
    method: 'GET',
    stored: (n) => [order('x', n)],
    path: () => '/x',
  }),
];

const BATCH_PATH = '/deletions';
const largeProduct = (n: number) => [product('x', variants(n))];

/** Many deletions at once: a request that takes them, and one that has to wait until they are applied. */
const BATCHES: readonly Input[] = [
  deletionsOf('ordinary customers', {
    kind: 'customers',
    size: 250,
    elements: (n) => times(n, (index) => ({ CustomerId: `c${index}`, Email: `c${index}@example.com` })),
  }),
  deletionsOf('one customer again and again', {
    kind: 'customers',
    size: 250,
    elements: (n) => times(n, () => ({ CustomerId: 'c', Email: 'c@example.com' })),
  }),
  deletionsOf('one e-mail with many customer ids', {
    kind: 'customers',
    size: 250,
    elements: (n) => times(n, (index) => ({ CustomerId: `c${index}`, Email: 'c@example.com' })),
  }),
  deletionsOf('elements that are all wrong', {
    kind: 'customers',
    size: 250,
    elements: (n) => times(n, () => ({ x: 1 })),
  }),
  deletionsOf('long ids', {
    kind: 'orders',
    size: 250,
    elements: (n) => times(n, () => ({ OrderId: letters(100), ProductId: letters(100), Sku: letters(50) })),
  }),
  deletionsOf('variants of one product', {
    kind: 'products',
    size: 250,
    stored: largeProduct,
    elements: (n) => times(n, (index) => ({ ProductId: 'x', VariantId: `v${index}` })),
  }),
];

const REGISTRATIONS: readonly Input[] = ['historical', 'daily', 'hourly', 'live'].flatMap((kind) => {
  const path = () => `/google-cloud-storage/register/${kind}-transfer`;
  const field = kind === 'historical' ? 'HistoricalDataFolderPaths' : 'DataFolderPaths';
  const registration = (name: string, size: number, more: (n: number) => string) =>
    request(`${kind}, ${name}`, {
      to: 'ingestion',
      size,
      method: 'POST',
      path,
      body: (n, tenantId) => `{"TenantId":"${tenantId}","BucketName":"exports-${tenantId}",${more(n)}}`,
    });
  return [
    registration('long folders', 15, (n) =>
      `"${field}":${JSON.stringify(times(n, (index) => `${index}/${letters(1_000)}`))}`),
    registration('many folders', 50_000, (n) => `"${field}":${JSON.stringify(times(n, () => 'x'))}`),
    registration('many unknown fields', 20_000, (n) => unknownFields(n)),
    registration('one long unknown field', 1_000_000, (n) => `"x":"${letters(n)}"`),
  ];
}); // prettier-ignore

export const ROUTE_INPUTS: readonly Input[] = [...DELETIONS, ...READS, ...BATCHES, ...REGISTRATIONS];
