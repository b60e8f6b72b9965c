/** `restore replay-deletions`: a database that was restored, and the one before it that went on meanwhile. */
import type { Operator, OperatorMeans } from '../../../shared/operations/operator';
import { exportRecords, getRecord } from '../../../shared/operations/records';
import type { ReplayOptions } from '../../../shared/operations/restore';
import { listSetAside, retryDeletions } from '../../../shared/operations/deletions';
import { replayDeletions } from '../../../shared/operations/restore';
import type { TenantOptions } from '../../../shared/operations/tenants';
import { createTenant } from '../../../shared/operations/tenants';
import { drainDeletions } from '../../../shared/deletions/apply-deletion';
import { setAside } from '../../../shared/deletions/set-aside';
import { acceptDeletion } from '../../support/deletions';
import { pendingDeletions } from '../../support/pending-deletions';
import type { DocumentStore } from '../../../shared/documents/document-store';
import { recordPath, skuPath, tenantPath, tombstonePath } from '../../../shared/documents/paths';
import type { DeletionTarget } from '../../../shared/domain/deletion';
import type { RecordId, RecordKind } from '../../../shared/domain/identity';
import {
  customerIdentities,
  orderRecordId,
  productRecordId,
  RECORD_KINDS,
  skuEntryId,
} from '../../../shared/domain/identity';
import type { UpsertDependencies } from '../../../shared/records/upsert-dependencies';
import { holdersOf, skuDeletedAt } from '../../../shared/workspace/sku-index';
import { splitDocument } from '../../../shared/workspace/kept-tombstones';
import type { ProductRecord } from '../../../shared/domain/records/product';
import type { PartDeletion } from '../../../shared/workspace/tombstones';
import { partDeletionsOf, deletedAtOf, toPartDeletionsField } from '../../../shared/workspace/tombstones';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { overriding } from '../../support/overriding';
import { RecordingPublisher } from '../../support/recording-fakes';
import { copyTenant } from '../../support/restored-database';
import { SeededRandom } from '../../support/seeded-random';
import { upsertCustomers, upsertOrders, upsertProducts, upsertProductsBySku } from '../../support/upserts';

const deadline = { remainingMs: () => 1_000 };
const MINUTE_MS = 60_000;
const item = (sku: string) => ({ ProductId: 'p', Sku: sku, Quantity: 1, Price: 1 });
const order = (id: string, ...skus: string[]) => ({ OrderId: id, Currency: 'EUR', OrderItems: skus.map(item) });
const product = (id: string, ...variants: string[]) => ({
  ProductId: id,
  ProductVariants: variants.map((variant) => ({ VariantId: variant, Sku: `sku-${variant}` })),
});
const customer = (email: string | null, customerId: string | null = null): DeletionTarget => ({
  type: 'customer',
  email,
  customerId,
});
const variant = (productId: string, variantId: string): DeletionTarget => ({ type: 'variant', productId, variantId });

type User = Operator & OperatorMeans & UpsertDependencies;

