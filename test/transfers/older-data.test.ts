/** A row of a file yields to what is newer than the row: a record or another file (D-54, D-58). */
import type { RecordKind } from '../../shared/domain/identity';
import { recordPath } from '../../shared/documents/paths';
import { customerRecordId } from '../../shared/domain/identity';
import { FILE_SLICE_ROWS } from '../../shared/limits/transfers';
import { asOf } from '../../shared/workspace/record-documents';
import { encodeRecords } from '../support/file-formats';
import { order, product, stale, stored, useDatedFiles } from './dated-files';

const { lab, hoursAgo, afterwards, readFile, api, deleteBy, records } = useDatedFiles();

describe('a record that is newer than the file (D-54)', () => {
  it('keeps a consent withdrawn that the API withdrew between the upload of the file and the run', async () => {
    const shop = await lab().openShop();
    await api(shop, 'customers', [{ Email: 'a@x.com', EmailOptin: true }]);
    const uploaded = await afterwards();
    await api(shop, 'customers', [{ Email: 'a@x.com', EmailOptin: false, GdprOptin: false }]);
    const rows = await readFile(shop, 'customers', [{ Email: 'A@X.com', EmailOptin: true, Name: 'Ann' }], uploaded);
    expect(rows).toEqual(stale(1));
    expect(await records(shop, 'customers')).toMatchObject([{ Email: 'a@x.com', EmailOptin: false }]);
    expect(await records(shop, 'customers')).not.toMatchObject([{ Name: 'Ann' }]);
  });

  it('takes a file of exactly the time of the record: an equal time is not older', async () => {
    const shop = await lab().openShop();
    const { tenant } = shop;
    await api(shop, 'customers', [{ Email: 'a@x.com', Name: 'Before' }]);
    const id = customerRecordId({ Email: 'a@x.com' }, tenant.customerIdentifier);
    const path = recordPath(tenant.tenantId, 'customers', id);
    const document = await lab().operator.store.get(path, lab().operator.deadline());
    const at = asOf(document!);
    const before = new Date(at.getTime() - 1);
    expect(await readFile(shop, 'customers', [{ Email: 'a@x.com', Name: 'Older' }], before)).toEqual(stale(1));
    expect(await readFile(shop, 'customers', [{ Email: 'a@x.com', Name: 'Equal' }], at)).toEqual(stored(1));
    expect(await records(shop, 'customers')).toMatchObject([{ Name: 'Equal' }]);
  });

  it('reads a newer file into an older record, and keeps what the row does not mention', async () => {
    const shop = await lab().openShop();
    await api(shop, 'customers', [{ Email: 'a@x.com', Phone: '1', EmailOptin: true }]);
    const rows = await readFile(shop, 'customers', [{ Email: 'a@x.com', Name: 'New' }], await afterwards());
    expect(rows).toEqual(stored(1));
    expect(await records(shop, 'customers')).toMatchObject([{ Name: 'New', Phone: '1', EmailOptin: true }]);
  });

  it.each<[RecordKind, object, object, object]>([
    ['customers', { Email: 'a@x.com', Name: 'old' }, { Email: 'a@x.com', Name: 'new' }, { Name: 'new' }],
    [
      'products',
      product('p', ['a'], { ProductName: 'old' }),
      product('p', ['a'], { ProductName: 'new' }),
      { ProductName: 'new' },
    ],
    ['orders', order('o', { TotalRevenue: 1.5 }), order('o', { TotalRevenue: 2.5 }), { TotalRevenue: 2.5 }],
  ])('gives the same %s whether the newer of two files is read first or last', async (kind, old, recent, expected) => {
    const inOrder = await lab().openShop();
    expect(await readFile(inOrder, kind, [old], hoursAgo(2))).toEqual(stored(1));
    expect(await readFile(inOrder, kind, [recent], hoursAgo(1))).toEqual(stored(1));
    const reversed = await lab().openShop();
    expect(await readFile(reversed, kind, [recent], hoursAgo(1))).toEqual(stored(1));
    expect(await readFile(reversed, kind, [old], hoursAgo(2))).toEqual(stale(1));
    expect(await records(inOrder, kind)).toMatchObject([expected]);
    const ignoringTimes = (list: readonly object[]) => list.map((record) => ({ ...record, OrderDate: null }));
    expect(ignoringTimes(await records(reversed, kind))).toEqual(ignoringTimes(await records(inOrder, kind)));
  });

  // The API updates fields of a customer, and writes an order whole.
  it.each([
    ['customers', (version: number) => ({ Email: 'a@x.com', Name: `Version ${version}` })],
    ['orders', (version: number) => order('o', { TotalQuantity: version })],
  ] as const)('lets the API change %s that came from a file, and an even newer file again', async (kind, record) => {
    const shop = await lab().openShop();
    await readFile(shop, kind, [record(1)], hoursAgo(1));
    const between = await afterwards();
    await api(shop, kind, [record(2)]);
    expect(await readFile(shop, kind, [record(3)], between)).toEqual(stale(1));
    expect(await readFile(shop, kind, [record(4)], await afterwards())).toEqual(stored(1));
    expect(await records(shop, kind)).toMatchObject([record(4)]);
  });

  it('tells the rows of one file apart: only those of newer records are stale', async () => {
    const shop = await lab().openShop();
    await api(shop, 'customers', [{ Email: 'b@x.com', Name: 'API' }]);
    const emails = ['a@x.com', 'b@x.com', 'c@x.com'];
    const rows = await readFile(
      shop,
      'customers',
      emails.map((Email) => ({ Email, Name: 'File' })),
      hoursAgo(1),
    );
    expect(rows).toEqual({ read: 3, stored: 2, invalid: 0, stale: 1, deleted: 0 });
    const names = (await records(shop, 'customers')) as { Email: string; Name: string }[];
    expect(Object.fromEntries(names.map(({ Email, Name }) => [Email, Name]))).toEqual({
      'a@x.com': 'File',
      'b@x.com': 'API',
      'c@x.com': 'File',
    });
  });
});

