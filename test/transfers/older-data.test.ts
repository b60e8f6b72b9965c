/** A row of a file yields to what is newer than the row: a record, a deletion, another file (D-54, D-58). */
import { rekeyTenant } from '../../functions/admin/rekey';
import { updateTenant } from '../../functions/admin/tenants';
import { applyDeletion } from '../../shared/deletions/apply-deletion';
import { acceptDeletion, listPendingDeletions } from '../../shared/deletions/deletion-log';
import type { RecordKind } from '../../shared/domain/identity';
import type { DeletionRequested, DeletionTarget } from '../../shared/domain/deletion';
import type { DocumentStore } from '../../shared/documents/document-store';
import { recordPath } from '../../shared/documents/paths';
import { customerIdentities, customerRecordId } from '../../shared/domain/identity';
import { FILE_SLICE_ROWS } from '../../shared/domain/limits';
import { asOf } from '../../shared/records/record-documents';
import { tombstonePaths } from '../../shared/records/tombstones';
import { remove, upsert } from '../support/api-writes';
import { RecordingPublisher } from '../support/recording-fakes';
import { encodeRecords } from '../support/file-formats';
import { ObservedDocumentStore } from '../support/observed-document-store';
import { overriding } from '../support/overriding';
import type { Shop } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';

const lab = useTransferLab();
const HOUR_MS = 3_600_000;

/** A time before everything that the test does. */
const hoursAgo = (hours: number) => new Date(lab().operator.clock.nowMs() - hours * HOUR_MS);

/** A time after everything that the test has done and before everything that it does next, by any process's clock. */
async function afterwards(): Promise<Date> {
  const { clock } = lab().operator;
  await clock.sleep(10);
  const now = new Date(clock.nowMs());
  await clock.sleep(10);
  return now;
}

/** Reads a file of records that was written at a time, and gives the counts of its rows. */
async function readFile({ tenant, bucket }: Shop, kind: RecordKind, records: readonly object[], at: Date) {
  const name = `${kind}/${lab().operator.random.bytes(4).toString('hex')}.ndjson`;
  bucket.put(name, encodeRecords(records, 'ndjson'), at);
  const { rows, files, status } = await lab().run(tenant, bucket, { folders: [name] });
  expect(files).toEqual({ found: 1, finished: 1, skipped: 0, failed: 0 });
  expect(status).toBe(rows.invalid === 0 ? 'succeeded' : 'partial');
  return rows;
}

const stored = (count: number) => ({ read: count, stored: count, invalid: 0, stale: 0 });
const stale = (count: number) => ({ read: count, stored: 0, invalid: 0, stale: count });
const api = ({ tenant }: Shop, kind: RecordKind, batch: readonly object[]) =>
  upsert(tenant, kind, batch, lab().operator);
const records = ({ tenant }: Shop, kind: RecordKind) => lab().records(tenant, kind);
const deleteBy = ({ tenant }: Shop, target: DeletionTarget, state: 'applied' | 'pending') =>
  remove(tenant, target, state, lab().operator);

/** Accepts a deletion whose message has not come yet. */
async function accept({ tenant }: Shop, target: DeletionTarget): Promise<DeletionRequested> {
  const { operator } = lab();
  const publisher = new RecordingPublisher();
  await acceptDeletion(tenant.tenantId, target, operator.deadline(), { ...operator, publisher, deletionsTopic: 'd' });
  return publisher.published[0]?.event as DeletionRequested;
}

/** Identifiers of what no test stores: a deletion that finds nothing. */
const ANOTHER = {
  customer: { email: 'another@x.com' },
  product: { productId: 'another' },
  variant: { productId: 'another' },
  order: { orderId: 'another' },
  orderItem: { orderId: 'another' },
};

type Commit = DocumentStore['commit'];

/** The lab's store, whose commits a test makes: before, after or in place of its own. */
function committing(
  around: (writes: Parameters<Commit>[0], commit: () => ReturnType<Commit>) => ReturnType<Commit>,
): DocumentStore {
  const { store } = lab().operator;
  return overriding(store, { commit: (writes, deadline) => around(writes, () => store.commit(writes, deadline)) });
}

