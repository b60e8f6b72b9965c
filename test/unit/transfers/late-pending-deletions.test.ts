/**
 * Pending deletions that are met late: by reads beyond the bound, by reading again, by the identifier that a row takes
 * from its customer. What is newer than the deletion inherits nothing, and what it means is not spared.
 */
import { acceptDeletions } from '../../../shared/deletions/acceptance/accept-deletions';
import { raiseFlag } from '../../../shared/deletions/pending-flag';
import type { DocumentStore, StoredDocument } from '../../../shared/documents/document-store';
import type { RecordKind } from '../../../shared/domain/identity';
import { customerIdentities } from '../../../shared/domain/identity';
import { MAX_NAMED_CUSTOMERS } from '../../../shared/limits/deletions';
import { SLICE_READ_BYTES } from '../../../shared/limits/transfers';
import type { PreparedSlice } from '../../../shared/transfers/reading/slice';
import {
  applySlice,
  isPrepared,
  NO_EXPECTATION,
  prepareSlice,
  prepareSlices,
} from '../../../shared/transfers/reading/slice';
import { NewerDeletions } from '../../../shared/transfers/reading/rows/newer-deletions';
import { tombstonePaths } from '../../../shared/workspace/tombstones';
import { overriding } from '../../support/overriding';
import { upsertProducts } from '../../support/upserts';
import { AMPLE, DeletionsLab } from '../deletions/deletions-lab';
import { aTenant } from '../support/tenant';
import { sliceDependencies, sliceSource, toRows } from './slice-source';

const item = (Sku: string) => ({ ProductId: 'p', Sku, Quantity: 1, Price: 1 });

/** Slices of a file that is uploaded when this is made, one row each. */
function fileOf(lab: DeletionsLab, kind: RecordKind, store: DocumentStore = lab.store) {
  const updated = new Date(lab.clock.nowMs());
  const source = sliceSource(lab.tenant, kind, updated);
  const dependencies = sliceDependencies(lab, store);
  return {
    prepare: (...records: object[]) => prepareSlice(toRows(records), source, AMPLE, dependencies),
    prepareAll: (...records: object[]) => {
      const slices = records.map((record) => toRows([record]));
      return prepareSlices(slices, source, NO_EXPECTATION, [], AMPLE, dependencies);
    },
  };
}

function commit(lab: DeletionsLab, { workspace }: PreparedSlice) {
  return lab.memory.commit(workspace.toWrites());
}

/** A store whose reads for a slice leave out what is in this collection, as where other documents fill the bound. */
function cutting(store: DocumentStore, collection: string): DocumentStore {
  return overriding(store, {
    getSome: async (paths, maxBytes, deadline) => {
      const isCut = (path: string) => maxBytes === SLICE_READ_BYTES && path.split('/').at(-2) === collection;
      const some = await store.getSome(
        paths.filter((path) => !isCut(path)),
        maxBytes,
        deadline,
      );
      return { ...some, unread: [...some.unread, ...paths.filter(isCut)] };
    },
  });
}

afterEach(() => {
  jest.restoreAllMocks();
});

/** A planted mistake: slices pass by what is pending. The commit checks that this has not changed since it was read. */
function passByPending(): void {
  jest.spyOn(NewerDeletions.prototype, 'pendingDeletions').mockReturnValue([]);
}

it.each([
  ['has a first row, read beyond the bound, inherit nothing of a product whose deletion is pending', false, undefined],
  ['would have it inherit a name, did it pass by that deletion', true, 'secret'],
])('%s (R-08, R-413)', async (_, isMistaken, name) => {
  if (isMistaken) passByPending();
  const lab = new DeletionsLab(aTenant({ productIdentifier: 'sku' }));
  const product = { ProductId: 'p', ProductName: 'secret', ProductVariants: [{ VariantId: 'v', Sku: 's' }] };
  await upsertProducts([product], lab.tenant, AMPLE, lab);
  await lab.accept({ type: 'product', productId: 'p' });
  const file = fileOf(lab, 'products', cutting(lab.memory, 'skus'));
  const slice = await file.prepare({ ProductId: 'q', ProductVariants: [{ VariantId: 'w', Sku: 's' }] });
  expect(await commit(lab, slice)).not.toBe('conflict');
  await lab.drain();
  const [left, ...others] = await lab.documents('products');
  expect(others).toEqual([]);
  expect(left?.data).toMatchObject({ ProductId: 'q' });
  expect(left?.data.ProductName).toBe(name);
});

