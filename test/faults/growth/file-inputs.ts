/** Files that a tenant may put into its bucket, each made so that one mistake makes its work grow faster than it. */
import { gzipSync } from 'node:zlib';
import { zipOf } from '../../support/zip-archives';
import type { TenantSettings } from '../../../shared/domain/tenant';
import type { OneTimeTransferKind } from '../../../shared/domain/transfer';
import type { Run } from '../../../shared/transfers/runs/run';
import type { Prepare } from './cost';
import { longName, MeteredTransfers } from './metered-transfers';
import { order, product, times, unknownFields, variants, wideOrder, wideProduct } from './records';
import type { Input } from './upsert-inputs';

interface File {
  /** Of the object, which tells kind and format. */
  readonly object: string;
  readonly size: number;
  readonly settings?: Partial<TenantSettings>;
  /** Records that an earlier file brings, by kind. */
  readonly stored?: (size: number) => readonly object[];
  readonly content: (size: number) => Buffer | string;
  /** Stored with `Content-Encoding: gzip`. */
  readonly isEncoded?: boolean;
  /** Default: historical. */
  readonly kind?: OneTimeTransferKind;
  readonly statuses?: readonly Run['status'][];
  /** What the work may be linear in; by default the bytes of the file, inflated, and of all that is stored. */
  readonly bytes?: (size: number) => number;
}

const ENDED = ['succeeded', 'partial', 'failed'] as const;

export function file(name: string, definition: File): Input {
  const { object, size, settings, stored, content, statuses = ENDED, bytes, isEncoded = false, kind } = definition;
  const prepare: Prepare = async (n) => {
    const transfers = await MeteredTransfers.open(settings);
    if (stored) {
      transfers.put(`${object.split('.')[0]}-stored.ndjson`, lines(stored(n)));
      await transfers.run();
      transfers.clear();
    }
    const sent = Buffer.from(content(n));
    const packed = object.endsWith('.zip') ? zipOf(sent) : object.endsWith('.gz') || isEncoded ? gzipSync(sent) : sent;
    transfers.put(object, packed, isEncoded);
    const inputBytes = bytes?.(n) ?? sent.length + (await transfers.storedBytes());
    return transfers.prepare(statuses, inputBytes, () => transfers.run(1, kind));
  };
  return { name: `file ${object.length > 40 ? object.slice(-20) : object}: ${name}`, size, prepare };
}