const writesCustomer = (writes: Parameters<Commit>[0]) =>
  writes.some((write) => 'set' in write && write.set.includes('/customers/'));

const order = (OrderId: string, more: object = {}) => ({ OrderId, Currency: 'EUR', ...more });
const item = (Sku: string) => ({ ProductId: 'p', Sku, Quantity: 1, Price: 1 });
const product = (ProductId: string, skus: readonly string[], more: object = {}) => ({
  ProductId,
  ProductVariants: skus.map((Sku) => ({ VariantId: `v-${Sku}`, Sku })),
  ...more,
});

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

  it('lets the API change a record that came from a file, and an even newer file change it again', async () => {
    const shop = await lab().openShop();
    await readFile(shop, 'orders', [order('o', { TotalQuantity: 1 })], hoursAgo(1));
    const between = await afterwards();
    await api(shop, 'orders', [order('o', { TotalQuantity: 2 })]);
    expect(await readFile(shop, 'orders', [order('o', { TotalQuantity: 3 })], between)).toEqual(stale(1));
    expect(await readFile(shop, 'orders', [order('o', { TotalQuantity: 4 })], await afterwards())).toEqual(stored(1));
    expect(await records(shop, 'orders')).toMatchObject([{ TotalQuantity: 4 }]);
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
    expect(rows).toEqual({ read: 3, stored: 2, invalid: 0, stale: 1 });
    const names = (await records(shop, 'customers')) as { Email: string; Name: string }[];
    expect(Object.fromEntries(names.map(({ Email, Name }) => [Email, Name]))).toEqual({
      'a@x.com': 'File',
      'b@x.com': 'API',
      'c@x.com': 'File',
    });
  });
});

