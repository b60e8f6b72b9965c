/** Deletions that cannot be applied hold nobody up. */
import { listSetAside, makePendingAgain, retryDeletions } from '../../../shared/operations/deletions';
import { findPendingFlag, lowerFlag } from '../../../shared/deletions/pending-flag';
import { listSetAsideDeletions, setAside as moveAside } from '../../../shared/deletions/set-aside';
import type { DocumentStore, DocumentWrite } from '../../../shared/documents/document-store';
import { RequestInvalid } from '../../../shared/documents/document-store';
import { deletionPath, recordPath, setAsideDeletionsPath, wideDeletionPath } from '../../../shared/documents/paths';
import type { DeletionTarget } from '../../../shared/domain/deletion';
import { DELETION_KIND, toDeletionId } from '../../../shared/domain/deletion';
import { customerIdIdentity, customerRecordId, emailIdentity, productRecordId } from '../../../shared/domain/identity';
import { MAX_NAMED_CUSTOMERS } from '../../../shared/limits/deletions';
import { RetryLater } from '../../../shared/platform/retry-later';
import { MATCHING_EMAIL } from '../../../shared/workspace/record-documents';
import { overriding } from '../../support/overriding';
import { aTenant } from '../support/tenant';
import { AMPLE, DeletionsLab } from './deletions-lab';

const TOO_LARGE = new RequestInvalid('3 INVALID_ARGUMENT: the request is too large');
const byId = aTenant({ customerIdentifier: 'customerid' });
const deletionOf = (customerId: string) => toDeletionId('customers', customerIdIdentity(customerId));

/** A database that takes no commit which applies the deletion of this customer id. */
function refusing(lab: DeletionsLab, customerId: string, error: Error = TOO_LARGE): void {
  const isApplying = (write: DocumentWrite) =>
    'delete' in write && write.delete === deletionPath(lab.tenant.tenantId, deletionOf(customerId));
  const isSettingAside = (write: DocumentWrite) => 'set' in write && write.set.includes('/setAsideDeletions/');
  lab.store = overriding(lab.memory, {
    commit: (writes) =>
      writes.some(isApplying) && !writes.some(isSettingAside) ? Promise.reject(error) : lab.memory.commit(writes),
  });
}

const setAside = async (lab: DeletionsLab) =>
  (await lab.memory.list(setAsideDeletionsPath(lab.tenant.tenantId), { limit: 100 })).map(({ data }) => data);

it.each([
  ['that the database refuses', TOO_LARGE],
  ['over which the code stumbles', new TypeError('undefined is not a function')],
  ['for which something is out of range', new RangeError('Invalid string length')],
  ['for which the code finds itself wrong', new Error('A document was used before it was loaded.')],
])(
  'applies all deletions around one %s, lets upserts through, and keeps the one with its reason (R-31)',
  async (_, error) => {
    const lab = new DeletionsLab(byId);
    await lab.upsert({ CustomerId: 'a' }, { CustomerId: 'poison' }, { CustomerId: 'z' });
    await lab.deleteCustomer('a', null);
    await lab.deleteCustomer('poison', null);
    await lab.deleteCustomer('z', null);
    refusing(lab, 'poison', error);
    await lab.upsert({ CustomerId: 'poison', Name: 'New' }, { CustomerId: 'a', Name: 'New' });
    await lab.apply();
    expect(await lab.customers('CustomerId')).toEqual(['a', 'poison']);
    expect(await lab.pending()).toEqual([]);
    expect(await setAside(lab)).toMatchObject([
      { path: expect.stringContaining(deletionOf('poison')) as string, reason: `${error.name}: ${error.message}` },
    ]);
  },
);

it.each([
  ['is unavailable', 14],
  ['is too slow', 4],
  ['is in contention', 10],
  ['is exhausted', 8],
  ['lets nobody in', 7],
  ['has no index', 9],
])('sets nothing aside when the database %s', async (_, code) => {
  const lab = new DeletionsLab(byId);
  await lab.deleteCustomer('c', null);
  refusing(lab, 'c', Object.assign(new Error('Passing.'), { code }));
  await expect(lab.apply()).rejects.toThrow('Passing.');
  expect(await lab.pending()).toHaveLength(1);
  expect(await setAside(lab)).toEqual([]);
});