describe('rows of one file that meet (D-54)', () => {
  it('reads a customer id away from a customer and back to it', async () => {
    const shop = await lab().openShop();
    await api(shop, 'customers', [{ Email: 'a@x.com', CustomerId: 'c1' }]);
    const changes = [
      { Email: 'a@x.com', CustomerId: 'c2' },
      { Email: 'a@x.com', CustomerId: 'c1', Name: 'Last' },
    ];
    expect(await readFile(shop, 'customers', changes, await afterwards())).toEqual(stored(2));
    expect(await records(shop, 'customers')).toMatchObject([{ CustomerId: 'c1', Name: 'Last' }]);
  });

  it('folds rows of the same customers in one slice after the other, in their order', async () => {
    const shop = await lab().openShop();
    const different = FILE_SLICE_ROWS - 50;
    const customers = Array.from({ length: 3 * FILE_SLICE_ROWS }, (_, n) => ({
      Email: `${n % different}@x.com`,
      ...(n < different ? { Surname: 'Kept' } : {}),
      Name: `Name ${n}`,
    }));
    expect(await readFile(shop, 'customers', customers, hoursAgo(1))).toEqual(stored(customers.length));
    const found = (await records(shop, 'customers')) as { Email: string; Name: string; Surname: string }[];
    const expected = customers.slice(-different).map(({ Email, Name }) => ({ Email, Name, Surname: 'Kept' }));
    const byEmail = new Map(found.map((record) => [record.Email, record]));
    expect(found).toHaveLength(different);
    expect(expected.map(({ Email }) => byEmail.get(Email))).toMatchObject(expected);
  });

  it('reads a product that takes over another one, and then that other one again (D-03)', async () => {
    const shop = await lab().openShop({ productIdentifier: 'sku' });
    await api(shop, 'products', [product('p1', ['a'])]);
    const rows = await readFile(shop, 'products', [product('p2', ['a']), product('p1', ['b'])], await afterwards());
    expect(rows).toEqual(stored(2));
    const ids = ((await records(shop, 'products')) as { ProductId: string }[]).map(({ ProductId }) => ProductId);
    expect(ids.sort()).toEqual(['p1', 'p2']);
  });

  it('keeps the product that a refused row would have taken over (D-52)', async () => {
    const shop = await lab().openShop({ productIdentifier: 'sku' });
    const large = (prefix: string) =>
      Array.from({ length: 300 }, (_, index) => ({
        VariantId: `${prefix}${index}`,
        Sku: `${prefix}${index}`,
        Url: `https://x.com/${'x'.repeat(1_900)}`,
      }));
    await api(shop, 'products', [{ ProductId: 'p1', ProductVariants: large('a') }]);
    const row = { ProductId: 'p2', ProductVariants: [...large('b'), { VariantId: 'a0', Sku: 'a0' }] };
    const rows = await readFile(shop, 'products', [row], await afterwards());
    expect(rows).toEqual({ read: 1, stored: 0, invalid: 1, stale: 0, deleted: 0 });
    expect(await records(shop, 'products')).toMatchObject([{ ProductId: 'p1' }]);
  });
});