/** A database in use, of which snapshots can be taken and restored. */
async function aDatabase(settings: TenantOptions = {}) {
  const clock = new FixedClock();
  const random = new SeededRandom();
  const earlier = new MemoryDocumentStore(clock);
  const userOf = (store: DocumentStore, databaseId: string): User => ({
    ...operatorOn(store, { clock, random, databaseId }),
    database: () => earlier,
  });
  const before = userOf(earlier, 'earlier');
  const tenant = await createTenant({ organization: 'test', ...settings }, before);
  const copy = async (from: DocumentStore) => {
    clock.advance(MINUTE_MS);
    const to = new MemoryDocumentStore(clock);
    await copyTenant(tenant.tenantId, from, to, () => deadline);
    return to;
  };
  return {
    clock,
    before,
    ...tenant,
    accept: async (target: DeletionTarget) => {
      clock.advance(MINUTE_MS);
      const publisher = new RecordingPublisher();
      await acceptDeletion(tenant, target, deadline, { ...before, publisher, deletionsTopic: 'd' });
    },
    apply: async () => {
      for (const kind of RECORD_KINDS) await drainDeletions(tenant, kind, deadline, before);
    },
    send: async (records: Partial<Record<RecordKind, readonly object[]>>, user: User = before) => {
      clock.advance(MINUTE_MS);
      const upserted = tenant.productIdentifier === 'sku' ? upsertProductsBySku : upsertProducts;
      await upsertCustomers(records.customers ?? [], tenant, deadline, user);
      await upserted((records.products ?? []) as never, tenant, deadline, user);
      await upsertOrders((records.orders ?? []) as never, tenant, deadline, user);
    },
    snapshot: async () => {
      const taken = await copy(earlier);
      const snapshotTime = new Date(clock.nowMs());
      return async () => {
        const restored = await copy(taken);
        const restoredAt = new Date(clock.nowMs());
        clock.advance(MINUTE_MS);
        const options: ReplayOptions = { fromDatabase: 'earlier', snapshotTime, restoredAt };
        return { after: userOf(restored, 'restored'), options };
      };
    },
    ids: async (kind: RecordKind, user: User) => {
      const records: Record<string, unknown>[] = [];
      for await (const record of exportRecords(tenant.tenantId, kind, user)) records.push(record as never);
      return records
        .map(({ Email, CustomerId, ProductId, OrderId }) => Email ?? CustomerId ?? ProductId ?? OrderId)
        .sort();
    },
    tombstoneOf: async (id: RecordId | undefined, user: User) => {
      const own = await user.store.get(tombstonePath(tenant.tenantId, 'customers', id!), deadline);
      const order = await user.store.get(recordPath(tenant.tenantId, 'orders', id!), deadline);
      return own?.data ?? splitDocument(order?.data).tombstone;
    },
  };
}

it('deletes again what was deleted since the snapshot, and nothing else', async () => {
  const shop = await aDatabase();
  await shop.send({
    customers: [
      { Email: 'gone@x.com', CustomerId: '1' },
      { Email: 'Other@x.com', CustomerId: '1' },
      { Email: 'kept@x.com' },
    ],
    products: [product('gone', 'a'), product('kept', 'b')],
    orders: [order('gone', 'a'), order('kept', 'b')],
  });
  const restore = await shop.snapshot();
  await shop.accept(customer('gone@x.com'));
  await shop.accept({ type: 'product', productId: 'gone' });
  await shop.accept({ type: 'order', orderId: 'gone' });
  await shop.apply();
  const { after, options } = await restore();
  expect(await shop.ids('customers', after)).toEqual(['Other@x.com', 'gone@x.com', 'kept@x.com']);

  const report = await replayDeletions(options, after);
  expect(report).toMatchObject({ fromDatabase: 'earlier', tenants: 1, tenantsMissing: 0, tombstones: 3, kept: 0 });
  expect(report.removed).toEqual({ customers: 1, products: 1, orders: 1 });
  expect(report.notKnown.length).toBeGreaterThan(0);
  expect(await shop.ids('customers', after)).toEqual(['Other@x.com', 'kept@x.com']);
  expect(await shop.ids('products', after)).toEqual(['kept']);
  expect(await shop.ids('orders', after)).toEqual(['kept']);
  for (const id of [...customerIdentities({ Email: 'gone@x.com' }), productRecordId('gone'), orderRecordId('gone')]) {
    const deletedAt = deletedAtOf(await shop.tombstoneOf(id, after));
    expect(deletedAt).toEqual(deletedAtOf(await shop.tombstoneOf(id, shop.before)));
    expect(deletedAt).toBeInstanceOf(Date);
  }
});

