import { parseFileKind } from '../../../shared/files/file-kind';

const csvOrders = { kind: 'orders', format: 'csv', gzip: false };

describe('parseFileKind (D-50)', () => {
  it.each([
    ['customers.ndjson', { kind: 'customers', format: 'ndjson', gzip: false }],
    ['customers.jsonl', { kind: 'customers', format: 'ndjson', gzip: false }],
    ['products.json', { kind: 'products', format: 'json', gzip: false }],
    ['orders.csv', csvOrders],
    ['customers.ndjson.gz', { kind: 'customers', format: 'ndjson', gzip: true }],
    ['customers.jsonl.gz', { kind: 'customers', format: 'ndjson', gzip: true }],
    ['products.json.gz', { kind: 'products', format: 'json', gzip: true }],
    ['orders.csv.gz', { kind: 'orders', format: 'csv', gzip: true }],
    ['orders.avro', { ...csvOrders, format: 'avro' }],
    ['orders.parquet', { ...csvOrders, format: 'parquet' }],
    ['orders/part-0.snappy.parquet', { ...csvOrders, format: 'parquet' }],
    ['orders.csv.zip', { ...csvOrders, zip: true }],
    ['products.JSON.Zip', { kind: 'products', format: 'json', gzip: false, zip: true }],
    ['ORDERS.CSV.GZ', { kind: 'orders', format: 'csv', gzip: true }],
    ['Orders-2026-01-31.v2.Csv', csvOrders],
    ['orders_export_old.csv', csvOrders],
  ])('tells kind and format of %s', (name, kind) => {
    expect(parseFileKind(name)).toStrictEqual(kind);
  });

  it.each([
    ['exports/orders/part-0001.csv', 'the folder'],
    ['customers/2026/Orders/a/b/part.csv', 'the nearest folder'],
    ['customers/orders.csv', "the file's own name before its folder"],
    ['//orders//x.csv', 'a folder beside empty segments'],
    ['my-orders/orders-eu/customer.csv', 'a segment that begins with it, not one that holds it'],
  ])('takes the kind of %s from %s', (name) => {
    expect(parseFileKind(name)).toStrictEqual(csvOrders);
  });

  it.each([
    'part.csv',
    'my-orders/part.csv',
    'order/part.csv',
    'orders',
    'orders/',
    'orders.csv/',
    'orders/part.xml',
    'orders.gz',
    'orders.zip',
    'orders.parquet.gz',
    'orders.parquet.zip',
    'orders.csv.gz.zip',
    'orders.csv.zip.gz',
    'orders.csv.gz.gz',
    'orders/csv',
    'orderscsv',
    '',
  ])('is undefined for %p', (name) => {
    expect(parseFileKind(name)).toBeUndefined();
  });

  it.each([
    ['gzip', true],
    [' GZip ', true],
    ['x-gzip', true],
    ['gzip, gzip', true],
    ['identity', false],
    ['', false],
    [null, false],
    [undefined, false],
  ])('with Content-Encoding %p: gzip %p', (contentEncoding, gzip) => {
    expect(parseFileKind('orders.csv', contentEncoding)).toStrictEqual({ ...csvOrders, gzip });
  });

  it('is undefined for an archive that is stored with another coding around it (R-364)', () => {
    expect(parseFileKind('orders.csv.zip', 'gzip')).toBeUndefined();
    expect(parseFileKind('orders.csv.zip', 'identity')).toStrictEqual({ ...csvOrders, zip: true });
  });

  it.each(['br', 'deflate', 'gzip, br', 'constructor'])('is undefined with Content-Encoding %s', (contentEncoding) => {
    expect(parseFileKind('orders.csv', contentEncoding)).toBeUndefined();
  });
});