it.each([
  ['keeps a first row, read beyond the bound, that is newer than the pending deletion of its order', false, ['new']],
  ['would lose it, did it pass by that deletion', true, []],
])('%s (D-54, R-413)', async (_, isMistaken, skus) => {
  if (isMistaken) passByPending();
  const lab = new DeletionsLab();
  const order = { OrderId: 'o', Email: 'ann@x.com', Currency: 'EUR', OrderDate: '2026-01-01' };
  await lab.upsertOrder({ ...order, OrderItems: [item('old')] });
  await lab.accept({ type: 'order', orderId: 'o' });
  const file = fileOf(lab, 'orders', cutting(lab.memory, 'deletions'));
  const slice = await file.prepare({ ...order, OrderItems: [item('new')] });
  expect(await commit(lab, slice)).not.toBe('conflict');
  await lab.drain();
  const items = (await lab.documents('orders')).flatMap(({ data }) => data.OrderItems as { Sku: string }[]);
  expect(items.map(({ Sku }) => Sku)).toEqual(skus);
});

it('prepares a slice again that was prepared beside others, and whose first row was beyond the bound (R-413)', async () => {
  const lab = new DeletionsLab();
  const order = { OrderId: 'o', Email: 'ann@x.com', Currency: 'EUR', OrderDate: '2026-01-01' };
  await lab.upsertOrder({ ...order, OrderItems: [item('old')] });
  await lab.accept({ type: 'order', orderId: 'o' });
  const file = fileOf(lab, 'orders', cutting(lab.memory, 'deletions'));
  const [slice] = (await file.prepareAll({ ...order, OrderItems: [item('new')] })).filter(isPrepared);
  expect(slice && (await applySlice(slice, []))).toBeUndefined();
});

it.each([
  ['prepares a slice again where what it reads anew has a pending deletion', false, []],
  ['would have it take over the deleted product, did it pass by that deletion', true, [['q', 'secret']]],
])('%s (R-08, R-413)', async (_, isMistaken, left) => {
  const lab = new DeletionsLab(aTenant({ productIdentifier: 'sku' }));
  await lab.accept({ type: 'product', productId: 'other' });
  const file = fileOf(lab, 'products');
  const of = (ProductId: string) => ({ ProductId, ProductVariants: [{ VariantId: ProductId, Sku: 's' }] });
  const [first, second] = (await file.prepareAll({ ...of('p'), ProductName: 'secret' }, of('q'))).filter(isPrepared);
  if (!first || !second) throw new Error('Two slices were to be prepared.');
  await applySlice(first, []);
  expect(await commit(lab, first)).not.toBe('conflict');
  await lab.accept({ type: 'product', productId: 'p' });
  if (isMistaken) passByPending();
  const applied = await applySlice(second, first.workspace.changedPaths());
  expect(applied !== undefined).toBe(isMistaken);
  expect(await commit(lab, applied ? second : await file.prepare(of('q')))).not.toBe('conflict');
  await lab.drain();
  const products = await lab.documents('products');
  expect(products.map(({ data }) => [data.ProductId, data.ProductName])).toEqual(left);
});

it('removes whom a deletion of very many means although a row gives him another identifier meanwhile (R-33, R-411)', async () => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
  const shared = Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, n) => ({
    CustomerId: `${n}`,
    Email: 'shared@x.com',
    EmailOptin: true,
  }));
  await lab.upsert(...shared);
  await raiseFlag(lab.tenant.tenantId, 'customers', { isWide: true }, AMPLE, lab);
  const file = fileOf(lab, 'customers');
  const row = { CustomerId: '5', Email: 'new@x.com' };
  const slice = await file.prepare(row);
  await lab.deleteCustomer(null, 'shared@x.com');
  expect(await commit(lab, slice)).toBe('conflict');
  await commit(lab, await file.prepare(row));
  await lab.drain();
  expect(await lab.documents()).toEqual([]);
});