it('deletes again what was accepted about when the snapshot was taken, by when that was committed', async () => {
  const shop = await aDatabase();
  await shop.send({ customers: [{ Email: 'after@x.com' }, { Email: 'before@x.com' }] });
  const shift = async (email: string, ms: number) => {
    await shop.accept(customer(email));
    const [id] = customerIdentities({ Email: email });
    const path = tombstonePath(shop.tenantId, 'customers', id!);
    const tombstone = await shop.tombstoneOf(id, shop.before);
    const deletedAt = new Date(deletedAtOf(tombstone)!.getTime() - ms);
    await shop.before.store.commit([{ set: path, data: { deletedAt } }], deadline);
  };
  await shift('before@x.com', 5);
  await shop.apply();
  await shop.send({ customers: [{ Email: 'before@x.com' }] });
  const restore = await shop.snapshot();
  await shift('after@x.com', MINUTE_MS + 5); // its time is before the snapshot, its commit is not
  await shop.apply();
  const { after, options } = await restore();
  expect((await replayDeletions(options, after)).removed).toEqual({ customers: 1, products: 0, orders: 0 });
  expect(await shop.ids('customers', after)).toEqual(['before@x.com']);
});

it.each(['erased', 'being erased'])(
  'names a tenant that is back and was %s since the snapshot (R-60)',
  async (what) => {
    const shop = await aDatabase();
    const restore = await shop.snapshot();
    const path = tenantPath(shop.tenantId);
    const startErasing = { set: path, data: { erasingSince: new Date(0) }, fields: ['erasingSince'] };
    await shop.before.store.commit([what === 'erased' ? { delete: path } : startErasing], deadline);
    const { after, options } = await restore();
    await createTenant({ organization: 'test' }, after); // since the restore: nobody has erased it
    expect(await replayDeletions(options, after)).toMatchObject({ tenants: 0, tenantsErased: [shop.tenantId] });
    await after.store.commit([startErasing], deadline);
    expect(await replayDeletions(options, after)).toMatchObject({ tenants: 0, tenantsErased: [] });
  },
);

it('applies what is pending in the earlier database, there too', async () => {
  const shop = await aDatabase();
  await shop.send({
    customers: [
      { Email: 'a@x.com', CustomerId: '7' },
      { Email: 'b@x.com', CustomerId: '7' },
    ],
  });
  const restore = await shop.snapshot();
  await shop.accept(customer(null, '7'));
  const { after, options } = await restore();
  expect((await replayDeletions(options, after)).removed.customers).toBe(2);
  expect(await shop.ids('customers', after)).toEqual([]);
  expect(await pendingDeletions(shop.tenantId, shop.before.store, deadline)).toEqual([]);
});

it('leaves what was sent again after the restore, and counts it', async () => {
  const shop = await aDatabase();
  await shop.send({ customers: [{ Email: 'a@x.com' }], orders: [order('1', 'a')] });
  const restore = await shop.snapshot();
  await shop.accept(customer('a@x.com'));
  await shop.accept({ type: 'order', orderId: '1' });
  await shop.apply();
  const { after, options } = await restore();
  await shop.send({ customers: [{ Email: 'a@x.com', Name: 'Ann' }], orders: [order('1', 'b')] }, after);
  expect(await replayDeletions(options, after)).toMatchObject({ removed: { customers: 0, orders: 0 }, kept: 2 });
  expect(await getRecord(shop.tenantId, 'customers', { email: 'a@x.com' }, after)).toMatchObject({ Name: 'Ann' });
});

it('leaves what was deleted before the snapshot and was there again', async () => {
  const shop = await aDatabase();
  await shop.send({ customers: [{ Email: 'a@x.com' }], products: [product('p', 'a')] });
  await shop.accept(customer('a@x.com'));
  await shop.accept({ type: 'product', productId: 'p' });
  await shop.apply();
  await shop.send({ customers: [{ Email: 'a@x.com' }], products: [product('p', 'a')] });
  const { after, options } = await (await shop.snapshot())();
  expect(await replayDeletions(options, after)).toMatchObject({
    tombstones: 0,
    removed: { customers: 0, products: 0, orders: 0 },
  });
  expect(await shop.ids('customers', after)).toEqual(['a@x.com']);
});