it.each<[what: string, error: Error]>([
  ['cannot be connected to', Object.assign(new Error('Passing.'), { code: 'ECONNREFUSED', syscall: 'connect' })],
  ['is given no time', new RetryLater('Passing.')],
])('sets nothing aside when the database %s', async (_, error) => {
  const lab = new DeletionsLab(byId);
  await lab.deleteCustomer('c', null);
  refusing(lab, 'c', error);
  await expect(lab.apply()).rejects.toThrow('Passing.');
  expect(await lab.pending()).toHaveLength(1);
  expect(await setAside(lab)).toEqual([]);
});

it('sets nothing aside that fails together with others, but not alone', async () => {
  const lab = new DeletionsLab(byId);
  await lab.upsert({ CustomerId: 'a' }, { CustomerId: 'b' });
  await lab.deleteCustomer('a', null);
  await lab.deleteCustomer('b', null);
  lab.store = overriding(lab.memory, {
    commit: (writes) => (writes.length > 3 ? Promise.reject(TOO_LARGE) : lab.memory.commit(writes)),
  });
  await lab.apply();
  expect(await lab.customers('CustomerId')).toEqual([]);
  expect([await lab.pending(), await setAside(lab)]).toEqual([[], []]);
});

it('sets nothing aside that was added to since it failed, but tries it again', async () => {
  const lab = new DeletionsLab(byId);
  await lab.upsert({ CustomerId: 'a' });
  await lab.deleteCustomer('a', null);
  let isFirst = true;
  lab.store = overriding(lab.memory, {
    commit: async (writes) => {
      if (!writes.some((write) => 'set' in write && write.set.includes('/setAsideDeletions/'))) {
        return isFirst ? Promise.reject(TOO_LARGE) : lab.memory.commit(writes);
      }
      isFirst = false;
      const path = deletionPath(lab.tenant.tenantId, deletionOf('a'));
      const pending = await lab.memory.get(path);
      await lab.memory.commit([{ set: path, data: { ...pending?.data, revision: 'later' } }]);
      return lab.memory.commit(writes);
    },
  });
  await lab.apply();
  expect([await lab.documents(), await lab.pending(), await setAside(lab)]).toEqual([[], [], []]);
});

it.each<[what: string, entry: object]>([
  ['nothing', {}],
  ['customers that are no list', { customers: 'x' }],
  ['a customer without an id', { customers: [{ id: 7 }] }],
  ['a customer that is none', { customers: [null] }],
  [
    'a field by which no customer is found',
    { customers: [{ id: 'x', by: { field: 'Email', identity: 'x', version: { seconds: 1, nanos: 0 } } }] },
  ],
  ['a customer who was found by nothing', { customers: [{ id: 'x', by: { field: MATCHING_EMAIL } }] }],
  ['a customer who may be anybody', { customers: [{ id: 'x' }] }],
])('sets an entry aside that names %s, and applies the others', async (_, entry) => {
  const lab = new DeletionsLab(byId);
  await lab.upsert({ CustomerId: 'a' });
  await lab.deleteCustomer('b', null);
  await lab.deleteCustomer('a', null);
  await lab.memory.commit([{ set: deletionPath(lab.tenant.tenantId, deletionOf('b')), data: entry as never }]);
  await lab.apply();
  expect(await lab.customers('CustomerId')).toEqual([]);
  expect(await setAside(lab)).toMatchObject([{ entry, reason: 'InapplicableDeletion: It tells no records.' }]);
});

it.each<[what: string, entry: object]>([
  ['no targets', {}],
  ['a target of no known type', { targets: [{ target: { type: 'shoe' } }] }],
  ['a target of an inherited name', { targets: [{ target: { type: 'toString' } }] }],
  ['a target without its id', { targets: [{ target: { type: 'product', productId: 7 } }] }],
  ['a target that is no object', { targets: [{ target: 'x' }] }],
  ['a customer for a target', { targets: [{ target: { type: 'customer', customerId: 'c', email: null } }] }],
])('sets an entry of a product aside that has %s', async (_, entry) => {
  const lab = new DeletionsLab();
  await lab.accept({ type: 'product', productId: 'p' });
  const path = deletionPath(lab.tenant.tenantId, toDeletionId('products', productRecordId('p')));
  await lab.memory.commit([{ set: path, data: entry as never }]);
  await lab.upsertProduct('p');
  expect(await setAside(lab)).toMatchObject([{ entry, reason: 'InapplicableDeletion: It tells no records.' }]);
  expect(await lab.documents('products')).toHaveLength(1);
});

