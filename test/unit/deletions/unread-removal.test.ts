/** Messages that tell what their deletions of customers remove, so that nothing has to be read. */
import { toTenantDocument } from '../../../shared/auth/tenant-documents';
import type * as AcceptCustomers from '../../../shared/deletions/acceptance/accept-customers';
import type { UnreadRemoval } from '../../../shared/deletions/unread-removal';
import { parseUnreadRemoval, toUnreadRemoval } from '../../../shared/deletions/unread-removal';
import type { DocumentWrite } from '../../../shared/documents/document-store';
import { RequestInvalid } from '../../../shared/documents/document-store';
import { deletionPath, recordPath, setAsideDeletionsPath, tenantPath } from '../../../shared/documents/paths';
import type { DeletionRequested } from '../../../shared/domain/deletion';
import { toDeletionId } from '../../../shared/domain/deletion';
import { customerRecordId, emailIdentity, orderRecordId } from '../../../shared/domain/identity';
import { DELETIONS_IN_COMMIT, DELETIONS_IN_EVENT } from '../../../shared/limits/deletions';
import { retryDeletions } from '../../../shared/operations/deletions';
import { datedRevision, MATCHING_EMAIL, toCustomerDocument } from '../../../shared/workspace/record-documents';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { changingCommits, overriding } from '../../support/overriding';
import { aTenant } from '../support/tenant';
import { DeletionsLab } from './deletions-lab';

/** A planted mistake: a deletion tells of the entries that it writes, and of no others that name its customers. */
let mockTellsOwnOnly = false;
afterEach(() => {
  mockTellsOwnOnly = false;
});

jest.mock<typeof AcceptCustomers>('../../../shared/deletions/acceptance/accept-customers', () => {
  const actual = jest.requireActual<typeof AcceptCustomers>('../../../shared/deletions/acceptance/accept-customers');
  return {
    ...actual,
    planCustomerEntries: async (...call) => {
      const plan = await actual.planCustomerEntries(...call);
      if (!mockTellsOwnOnly || !('acceptance' in plan)) return plan;
      return { acceptance: { ...plan.acceptance, repeatedIds: [] } };
    },
  };
});

const byId = aTenant({ customerIdentifier: 'customerid' });
const deletionOf = (email: string) => toDeletionId('customers', emailIdentity(email));

/** A lab whose tenant is stored, with Ann, and the calls of the consumer. */
async function openLab(tenant = aTenant({ customerIdentifier: 'email' })) {
  const lab = new DeletionsLab(tenant);
  await lab.memory.commit([{ set: tenantPath(tenant.tenantId), data: toTenantDocument(tenant) }]);
  await lab.upsert({ Email: 'ann@x.com', CustomerId: 'A' });
  const observed = new ObservedDocumentStore(lab.memory);
  return { lab, observed };
}

/** The last message that was published. */
function lastMessage(lab: DeletionsLab): DeletionRequested {
  return lab.publisher.published.at(-1)?.event as DeletionRequested;
}

it('applies a deletion of a customer in one commit, and reads nothing, its tenant neither (R-51)', async () => {
  const { lab, observed } = await openLab();
  await lab.deleteCustomer(null, 'ann@x.com');
  await lab.deliver(lastMessage(lab), observed);
  const path = recordPath(lab.tenant.tenantId, 'customers', customerRecordId({ Email: 'ann@x.com' }, 'email'));
  const entry = deletionPath(lab.tenant.tenantId, deletionOf('ann@x.com'));
  expect(observed.calls).toEqual([{ method: 'commit', paths: [path, entry] }]);
  expect([await lab.documents(), await lab.pending()]).toEqual([[], []]);
});

it('takes the entry of a deletion that matches nobody away unread, too (R-51)', async () => {
  const { lab, observed } = await openLab();
  await lab.deleteCustomer(null, 'bob@x.com');
  await lab.deliver(lastMessage(lab), observed);
  expect(observed.reads).toEqual([]);
  expect([await lab.customers('Email'), await lab.pending()]).toEqual([['ann@x.com'], []]);
});