it.each([
  [
    'has an upsert by Sku inherit nothing of a product that got the Sku after its deletion was accepted',
    false,
    undefined,
    ['s'],
  ],
  [
    'would have it inherit a name, did it not look for pending deletions of what it has planned',
    true,
    'secret',
    ['t', 's'],
  ],
])('%s (R-08, R-413)', async (_, isMistaken, name, skus) => {
  const lab = new DeletionsLab(aTenant({ productIdentifier: 'sku' }));
  await lab.upsertProduct('p', { VariantId: 'v', Sku: 't' });
  const upsert = (product: object, store: DocumentStore) =>
    upsertProducts([product as never], lab.tenant, AMPLE, lab.with(store));

  const memory: DocumentStore = lab.memory;
  // One upsert has read before the deletion is accepted, and writes after it.
  let write: () => void = () => undefined;
  const mayWrite = new Promise<void>((resolve) => (write = resolve));
  let hasRead: () => void = () => undefined;
  const isRead = new Promise<void>((resolve) => (hasRead = resolve));
  const slow = overriding(memory, {
    commit: async (...call) => {
      hasRead();
      await mayWrite;
      return memory.commit(...call);
    },
  });
  const late = { ProductId: 'p', ProductName: 'secret', ProductVariants: [{ VariantId: 'v2', Sku: 's' }] };
  const earlier = upsert(late, slow);
  await isRead;
  await acceptDeletions(lab.tenant, 'products', [{ type: 'product', productId: 'p' }], AMPLE, lab);

  // The other one is sent then. It is written after it has looked who holds its Sku.
  let looks = 0;
  const looking = overriding(memory, {
    getAll: async (paths, deadline) => {
      const found = await memory.getAll(paths, deadline);
      if (paths.some((path) => path.includes('/skus/')) && (looks += 1) === 1) {
        write();
        await earlier;
      }
      return found;
    },
    getSome: (paths, ...bound) => {
      const isPassedBy = (path: string) => isMistaken && looks > 0 && path.includes('/deletions/');
      return memory.getSome(
        paths.filter((path) => !isPassedBy(path)),
        ...bound,
      );
    },
  });
  await upsert({ ProductId: 'q', ProductVariants: [{ VariantId: 'w', Sku: 's' }] }, looking);
  await lab.drain();
  const [left, ...others] = await lab.documents('products');
  expect(others).toEqual([]);
  expect(left?.data).toMatchObject({ ProductId: 'q' });
  expect(left?.data.ProductName).toBe(name);
  expect((left?.data.ProductVariants as { Sku: string }[]).map(({ Sku }) => Sku)).toEqual(skus);
});

/**
 * Stores rows of a file while a deletion is accepted after one of the slice's reads, after each in turn.
 * @param open what is there before
 * @returns after how many reads that was tried
 */
async function storeWhileAccepting(
  open: () => Promise<DeletionsLab>,
  row: object | readonly object[],
  accept: (lab: DeletionsLab) => Promise<void>,
  check: (lab: DeletionsLab) => Promise<void>,
  bounded = (store: DocumentStore): DocumentStore => store,
): Promise<number> {
  for (let after = 1; ; after += 1) {
    const lab = await open();
    let reads = 0;
    const then = async <T>(read: Promise<T>): Promise<T> => {
      const found = await read;
      reads += 1;
      if (reads === after) await accept(lab);
      return found;
    };
    const memory: DocumentStore = lab.memory;
    const store = overriding(memory, {
      get: (...call) => then(memory.get(...call)),
      getAll: (...call) => then(memory.getAll(...call)),
      getSome: (...call) => then(memory.getSome(...call)),
      list: (...call) => then(memory.list(...call)),
      listRefs: (...call) => then(memory.listRefs(...call)),
      findWhere: (...call) => then(memory.findWhere(...call)),
    });
    const file = fileOf(lab, 'customers', bounded(store));
    for (let rest = [row].flat(); rest.length > 0;) {
      const slice = await file.prepare(...rest);
      if ((await commit(lab, slice)) !== 'conflict') rest = rest.slice(slice.applied?.rowsApplied);
    }
    if (reads < after) return reads;
    await lab.drain();
    await check(lab);
  }
}