export function lines(records: readonly object[]): Buffer {
  return Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

const customer = (index: number) => ({ CustomerId: `c${index}`, Email: `c${index}@example.com`, Name: 'Ada' });
/** An order whose first item has so many bytes more. */
function filled({ OrderItems: [first, ...others] = [], ...rest }: { OrderItems?: object[] }, bytes: number): object {
  return { ...rest, OrderItems: [{ ...first, Brand: 'b'.repeat(bytes) }, ...others] };
}
const SUCCEEDED = ['succeeded'] as const;

const RECORDS: readonly Input[] = [
  file('new customers', {
    object: 'customers.ndjson',
    size: 500,
    statuses: SUCCEEDED,
    content: (n) => lines(times(n, customer)),
  }),
  file('new customers, in one array', {
    object: 'customers.json',
    size: 500,
    statuses: SUCCEEDED,
    content: (n) => JSON.stringify(times(n, customer)),
  }),
  file('new customers', {
    object: 'customers.csv',
    size: 500,
    statuses: SUCCEEDED,
    content: (n) => `CustomerId,Name\n${times(n, (index) => `c${index},Ada\n`).join('')}`,
  }),
  file('new customers', {
    object: 'customers.ndjson.gz',
    size: 500,
    statuses: SUCCEEDED,
    content: (n) => lines(times(n, customer)),
  }),
  file('new customers, stored with gzip as their encoding', {
    object: 'customers.ndjson',
    size: 500,
    isEncoded: true,
    statuses: SUCCEEDED,
    content: (n) => lines(times(n, customer)),
  }),
  ...['customers.csv.gz', 'customers.json.gz'].map((object) =>
    file('new customers', {
      object,
      size: 500,
      statuses: SUCCEEDED,
      content: (n) =>
        object.includes('.csv')
          ? `CustomerId,Name\n${times(n, (index) => `c${index},Ada\n`).join('')}`
          : JSON.stringify(times(n, customer)),
    }),
  ),
  file('new products, in one array', {
    object: 'products.json',
    size: 200,
    statuses: SUCCEEDED,
    content: (n) => JSON.stringify(times(n, (index) => product(`p${index}`, variants(5)))),
  }),
  file('new orders, in one array', {
    object: 'orders.json',
    size: 200,
    statuses: SUCCEEDED,
    content: (n) => JSON.stringify(times(n, (index) => order(`o${index}`, 5))),
  }),
  file('one customer in all rows', {
    object: 'customers.ndjson',
    size: 500,
    statuses: SUCCEEDED,
    content: (n) => lines(times(n, (index) => ({ ...customer(0), Name: `Ada ${index}` }))),
  }),
  file('rows of one stored order of many items', {
    object: 'orders.ndjson',
    size: 50,
    statuses: SUCCEEDED,
    stored: (n) => [order('x', 16 * n)],
    content: (n) => lines(times(n, () => order('x'))),
  }),
  file('rows of one order, each with new items', {
    object: 'orders.ndjson',
    size: 50,
    statuses: SUCCEEDED,
    content: (n) => lines(times(n, (index) => order('x', 16, 16 * index))),
  }),
  file('rows that would outgrow large stored orders', {
    object: 'orders.ndjson',
    size: 3,
    statuses: ['partial'],
    stored: (n) => times(n, (index) => wideOrder(`o${index}`, 1_000_000)),
    content: (n) => lines(times(n, (index) => order(`o${index}`, 1_000, 1_000_000))),
  }),
  file('rows that would each outgrow one stored order of many items', {
    object: 'orders.ndjson',
    size: 6,
    statuses: ['partial'],
    stored: (n) => [filled(order('x', 600 * n), 1_030_000 - 58 * 600 * n)],
    content: (n) => lines(times(n, (index) => filled(order('x', 1, 1_000_000 + index), 40_000))),
    bytes: (n) => n, // items and rows: the record is nearly full at each size
  }),
  file('many large stored products, rows without variants', {
    object: 'products.ndjson',
    size: 12,
    statuses: SUCCEEDED,
    stored: (n) => times(n, (index) => wideProduct(`p${index}`, 200_000)),
    content: (n) => lines(times(n, (index) => product(`p${index}`))),
  }),
  file('by Sku, rows that each claim a Sku of one stored product of many variants', {
    object: 'products.ndjson',
    settings: { productIdentifier: 'sku' },
    size: 8,
    statuses: SUCCEEDED,
    stored: (n) => [product('x', variants(40 * n))],
    content: (n) => lines(times(n, (index) => product(`p${index}`, [{ VariantId: `v${index}`, Sku: `v${index}` }]))),
  }),
  file('by Sku, rows of one stored product of many variants', {
    object: 'products.ndjson',
    settings: { productIdentifier: 'sku' },
    size: 25,
    statuses: SUCCEEDED,
    stored: (n) => [product('x', variants(40 * n))],
    content: (n) => lines(times(n, () => product('x', [{ VariantId: 'v0', Sku: 'v0' }]))),
  }),
  file('rows of one group', {
    object: 'orders.csv',
    size: 1_000,
    statuses: SUCCEEDED,
    content: (n) =>
      `OrderId,Currency,OrderItems.ProductId,OrderItems.Sku,OrderItems.Quantity,OrderItems.Price\n${times(n, (index) => `x,EUR,p${index},s${index},1,1\n`).join('')}`,
  }),
];

const DELETED_AT = '2026-01-01T00:00:00Z';
/** Stored records are older than that. */
const old = (record: object) => ({ ...record, UpdatedAt: '2025-01-01T00:00:00Z' });

const DELETING: readonly Input[] = [
  file('rows that delete stored orders', {
    object: 'orders.ndjson',
    size: 300,
    statuses: SUCCEEDED,
    stored: (n) => times(n, (index) => old(order(`o${index}`, 2))),
    content: (n) => lines(times(n, (index) => ({ OrderId: `o${index}`, DeletedAt: DELETED_AT }))),
  }),
  file('rows that delete the items of one stored order', {
    object: 'orders.ndjson',
    size: 100,
    statuses: SUCCEEDED,
    stored: (n) => [old(order('x', 4 * n))],
    content: (n) => lines(times(n, (index) => ({ OrderId: 'x', Sku: `s${index}`, DeletedAt: DELETED_AT }))),
  }),
  file('one row that deletes many items', {
    object: 'orders.ndjson',
    size: 500,
    statuses: SUCCEEDED,
    stored: (n) => [old(order('x', n))],
    content: (n) =>
      lines([{ OrderId: 'x', OrderItems: times(n, (index) => ({ Sku: `s${index}`, DeletedAt: DELETED_AT })) }]),
  }),
  file('by Sku, rows that delete the variants of one stored product', {
    object: 'products.ndjson',
    settings: { productIdentifier: 'sku' },
    size: 100,
    statuses: SUCCEEDED,
    stored: (n) => [old(product('x', variants(2 * n)))],
    content: (n) => lines(times(n, (index) => ({ ProductId: 'x', VariantId: `v${index}`, DeletedAt: DELETED_AT }))),
  }),
  file('rows that delete stored customers', {
    object: 'customers.csv',
    size: 300,
    statuses: SUCCEEDED,
    stored: (n) => times(n, (index) => old(customer(index))),
    content: (n) => `CustomerId,DeletedAt\n${times(n, (index) => `c${index},${DELETED_AT}\n`).join('')}`,
  }),
  file('one row that deletes many customers, who share what is not their key', {
    object: 'customers.ndjson',
    size: 500,
    statuses: SUCCEEDED,
    stored: (n) => times(n, (index) => old({ ...customer(index), CustomerId: 'shared' })),
    content: () => lines([{ CustomerId: 'shared', DeletedAt: DELETED_AT }]),
  }),
  file('rows that store and delete one customer in turn', {
    object: 'customers.ndjson',
    size: 25,
    statuses: SUCCEEDED,
    content: (n) =>
      lines(times(2 * n, (index) => (index % 2 ? { CustomerId: 'c0', DeletedAt: DELETED_AT } : old(customer(0))))),
  }),
];

const SHARED = { Email: 'guest@example.com' };
const guest = (index: number) => ({ ...customer(index), ...SHARED });

const PREVIEWED: readonly Input[] = [
  file('a preview of new customers', {
    object: 'customers.ndjson',
    size: 500,
    kind: 'preview',
    statuses: SUCCEEDED,
    content: (n) => lines(times(n, customer)),
  }),
  file('a preview of customers who share an identifier, then rows with that identifier alone', {
    object: 'customers.ndjson',
    settings: { customerIdentifier: 'customerid' },
    size: 800,
    kind: 'preview',
    statuses: SUCCEEDED,
    stored: (n) => times(n, guest),
    content: (n) => {
      const others = times(n, (index) => (index % 40 === 0 ? SHARED : customer(n + index)));
      return lines([...times(n, (index) => ({ ...guest(index), Name: 'Eve' })), ...others]);
    },
  }),
  file('a preview of rows that change nothing of many stored variants', {
    object: 'products.ndjson',
    size: 25,
    kind: 'preview',
    statuses: SUCCEEDED,
    stored: (n) => [product('x', variants(40 * n))],
    content: (n) => lines(times(n, () => product('x', [{ VariantId: 'v0', Sku: 'v0' }]))),
  }),
];

const MIB = 1024 * 1024;

/** A first record in each format. */
const FIRST: Readonly<Record<string, string>> = {
  'customers.ndjson': '{"Email":"a@example.com"}\n',
  'customers.csv': 'Email\na@example.com\n',
  'customers.json': '[{"Email":"a@example.com"}',
};

const BLANKS: readonly Input[] = [
  file('blanks before the first record, beyond what is looked at', {
    object: 'customers.json',
    size: 1.25 * MIB,
    content: (n) => `${' '.repeat(n)}[{"Email":"a@example.com"}]`,
    bytes: () => MIB,
  }),
  file('blanks before the first record', {
    object: 'customers.json',
    size: 64 * 1024,
    statuses: SUCCEEDED,
    content: (n) => `${' \n'.repeat(n / 2)}[{"Email":"a@example.com"}]`,
  }),
  ...['customers.ndjson', 'customers.csv', 'customers.json'].map((object) =>
    file('newlines', {
      object,
      size: 160 * 1024,
      content: (n) => `${FIRST[object]}${'\n'.repeat(n)}`,
    }),
  ),
  ...['customers.ndjson', 'customers.csv'].map((object) =>
    file('lines of a blank', { object, size: 64 * 1024, content: (n) => `${FIRST[object]}${' \r\n'.repeat(n)}` }),
  ),
  file('newlines between elements', {
    object: 'customers.json',
    size: 64 * 1024,
    statuses: SUCCEEDED,
    content: (n) => `[{"Email":"a@example.com"},${'\n'.repeat(n)}{"Email":"b@example.com"}]`,
  }),
];

const BAD_ROWS: readonly Input[] = [
  file('bad rows of an object with a long name', {
    object: `customers/${longName('.ndjson')}`,
    size: 2_000,
    statuses: ['partial'],
    content: (n) => '1\n'.repeat(n),
  }),
  file('bad rows', { object: 'customers.csv', size: 2_000, statuses: ['partial'], content: (n) => `Email\na@example.com\n${'x,y\n'.repeat(n)}` }),
  file('bad elements', { object: 'customers.json', size: 2_000, statuses: ['partial'], content: (n) => `[1${',1'.repeat(n)}]` }),
  file('a row of many wrong variants', {
    object: 'products.ndjson',
    size: 1_000,
    statuses: ['partial'],
    content: (n) => lines([{ ProductId: 'x', ProductVariants: times(n, () => ({})) }]),
  }),
  file('groups that bad rows cut', {
    object: 'orders.csv',
    size: 200,
    content: (n) => `OrderId,Currency,Note\n${times(n, () => `x,EUR,${'n'.repeat(200)}\n"bad\n`).join('')}`,
  }),
  file('groups that rows without an identifier cut', {
    object: 'orders.csv',
    size: 750,
    content: (n) => `OrderId,Currency,Note\nx,EUR,${'n'.repeat(20 * n)}\n${',,\nx,EUR,\n'.repeat(n)}`,
  }),
  file('groups with a long list that rows without an identifier cut', {
    object: 'products.csv',
    size: 750,
    content: (n) => `ProductId,ProductName,Taxonomy\nx,X,${'t|'.repeat(10 * n)}t\n${',,\nx,X,\n'.repeat(n)}`,
  }),
  file('a line that is too long', { object: 'customers.ndjson', size: 2.5 * MIB, content: (n) => `"${'x'.repeat(n)}"\n` }),
  file('a row that is too long', { object: 'customers.csv', size: 2.5 * MIB, content: (n) => `Email\n"${'x'.repeat(n)}"\n` }),
  file('an element that is too long', { object: 'customers.json', size: 2.5 * MIB, content: (n) => `["${'x'.repeat(n)}"]` }),
  file('a header of many columns', { object: 'customers.csv', size: 2_000, content: (n) => `Email,${times(n, (index) => `c${index}`).join(',')}\n` }),
  file('rows of many unknown fields', {
    object: 'customers.ndjson',
    size: 50,
    content: (n) => times(n, (index) => `{"Email":"c${index}@example.com",${unknownFields(500, `${index}-`)}}\n`).join(''),
  }),
]; // prettier-ignore

export const FILE_INPUTS: readonly Input[] = [...RECORDS, ...DELETING, ...PREVIEWED, ...BLANKS, ...BAD_ROWS];