describe('a message after which something has changed removes what its deletions mean, and nothing else (R-51)', () => {
  it('when the customer was changed by somebody who had not seen the deletion', async () => {
    const { lab } = await openLab();
    await lab.deleteCustomer(null, 'ann@x.com');
    const [ann] = await lab.documents();
    await lab.memory.commit([{ set: ann!.path, data: { ...ann!.data, Name: 'Ann' } }]);
    await lab.deliver(lastMessage(lab));
    expect([await lab.documents(), await lab.pending()]).toEqual([[], []]);
  });

  it('when the customer has the identifier no more', async () => {
    const { lab } = await openLab(byId);
    await lab.deleteCustomer(null, 'ann@x.com');
    const [ann] = await lab.documents();
    await lab.memory.commit([{ set: ann!.path, data: { ...ann!.data, [MATCHING_EMAIL]: emailIdentity('b@x.com') } }]);
    await lab.deliver(lastMessage(lab));
    expect([await lab.customers('CustomerId'), await lab.pending()]).toEqual([['A'], []]);
  });

  it('when it was applied, and the customer has come again', async () => {
    const { lab } = await openLab();
    await lab.deleteCustomer(null, 'ann@x.com');
    await lab.upsert({ Email: 'ann@x.com', Name: 'Again' });
    for (let delivery = 0; delivery < 2; delivery += 1) await lab.deliver(lastMessage(lab));
    expect([await lab.customers('Name'), await lab.pending()]).toEqual([['Again'], []]);
  });

  it('when the entry names another customer by now', async () => {
    const { lab } = await openLab();
    await lab.deleteCustomer(null, 'bob@x.com'); // finds nobody
    const first = lastMessage(lab);
    const bob = { Email: 'bob@x.com' };
    const path = recordPath(lab.tenant.tenantId, 'customers', customerRecordId(bob, 'email'));
    await lab.memory.commit([{ set: path, data: toCustomerDocument(bob, datedRevision('s', new Date(0))) }]);
    await lab.deleteCustomer(null, 'bob@x.com');
    await lab.deliver(first);
    expect([await lab.customers('Email'), await lab.pending()]).toEqual([['ann@x.com'], []]);
    await lab.deliver(lastMessage(lab));
    expect(await lab.customers('Email')).toEqual(['ann@x.com']);
  });

  it('when it was set aside, and is retried', async () => {
    const { lab } = await openLab();
    await lab.deleteCustomer(null, 'ann@x.com');
    const message = lastMessage(lab);
    const isApplying = (write: DocumentWrite) => 'delete' in write && write.delete.includes('/deletions/');
    const isSettingAside = (write: DocumentWrite) => 'set' in write;
    const refusing = overriding(lab.memory, {
      commit: (writes) =>
        writes.some(isApplying) && !writes.some(isSettingAside)
          ? Promise.reject(new RequestInvalid('3 INVALID_ARGUMENT'))
          : lab.memory.commit(writes),
    });
    await lab.deliver(message, refusing);
    const aside = await lab.memory.list(setAsideDeletionsPath(lab.tenant.tenantId), { limit: 2 });
    expect(aside).toHaveLength(1);
    await lab.upsert({ Email: 'ann@x.com', Name: 'New' });
    await retryDeletions(lab.tenant.tenantId, await lab.operator());
    await lab.deliver(message);
    expect(await lab.customers('Name')).toEqual(['New']);
  });

  it('when the tenant is gone: the message goes to the dead letters', async () => {
    const { lab } = await openLab();
    await lab.deleteCustomer(null, 'ann@x.com');
    lab.memory.clear();
    await expect(lab.deliver(lastMessage(lab))).rejects.toThrow('The tenant of the deletion does not exist.');
  });

  it('when the tenant is being erased: the message is done with, as the deletion goes with the tenant (R-60)', async () => {
    const { lab } = await openLab();
    await lab.upsert({ Email: 'ann@x.com', Name: 'New' });
    await lab.deleteCustomer(null, 'ann@x.com');
    const data = { erasingSince: new Date() };
    await lab.memory.commit([{ set: tenantPath(lab.tenant.tenantId), data, fields: Object.keys(data) }]);
    const before = await lab.pending();
    await lab.deliver({ ...lastMessage(lab), removal: undefined }); // not unread
    await lab.deliver({ tenantId: lab.tenant.tenantId, drain: 'customers' });
    expect(before).toHaveLength(1);
    expect(await lab.pending()).toEqual(before);
  });
});

