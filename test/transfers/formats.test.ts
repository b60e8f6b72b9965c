/** Formats of files in whole runs: records, bad rows, deletions and ignored fields, also in steps of one chunk. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Tenant } from '../../shared/domain/tenant';
import { avroFile, long, text } from '../support/avro-files';
import { textsFile } from '../support/parquet-files';
import type { TestBucket } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';

const lab = useTransferLab();

let tenant: Tenant;
let bucket: TestBucket;
beforeEach(async () => {
  ({ tenant, bucket } = await lab().openShop());
});

/** A step that ends with its first chunk. */
const oneChunk = { overrides: { stepSeconds: 1e-9 } };

it('reads CSV as a spreadsheet writes it, step by step (R-360, R-361, R-362, R-363)', async () => {
  const rows = Array.from({ length: 1_000 }, (_, n) => `o${n};${n},5;EUR;ä;p;s;2;;1,25`);
  const text = [
    'orderid; TOTALREVENUE;currency;Lieblingsfarbe;OrderItems.ProductId;orderitems.sku;OrderItems.Quantity;deletedat;OrderItems.Price',
    ...rows,
    'bad;1.234,50;EUR;;p;s;2;;1,25',
    'o3;;;;;;;2026-01-01;',
  ].join('\r\n');
  bucket.put('orders.csv', Buffer.from(`\uFEFF${text}`, 'utf16le'));
  const run = await lab().run(tenant, bucket, oneChunk);
  expect(run).toMatchObject({
    status: 'partial',
    ignoredFields: ['Lieblingsfarbe'],
    rows: { read: 1_002, stored: 1_000, invalid: 1, stale: 1 },
  });
  expect(await lab().report(run.runId)).toMatchObject([
    { line: 1_002, messages: { TotalRevenue: ['The field TotalRevenue must be a number.'] } },
  ]);
  const records = (await lab().records(tenant, 'orders')) as { readonly OrderId: string }[];
  expect(records).toHaveLength(1_000);
  expect(records.find(({ OrderId }) => OrderId === 'o7')).toMatchObject({
    TotalRevenue: 7.5,
    OrderItems: [{ Sku: 's', Quantity: 2, Price: 1.25 }],
  });
});

describe('Avro (R-365, R-366)', () => {
  const micros = { type: 'long', logicalType: 'timestamp-micros' };
  const fields = {
    OrderId: 'string',
    TotalRevenue: ['null', { type: 'bytes', logicalType: 'decimal', scale: 2 }],
    TotalQuantity: 'long',
    Currency: { type: 'enum', name: 'Currency', symbols: ['EUR'] },
    OrderDate: micros,
    Colour: ['null', 'string'],
    DeletedAt: ['null', micros],
  };
  const schema = { type: 'record', name: 'Order', fields: Object.entries(fields).map(([name, type]) => ({ name, type })) }; // prettier-ignore
  const at = (time: string) => long(BigInt(Date.parse(time)) * 1000n);
  const order = (id: string, { quantity = 1n, colour = long(0), deletedAt = long(0) } = {}) =>
    Buffer.concat([
      ...[text(id), long(1), text(Buffer.from([0x02, 0xd5])), long(quantity), long(0), at('2026-01-01T10:00:00Z')],
      ...[colour, deletedAt],
    ]);
  const deleted = Buffer.concat([long(1), at('2026-02-01T00:00:00Z')]);
  const rows = [
    ...Array.from({ length: 1_000 }, (_, n) => order(`o${n}`)),
    order('too large', { quantity: 2n ** 31n }),
    order('much too large', { quantity: 2n ** 60n, colour: Buffer.concat([long(1), text('red')]) }),
    order('gone', { deletedAt: deleted }),
  ];

  it.each(['null', 'deflate', 'snappy'])('is read step by step, with codec %s', async (codec) => {
    // A chunk ends within the first block, and one spans several.
    bucket.put('orders.avro', avroFile(schema, [rows.slice(0, 900), rows.slice(900, 950), rows.slice(950)], codec));
    const run = await lab().run(tenant, bucket, oneChunk);
    expect(run).toMatchObject({
      status: 'partial',
      ignoredFields: ['Colour'],
      rows: { read: 1_003, stored: 1_000, invalid: 2, deleted: 1 },
    });
    expect(await lab().report(run.runId)).toMatchObject([
      { line: 1_001, messages: { TotalQuantity: ['The field TotalQuantity must be an integer.'] } },
      { line: 1_002, messages: { TotalQuantity: ['The field TotalQuantity must be an integer.'] } },
    ]);
    const records = await lab().records(tenant, 'orders');
    expect(records).toHaveLength(1_000);
    expect(records[0]).toMatchObject({ TotalRevenue: 7.25, TotalQuantity: 1, Currency: 'EUR' });
  });

  it('is previewed, compressed once more, and replayed by its rows', async () => {
    bucket.put('orders.avro.gz', gzipSync(avroFile(schema, [rows])));
    const counts = { read: 1_003, stored: 1_000, invalid: 2, deleted: 1 };
    expect((await lab().run(tenant, bucket, { kind: 'preview' })).rows).toMatchObject(counts);
    expect(await lab().records(tenant, 'orders')).toEqual([]);
    const run = await lab().run(tenant, bucket);
    expect(run.rows).toMatchObject(counts);
    const mended = [...rows.slice(0, 1_000), order('1'), order('2'), ...rows.slice(1_002)];
    bucket.put('orders.avro.gz', gzipSync(avroFile(schema, [mended])));
    expect(await lab().replay(run.runId)).toMatchObject({ status: 'succeeded', rows: { read: 2, stored: 2 } });
  });

  it('fails as a whole where its records name no field of the kind (R-24)', async () => {
    const other = { type: 'record', name: 'Other', fields: [{ name: 'order_id', type: 'string' }] };
    bucket.put('orders.avro', avroFile(other, [[text('a'), text('b')]]));
    expect(await lab().run(tenant, bucket)).toMatchObject({ status: 'partial', files: { failed: 1 }, rows: { read: 0 } });
  }); // prettier-ignore
});