describe('a deletion of more customers than are named', () => {
  const shared = (n: number) => ({ CustomerId: `${n}`, Email: 'shared@x.com' });
  const many = Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, n) => shared(n));

  /** It takes no commit of the deletion itself, nor any that removes one of its customers. */
  async function setAsideOnce(doNext: (lab: DeletionsLab) => Promise<void>): Promise<DeletionsLab> {
    const lab = new DeletionsLab(byId);
    await lab.upsert(...many);
    await lab.deleteCustomer(null, 'shared@x.com');
    const removesRecord = (write: DocumentWrite) => 'delete' in write && write.delete.includes('/customers/');
    lab.store = overriding(lab.memory, {
      commit: (writes) => (writes.some(removesRecord) ? Promise.reject(TOO_LARGE) : lab.memory.commit(writes)),
    });
    await doNext(lab);
    lab.store = lab.memory;
    expect(await setAside(lab)).toHaveLength(1);
    return lab;
  }

  it('is set aside by whoever comes to apply it (R-31, R-33)', async () => {
    const lab = await setAsideOnce((one) => one.drain());
    expect(await lab.documents()).toHaveLength(many.length);
  });

  it('is the only one that is set aside by a writer whom several concern (R-31)', async () => {
    const lab = new DeletionsLab(byId);
    const others = Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, n) => ({ CustomerId: `o${n}`, Email: 'o@x.com' })); // prettier-ignore
    await lab.upsert(...many, ...others);
    await lab.deleteCustomer(null, 'shared@x.com');
    await lab.deleteCustomer(null, 'o@x.com');
    const poisoned = recordPath(lab.tenant.tenantId, 'customers', customerRecordId(shared(0), 'customerid'));
    lab.store = overriding(lab.memory, {
      commit: (writes) =>
        writes.some((write) => 'delete' in write && write.delete === poisoned)
          ? Promise.reject(TOO_LARGE)
          : lab.memory.commit(writes),
    });
    await lab.upsert({ ...shared(0), Name: 'Since' }, { CustomerId: 'o0', Name: 'Since' });
    lab.store = lab.memory;
    expect(await setAside(lab)).toMatchObject([
      { path: expect.stringContaining(toDeletionId('customers', emailIdentity('shared@x.com'))) as string },
    ]);
    await lab.drain();
    expect(await lab.customers('Name')).toContain('Since');
    expect((await lab.customers('CustomerId')).filter((id) => String(id).startsWith('o'))).toEqual(['o0']);
  });

  it('is set aside by a writer also while further pages of it are applied', async () => {
    const lab = new DeletionsLab(byId);
    await lab.upsert(...many);
    await lab.deleteCustomer(null, 'shared@x.com');
    let pages = 0;
    lab.store = overriding(lab.memory, {
      commit: async (writes) => {
        if (writes.some((write) => 'delete' in write && write.delete.includes('/customers/'))) throw TOO_LARGE;
        const moved = writes.find((write) => 'delete' in write && write.delete.includes('/wideDeletions/'));
        if (moved && 'delete' in moved && (pages += 1) === 1) {
          const { data, version } = (await lab.memory.get(moved.delete))!;
          await lab.memory.commit([
            { set: moved.delete, data: { ...data, acceptedVersion: { ...version }, after: '' } },
          ]);
        }
        return lab.memory.commit(writes);
      },
    });
    await lab.upsert({ ...shared(0), Name: 'Since' });
    expect([pages, (await setAside(lab)).length]).toEqual([2, 1]);
    expect(await lab.customers('Name')).toContain('Since');
  });

  it('lets an upsert of one of them through', async () => {
    const lab = await setAsideOnce((one) => one.upsert({ ...shared(0), Name: 'Since' }));
    expect(await lab.customers('Name')).toContain('Since');
  });

  it('is applied by a retry, which spares whoever was written since', async () => {
    const lab = await setAsideOnce((one) => one.upsert({ ...shared(0), Name: 'Since' }));
    expect(await retryDeletions(lab.tenant.tenantId, await lab.operator())).toEqual({ retried: 1, setAside: 0 });
    expect(await lab.customers('CustomerId')).toEqual(['0']);
    expect(await setAside(lab)).toEqual([]);
  });

  it('comes back under a flag that says so: who signs up before it is applied inherits nothing (R-08, R-33)', async () => {
    const lab = await setAsideOnce((one) => one.drain());
    await lab.upsert({ CustomerId: '0', EmailOptin: true });
    const { tenantId } = lab.tenant;
    await lowerFlag(tenantId, 'customers', AMPLE, lab);
    const accepted = listSetAsideDeletions(tenantId, lab.memory, () => AMPLE);
    for await (const deletion of accepted) await makePendingAgain(lab.tenant, deletion, await lab.operator());
    await lab.upsert({ CustomerId: '1', Name: 'Since' });
    await lab.drain();
    const left = (await lab.documents()).map(({ data }) => [data.CustomerId, data.Email, data.Name]);
    expect(left.sort()).toEqual([
      ['0', 'shared@x.com', undefined],
      ['1', undefined, 'Since'],
    ]);
  });

  it('is retried after a pending one by the same identifier, which is applied first', async () => {
    const lab = await setAsideOnce((one) => one.drain());
    const { tenantId } = lab.tenant;
    await lab.upsert(...many);
    await lab.deleteCustomer(null, 'shared@x.com');
    const entries = listSetAsideDeletions(tenantId, lab.memory, () => AMPLE);
    for await (const deletion of entries) await makePendingAgain(lab.tenant, deletion, await lab.operator());
    expect([await lab.documents(), await setAside(lab)]).toEqual([[], []]);
    await lab.upsert(...many);
    await lab.drain();
    expect(await lab.documents()).toHaveLength(many.length);
  });

  it.each([
    ['is kept beside', false],
    ['would take the place of', true],
  ])('%s one of the same identifier and moment that names its customers (R-31)', async (_, isMistaken) => {
    const lab = new DeletionsLab(byId);
    const { tenantId } = lab.tenant;
    if (isMistaken) lab.store = settingAsideAlike(lab.memory);
    const id = toDeletionId('customers', emailIdentity('shared@x.com'));
    const [named, wide] = [deletionPath(tenantId, id), wideDeletionPath(tenantId, id)];
    const accepted = [
      { set: named, data: { customers: [] } },
      { set: wide, data: { field: MATCHING_EMAIL } },
    ];
    await lab.memory.commit(accepted);
    for (const { path, data, version } of await lab.memory.getAll(accepted.map(({ set }) => set))) {
      expect(await moveAside(tenantId, { path, data, version }, TOO_LARGE, AMPLE, lab)).toBe(true);
    }
    const kept = isMistaken ? [wide] : [named, wide].sort();
    expect((await setAside(lab)).map(({ path }) => path).sort()).toEqual(kept);
    const retried = await retryDeletions(tenantId, await lab.operator());
    expect(retried).toEqual({ retried: kept.length, setAside: 0 });
  });

  /** A planted mistake: a store where the id of a deletion that was set aside does not tell that it is wide. */
  function settingAsideAlike(store: DocumentStore): DocumentStore {
    const alike = (write: DocumentWrite) =>
      'set' in write && write.set.includes('/setAsideDeletions/')
        ? { ...write, set: write.set.replace(/-wide$/, '') }
        : write;
    return overriding(store, { commit: (writes, deadline) => store.commit(writes.map(alike), deadline) });
  }

  it('reads tombstones together: as many calls as pages, not as customers', async () => {
    const lab = new DeletionsLab(byId);
    await lab.upsert(...many);
    await lab.deleteCustomer(null, 'shared@x.com');
    let calls = 0;
    const getAll = (paths: readonly string[]) => {
      calls += 1;
      return lab.memory.getAll(paths);
    };
    lab.store = overriding(lab.memory, { getAll });
    await lab.upsert(...many.slice(0, 50).map(({ CustomerId }) => ({ CustomerId, Name: 'Since' })));
    await lab.drain();
    expect(await lab.customers('Name')).toEqual(Array.from({ length: 50 }, () => 'Since'));
    expect(calls).toBeLessThan(20);
  });
});