describe('a deletion that is newer than the file (D-54)', () => {
  const customer = { Email: 'a@x.com', CustomerId: 'c1' };
  const byEmail: DeletionTarget = { type: 'customer', email: 'A@x.com ', customerId: null };
  const byCustomerId: DeletionTarget = { type: 'customer', email: null, customerId: 'c1' };
  const byBoth: DeletionTarget = { type: 'customer', email: 'a@x.com', customerId: 'c1' };

  describe.each(['applied', 'pending'] as const)('%s', (state) => {
    describe.each(['email', 'customerid'] as const)('priority identifier %s', (customerIdentifier) => {
      it.each([
        ['e-mail', byEmail, customer],
        ['customer id', byCustomerId, customer],
        ['both', byBoth, customer],
        ['e-mail, told by e-mail only', byEmail, { Email: 'a@x.com' }],
        ['customer id, told by customer id only', byCustomerId, { CustomerId: 'c1' }],
      ])('brings no customer back that was deleted by %s', async (_, target, row) => {
        const shop = await lab().openShop({ customerIdentifier });
        await api(shop, 'customers', [customer]);
        const uploaded = await afterwards();
        await deleteBy(shop, target, state);
        expect(await readFile(shop, 'customers', [row], uploaded)).toEqual(stale(1));
        expect(await records(shop, 'customers')).toEqual([]);
        expect(await readFile(shop, 'customers', [{ ...row, Name: 'New' }], await afterwards())).toEqual(stored(1));
        expect(await records(shop, 'customers')).toMatchObject([{ Name: 'New' }]);
      });
    });

    it.each(['productid', 'sku'] as const)('brings no product back (priority %s)', async (productIdentifier) => {
      const shop = await lab().openShop({ productIdentifier });
      await api(shop, 'products', [product('p', ['a'])]);
      const uploaded = await afterwards();
      await deleteBy(shop, { type: 'product', productId: 'p' }, state);
      expect(await readFile(shop, 'products', [product('p', ['a'])], uploaded)).toEqual(stale(1));
      expect(await records(shop, 'products')).toEqual([]);
      expect(await readFile(shop, 'products', [product('p', ['a'])], await afterwards())).toEqual(stored(1));
      expect(await records(shop, 'products')).toHaveLength(1);
    });

    it('brings no order back', async () => {
      const shop = await lab().openShop();
      await api(shop, 'orders', [order('o')]);
      const uploaded = await afterwards();
      await deleteBy(shop, { type: 'order', orderId: 'o' }, state);
      expect(await readFile(shop, 'orders', [order('o')], uploaded)).toEqual(stale(1));
      expect(await records(shop, 'orders')).toEqual([]);
      expect(await readFile(shop, 'orders', [order('o')], await afterwards())).toEqual(stored(1));
    });

    it('brings nothing in that was deleted before it was ever stored', async () => {
      const shop = await lab().openShop();
      const uploaded = await afterwards();
      await deleteBy(shop, { type: 'customer', email: 'a@x.com', customerId: null }, state);
      await deleteBy(shop, { type: 'order', orderId: 'o' }, state);
      await deleteBy(shop, { type: 'product', productId: 'p' }, state);
      expect(await readFile(shop, 'customers', [{ Email: 'a@x.com' }], uploaded)).toEqual(stale(1));
      expect(await readFile(shop, 'orders', [order('o')], uploaded)).toEqual(stale(1));
      expect(await readFile(shop, 'products', [product('p', [])], uploaded)).toEqual(stale(1));
    });

    it.each(['productid', 'sku'] as const)(
      'brings no removed variant back (priority %s, R-11)',
      async (productIdentifier) => {
        const shop = await lab().openShop({ productIdentifier });
        await api(shop, 'products', [product('p', ['a', 'b'])]);
        const uploaded = await afterwards();
        await deleteBy(shop, { type: 'variant', productId: 'p', variantId: 'v-a' }, state);
        expect(await readFile(shop, 'products', [product('p', ['a', 'b'])], uploaded)).toEqual(stale(1));
        expect(await records(shop, 'products')).toMatchObject([{ ProductVariants: [{ Sku: 'b' }] }]);
        expect(await readFile(shop, 'products', [product('p', ['a', 'b'])], await afterwards())).toEqual(stored(1));
        expect(await records(shop, 'products')).toMatchObject([{ ProductVariants: [{ Sku: 'b' }, { Sku: 'a' }] }]);
      },
    );

    it('brings no removed item back (R-11)', async () => {
      const shop = await lab().openShop();
      await api(shop, 'orders', [order('o', { OrderItems: [item('a'), item('b')] })]);
      const uploaded = await afterwards();
      await deleteBy(shop, { type: 'orderItem', orderId: 'o', productId: 'p', sku: 'a' }, state);
      const rows = await readFile(shop, 'orders', [order('o', { OrderItems: [item('a'), item('b')] })], uploaded);
      expect(rows).toEqual(stale(1));
      expect(await records(shop, 'orders')).toMatchObject([{ OrderItems: [{ Sku: 'b' }] }]);
    });

    const parts: [string, RecordKind, DeletionTarget, (skus: readonly string[]) => object][] = [
      ['variant', 'products', { type: 'variant', productId: 'p', variantId: 'v-a' }, (skus) => product('p', skus)],
      [
        'item',
        'orders',
        { type: 'orderItem', orderId: 'o', productId: null, sku: 'a' },
        (skus) => order('o', { OrderItems: skus.map(item) }),
      ],
    ];
    const skusOf = (record: object | undefined) => {
      const { ProductVariants, OrderItems } = record as Record<string, { Sku: string }[] | undefined>;
      return (ProductVariants ?? OrderItems)?.map(({ Sku }) => Sku);
    };

    it.each(parts)(
      'brings no %s in that a stored record did not hold when it was deleted (R-11)',
      async (_, kind, target, of) => {
        const shop = await lab().openShop();
        await readFile(shop, kind, [of(['b'])], hoursAgo(3));
        await deleteBy(shop, target, state);
        expect(await readFile(shop, kind, [of(['a', 'b'])], hoursAgo(2))).toEqual(stored(1));
        expect(skusOf((await records(shop, kind))[0])).toEqual(['b']);
      },
    );

    it.each(parts)('brings no such %s in after the record was re-keyed (D-08, R-11)', async (_, kind, target, of) => {
      const { bucket, tenant: before } = await lab().openShop();
      const twice = { ProductVariants: ['1', '2'].map((VariantId) => ({ VariantId, Sku: 'b' })) }; // become one
      const more = kind === 'products' ? twice : { Email: 'a@x.com', CustomerId: 'c' };
      await readFile({ bucket, tenant: before }, kind, [{ ...of(['b']), ...more }], hoursAgo(3));
      await deleteBy({ bucket, tenant: before }, target, state);
      const changes = { productIdentifier: 'sku', orderCustomer: 'customerid' };
      const tenant = await updateTenant(before.tenantId, changes, lab().operator);
      expect((await rekeyTenant(tenant.tenantId, lab().operator))[kind]).not.toEqual({ moved: 0, merged: 0 });
      const shop = { bucket, tenant };
      expect(await readFile(shop, kind, [of(['a', 'b'])], hoursAgo(2))).toEqual(stored(1));
      expect(skusOf((await records(shop, kind))[0])).toEqual(['b']);
    });

    describe.each(['productid', 'sku'] as const)('priority %s', (productIdentifier) => {
      it.each(parts)(
        'brings a record in without the %s that was deleted before (R-11)',
        async (_, kind, target, of) => {
          const shop = await lab().openShop({ productIdentifier });
          await deleteBy(shop, target, state);
          expect(await readFile(shop, kind, [of(['b', 'c'])], hoursAgo(3))).toEqual(stored(1));
          expect(await readFile(shop, kind, [of(['a', 'b']), of(['d'])], hoursAgo(2))).toEqual(stored(2));
          expect(skusOf((await records(shop, kind))[0])).toEqual(['b', 'c', 'd']);
          expect(await readFile(shop, kind, [of(['a'])], await afterwards())).toEqual(stored(1));
          expect(skusOf((await records(shop, kind))[0])).toEqual(['b', 'c', 'd', 'a']);
        },
      );

      it.each(parts)('takes only the deleted %s from an older row', async (_, kind, target, of) => {
        const shop = await lab().openShop({ productIdentifier });
        await deleteBy(shop, target, state);
        expect(await readFile(shop, kind, [of(['a', 'b'])], hoursAgo(2))).toEqual(stored(1));
        expect(skusOf((await records(shop, kind))[0])).toEqual(['b']);
      });
    });

    it('stores on after deletions of parts with ids that no part can have', async () => {
      const shop = await lab().openShop();
      const long = (letter: string) => letter.repeat(15_000);
      const targets = ['x', 'y'].flatMap((letter): DeletionTarget[] => [
        { type: 'orderItem', orderId: 'o', productId: null, sku: long(letter) },
        { type: 'variant', productId: 'p', variantId: long(letter) },
      ]);
      for (const target of targets) await deleteBy(shop, target, state);
      await api(shop, 'orders', [order('o', { OrderItems: [item('a')] })]);
      await api(shop, 'products', [product('p', ['a'])]);
      expect(await records(shop, 'orders')).toHaveLength(1);
      expect(await records(shop, 'products')).toHaveLength(1);
    });

    it('keeps a part that the API sends after its deletion', async () => {
      const shop = await lab().openShop();
      await deleteBy(shop, { type: 'orderItem', orderId: 'o', productId: 'p', sku: 'a' }, state);
      await api(shop, 'orders', [order('o', { OrderItems: [item('a')] })]);
      expect(skusOf((await records(shop, 'orders'))[0])).toEqual(['a']);
    });

    it('forgets no deletion of a part when another one follows, nor when the record is deleted first', async () => {
      const shop = await lab().openShop();
      await deleteBy(shop, { type: 'order', orderId: 'o' }, state);
      const between = await afterwards();
      for (const sku of ['a', 'b']) {
        await deleteBy(shop, { type: 'orderItem', orderId: 'o', productId: 'p', sku }, state);
      }
      const skus = ['a', 'b', 'c'];
      expect(await readFile(shop, 'orders', [order('o', { OrderItems: skus.map(item) })], between)).toEqual(stored(1));
      expect(skusOf((await records(shop, 'orders'))[0])).toEqual(['c']);
    });

    it('brings no part back that was removed from a record of an older file', async () => {
      const shop = await lab().openShop();
      await readFile(shop, 'products', [product('p', ['a', 'b'])], hoursAgo(3));
      await deleteBy(shop, { type: 'variant', productId: 'p', variantId: 'v-a' }, state);
      expect(await readFile(shop, 'products', [product('p', ['a', 'b'])], hoursAgo(2))).toEqual(stale(1));
      expect(await records(shop, 'products')).toMatchObject([{ ProductVariants: [{ Sku: 'b' }] }]);
    });
  });

  it('stores on after deletions of parts that a record of full size did not hold', async () => {
    const shop = await lab().openShop();
    const Url = `https://x.com/${'x'.repeat(1_900)}`;
    const ProductVariants = Array.from({ length: 525 }, (_, n) => ({ VariantId: `v${n}`, Sku: `s${n}`, Url }));
    await api(shop, 'products', [{ ProductId: 'p', ProductVariants }]);
    for (let n = 0; n < 100; n += 1) {
      const variantId = `${'\u20ac'.repeat(96)}${n}`; // three bytes each
      await deleteBy(shop, { type: 'variant', productId: 'p', variantId }, 'pending');
    }
    await api(shop, 'products', [product('q', ['a'])]);
    expect(await records(shop, 'products')).toHaveLength(2);
  });

  it('remembers deletions of parts, whichever of their messages comes first', async () => {
    const shop = await lab().openShop();
    const { tenant } = shop;
    const { operator } = lab();
    await readFile(shop, 'orders', [order('o', { OrderItems: [item('b'), item('c')] })], hoursAgo(1));
    await deleteBy(shop, { type: 'orderItem', orderId: 'o', productId: null, sku: 'b' }, 'pending');
    const between = await afterwards();
    await deleteBy(shop, { type: 'orderItem', orderId: 'o', productId: null, sku: 'a' }, 'pending');
    const pending = await listPendingDeletions(tenant.tenantId, operator.store, operator.deadline());
    const lastFirst = pending.sort((x, y) => y.acceptedAt.getTime() - x.acceptedAt.getTime());
    for (const { deletionId } of lastFirst) await applyDeletion(tenant, deletionId, operator.deadline(), operator);
    const row = order('o', { OrderItems: ['a', 'd'].map(item) });
    expect(await readFile(shop, 'orders', [row], between)).toEqual(stored(1));
    expect(await records(shop, 'orders')).toMatchObject([{ OrderItems: [{ Sku: 'c' }, { Sku: 'd' }] }]);
  });

  it('keeps a deletion older than the file from hiding a record, and the record from hiding the deletion', async () => {
    const shop = await lab().openShop();
    await api(shop, 'customers', [{ Email: 'a@x.com', EmailOptin: true }]);
    await deleteBy(shop, byEmail, 'applied');
    await api(shop, 'customers', [{ Email: 'a@x.com', Name: 'Back' }]);
    expect(await readFile(shop, 'customers', [{ Email: 'a@x.com', EmailOptin: true }], hoursAgo(1))).toEqual(stale(1));
    expect(await records(shop, 'customers')).toMatchObject([{ Name: 'Back', EmailOptin: false }]);
  });

  it.each([
    ['the first slice', 0, 1],
    ['a later slice', 2 * FILE_SLICE_ROWS, 3],
  ])('brings nobody back whose first deletion of all is applied while %s is read', async (_which, others, commit) => {
    const shop = await lab().openShop();
    let commits = 0;
    const deletingStore = committing(async (writes, store) => {
      if (writesCustomer(writes) && (commits += 1) === commit) await deleteBy(shop, byEmail, 'applied');
      return store();
    });
    const customers = [...Array.from({ length: others }, (_, n) => ({ Email: `${n}@x.com` })), { Email: 'a@x.com' }];
    shop.bucket.put('customers.ndjson', encodeRecords(customers, 'ndjson'), hoursAgo(1));
    const { rows } = await lab().run(shop.tenant, shop.bucket, { overrides: { store: deletingStore } });
    const emails = ((await records(shop, 'customers')) as { Email: string }[]).map(({ Email }) => Email);
    expect(emails).toHaveLength(others);
    expect(emails).not.toContain('a@x.com');
    expect(rows).toEqual({ read: others + 1, stored: others, invalid: 0, stale: 1 });
  });
});

