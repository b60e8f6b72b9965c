/** A row of a file yields to a deletion that is newer than the row, whenever that is applied (D-54, R-11). */
import { rekeyTenant } from '../../shared/operations/rekey';
import { updateTenant } from '../../shared/operations/tenants';
import { applyDeletions, drainDeletions } from '../../shared/deletions/apply-deletion';
import { lowerFlag } from '../../shared/deletions/pending-flag';
import { acceptDeletion } from '../support/deletions';
import { pendingDeletions } from '../support/pending-deletions';
import type { RecordKind } from '../../shared/domain/identity';
import type { DeletionRequested, DeletionTarget } from '../../shared/domain/deletion';
import type { DocumentStore } from '../../shared/documents/document-store';
import { customerIdentities, RECORD_KINDS } from '../../shared/domain/identity';
import { idOf } from '../../shared/documents/paths';
import { FILE_SLICE_ROWS } from '../../shared/limits/transfers';
import { tombstonePaths } from '../../shared/workspace/tombstones';
import { RecordingPublisher } from '../support/recording-fakes';
import { encodeRecords } from '../support/file-formats';
import { ObservedDocumentStore } from '../support/observed-document-store';
import { overriding } from '../support/overriding';
import type { Shop } from '../support/transfer-lab';
import { item, order, product, stale, stored, useDatedFiles } from './dated-files';

const { lab, hoursAgo, afterwards, readFile, api, deleteBy, records } = useDatedFiles();

/** Accepts a deletion whose message has not come yet. */
async function accept({ tenant }: Shop, target: DeletionTarget): Promise<DeletionRequested> {
  const { operator } = lab();
  const publisher = new RecordingPublisher();
  await acceptDeletion(tenant, target, operator.deadline(), { ...operator, publisher, deletionsTopic: 'd' });
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

/** Applies everything that is pending. */
async function drain({ tenant }: Shop): Promise<void> {
  const { operator } = lab();
  for (const kind of RECORD_KINDS) await drainDeletions(tenant, kind, operator.deadline(), operator);
}

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
        ['e-mail, the row having the e-mail only', byEmail, { Email: 'a@x.com' }],
        ['customer id, the row having the customer id only', byCustomerId, { CustomerId: 'c1' }],
      ])('brings no customer back that was deleted by %s', async (_, target, row) => {
        const shop = await lab().openShop({ customerIdentifier });
        await api(shop, 'customers', [customer]);
        const uploaded = await afterwards();
        await deleteBy(shop, target, state);
        expect(await readFile(shop, 'customers', [row], uploaded)).toEqual(stale(1));
        await drain(shop); // a row that names the customer otherwise leaves it to the deletion
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
      const changes = { productIdentifier: 'sku', orderCustomer: 'customerid' } as const;
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
    const pending = await pendingDeletions(tenant.tenantId, operator.store, operator.deadline());
    for (const { path } of pending.reverse()) await applyDeletions(tenant, [idOf(path)], operator.deadline(), operator);
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
    expect(rows).toEqual({ read: others + 1, stored: others, invalid: 0, stale: 1, deleted: 0 });
  });
});

describe('a deletion that was applied long before a file is read (D-54)', () => {
  it.each([0, FILE_SLICE_ROWS, 2 * FILE_SLICE_ROWS, 4 * FILE_SLICE_ROWS])(
    'is found by a row with %i rows of other new customers before it',
    async (others) => {
      const shop = await lab().openShop();
      await deleteBy(shop, { type: 'customer', email: 'a@x.com', customerId: null }, 'applied');
      await lowerFlag(shop.tenant.tenantId, 'customers', lab().operator.deadline(), lab().operator);
      const customers = [...Array.from({ length: others }, (_, n) => ({ Email: `${n}@x.com` })), { Email: 'a@x.com' }];
      const rows = await readFile(shop, 'customers', customers, hoursAgo(1));
      expect(rows).toEqual({ read: others + 1, stored: others, invalid: 0, stale: 1, deleted: 0 });
      expect(await records(shop, 'customers')).toHaveLength(others);
    },
  );

  it.each([
    ['for every row of a file from before it', () => hoursAgo(1), ['new@x.com', 'updated@x.com']],
    ['only for a row of a newer file that was updated before it', afterwards, ['updated@x.com']],
  ])('is looked for %s', async (_which, written, lookedFor) => {
    const shop = await lab().openShop();
    await deleteBy(shop, { type: 'customer', email: 'updated@x.com', customerId: null }, 'applied');
    await lowerFlag(shop.tenant.tenantId, 'customers', lab().operator.deadline(), lab().operator);
    const rows = [{ Email: 'new@x.com' }, { Email: 'updated@x.com', UpdatedAt: hoursAgo(2).toISOString() }];
    shop.bucket.put('customers.ndjson', encodeRecords(rows, 'ndjson'), await written());
    const store = new ObservedDocumentStore(lab().operator.store);
    const { rows: counts } = await lab().run(shop.tenant, shop.bucket, { overrides: { store } });
    expect(counts).toEqual({ read: 2, stored: 1, invalid: 0, stale: 1, deleted: 0 });
    const read = new Set(store.reads.flatMap(({ paths }) => paths));
    const tombstones = lookedFor.flatMap((Email) => customerIdentities({ Email }));
    expect([...read].filter((path) => path.includes('/tombstones/')).sort()).toEqual(
      tombstonePaths(shop.tenant.tenantId, 'customers', tombstones).sort(),
    );
  });
});

describe('deletions of other records that never cease while a file is read (R-62)', () => {
  it('leave its slices as long as they are, but for one that is prepared while the flag is raised', async () => {
    const shop = await lab().openShop();
    const sizes: number[] = [];
    const store = committing(async (writes, commit) => {
      const size = writes.filter((write) => 'set' in write && write.set.includes('/customers/')).length;
      if (size > 0) sizes.push(size);
      const another: DeletionTarget = { type: 'customer', email: `${sizes.length}@other.com`, customerId: null };
      await deleteBy(shop, another, sizes.length % 2 === 0 ? 'applied' : 'pending');
      return commit();
    });
    const customers = Array.from({ length: 4 * FILE_SLICE_ROWS }, (_, n) => ({ Email: `${n}@x.com` }));
    shop.bucket.put('customers.ndjson', encodeRecords(customers, 'ndjson'), hoursAgo(1));
    const { rows } = await lab().run(shop.tenant, shop.bucket, { overrides: { store } });
    expect(rows).toEqual(stored(4 * FILE_SLICE_ROWS));
    expect(sizes.filter((size) => size !== FILE_SLICE_ROWS)).toEqual([]);
    expect(sizes.length).toBeLessThanOrEqual(4 + 2); // at most two are under way when it is raised
    expect(await records(shop, 'customers')).toHaveLength(4 * FILE_SLICE_ROWS);
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
      const { deletionIds } = await accept(shop, target);
      const hasLooked = new Promise<void>((resolve) => {
        const waiting = committing(async (_, commitDeletion) => {
          resolve();
          await afterTheSlice;
          return commitDeletion();
        });
        deletion = applyDeletions(tenant, deletionIds, operator.deadline(), { ...operator, store: waiting });
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
    // A row of a product or an order may be stored before the deletion is applied, which removes it again.
    expect(rows).toEqual(kind === 'customers' ? stale(1) : stored(1));
    expect(await pendingDeletions(tenant.tenantId, operator.store, operator.deadline())).toEqual([]);
  });
});
