/** Deletions that cannot be applied hold nobody up. */
import { listSetAside, retryDeletions } from '../../../functions/admin/deletions';
import { toReturned } from '../../../shared/deletions/deletion-log';
import { listSetAsideDeletions } from '../../../shared/deletions/set-aside';
import type { DocumentWrite } from '../../../shared/documents/document-store';
import { RequestInvalid } from '../../../shared/documents/document-store';
import {
  deletionMarkPath,
  deletionPath,
  deletionReceiptPath,
  recordPath,
  recordsPath,
  setAsideDeletionsPath,
} from '../../../shared/documents/paths';
import type { DeletionTarget } from '../../../shared/domain/deletion';
import { DELETION_KIND } from '../../../shared/domain/deletion';
import { customerIdIdentity, productRecordId } from '../../../shared/domain/identity';
import { DELETION_STEP_RECORDS } from '../../../shared/domain/limits';
import { MATCHING_CUSTOMER_ID } from '../../../shared/records/record-documents';
import { overriding } from '../../support/overriding';
import { AMPLE, DeletionsLab } from './deletions-lab';

const TOO_LARGE = new RequestInvalid('3 INVALID_ARGUMENT: value is too large to be used in a query');

/** A database to which no query by this customer id can be put. */
function refusing(lab: DeletionsLab, customerId: string, error: Error = TOO_LARGE): void {
  lab.store = overriding(lab.memory, {
    findWhere: (collection, field, value, limit, deadline, after) =>
      field === MATCHING_CUSTOMER_ID && value === customerIdIdentity(customerId)
        ? Promise.reject(error)
        : lab.memory.findWhere(collection, field, value, limit, deadline, after),
  });
}

const setAside = async (lab: DeletionsLab) =>
  (await lab.memory.list(setAsideDeletionsPath(lab.tenant.tenantId), { limit: 100 })).map(({ data }) => data);

it.each([
  ['that the database refuses', TOO_LARGE],
  ['over which the code stumbles', new TypeError('undefined is not a function')],
  ['for which something is out of range', new RangeError('Invalid string length')],
])(
  'applies all deletions around one %s, lets upserts through, and keeps the one with its reason (R-31)',
  async (_, error) => {
    const lab = new DeletionsLab();
    await lab.upsert({ CustomerId: 'a' }, { CustomerId: 'poison' }, { CustomerId: 'z' });
    await lab.deleteCustomer('a', null);
    await lab.deleteCustomer('poison', null);
    await lab.deleteCustomer('z', null);
    const [, poisoned = ''] = await lab.pending();
    refusing(lab, 'poison', error);
    await lab.upsert({ CustomerId: 'new' });
    expect(await lab.customers('CustomerId')).toEqual(['new', 'poison']);
    expect(await lab.pending()).toEqual([]);
    expect(await setAside(lab)).toMatchObject([
      { entry: { target: { customerId: 'poison' } }, reason: `${error.name}: ${error.message}` },
    ]);
    expect(await lab.memory.get(deletionReceiptPath(lab.tenant.tenantId, poisoned))).toBeDefined();
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
  const lab = new DeletionsLab();
  await lab.deleteCustomer('c', null);
  refusing(lab, 'c', Object.assign(new Error('Passing.'), { code }));
  await expect(lab.apply()).rejects.toThrow('Passing.');
  expect(await lab.pending()).toHaveLength(1);
  expect(await setAside(lab)).toEqual([]);
});

it('sets nothing aside that fails together with others, but not alone', async () => {
  const lab = new DeletionsLab();
  await lab.upsert({ CustomerId: 'a' }, { CustomerId: 'b' });
  await lab.deleteCustomer('a', null);
  await lab.deleteCustomer('b', null);
  lab.store = overriding(lab.memory, {
    commit: (writes) => (writes.length > 6 ? Promise.reject(TOO_LARGE) : lab.memory.commit(writes)),
  });
  await lab.apply();
  expect(await lab.customers('CustomerId')).toEqual([]);
  expect([await lab.pending(), await setAside(lab)]).toEqual([[], []]);
});

it.each<[what: string, entry: object]>([
  ['no target', {}],
  ['a target of no known type', { target: { type: 'shoe' } }],
  ['a target of an inherited name', { target: { type: 'toString' } }],
  ['a target without its id', { target: { type: 'customer', email: 7 } }],
  ['a target that is no object', { target: 'x' }],
])('sets an entry aside that has %s, and applies what comes after it', async (_, entry) => {
  const lab = new DeletionsLab();
  const { tenantId } = lab.tenant;
  await lab.upsert({ CustomerId: 'a' });
  await lab.deleteCustomer('b', null);
  await lab.deleteCustomer('a', null);
  const [first = ''] = await lab.pending();
  await lab.memory.commit([{ set: deletionPath(tenantId, first), data: entry as never }]);
  await lab.apply();
  expect(await lab.customers('CustomerId')).toEqual([]);
  expect(await setAside(lab)).toMatchObject([{ entry, reason: 'InapplicableDeletion: Its entry tells no records.' }]);
});