describe('a deletion that was applied long before a file is read (D-54)', () => {
  it.each([0, FILE_SLICE_ROWS, 2 * FILE_SLICE_ROWS, 4 * FILE_SLICE_ROWS])(
    'is found by a row with %i rows of other new customers before it',
    async (others) => {
      const shop = await lab().openShop();
      await deleteBy(shop, { type: 'customer', email: 'a@x.com', customerId: null }, 'applied');
      await api(shop, 'customers', [{ Email: 'sweeps@x.com' }]); // takes the mark of deletions down
      const customers = [...Array.from({ length: others }, (_, n) => ({ Email: `${n}@x.com` })), { Email: 'a@x.com' }];
      const rows = await readFile(shop, 'customers', customers, hoursAgo(1));
      expect(rows).toEqual({ read: others + 1, stored: others, invalid: 0, stale: 1 });
      expect(await records(shop, 'customers')).toHaveLength(others + 1);
    },
  );

  it.each([
    ['for every row of a file from before it', () => hoursAgo(1), ['new@x.com', 'updated@x.com']],
    ['only for a row of a newer file that was updated before it', afterwards, ['updated@x.com']],
  ])('is looked for %s', async (_which, written, lookedFor) => {
    const shop = await lab().openShop();
    await deleteBy(shop, { type: 'customer', email: 'updated@x.com', customerId: null }, 'applied');
    await api(shop, 'customers', [{ Email: 'sweeps@x.com' }]); // takes the mark of deletions down
    const rows = [{ Email: 'new@x.com' }, { Email: 'updated@x.com', UpdatedAt: hoursAgo(2).toISOString() }];
    shop.bucket.put('customers.ndjson', encodeRecords(rows, 'ndjson'), await written());
    const store = new ObservedDocumentStore(lab().operator.store);
    const { rows: counts } = await lab().run(shop.tenant, shop.bucket, { overrides: { store } });
    expect(counts).toEqual({ read: 2, stored: 1, invalid: 0, stale: 1 });
    const read = new Set(store.reads.flatMap(({ paths }) => paths));
    const tombstones = lookedFor.flatMap((Email) => customerIdentities({ Email }));
    expect([...read].filter((path) => path.includes('/tombstones/')).sort()).toEqual(
      tombstonePaths(shop.tenant.tenantId, tombstones).sort(),
    );
  });
});