it('deletes an order again that was sent again after its deletion, as it had been before (R-300)', async () => {
  const shop = await aDatabase();
  await shop.send({ orders: [order('1', 'a'), order('2', 'a')] });
  const restore = await shop.snapshot();
  await shop.accept({ type: 'order', orderId: '1' });
  await shop.apply();
  await shop.send({ orders: [order('1', 'b'), order('2', 'b')] });
  const { after, options } = await restore();
  const report = await replayDeletions(options, after);
  expect(report).toMatchObject({ tombstones: 1, removed: { orders: 1 }, kept: 0 });
  expect(await shop.ids('orders', after)).toEqual(['2']);
  const id = orderRecordId('1');
  expect(await shop.tombstoneOf(id, after)).toEqual(await shop.tombstoneOf(id, shop.before));
  expect(await replayDeletions(options, after)).toMatchObject({ tombstones: 0, removed: { orders: 0 } });
});

it('remembers an order that was made and deleted since the snapshot (R-300)', async () => {
  const shop = await aDatabase();
  const restore = await shop.snapshot();
  await shop.send({ orders: [order('new', 'a')] });
  await shop.accept({ type: 'order', orderId: 'new' });
  await shop.apply();
  const { after, options } = await restore();
  expect((await replayDeletions(options, after)).tombstones).toBe(1);
  expect(await shop.ids('orders', after)).toEqual([]);
  expect(deletedAtOf(await shop.tombstoneOf(orderRecordId('new'), after))).toBeInstanceOf(Date);
  expect((await replayDeletions(options, after)).tombstones).toBe(0);
});

it('remembers when a deletion last found a customer, where a later one has found nobody (R-28)', async () => {
  const shop = await aDatabase();
  await shop.send({ customers: [{ Email: 'ann@x.com' }] });
  const restore = await shop.snapshot();
  for (const _time of ['found', 'found nobody']) {
    await shop.accept(customer('ann@x.com'));
    await shop.apply();
  }
  const [identity] = customerIdentities({ Email: 'ann@x.com' });
  const before = await shop.tombstoneOf(identity, shop.before);
  expect(before!.removedAt).not.toEqual(before!.deletedAt);
  const { after, options } = await restore();
  await replayDeletions(options, after);
  expect(await shop.ids('customers', after)).toEqual([]);
  expect(await shop.tombstoneOf(identity, after)).toEqual(before);
});

it('remembers what was made and deleted since the snapshot, so that an older file does not bring it in', async () => {
  const shop = await aDatabase();
  const restore = await shop.snapshot();
  await shop.send({ customers: [{ Email: 'new@x.com' }] });
  await shop.accept(customer('new@x.com'));
  await shop.apply();
  const { after, options } = await restore();
  expect((await replayDeletions(options, after)).tombstones).toBe(1);
  const [identity] = customerIdentities({ Email: 'new@x.com' });
  expect(deletedAtOf(await shop.tombstoneOf(identity, after))).toBeInstanceOf(Date);
});

it('frees the Skus of a product that is deleted again, and remembers them as deleted', async () => {
  const shop = await aDatabase({ productIdentifier: 'sku' });
  await shop.send({ products: [product('p', 'a', 'b'), product('q', 'c')] });
  const restore = await shop.snapshot();
  await shop.accept({ type: 'product', productId: 'p' });
  await shop.apply();
  const { after, options } = await restore();
  await replayDeletions(options, after);
  for (const sku of ['sku-a', 'sku-b', 'sku-c']) {
    const path = skuPath(shop.tenantId, skuEntryId(sku));
    const [entry, earlier] = [await after.store.get(path, deadline), await shop.before.store.get(path, deadline)];
    expect(skuDeletedAt(entry?.data)).toEqual(skuDeletedAt(earlier?.data));
    expect(holdersOf(entry?.data)).toEqual(holdersOf(earlier?.data));
  }
});