/** Opens a database with one customer, keyed by the e-mail, whose tenant's flag is raised. */
function openWith(customer: object): () => Promise<DeletionsLab> {
  return async () => {
    const lab = new DeletionsLab(aTenant({ customerIdentifier: 'email' }));
    await raiseFlag(lab.tenant.tenantId, 'customers', { isWide: true }, AMPLE, lab);
    await lab.upsert(customer);
    return lab;
  };
}

/**
 * Has a row take the identifier from a customer while the deletion by it is accepted, after each of the reads in turn.
 * @returns after how many reads that was tried, and whom it has left
 */
async function takeIdentifier(bounded?: (store: DocumentStore) => DocumentStore) {
  const spared: unknown[] = [];
  const tried = await storeWhileAccepting(
    openWith({ Email: 'x@x.com', CustomerId: '1' }),
    { Email: 'x@x.com', CustomerId: null },
    (lab) => lab.deleteCustomer('1', null),
    async (lab) => void spared.push(...(await lab.customers('Email'))),
    bounded,
  );
  return { tried, spared };
}

/** A planted mistake: a store that shows slices what was pending before they read tombstones. */
function readingPendingFirst(store: DocumentStore): DocumentStore {
  let before: ReadonlySet<string> | undefined;
  return overriding(store, {
    getSome: async (paths, maxBytes, deadline) => {
      const [path = ''] = paths;
      if (path.includes('/tombstones/')) {
        const pending = await store.listRefs(path.replace(/tombstones.*/, 'deletions'), { limit: 100 }, deadline);
        before = new Set(pending.map((each) => each.path));
      }
      const shown = path.includes('/deletions/') ? before : undefined;
      if (shown) before = undefined;
      return store.getSome(shown ? paths.filter((each) => shown.has(each)) : paths, maxBytes, deadline);
    },
  });
}

it('spares no customer whom a row takes the identifier from, whenever the deletion by it is accepted (R-413)', async () => {
  const { tried, spared } = await takeIdentifier();
  expect(tried).toBeGreaterThan(2);
  expect(spared).toEqual([]);
});

it('would spare him once, did it read what is pending before the tombstones (R-413)', async () => {
  expect((await takeIdentifier(readingPendingFirst)).spared).toEqual(['x@x.com']);
});

it('spares none of very many whom a row gives another identifier, whenever their deletion is accepted (R-33, R-413)', async () => {
  const open = async () => {
    const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
    await raiseFlag(lab.tenant.tenantId, 'customers', { isWide: true }, AMPLE, lab);
    await lab.upsert(
      ...Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, n) => ({ CustomerId: `${n}`, Email: 'shared@x.com' })),
    );
    await lab.deleteCustomer(null, 'new@x.com'); // it is applied first, and everything is read again
    return lab;
  };
  const tried = await storeWhileAccepting(
    open,
    { CustomerId: '5', Email: 'new@x.com' },
    (lab) => lab.deleteCustomer(null, 'shared@x.com'),
    async (lab) => expect(await lab.documents()).toEqual([]),
  );
  expect(tried).toBeGreaterThan(5);
});

/** A planted mistake: a store that shows a first row what its slice has read, up to the bound, at an earlier moment. */
function mixingMoments(store: DocumentStore): DocumentStore {
  const known = new Map<string, StoredDocument | undefined>();
  let isBeyond = false;
  return overriding(store, {
    getSome: async (paths, maxBytes, ...rest) => {
      if (isBeyond) known.clear();
      isBeyond = false;
      const some = await store.getSome(paths, maxBytes, ...rest);
      const found = new Map(some.documents.map((document) => [document.path, document]));
      if (maxBytes !== SLICE_READ_BYTES) return some;
      for (const path of paths) if (!some.unread.includes(path)) known.set(path, found.get(path));
      return some;
    },
    getAll: async (paths, deadline) => {
      isBeyond = true;
      const others = paths.filter((path) => !known.has(path));
      const found = others.length > 0 ? await store.getAll(others, deadline) : [];
      return [...found, ...paths.flatMap((path) => known.get(path) ?? [])];
    },
  });
}