describe('deletions that never cease while a file is read (D-54)', () => {
  it('make its slices shorter until one gets through', async () => {
    const shop = await lab().openShop();
    const sizes: number[] = [];
    const store = committing(async (writes, commit) => {
      const size = writes.filter((write) => 'set' in write && write.set.includes('/customers/')).length;
      if (size > 0) sizes.push(size);
      // The more there is to read and to write, the more deletions are accepted meanwhile.
      const another: DeletionTarget = { type: 'customer', email: `${sizes.length}@other.com`, customerId: null };
      if (size > FILE_SLICE_ROWS / 4) await deleteBy(shop, another, 'applied');
      return commit();
    });
    const customers = Array.from({ length: FILE_SLICE_ROWS }, (_, n) => ({ Email: `${n}@x.com` }));
    shop.bucket.put('customers.ndjson', encodeRecords(customers, 'ndjson'), hoursAgo(1));
    const { rows } = await lab().run(shop.tenant, shop.bucket, { overrides: { store } });
    expect(rows).toEqual(stored(FILE_SLICE_ROWS));
    const quarters = [4, 4, 2, 1, /**/ 2, 2, 1, /**/ 2, 2, 1, /**/ 1];
    expect(sizes).toEqual(quarters.map((count) => (count * FILE_SLICE_ROWS) / 4));
    expect(await records(shop, 'customers')).toHaveLength(FILE_SLICE_ROWS);
  });
});