describe('Parquet (R-367, R-368)', () => {
  const sample = (name: string) => readFileSync(join(__dirname, '../unit/files/parquet', name));

  it('is read step by step', async () => {
    // Each step begins at the footer again: within the first row group, then between two.
    const emails = (group: number, rows: number) => Array.from({ length: rows }, (_, n) => `${group}-${n}@x.com`);
    bucket.put('customers.parquet', textsFile('Email', [emails(0, 900), emails(1, 700), emails(2, 10)]));
    const run = await lab().run(tenant, bucket, oneChunk);
    expect(run).toMatchObject({ status: 'succeeded', rows: { read: 1_610, stored: 1_610 } });
    expect(await lab().records(tenant, 'customers')).toHaveLength(1_610);
  });

  it('is stored as the JSON that it stands for', async () => {
    bucket.put('orders/part-0.snappy.parquet', sample('orders-snappy.parquet'));
    const run = await lab().run(tenant, bucket);
    expect(run).toMatchObject({ status: 'succeeded', ignoredFields: [], rows: { read: 60, stored: 60 } });
    const stored = await lab().records(tenant, 'orders');
    bucket.put('orders.ndjson', sample('orders-each-codec.expected.ndjson'));
    expect((await lab().run(tenant, bucket)).rows).toMatchObject({ read: 60 });
    const withoutTimes = (records: readonly object[]) => records.map((record) => ({ ...record, updatedAt: null, revision: null })); // prettier-ignore
    expect(withoutTimes(await lab().records(tenant, 'orders'))).toEqual(withoutTimes(stored));
    expect(stored).toHaveLength(60);
  }); // prettier-ignore

  it('reports bad rows by their numbers, is previewed, and replayed by its rows', async () => {
    bucket.put('orders.parquet', sample('orders-too-large.parquet'));
    const counts = { read: 4, stored: 2, invalid: 2 };
    expect((await lab().run(tenant, bucket, { kind: 'preview' })).rows).toMatchObject(counts);
    expect(await lab().records(tenant, 'orders')).toEqual([]);
    const run = await lab().run(tenant, bucket);
    expect(run).toMatchObject({ status: 'partial', rows: counts });
    const messages = { TotalQuantity: ['The field TotalQuantity must be an integer.'] };
    expect(await lab().report(run.runId)).toMatchObject([{ line: 2, messages }, { line: 3, messages }]);
    bucket.put('orders.parquet', sample('orders-zstd.parquet'));
    expect(await lab().replay(run.runId)).toMatchObject({ status: 'succeeded', rows: { read: 2, stored: 2 } });
  }); // prettier-ignore

  it('names fields that are ignored, and what of a file cannot be read (R-24)', async () => {
    bucket.put('customers.parquet', sample('customers-nulls.parquet'));
    expect(await lab().run(tenant, bucket)).toMatchObject({ ignoredFields: ['Loyalty', 'Tags'], rows: { stored: 90 } });
    bucket.put('products.parquet', sample('customers-nulls.parquet'));
    expect(await lab().run(tenant, bucket)).toMatchObject({ files: { failed: 1 }, rows: { read: 0 } });
  });
});