describe('the time of a row (D-58)', () => {
  const at = (date: Date) => date.toISOString();

  it('counts in place of the time of the file, older or newer, and is not stored', async () => {
    const shop = await lab().openShop();
    await api(shop, 'customers', [
      { Email: 'a@x.com', Name: 'API' },
      { Email: 'b@x.com', Name: 'API' },
    ]);
    const newer = await afterwards();
    const rowsOfNewFile = [{ Email: 'a@x.com', Name: 'File', UpdatedAt: at(hoursAgo(1)) }];
    expect(await readFile(shop, 'customers', rowsOfNewFile, newer)).toEqual(stale(1));
    const rowsOfOldFile = [{ Email: 'b@x.com', Name: 'File', UpdatedAt: at(newer) }];
    expect(await readFile(shop, 'customers', rowsOfOldFile, hoursAgo(1))).toEqual(stored(1));
    const kept = (await records(shop, 'customers')) as { Email: string; Name: string }[];
    expect(kept.find(({ Email }) => Email === 'a@x.com')?.Name).toBe('API');
    expect(kept.find(({ Email }) => Email === 'b@x.com')?.Name).toBe('File');
    expect(JSON.stringify(kept)).not.toContain('UpdatedAt');
  });

  it('orders rows of the same record by their times, whatever their order in the file', async () => {
    const shop = await lab().openShop();
    const versions = [2, 4, 1, 3].map((hours) => order('o', { TotalQuantity: hours, UpdatedAt: at(hoursAgo(hours)) }));
    expect(await readFile(shop, 'orders', versions, hoursAgo(0))).toEqual({
      read: 4,
      stored: 2,
      invalid: 0,
      stale: 2,
      deleted: 0,
    });
    expect(await records(shop, 'orders')).toMatchObject([{ TotalQuantity: 1 }]);
  });

  it.each(['2026-02-30', 'yesterday', 17, true])('refuses the row with the UpdatedAt %p', async (UpdatedAt) => {
    const shop = await lab().openShop();
    const { bucket, tenant } = shop;
    bucket.put('orders.ndjson', encodeRecords([order('a'), order('b', { UpdatedAt }), order('c')], 'ndjson'));
    const run = await lab().run(tenant, bucket);
    expect(run).toMatchObject({ status: 'partial', rows: { read: 3, stored: 2, invalid: 1, stale: 0, deleted: 0 } });
    expect(await lab().report(run.runId)).toMatchObject([
      { line: 2, messages: { UpdatedAt: ['The field UpdatedAt must be an ISO 8601 date or date-time.'] } },
    ]);
  });

  it('refuses a row from the future', async () => {
    const shop = await lab().openShop();
    const { bucket, tenant } = shop;
    bucket.put('customers.ndjson', encodeRecords([{ Email: 'a@x.com', UpdatedAt: at(hoursAgo(-1)) }], 'ndjson'));
    const run = await lab().run(tenant, bucket);
    expect(run.rows).toEqual({ read: 1, stored: 0, invalid: 1, stale: 0, deleted: 0 });
    expect(await lab().report(run.runId)).toMatchObject([
      { line: 1, messages: { UpdatedAt: ['The field UpdatedAt must not be in the future.'] } },
    ]);
  });

  it.each([null, ''])('takes the time of the file where UpdatedAt is %p', async (UpdatedAt) => {
    const shop = await lab().openShop();
    await api(shop, 'customers', [{ Email: 'a@x.com', Name: 'API' }]);
    expect(await readFile(shop, 'customers', [{ Email: 'a@x.com', UpdatedAt }], hoursAgo(1))).toEqual(stale(1));
  });

  it('counts in a column of a CSV file, too', async () => {
    const shop = await lab().openShop();
    await api(shop, 'orders', [order('a', { TotalQuantity: 9 })]);
    const rows = ['a', 'b'].map((id) => order(id, { TotalQuantity: 5, UpdatedAt: at(hoursAgo(1)) }));
    shop.bucket.put('orders.csv', encodeRecords(rows, 'csv'), await afterwards());
    const run = await lab().run(shop.tenant, shop.bucket);
    expect(run.rows).toEqual({ read: 2, stored: 1, invalid: 0, stale: 1, deleted: 0 });
    const quantities = ((await records(shop, 'orders')) as { OrderId: string; TotalQuantity: number }[]).map(
      ({ OrderId, TotalQuantity }) => [OrderId, TotalQuantity],
    );
    expect(Object.fromEntries(quantities)).toEqual({ a: 9, b: 5 });
  });
});