it('names no versions when the answer to the acceptance was lost, and is applied all the same (R-51)', async () => {
  const { lab } = await openLab();
  let isLost = false;
  lab.store = changingCommits(lab.memory, async (commit, writes) => {
    const outcome = await commit();
    if (isLost || !writes.some((write) => 'set' in write && write.set.includes('/deletions/'))) return outcome;
    isLost = true;
    return 'conflict';
  });
  await lab.deleteCustomer('A', 'ann@x.com');
  expect(lastMessage(lab)).not.toHaveProperty('removal');
  await lab.deliver(lastMessage(lab), lab.memory);
  expect([await lab.documents(), await lab.pending()]).toEqual([[], []]);
});

describe('the removal of a message', () => {
  const version = { seconds: 1_772_323_200, nanos: 999_999_999 };
  const id = customerRecordId({ Email: 'ann@x.com' }, 'email');
  const ids = [deletionOf('ann@x.com')];
  const removal: UnreadRemoval = { entries: version, customers: [{ id, version }] };
  const named = (count: number, by: object = { version }) =>
    Array.from({ length: count }, () => ({ id, by: { field: MATCHING_EMAIL, identity: id, ...by } as const }));

  it('is read as it was written (R-51)', () => {
    const accepted = { deletionIds: ids, customers: named(1) };
    const sent = JSON.parse(JSON.stringify(toUnreadRemoval(accepted, version))) as unknown;
    expect(parseUnreadRemoval(ids, sent)).toEqual(removal);
  });

  it.each([
    ['more entries than a message names', { deletionIds: Array(DELETIONS_IN_EVENT + 1).fill(ids[0]), customers: [] }],
    ['more customers than a commit removes', { deletionIds: ids, customers: named(DELETIONS_IN_COMMIT + 1) }],
    ['a customer who is to be read in any case', { deletionIds: ids, customers: named(1, {}) }],
    ['orders, which are read', { deletionIds: [toDeletionId('orders', orderRecordId('o'))] }],
  ])('is left out for %s (R-51)', (_, accepted) => {
    expect(toUnreadRemoval(accepted as Parameters<typeof toUnreadRemoval>[0], version)).toBeUndefined();
  });

  it.each<[string, unknown, string[]?]>([
    ['there is none', undefined],
    ['it is null', null],
    ['it has no version of the entries', { customers: [] }],
    ['it has no customers', { entries: version }],
    ['a version has parts of a nanosecond', { entries: { seconds: 1, nanos: 0.5 }, customers: [] }],
    ['a version is before all times', { entries: { seconds: -1, nanos: 0 }, customers: [] }],
    ['a version is after all times', { entries: { seconds: 253_402_300_800, nanos: 0 }, customers: [] }],
    ['a version has a second of nanoseconds', { entries: { seconds: 1, nanos: 1e9 }, customers: [] }],
    ['a version is text', { entries: { seconds: '1', nanos: '0' }, customers: [] }],
    ['a customer is null', { entries: version, customers: [null] }],
    ['a customer has no version', { entries: version, customers: [{ id }] }],
    ['an id leads elsewhere', { entries: version, customers: [{ id: '../../tenants/x', version }] }],
    [
      'there are more customers than a commit removes',
      { entries: version, customers: Array(101).fill({ id, version }) },
    ],
    ['it names no deletion', removal, []],
    ['a deletion is of an order', removal, [toDeletionId('orders', orderRecordId('o'))]],
  ])('counts as missing where %s (R-51)', (_, sent, deletionIds = ids) => {
    expect(parseUnreadRemoval(deletionIds, sent)).toBeUndefined();
  });
});

it.each([
  ['is published again by a repeat', false, [0, 0]],
  ['would be left by a repeat, did that tell only of its own entry,', true, [1, 1]],
])('%s of a deletion whose message was lost, also under another entry (R-51)', async (_, isMistaken, left) => {
  const { lab } = await openLab();
  lab.publisher.failure = new Error('Pub/Sub is away.');
  await expect(lab.deleteCustomer('A', null)).rejects.toThrow('away');
  lab.publisher.failure = undefined;
  mockTellsOwnOnly = isMistaken;
  await lab.deleteCustomer('A', null);
  expect(await lab.pending()).toHaveLength(2); // by the e-mail, and by the customer id of the repeat
  for (const { event } of lab.publisher.published) await lab.deliver(event);
  expect([(await lab.documents()).length, (await lab.pending()).length]).toEqual(left);
});