describe('a deletion that looks before a slice is written, and is applied after it (D-54)', () => {
  it.each<[RecordKind, DeletionTarget, object, readonly object[]]>([
    ['customers', { type: 'customer', email: 'a@x.com', customerId: null }, { Email: 'a@x.com', EmailOptin: true }, []],
    ['products', { type: 'product', productId: 'p' }, product('p', ['a']), []],
    ['orders', { type: 'order', orderId: 'o' }, order('o'), []],
    [
      'orders',
      { type: 'orderItem', orderId: 'o', productId: 'p', sku: 'a' },
      order('o', { OrderItems: [item('a')] }),
      [{ OrderItems: [] }],
    ],
  ])('leaves nothing that is older than it: %s, %j', async (kind, target, row, left) => {
    const shop = await lab().openShop();
    const { tenant } = shop;
    const { operator } = lab();
    await deleteBy(shop, { ...target, ...ANOTHER[target.type] }, 'applied');

    let sliceIsWritten: (() => void) | undefined;
    const afterTheSlice = new Promise<void>((resolve) => (sliceIsWritten = resolve));
    let deletion: Promise<void> | undefined;
    const store = committing(async (writes, commit) => {
      const isSlice = writes.some(
        (write) => 'set' in write && write.set.startsWith(`tenants/${tenant.tenantId}/${kind}/`),
      );
      if (!isSlice || deletion) return commit();
      const { deletionId } = await accept(shop, target);
      const hasLooked = new Promise<void>((resolve) => {
        const waiting = committing(async (_, commitDeletion) => {
          resolve();
          await afterTheSlice;
          return commitDeletion();
        });
        deletion = applyDeletion(tenant, deletionId, operator.deadline(), { ...operator, store: waiting });
      });
      await hasLooked;
      const outcome = await commit();
      sliceIsWritten?.();
      return outcome;
    });
    shop.bucket.put(`${kind}.ndjson`, encodeRecords([row], 'ndjson'), hoursAgo(1));
    const { rows } = await lab().run(tenant, shop.bucket, { overrides: { store } });
    await deletion;
    expect(await records(shop, kind)).toMatchObject(left);
    expect(rows).toEqual(left.length > 0 ? stored(1) : stale(1));
    expect(await listPendingDeletions(tenant.tenantId, operator.store, operator.deadline())).toEqual([]);
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
    expect(rows).toEqual({ read: 1, stored: 0, invalid: 1, stale: 0 });
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
    expect(await readFile(shop, 'orders', versions, hoursAgo(0))).toEqual({ read: 4, stored: 2, invalid: 0, stale: 2 });
    expect(await records(shop, 'orders')).toMatchObject([{ TotalQuantity: 1 }]);
  });

  it.each(['2026-02-30', 'yesterday', 17, true])('refuses the row with the UpdatedAt %p', async (UpdatedAt) => {
    const shop = await lab().openShop();
    const { bucket, tenant } = shop;
    bucket.put('orders.ndjson', encodeRecords([order('a'), order('b', { UpdatedAt }), order('c')], 'ndjson'));
    const run = await lab().run(tenant, bucket);
    expect(run).toMatchObject({ status: 'partial', rows: { read: 3, stored: 2, invalid: 1, stale: 0 } });
    expect(await lab().report(run.runId)).toMatchObject([
      { line: 2, messages: { UpdatedAt: ['The field UpdatedAt must be an ISO 8601 date or date-time.'] } },
    ]);
  });

  it('refuses a row from the future', async () => {
    const shop = await lab().openShop();
    const { bucket, tenant } = shop;
    bucket.put('customers.ndjson', encodeRecords([{ Email: 'a@x.com', UpdatedAt: at(hoursAgo(-1)) }], 'ndjson'));
    const run = await lab().run(tenant, bucket);
    expect(run.rows).toEqual({ read: 1, stored: 0, invalid: 1, stale: 0 });
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
    expect(run.rows).toEqual({ read: 2, stored: 1, invalid: 0, stale: 1 });
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