it('deletes parts that the earlier database remembers as deleted: by its record, or by a tombstone', async () => {
  const shop = await aDatabase();
  await shop.send({ products: [product('p', 'a', 'b'), product('q', 'c', 'd'), product('r', 'e')] });
  const restore = await shop.snapshot();
  await shop.accept(variant('p', 'a')); // the record held it: it only becomes newer
  await shop.accept(variant('p', 'a')); // the record remembers it
  await shop.apply();
  await shop.accept({ type: 'product', productId: 'q' });
  await shop.accept(variant('q', 'c')); // the tombstone remembers it
  await shop.accept(variant('r', 'z')); // nobody ever held it
  await shop.apply();
  const { after, options } = await restore();
  expect(await replayDeletions(options, after)).toMatchObject({ removed: { products: 1 }, changed: 2 });
  const kept = await getRecord(shop.tenantId, 'products', { id: 'p' }, after);
  expect(kept).toMatchObject({ ProductVariants: [{ VariantId: 'b' }] });
  expect(partDeletionsOf(await shop.tombstoneOf(productRecordId('q'), after))).toHaveLength(1);
  const path = recordPath(shop.tenantId, 'products', productRecordId('r'));
  expect(partDeletionsOf((await after.store.get(path, deadline))?.data)).toHaveLength(1);
  expect(await replayDeletions(options, after)).toMatchObject({ tombstones: 0, changed: 0 });
});

it('leaves other products as they are, where a product remembers deletions of parts of one that it took over', async () => {
  const shop = await aDatabase();
  await shop.send({ products: [product('p', 'a', 'b'), product('q', 'b', 'c')] });
  const restore = await shop.snapshot();
  await shop.accept(variant('q', 'none'));
  await shop.apply();
  const path = recordPath(shop.tenantId, 'products', productRecordId('q'));
  const { data } = (await shop.before.store.get(path, deadline))!;
  const [own] = partDeletionsOf(data);
  const taken = { ...own!, target: variant('p', 'b') as PartDeletion['target'] };
  await shop.before.store.commit([{ set: path, data: { ...data, ...toPartDeletionsField([own!, taken]) } }], deadline);
  const { after, options } = await restore();
  expect(await replayDeletions(options, after)).toMatchObject({ changed: 1 }); // the product that remembers them
  const variantsOf = async (id: string) => {
    const { ProductVariants } = (await getRecord(shop.tenantId, 'products', { id }, after)) as ProductRecord;
    return ProductVariants.map(({ VariantId }) => VariantId);
  };
  expect([await variantsOf('p'), await variantsOf('q')]).toEqual([
    ['a', 'b'],
    ['b', 'c'],
  ]);
  expect(await replayDeletions(options, after)).toMatchObject({ changed: 0 });
});

it('comes to the same wherever it is killed, when it is run again, and then has nothing left to do', async () => {
  const shop = await aDatabase({ productIdentifier: 'sku' });
  await shop.send({
    customers: ['a', 'b', 'c'].map((name) => ({ Email: `${name}@x.com`, CustomerId: '1' })),
    products: [product('p', 'a', 'b'), product('q', 'c')],
    orders: [order('1', 'a', 'b'), order('2', 'b')],
  });
  const restore = await shop.snapshot();
  await shop.accept(customer(null, '1'));
  await shop.accept({ type: 'product', productId: 'p' });
  await shop.accept({ type: 'order', orderId: '1' });
  await shop.accept({ type: 'orderItem', orderId: '2', productId: 'p', sku: 'a' });
  await shop.apply();
  let isWhole = false;
  let writes = 0;
  for (; !isWhole; writes += 1) {
    const { after, options } = await restore();
    let left = writes;
    const dying = <T>(write: () => Promise<T>) => ((left -= 1) < 0 ? Promise.reject(new Error('killed')) : write());
    const store = overriding<DocumentStore>(after.store, {
      commit: (...call) => dying(() => after.store.commit(...call)),
      writeEach: (...call) => dying(() => after.store.writeEach(...call)),
    });
    isWhole = await replayDeletions(options, { ...after, store }).then(
      () => true,
      () => false,
    );
    await replayDeletions(options, after);
    expect(await shop.ids('customers', after)).toEqual([]);
    expect(await shop.ids('products', after)).toEqual(['q']);
    expect(await shop.ids('orders', after)).toEqual(['2']);
    expect(await replayDeletions(options, after)).toMatchObject({
      tombstones: 0,
      removed: { customers: 0, products: 0, orders: 0 },
      changed: 0,
    });
  }
  expect(writes).toBeGreaterThan(7);
});