describe('tenants that identify products by Sku (D-03, D-54)', () => {
  it('keeps a product from being taken over by an older file', async () => {
    const shop = await lab().openShop({ productIdentifier: 'sku' });
    const uploaded = await afterwards();
    await api(shop, 'products', [product('p1', ['a'], { ProductName: 'API' })]);
    expect(await readFile(shop, 'products', [product('p2', ['a'], { ProductName: 'File' })], uploaded)).toEqual(
      stale(1),
    );
    expect(await records(shop, 'products')).toMatchObject([{ ProductId: 'p1', ProductName: 'API' }]);
  });

  it('lets a newer file take a product over, after which older files leave it alone', async () => {
    const shop = await lab().openShop({ productIdentifier: 'sku' });
    await readFile(shop, 'products', [product('p1', ['a'])], hoursAgo(3));
    expect(await readFile(shop, 'products', [product('p2', ['a'])], hoursAgo(1))).toEqual(stored(1));
    expect(await readFile(shop, 'products', [product('p3', ['a'])], hoursAgo(2))).toEqual(stale(1));
    expect(await readFile(shop, 'products', [product('p2', ['b'])], hoursAgo(2))).toEqual(stale(1));
    expect(await records(shop, 'products')).toMatchObject([{ ProductId: 'p2', ProductVariants: [{ Sku: 'a' }] }]);
  });

  describe.each(['applied', 'pending'] as const)('a deletion that is %s', (state) => {
    it('brings a product back under none of the ids that it had, nor under a new one', async () => {
      const shop = await lab().openShop({ productIdentifier: 'sku' });
      await api(shop, 'products', [product('p0', ['a', 'b'])]);
      const uploaded = await afterwards();
      await api(shop, 'products', [product('p1', ['a'])]);
      const between = await afterwards();
      await deleteBy(shop, { type: 'product', productId: 'p1' }, state);
      const rows = [product('p0', ['a', 'b']), product('p0', ['b']), product('p9', ['c', 'a'])];
      for (const at of [uploaded, between]) expect(await readFile(shop, 'products', rows, at)).toEqual(stale(3));
      expect(await records(shop, 'products')).toEqual([]);
      expect(await readFile(shop, 'products', rows.slice(0, 1), await afterwards())).toEqual(stored(1));
      expect(await records(shop, 'products')).toMatchObject([{ ProductId: 'p0' }]);
    });

    it('brings a removed variant back under no other product', async () => {
      const shop = await lab().openShop({ productIdentifier: 'sku' });
      await api(shop, 'products', [product('p1', ['a', 'b'])]);
      const uploaded = await afterwards();
      await deleteBy(shop, { type: 'variant', productId: 'p1', variantId: 'v-a' }, state);
      expect(await readFile(shop, 'products', [product('p2', ['a'])], uploaded)).toEqual(stale(1));
      expect(await records(shop, 'products')).toMatchObject([{ ProductId: 'p1', ProductVariants: [{ Sku: 'b' }] }]);
    });

    it('leaves rows alone of a Sku that another product holds', async () => {
      const shop = await lab().openShop({ productIdentifier: 'sku' });
      await readFile(shop, 'products', [product('p1', ['a']), product('p2', ['b'])], hoursAgo(3));
      await deleteBy(shop, { type: 'product', productId: 'p1' }, state);
      expect(await readFile(shop, 'products', [product('p3', ['b'])], hoursAgo(2))).toEqual(stored(1));
      await api(shop, 'products', [product('p4', ['a'])]);
      expect(await readFile(shop, 'products', [product('p4', ['a'])], await afterwards())).toEqual(stored(1));
    });

    it('takes a deleted variant from an older row that takes its product over, and remembers it', async () => {
      const shop = await lab().openShop({ productIdentifier: 'sku' });
      await readFile(shop, 'products', [product('p1', ['a'])], hoursAgo(4));
      await deleteBy(shop, { type: 'variant', productId: 'p1', variantId: 'v-b' }, state);
      expect(await readFile(shop, 'products', [product('p2', ['a', 'b'])], hoursAgo(3))).toEqual(stored(1));
      expect(await readFile(shop, 'products', [product('p2', ['b', 'c'])], hoursAgo(2))).toEqual(stored(1));
      expect(await records(shop, 'products')).toMatchObject([
        { ProductId: 'p2', ProductVariants: [{ Sku: 'a' }, { Sku: 'c' }] },
      ]);
    });
  });
});