describe('a deletion that the operator retries', () => {
  const ofCustomer = { type: 'customer', customerId: 'c', email: null } as const;

  /** Accepts a deletion that is then set aside, because the database takes no commit that applies one. */
  async function setAsideOnce(lab: DeletionsLab, target: DeletionTarget): Promise<void> {
    const isApplying = (write: DocumentWrite) => 'delete' in write && /\/(customers|products)\//.test(write.delete);
    const isBurying = (write: DocumentWrite) => 'set' in write && /\/tombstones\//.test(write.set);
    await lab.accept(target);
    lab.store = overriding(lab.memory, {
      commit: (writes) =>
        writes.some((write) => isApplying(write) || isBurying(write))
          ? Promise.reject(TOO_LARGE)
          : lab.memory.commit(writes),
    });
    await lab.apply(DELETION_KIND[target.type]);
    lab.store = lab.memory;
    expect(await setAside(lab)).toHaveLength(1);
  }

  it('is listed, applied as of its acceptance, and gone from the list', async () => {
    const lab = new DeletionsLab();
    await lab.upsert({ CustomerId: 'c' }, { CustomerId: 'other' });
    await setAsideOnce(lab, ofCustomer);
    const { tenantId } = lab.tenant;
    const operator = await lab.operator();
    expect(await listSetAside(tenantId, operator)).toMatchObject([
      { kind: 'customers', target: ofCustomer, reason: `RequestInvalid: ${TOO_LARGE.message}` },
    ]);
    expect(await retryDeletions(tenantId, operator)).toEqual({ retried: 1, setAside: 0 });
    expect(await lab.customers('CustomerId')).toEqual(['other']);
    expect([await lab.pending(), await listSetAside(tenantId, operator)]).toEqual([[], []]);
  });

  it('removes nothing that was written since it was accepted (D-41)', async () => {
    const lab = new DeletionsLab();
    await lab.upsert({ CustomerId: 'c', Email: 'old@x.com' }, { CustomerId: 'c', Email: 'kept@x.com' });
    await setAsideOnce(lab, ofCustomer);
    await lab.upsert({ CustomerId: 'c', Email: 'kept@x.com', Name: 'Since' });
    await retryDeletions(lab.tenant.tenantId, await lab.operator());
    expect(await lab.customers('Email')).toEqual(['kept@x.com']);
  });

  it('leaves a product that was written since as it is', async () => {
    const lab = new DeletionsLab();
    await setAsideOnce(lab, { type: 'product', productId: 'p' });
    await lab.upsertProduct('p');
    await retryDeletions(lab.tenant.tenantId, await lab.operator());
    const { tenantId } = lab.tenant;
    expect(await lab.memory.get(recordPath(tenantId, 'products', productRecordId('p')))).toBeDefined();
    expect([await lab.pending(), await setAside(lab)]).toEqual([[], []]);
  });

  it('comes back where it stood in its line, and raises the mark so that nobody takes it down unseen', async () => {
    const lab = new DeletionsLab();
    await setAsideOnce(lab, ofCustomer);
    await lab.deleteCustomer('later', null);
    const mark = deletionMarkPath(lab.tenant.tenantId, 'customers');
    const { version } = (await lab.memory.get(mark))!;
    const entries = listSetAsideDeletions(lab.tenant.tenantId, lab.memory, () => AMPLE);
    let returned = '';
    for await (const { deletionId, kind, entry } of entries) {
      await lab.memory.commit(toReturned(lab.tenant.tenantId, deletionId, kind, entry, 'retry'));
      returned = deletionId;
    }
    expect((await lab.pending())[0]).toBe(returned);
    expect((await lab.memory.get(mark))?.data.isRaised).toBe(true);
    expect((await lab.memory.get(mark))?.version).not.toEqual(version);
  });

  it('is set aside again, and counted so, when it still cannot be applied', async () => {
    const lab = new DeletionsLab();
    await setAsideOnce(lab, ofCustomer);
    refusing(lab, 'c');
    expect(await retryDeletions(lab.tenant.tenantId, await lab.operator())).toEqual({ retried: 1, setAside: 1 });
    expect(await lab.pending()).toEqual([]);
  });

  it('goes on behind customers that were written since, however many a step finds', async () => {
    const lab = new DeletionsLab();
    await setAsideOnce(lab, ofCustomer);
    const many = Array.from({ length: DELETION_STEP_RECORDS + 1 }, (_, n) => ({ CustomerId: 'c', Email: `${n}@x.com` })); // prettier-ignore
    await lab.upsert(...many);
    const { tenantId } = lab.tenant;
    const [first] = await lab.memory.list(recordsPath(tenantId, 'customers'), { limit: 1 });
    // The last one in the order of paths is from before the deletion.
    const last = { ...first!.data, Email: 'old@x.com', stamp: { id: 's', asOf: new Date(0) } };
    await lab.memory.commit([{ set: `${recordsPath(tenantId, 'customers')}/~`, data: last }]);
    expect(await retryDeletions(tenantId, await lab.operator())).toEqual({ retried: 1, setAside: 0 });
    expect(await lab.customers('CustomerId')).toHaveLength(many.length);
    expect(await lab.customers('Email')).not.toContain('old@x.com');
    expect([await lab.pending(), await setAside(lab)]).toEqual([[], []]);
  });
});