describe('a deletion that was set aside in the earlier database', () => {
  const poisoned = async (records: { customers: readonly object[] }) => {
    const shop = await aDatabase();
    await shop.send(records);
    const restore = await shop.snapshot();
    await shop.accept(customer('a@x.com'));
    const [pending] = await pendingDeletions(shop.tenantId, shop.before.store, deadline);
    const error = new TypeError('It stumbles.');
    await setAside(shop.tenantId, pending!, error, deadline, shop.before);
    return { ...shop, ...(await restore()) };
  };

  it('is set aside in the restored one, too, is counted, and removes on its retry what came with the restore', async () => {
    const shop = await poisoned({ customers: [{ Email: 'a@x.com' }, { Email: 'b@x.com' }] });
    expect(await replayDeletions(shop.options, shop.after)).toMatchObject({ setAside: 1, removed: { customers: 0 } });
    expect(await replayDeletions(shop.options, shop.after)).toMatchObject({ setAside: 0 });
    expect(await listSetAside(shop.tenantId, shop.after)).toEqual(await listSetAside(shop.tenantId, shop.before));
    expect(await retryDeletions(shop.tenantId, shop.after)).toEqual({ retried: 1, setAside: 0 });
    expect(await shop.ids('customers', shop.after)).toEqual(['b@x.com']);
    expect(await replayDeletions(shop.options, shop.after)).toMatchObject({ setAside: 0 });
  });

  it('spares on its retry what was written after the restore', async () => {
    const shop = await poisoned({ customers: [{ Email: 'a@x.com' }] });
    await shop.send({ customers: [{ Email: 'a@x.com', Name: 'Ann' }] }, shop.after);
    await replayDeletions(shop.options, shop.after);
    await retryDeletions(shop.tenantId, shop.after);
    expect(await shop.ids('customers', shop.after)).toEqual(['a@x.com']);
  });

  it('is left out when the snapshot has it', async () => {
    const shop = await aDatabase();
    await shop.accept(customer('a@x.com'));
    const [pending] = await pendingDeletions(shop.tenantId, shop.before.store, deadline);
    await setAside(shop.tenantId, pending!, new TypeError('It stumbles.'), deadline, shop.before);
    const { after, options } = await (await shop.snapshot())();
    expect(await replayDeletions(options, after)).toMatchObject({ setAside: 0 });
  });
});

describe('a customer who was deleted in the earlier database and sent to the restored one', () => {
  const CONSENTS = { EmailOptin: true, SmsOptin: true, WhatsappOptin: true, AppPushOptin: true, GdprOptin: true };
  const NONE = { EmailOptin: false, SmsOptin: false, WhatsappOptin: false, AppPushOptin: false, GdprOptin: false };

  /** Sends of a person who was in the snapshot with all consents. */
  const erasedMeanwhile = async () => {
    const shop = await aDatabase();
    await shop.send({ customers: [{ Email: 'a@x.com', ...CONSENTS, IsExcluded: true }] });
    const { after, options } = await (await shop.snapshot())();
    await replayDeletions(options, after);
    await shop.accept(customer('a@x.com'));
    await shop.send({ customers: [{ Email: 'a@x.com', Name: 'Ann' }] }, after);
    const found = () => getRecord(shop.tenantId, 'customers', { email: 'a@x.com' }, after);
    return { shop, after, options, found };
  };

  it('keeps no consent that may have come with the restore, stays excluded, and is counted (R-34)', async () => {
    const { after, options, found } = await erasedMeanwhile();
    expect(await replayDeletions(options, after)).toMatchObject({ kept: 1, consentsWithdrawn: 1 });
    expect(await found()).toMatchObject({ Name: 'Ann', ...NONE, IsExcluded: true });
  });

  it('keeps the consents that are sent after that, when it is run again', async () => {
    const { shop, after, options, found } = await erasedMeanwhile();
    await replayDeletions(options, after);
    await shop.send({ customers: [{ Email: 'a@x.com', SmsOptin: true }] }, after);
    expect(await replayDeletions(options, after)).toMatchObject({ kept: 1, consentsWithdrawn: 0 });
    expect(await found()).toMatchObject({ ...NONE, SmsOptin: true });
  });

  it('loses them again by a later deletion', async () => {
    const { shop, after, options, found } = await erasedMeanwhile();
    await replayDeletions(options, after);
    await shop.accept(customer('a@x.com'));
    await shop.send({ customers: [{ Email: 'a@x.com', SmsOptin: true }] }, after);
    expect(await replayDeletions(options, after)).toMatchObject({ kept: 1, consentsWithdrawn: 1 });
    expect(await found()).toMatchObject(NONE);
  });

  it('keeps the consents of a record that was made after the restore', async () => {
    const shop = await aDatabase();
    await shop.send({ customers: [{ Email: 'a@x.com' }] });
    const restore = await shop.snapshot();
    await shop.accept(customer('a@x.com'));
    const { after, options } = await restore();
    await replayDeletions(options, after);
    await shop.send({ customers: [{ Email: 'a@x.com', ...CONSENTS }] }, after);
    expect(await replayDeletions(options, after)).toMatchObject({ kept: 1, consentsWithdrawn: 0 });
    expect(await getRecord(shop.tenantId, 'customers', { email: 'a@x.com' }, after)).toMatchObject(CONSENTS);
  });
});

