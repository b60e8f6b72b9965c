/** Rows with DeletedAt delete records and parts of them as of then, in every format. */
import { drainDeletions } from '../../shared/deletions/apply-deletion';
import { WIDE_DELETION_PAGE } from '../../shared/limits/deletions';
import { pendingDeletions } from '../support/pending-deletions';
import { avroFile, list, long, text } from '../support/avro-files';
import { encodeRecords, FILE_FORMATS } from '../support/file-formats';
import { bytes, LOGICAL, parquetFile, runs } from '../support/parquet-files';
import type { Shop } from '../support/transfer-lab';
import { item, order, product, stale, stored, useDatedFiles } from './dated-files';

const { lab, hoursAgo, afterwards, readFile, api, records } = useDatedFiles();

const deleted = (count: number) => ({ read: count, stored: 0, invalid: 0, stale: 0, deleted: count });
const at = (hours: number) => hoursAgo(hours).toISOString();

interface Stored {
  readonly Email?: string;
  readonly OrderId?: string;
  readonly ProductId?: string;
  readonly OrderItems?: readonly { readonly Sku: string }[];
  readonly ProductVariants?: readonly { readonly Sku: string }[];
}

/** What a shop holds, by its own ids and those of its parts. */
async function held(shop: Shop): Promise<string[]> {
  const kinds = ['customers', 'products', 'orders'] as const;
  const all = (await Promise.all(kinds.map((kind) => records(shop, kind)))).flat() as Stored[];
  const texts = all.map(({ Email, ProductId, OrderId, ProductVariants, OrderItems }) => {
    const parts = [...(ProductVariants ?? []), ...(OrderItems ?? [])].map(({ Sku }) => Sku);
    return [Email ?? ProductId ?? OrderId, ...parts.sort()].join(' ');
  });
  return texts.sort();
}

describe.each(FILE_FORMATS)('%s', (format) => {
  it.each(['productid', 'sku'] as const)('deletes records of all kinds and parts, by %s (R-27)', async (identifier) => {
    const shop = await lab().openShop({ productIdentifier: identifier });
    const { tenant, bucket } = shop;
    const uploaded = hoursAgo(3);
    await readFile(shop, 'customers', [{ Email: 'a@x.com', CustomerId: '1' }, { Email: 'b@x.com' }], uploaded);
    await readFile(shop, 'products', [product('p', ['a', 'b', 'c']), product('q', ['d'])], uploaded);
    await readFile(shop, 'orders', [order('o', { OrderItems: ['a', 'b', 'c'].map(item) }), order('n')], uploaded);
    const put = (name: string, rows: object[]) => bucket.put(`gone/${name}.${format}`, encodeRecords(rows, format));
    put('customers', [{ CustomerId: '1', DeletedAt: at(2) }]);
    put('products', [
      { ProductId: 'p', DeletedAt: '', ProductVariants: [{ VariantId: 'v-a', DeletedAt: at(2) }] },
      { ProductId: 'q', DeletedAt: at(2) },
      { ProductId: 'p', VariantId: 'v-b', DeletedAt: at(2) },
    ]);
    put('orders', [
      { OrderId: 'o', OrderItems: [{ ProductId: 'p', Sku: 'a', DeletedAt: at(2) }] },
      { OrderId: 'o', Sku: 'b', DeletedAt: at(2) },
      { OrderId: 'n', DeletedAt: at(2) },
    ]);
    const run = await lab().run(tenant, bucket, { folders: ['gone/'] });
    expect(run).toMatchObject({ status: 'succeeded', rows: deleted(7), ignoredFields: [] });
    expect(await held(shop)).toEqual(['b@x.com', 'o c', 'p c']);
    expect(await pendingDeletions(tenant.tenantId, lab().operator.store, lab().operator.deadline())).toEqual([]);
  });
});