describe('a deletion that the operator retries', () => {
  const ofCustomer = { type: 'customer', customerId: 'c', email: null } as const;

  /** Accepts a deletion that is then set aside, because the database takes no commit that applies one. */
  async function setAsideOnce(lab: DeletionsLab, target: DeletionTarget): Promise<void> {
    const removesRecord = (write: DocumentWrite) => 'delete' in write && /\/(customers|products)\//.test(write.delete);
    const writesTombstone = (write: DocumentWrite) => 'set' in write && /\/tombstones\//.test(write.set);
    await lab.accept(target);
    lab.store = overriding(lab.memory, {
      commit: (writes) =>
        writes.some((write) => removesRecord(write) || writesTombstone(write))
          ? Promise.reject(TOO_LARGE)
          : lab.memory.commit(writes),
    });
    await lab.apply(DELETION_KIND[target.type]);
    lab.store = lab.memory;
    expect(await setAside(lab)).toHaveLength(1);
  }

  it('is listed, applied as of its acceptance, and gone from the list', async () => {
    const lab = new DeletionsLab(byId);
    await lab.upsert({ CustomerId: 'c' }, { CustomerId: 'other' });
    await setAsideOnce(lab, ofCustomer);
    const { tenantId } = lab.tenant;
    const operator = await lab.operator();
    const meant = [{ id: customerRecordId({ CustomerId: 'c' }, 'customerid') }];
    expect(await listSetAside(tenantId, operator)).toMatchObject([
      { kind: 'customers', deletionId: deletionOf('c'), meant, reason: `RequestInvalid: ${TOO_LARGE.message}` },
    ]);
    expect(await retryDeletions(tenantId, operator)).toEqual({ retried: 1, setAside: 0 });
    expect(await lab.customers('CustomerId')).toEqual(['other']);
    expect([await lab.pending(), await listSetAside(tenantId, operator)]).toEqual([[], []]);
  });

  it('tells of a product what was sent', async () => {
    const lab = new DeletionsLab(byId);
    await setAsideOnce(lab, { type: 'variant', productId: 'p', variantId: 'v' });
    const shown = await listSetAside(lab.tenant.tenantId, await lab.operator());
    expect(shown).toMatchObject([{ meant: [{ target: { type: 'variant', productId: 'p', variantId: 'v' } }] }]);
  });

  it('removes nothing that was written since it was accepted (D-41)', async () => {
    const lab = new DeletionsLab(byId);
    await lab.upsert({ CustomerId: 'c', Name: 'Before' });
    await setAsideOnce(lab, ofCustomer);
    await lab.upsert({ CustomerId: 'c', Name: 'Since' });
    await retryDeletions(lab.tenant.tenantId, await lab.operator());
    expect(await lab.customers('Name')).toEqual(['Since']);
  });

  it('leaves a product that was written since as it is', async () => {
    const lab = new DeletionsLab(byId);
    await setAsideOnce(lab, { type: 'product', productId: 'p' });
    await lab.upsertProduct('p');
    await retryDeletions(lab.tenant.tenantId, await lab.operator());
    const { tenantId } = lab.tenant;
    expect(await lab.memory.get(recordPath(tenantId, 'products', productRecordId('p')))).toBeDefined();
    expect([await lab.pending(), await setAside(lab)]).toEqual([[], []]);
  });

  it('comes back under a raised flag, so that nobody writes its records unseen', async () => {
    const lab = new DeletionsLab(byId);
    await lab.upsert({ CustomerId: 'c' });
    await setAsideOnce(lab, ofCustomer);
    await lowerFlag(lab.tenant.tenantId, 'customers', AMPLE, lab);
    const raised = () => findPendingFlag(lab.tenant.tenantId, 'customers', lab.memory, AMPLE);
    expect(await raised()).toBeUndefined();
    lab.store = overriding(lab.memory, {
      listRefs: () => Promise.reject(new Error('Stopped before it is applied.')),
    });
    const operator = { ...(await lab.operator()), store: lab.store };
    const entries = listSetAsideDeletions(lab.tenant.tenantId, lab.memory, () => AMPLE);
    for await (const deletion of entries) await makePendingAgain(lab.tenant, deletion, operator);
    expect(await raised()).toMatchObject({ isRaised: true });
    expect(await lab.pending()).toEqual([deletionOf('c')]);
    lab.store = lab.memory;
    await lab.upsert({ CustomerId: 'c', Name: 'Since' });
    expect(await lab.customers('Name')).toEqual(['Since']);
    expect(await lab.pending()).toEqual([]);
  });

  it('waits for one that was accepted since, and is then applied behind it', async () => {
    const lab = new DeletionsLab(byId);
    await lab.upsert({ CustomerId: 'c' });
    await setAsideOnce(lab, ofCustomer);
    await lab.deleteCustomer('c', null);
    expect(await lab.pending()).toHaveLength(1);
    expect(await retryDeletions(lab.tenant.tenantId, await lab.operator())).toEqual({ retried: 1, setAside: 0 });
    expect([await lab.documents(), await lab.pending()]).toEqual([[], []]);
  });

  it('is set aside again, and counted so, when it still cannot be applied', async () => {
    const lab = new DeletionsLab(byId);
    await lab.upsert({ CustomerId: 'c' });
    await setAsideOnce(lab, ofCustomer);
    refusing(lab, 'c');
    expect(await retryDeletions(lab.tenant.tenantId, await lab.operator())).toEqual({ retried: 1, setAside: 1 });
    expect(await lab.pending()).toEqual([]);
  });
});