describe('a customer whom the earlier database still holds', () => {
  const renamed = async () => {
    const shop = await aDatabase();
    await shop.send({ customers: [{ Email: 'b@x.com', CustomerId: '7' }] });
    const restore = await shop.snapshot();
    await shop.send({ customers: [{ Email: 'b@x.com', CustomerId: '8' }] });
    return { ...shop, restore };
  };

  it('is not deleted by an identifier that it had only in the snapshot (R-34)', async () => {
    const shop = await renamed();
    await shop.accept(customer(null, '7'));
    await shop.send({ customers: [{ Email: 'b@x.com', Name: 'Bea' }] });
    const { after, options } = await shop.restore();
    expect(await replayDeletions(options, after)).toMatchObject({ removed: { customers: 0 }, kept: 0 });
    expect(await shop.ids('customers', after)).toEqual(['b@x.com']);
  });

  it('is deleted again when it was deleted and sent anew meanwhile', async () => {
    const shop = await renamed();
    await shop.accept(customer('b@x.com'));
    await shop.apply();
    await shop.send({ customers: [{ Email: 'b@x.com' }] });
    await shop.accept(customer(null, '7')); // it has none
    const { after, options } = await shop.restore();
    expect(await replayDeletions(options, after)).toMatchObject({ removed: { customers: 1 } });
  });
});

it('says what the earlier database does not know', async () => {
  const shop = await aDatabase();
  const { after, options } = await (await shop.snapshot())();
  const { notKnown } = await replayDeletions(options, after);
  for (const what of [
    /keys that were revoked/,
    /settings and suspensions of tenants/,
    /owners of buckets/,
    /consents/,
    /usage/,
  ]) {
    expect(notKnown.join('\n')).toMatch(what);
  }
});

it('skips tenants that were created since the snapshot, and says how many', async () => {
  const shop = await aDatabase();
  const { after, options } = await (await shop.snapshot())();
  await createTenant({ organization: 'late' }, shop.before);
  expect(await replayDeletions(options, after)).toMatchObject({ tenants: 1, tenantsMissing: 1 });
});

it.each([
  [{ fromDatabase: 'restored' }, /is the database that it would be read into/],
  [{ snapshotTime: new Date('2026-03-02T00:00:00Z') }, /--restored-at must not be before/],
])('refuses what cannot be meant: %j', async (wrong, message) => {
  const shop = await aDatabase();
  const { after, options } = await (await shop.snapshot())();
  await expect(replayDeletions({ ...options, ...wrong }, after)).rejects.toThrow(message);
});