describe('deletes orders and items by columns with a type of time (R-27, R-365, R-367)', () => {
  const micros = (hours: number) => BigInt(hoursAgo(hours).getTime()) * 1000n;
  const int64 = (value: bigint) => {
    const buffer = Buffer.alloc(8);
    buffer.writeBigInt64LE(value);
    return buffer;
  };

  function avro(): Buffer {
    const time = ['null', { type: 'long', logicalType: 'timestamp-micros' }];
    const itemFields = [
      { name: 'Sku', type: 'string' },
      { name: 'DeletedAt', type: time },
    ];
    const items = { type: 'array', items: { type: 'record', name: 'Item', fields: itemFields } };
    const fields = [
      { name: 'OrderId', type: 'string' },
      { name: 'OrderItems', type: items },
      { name: 'DeletedAt', type: time },
    ];
    const at2 = Buffer.concat([long(1), long(micros(2))]);
    const ofItem = Buffer.concat([text('o'), list(Buffer.concat([text('a'), at2])), long(0)]);
    const ofOrder = Buffer.concat([text('n'), list(), at2]);
    return avroFile({ type: 'record', name: 'Order', fields }, [[ofItem, ofOrder]]);
  }

  function parquet(): Buffer {
    const time = { type: 2, logical: LOGICAL.timestamp(2, true) };
    const schema = [
      { name: 'OrderId', type: 6 },
      { name: 'OrderItems', repetition: 2, children: 2 },
      { name: 'Sku', type: 6 },
      { name: 'DeletedAt', ...time },
      { name: 'DeletedAt', repetition: 1, ...time },
    ];
    // The first order has one item, the second one none.
    const ofItems = { entries: 2, definitions: runs(1, 0), repetitions: runs(0, 0) };
    const pages = [
      { values: bytes('o', 'n'), entries: 2 },
      { values: bytes('a'), ...ofItems },
      { values: int64(micros(2)), ...ofItems },
      { values: int64(micros(2)), entries: 2, definitions: runs(0, 1) },
    ];
    return parquetFile(schema, [{ rows: 2, columns: pages.map((page) => ({ pages: [page] })) }]);
  }

  it.each([
    ['avro', avro],
    ['parquet', parquet],
  ])('%s', async (format, content) => {
    const shop = await lab().openShop();
    const uploaded = hoursAgo(3);
    await readFile(shop, 'orders', [order('o', { OrderItems: ['a', 'b'].map(item) }), order('n')], uploaded);
    shop.bucket.put(`gone/orders.${format}`, content());
    const run = await lab().run(shop.tenant, shop.bucket, { folders: ['gone/'] });
    expect(run).toMatchObject({ status: 'succeeded', rows: deleted(2), ignoredFields: [] });
    expect(await held(shop)).toEqual(['o b']);
  });
});

it('reads nested elements that are deleted beside others of their CSV group', async () => {
  const shop = await lab().openShop();
  await readFile(shop, 'orders', [order('o', { OrderItems: ['a', 'b'].map(item) })], hoursAgo(3));
  const header = 'OrderId,Currency,OrderItems.ProductId,OrderItems.Sku,OrderItems.Quantity,OrderItems.Price';
  const rows = ['o,EUR,p,c,1,1,', `o,,,a,,,${at(2)}`, 'o,,p,d,1,1,  ', `r,,p,,,,${at(2)}`];
  shop.bucket.put('x/orders.csv', [`${header},OrderItems.DeletedAt`, ...rows, ''].join('\n'));
  const run = await lab().run(shop.tenant, shop.bucket, { folders: ['x/'] });
  expect(run.rows).toEqual({ read: 2, stored: 1, invalid: 0, stale: 0, deleted: 1 });
  expect(await held(shop)).toEqual(['o b c d']);
});

describe('a deletion', () => {
  const rowsOf = {
    customers: { Email: 'a@x.com' },
    products: product('p', ['a']),
    orders: order('o', { OrderItems: [item('a')] }),
  } as const;
  const deletionOf = {
    customers: { Email: 'a@x.com' },
    products: { ProductId: 'p' },
    orders: { OrderId: 'o' },
  } as const;

  it.each(['customers', 'products', 'orders'] as const)('of %s yields to what is newer (D-54)', async (kind) => {
    const shop = await lab().openShop();
    await api(shop, kind, [rowsOf[kind]]);
    expect(await readFile(shop, kind, [{ ...deletionOf[kind], DeletedAt: at(1) }], hoursAgo(0))).toEqual(stale(1));
    expect(await records(shop, kind)).toHaveLength(1);
  });

  it.each(['customers', 'products', 'orders'] as const)(
    'of %s keeps older rows out of whatever file, and lets newer ones in (D-54)',
    async (kind) => {
      const shop = await lab().openShop();
      expect(await readFile(shop, kind, [{ ...deletionOf[kind], DeletedAt: at(2) }], hoursAgo(1))).toEqual(deleted(1));
      expect(await readFile(shop, kind, [rowsOf[kind]], hoursAgo(3))).toEqual(stale(1));
      expect(await records(shop, kind)).toEqual([]);
      expect(await readFile(shop, kind, [rowsOf[kind]], hoursAgo(1))).toEqual(stored(1));
      expect(await readFile(shop, kind, [{ ...deletionOf[kind], DeletedAt: at(2) }], await afterwards())).toEqual(
        stale(1),
      );
      expect(await records(shop, kind)).toHaveLength(1);
    },
  );

  it.each(['customers', 'products', 'orders'] as const)(
    'of %s takes its turn among the rows of its slice',
    async (kind) => {
      const shop = await lab().openShop();
      const version = (hours: number) => ({ ...rowsOf[kind], UpdatedAt: at(hours) });
      const removal = (hours: number) => ({ ...deletionOf[kind], DeletedAt: at(hours) });
      const rows = [version(9), removal(8), version(8.5), version(7), removal(7.5), removal(6), removal(6), version(5)];
      expect(await readFile(shop, kind, rows, hoursAgo(1))).toEqual({
        read: 8,
        stored: 3,
        invalid: 0,
        stale: 2,
        deleted: 3,
      });
      expect(await records(shop, kind)).toHaveLength(1);
    },
  );

  it('of a Sku keeps older rows out under whatever ProductId (D-03)', async () => {
    const shop = await lab().openShop({ productIdentifier: 'sku' });
    await readFile(shop, 'products', [product('p', ['a', 'b'])], hoursAgo(4));
    await readFile(shop, 'products', [{ ProductId: 'p', VariantId: 'v-a', DeletedAt: at(2) }], hoursAgo(1));
    expect(await readFile(shop, 'products', [product('q', ['a'])], hoursAgo(3))).toEqual(stale(1));
    expect(await readFile(shop, 'products', [product('q', ['a'])], hoursAgo(1))).toEqual(stored(1));
    expect(await held(shop)).toEqual(['p b', 'q a']);
  });
});