const cuttingCustomers = (store: DocumentStore) => cutting(store, 'customers');

it('spares no customer whom a first row takes the identifier from, which is read beyond the bound (R-413)', async () => {
  const { tried, spared } = await takeIdentifier(cuttingCustomers);
  expect(tried).toBeGreaterThan(4);
  expect(spared).toEqual([]);
});

it('would spare him, were the row not prepared again, but what is beyond the bound read later (R-413)', async () => {
  const { spared } = await takeIdentifier((store) => mixingMoments(cuttingCustomers(store)));
  expect(new Set(spared)).toEqual(new Set(['x@x.com']));
});

it.each([
  [
    'prepares a slice again that clears an identifier which the one before has given, and by which was deleted since',
    false,
    [],
  ],
  ['would spare the customer, were its tombstone not new to the slice', true, ['x@x.com']],
])('%s (R-413)', async (_, isMistaken, left) => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'email' }));
  await raiseFlag(lab.tenant.tenantId, 'customers', {}, AMPLE, lab);
  await lab.upsert({ Email: 'x@x.com' });
  const file = fileOf(lab, 'customers');
  const rows = [
    { Email: 'x@x.com', CustomerId: '1' },
    { Email: 'x@x.com', CustomerId: null },
  ];
  const [first, second] = (await file.prepareAll(...rows)).filter(isPrepared);
  if (!first || !second) throw new Error('Two slices were to be prepared.');
  await applySlice(first, []);
  expect(await commit(lab, first)).not.toBe('conflict');
  await lab.deleteCustomer('1', null);
  if (isMistaken) {
    // As if the tombstone of the identifier had been read before, with what is pending.
    const read = tombstonePaths(lab.tenant.tenantId, 'customers', customerIdentities({ CustomerId: '1' }));
    jest.spyOn(NewerDeletions.prototype, 'tombstonesFor').mockReturnValueOnce(read);
  }
  const applied = await applySlice(second, first.workspace.changedPaths());
  expect(applied !== undefined).toBe(isMistaken);
  expect(await commit(lab, applied ? second : await file.prepare(rows[1]!))).not.toBe('conflict');
  await lab.drain();
  expect(await lab.customers('Email')).toEqual(left);
});

it.each(['by the identifier that a later row clears', 'of nobody'])(
  'stores a first row that is read beyond the bound, and a later one of its customer, beside a deletion %s (R-413)',
  async (which) => {
    const isHis = which !== 'of nobody';
    const tried = await storeWhileAccepting(
      openWith({ Email: 'y@x.com', CustomerId: '5' }),
      [{ Email: 'y@x.com', Name: 'Y' }, { Email: 'y@x.com', CustomerId: null }], // prettier-ignore
      (lab) => lab.deleteCustomer(isHis ? '5' : 'none', null),
      async (lab) => expect(await lab.customers('Email')).toEqual(isHis ? [] : ['y@x.com']),
      (store) => cutting(store, 'customers'),
    );
    expect(tried).toBeGreaterThan(4);
  },
);

it('merges a first row that is read beyond the bound into its product by Sku, where a later row deletes (R-413)', async () => {
  const lab = new DeletionsLab(aTenant({ productIdentifier: 'sku' }));
  const product = { ProductId: 'p', ProductName: 'P', ProductVariants: [{ VariantId: 'v', Sku: 's' }] };
  await upsertProducts([product], lab.tenant, AMPLE, lab);
  const file = fileOf(lab, 'products', cutting(lab.memory, 'skus'));
  const rows = [
    { ProductId: 'p', ProductVariants: [{ VariantId: 'w', Sku: 's' }] },
    { ProductId: 'z', DeletedAt: '2026-01-01' },
  ];
  for (let rest = rows; rest.length > 0;) {
    const slice = await file.prepare(...rest);
    expect(await commit(lab, slice)).not.toBe('conflict');
    rest = rest.slice(slice.applied?.rowsApplied);
  }
  const [left, ...others] = await lab.documents('products');
  expect(others).toEqual([]);
  expect(left?.data).toMatchObject({ ProductId: 'p', ProductName: 'P' });
});
