/**
 * While customers were deleted by one identifier alone, rows of new customers depend on the tombstones of that one. A
 * deletion that may leave others first removes the identifier's name from the flag, so that no row misses it.
 */
import { lowerFlag, raiseFlag, soleIdentifierOf } from '../../../shared/deletions/pending-flag';
import { raiseFlags } from '../../../shared/deletions/replay-deletions';
import type { StoredDocument } from '../../../shared/documents/document-store';
import { deletionFlagPath } from '../../../shared/documents/paths';
import { MAX_NAMED_CUSTOMERS } from '../../../shared/limits/deletions';
import type { PreparedSlice } from '../../../shared/transfers/reading/slice';
import { prepareSlice } from '../../../shared/transfers/reading/slice';
import { changeWrite } from '../../../shared/workspace/customer-keys';
import { changingTransactions, overriding } from '../../support/overriding';
import { AMPLE, DeletionsLab } from '../deletions/deletions-lab';
import { aTenant } from '../support/tenant';
import { sliceDependencies, sliceSource, toRows } from './slice-source';

const ROW = { Email: 'new@x.com', CustomerId: '1' };

/** A tenant one of whose customers was deleted by the priority identifier, as the first one of all. */
async function openAfterFirst(customerIdentifier: 'email' | 'customerid' = 'email'): Promise<DeletionsLab> {
  const lab = new DeletionsLab(aTenant({ customerIdentifier }));
  await lab.noteKeyed();
  const first = { Email: 'first@x.com', CustomerId: 'first' };
  await lab.upsert(first);
  await (customerIdentifier === 'email' ? lab.deleteCustomer(null, first.Email) : lab.deleteCustomer('first', null));
  return lab;
}

async function soleIdentifier(lab: DeletionsLab) {
  return soleIdentifierOf((await lab.memory.get(deletionFlagPath(lab.tenant.tenantId, 'customers')))?.data);
}

/** A slice of a file that is uploaded now. */
function prepare(lab: DeletionsLab, ...records: object[]): Promise<PreparedSlice> {
  const updated = new Date(lab.clock.nowMs());
  const source = sliceSource(lab.tenant, 'customers', updated);
  return prepareSlice(toRows(records), source, AMPLE, sliceDependencies(lab));
}

/** How many tombstones the commit of a slice checks. */
function checkedTombstones({ workspace }: PreparedSlice): number {
  return workspace.toWrites().filter((write) => 'check' in write && write.check.includes('/tombstones/')).length;
}

it.each(['email', 'customerid'] as const)(
  'checks one tombstone of a new customer while all were deleted by the %s (R-415)',
  async (identifier) => {
    const lab = await openAfterFirst(identifier);
    expect(await soleIdentifier(lab)).toBe(identifier);
    expect(checkedTombstones(await prepare(lab, ROW))).toBe(1);
    await lab.deleteCustomer(null, 'nobody@x.com');
    await lab.deleteCustomer('nobody', null);
    expect(checkedTombstones(await prepare(lab, ROW))).toBe(2);
  },
);

it('the flag names the sole identifier as long as nothing else was deleted, however often it is lowered and raised (R-415)', async () => {
  const lab = await openAfterFirst();
  for (const email of ['second@x.com', 'third@x.com']) {
    await lab.drain();
    await lowerFlag(lab.tenant.tenantId, 'customers', AMPLE, lab);
    await lab.deleteCustomer(null, email);
  }
  expect(await soleIdentifier(lab)).toBe('email');
});

it('the flag is raised anew by a release that knows only the bare states, which removes the name (R-415)', async () => {
  const lab = await openAfterFirst();
  const path = deletionFlagPath(lab.tenant.tenantId, 'customers');
  const flag = await lab.memory.get(path);
  expect(flag?.data.state).toBe('raised:email'); // nothing is accepted but under `raised`, there
  await lab.memory.commit([{ set: path, data: { ...flag?.data, state: 'raised' } }]);
  expect(await soleIdentifier(lab)).toBeUndefined();
  await lab.deleteCustomer(null, 'second@x.com');
  expect(await soleIdentifier(lab)).toBeUndefined();
});

it('the flag names no sole identifier again once the name was removed (R-415)', async () => {
  const lab = await openAfterFirst();
  await lab.deleteCustomer('1', null);
  await lab.drain();
  await lowerFlag(lab.tenant.tenantId, 'customers', AMPLE, lab);
  await lab.deleteCustomer(null, 'second@x.com');
  expect(await soleIdentifier(lab)).toBeUndefined();
});

it.each<[what: string, act: (lab: DeletionsLab) => Promise<unknown>]>([
  ['a deletion by the other identifier', (lab) => lab.deleteCustomer('1', null)],
  ['a deletion by both', (lab) => lab.deleteCustomer('1', 'new@x.com')],
  ['a batch of which one is by the other identifier', (lab) => lab.acceptAll([
      { type: 'customer', email: 'a@x.com', customerId: null },
      { type: 'customer', email: null, customerId: '1' },
    ])], // prettier-ignore
  ['a deletion of very many', async (lab) => {
      await lab.upsert(...Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, n) => ({ Email: `${n}@x.com`, CustomerId: '1' })));
      await lab.deleteCustomer('1', null);
    }], // prettier-ignore
  ['a row that deletes', (lab) => prepare(lab, { Email: 'new@x.com', DeletedAt: '2026-01-01' })],
  ['a restore', (lab) => raiseFlags(lab.tenant, { deadline: AMPLE, dependencies: lab })],
  ['a deletion that becomes pending again', (lab) => raiseFlag(lab.tenant.tenantId, 'customers', {}, AMPLE, lab)],
  ['a deletion by the priority identifier after that was changed', async (lab) => {
      const path = deletionFlagPath(lab.tenant.tenantId, 'customers');
      await lab.memory.commit([changeWrite(lab.tenant, await lab.memory.get(path), lab.random)]);
      await lab.deleteCustomer(null, 'a@x.com');
    }], // prettier-ignore
])('the name is removed before %s (R-415)', async (_what, act) => {
  const lab = await openAfterFirst();
  expect(await soleIdentifier(lab)).toBe('email');
  await act(lab);
  expect(await soleIdentifier(lab)).toBeUndefined();
});

it('the flag names no sole identifier of a tenant whose customers may be stored by another one (R-415)', async () => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'email' }));
  await lab.deleteCustomer(null, 'a@x.com');
  expect(await soleIdentifier(lab)).toBeUndefined();
});

it('has a row that was read before the first deletion by the other identifier meet it (R-11, R-415)', async () => {
  const lab = await openAfterFirst();
  const slice = await prepare(lab, ROW);
  await lab.deleteCustomer('1', null);
  await lab.drain();
  expect(await lab.memory.commit(slice.workspace.toWrites())).toBe('conflict');
});

it('would be missed by it where the flag still named the sole identifier (R-415)', async () => {
  const lab = await openAfterFirst();
  const slice = await prepare(lab, ROW);
  lab.store = changingTransactions(lab.memory, (transaction) =>
    overriding(transaction, {
      getAll: async (...call) => (await transaction.getAll(...call)).map(withoutSoleIdentifier),
    }),
  );
  await lab.deleteCustomer('1', null);
  await lab.drain();
  expect(await lab.memory.commit(slice.workspace.toWrites())).not.toBe('conflict');
  expect(await lab.customers('Email')).toEqual([ROW.Email]);
});

function withoutSoleIdentifier(document: StoredDocument): StoredDocument {
  const { state } = document.data;
  return state === 'raised:email' ? { ...document, data: { ...document.data, state: 'raised' } } : document;
}