it('deletes all customers who share what is not their key but those that are newer, however many (R-28)', async () => {
  const shop = await lab().openShop({ customerIdentifier: 'email' });
  const shared = (count: number, name: string) =>
    Array.from({ length: count }, (_, n) => ({ Email: `${name}${n}@x.com`, CustomerId: 'shared' }));
  const older = WIDE_DELETION_PAGE + 100;
  await readFile(shop, 'customers', [...shared(older, 'old'), { Email: 'other@x.com' }], hoursAgo(3));
  await api(shop, 'customers', shared(WIDE_DELETION_PAGE, 'new'));
  const rows = [{ CustomerId: 'shared', DeletedAt: at(2) }, { Email: 'late@x.com' }];
  const counts = { read: 2, stored: 1, invalid: 0, stale: 0, deleted: 1 };
  expect(await readFile(shop, 'customers', rows, hoursAgo(1))).toEqual(counts);
  await drainDeletions(shop.tenant, 'customers', lab().operator.deadline(), lab().operator);
  const left = await held(shop);
  expect(left).toHaveLength(WIDE_DELETION_PAGE + 2);
  expect(left.filter((email) => email.startsWith('old'))).toEqual([]);
});

it('deletes nothing twice and loses nothing where each slice is a step of its own', async () => {
  const shop = await lab().openShop();
  const ids = Array.from({ length: 1_000 }, (_, n) => `c${n}`);
  await readFile(
    shop,
    'customers',
    ids.map((CustomerId) => ({ CustomerId })),
    hoursAgo(3),
  );
  const rows = ids.map((CustomerId, n) => ({ CustomerId, ...(n % 3 === 0 ? { DeletedAt: at(2) } : { Name: 'x' }) }));
  shop.bucket.put('gone/customers.ndjson', encodeRecords(rows, 'ndjson'), hoursAgo(1));
  const run = await lab().run(shop.tenant, shop.bucket, { folders: ['gone/'], overrides: { stepSeconds: 1e-9 } });
  expect(run.rows).toEqual({ read: 1_000, stored: 666, invalid: 0, stale: 0, deleted: 334 });
  expect(await records(shop, 'customers')).toHaveLength(666);
});

it.each([
  ['yesterday', 'The field DeletedAt must be an ISO 8601 date or date-time.'],
  ['9999-01-01', 'The field DeletedAt must not be in the future.'],
])('reports a row with the DeletedAt %p, and reads it again when it is mended', async (DeletedAt, message) => {
  const shop = await lab().openShop();
  const { tenant, bucket } = shop;
  await readFile(shop, 'customers', [{ Email: 'a@x.com' }, { Email: 'b@x.com' }], hoursAgo(3));
  const fileWith = (value: string) =>
    encodeRecords(
      [
        { Email: 'b@x.com', DeletedAt: at(2) },
        { Email: 'a@x.com', DeletedAt: value },
      ],
      'csv',
    );
  bucket.put('x/customers.csv', fileWith(DeletedAt), hoursAgo(1));
  const run = await lab().run(tenant, bucket, { folders: ['x/'] });
  expect(run).toMatchObject({ status: 'partial', rows: { read: 2, invalid: 1, deleted: 1 } });
  expect(await lab().report(run.runId)).toMatchObject([{ line: 3, messages: { DeletedAt: [message] } }]);
  bucket.put('x/customers.csv', fileWith(at(2)), hoursAgo(1));
  expect((await lab().replay(run.runId)).rows).toEqual(deleted(1));
  expect(await records(shop, 'customers')).toEqual([]);
});

it('is not the last word where a replay reads it after later rows of its file', async () => {
  const shop = await lab().openShop();
  const { tenant, bucket } = shop;
  const time = at(2);
  const fileWith = (id: object) =>
    encodeRecords(
      [
        { ...id, DeletedAt: time },
        { Email: 'a@x.com', CustomerId: '1', UpdatedAt: time },
      ],
      'ndjson',
    );
  bucket.put('x/customers.ndjson', fileWith({}), hoursAgo(1));
  const run = await lab().run(tenant, bucket, { folders: ['x/'] });
  expect(run.rows).toMatchObject({ stored: 1, invalid: 1 });
  bucket.put('x/customers.ndjson', fileWith({ CustomerId: '1' }), hoursAgo(1));
  const replay = await lab().replay(run.runId);
  expect(replay.rows).toEqual({ read: 2, stored: 1, invalid: 0, stale: 0, deleted: 1 });
  expect(await records(shop, 'customers')).toHaveLength(1);
});
