/** Whom the entries of accepted deletions name, beside deletions that are pending, wide or set aside. */
import { acceptDeletions } from '../../../shared/deletions/acceptance/accept-deletions';
import { applyDeletions } from '../../../shared/deletions/apply-deletion';
import { applyWideDeletion } from '../../../shared/deletions/wide-deletions';
import { idOf, recordPath, setAsideDeletionsPath, wideDeletionsPath } from '../../../shared/documents/paths';
import { retryDeletions } from '../../../shared/operations/deletions';
import { RequestInvalid } from '../../../shared/documents/document-store';
import { customerRecordId, keyIdentity } from '../../../shared/domain/identity';
import { raiseFlag } from '../../../shared/deletions/pending-flag';
import {
  DELETIONS_IN_COMMIT,
  LOOKUPS_IN_COMMIT_MS,
  MANY_MATCHES_AT_ONCE,
  MAX_NAMED_CUSTOMERS,
} from '../../../shared/limits/deletions';
import type * as CustomerKeys from '../../../shared/workspace/customer-keys';
import { toCustomerDocument } from '../../../shared/workspace/record-documents';
import { requestedIds } from '../../support/deletions';
import { upsertCustomers } from '../../support/upserts';
import { changingCommits, changingTransactions, overriding } from '../../support/overriding';
import { aTenant } from '../support/tenant';
import { AMPLE, DeletionsLab } from './deletions-lab';

/** A planted mistake: customers are named by the identifier of the settings, not by that of their key. */
let mockNamesBySettings = false;
afterEach(() => {
  mockNamesBySettings = false;
});

jest.mock<typeof CustomerKeys>('../../../shared/workspace/customer-keys', () => {
  const actual = jest.requireActual<typeof CustomerKeys>('../../../shared/workspace/customer-keys');
  return {
    ...actual,
    keyOfStored: (stored, tenant) =>
      mockNamesBySettings ? keyIdentity(stored.data, tenant.customerIdentifier) : actual.keyOfStored(stored, tenant),
  };
});

const byId = aTenant({ customerIdentifier: 'customerid' });
const byEmail = aTenant({ customerIdentifier: 'email' });
const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const ofEmail = (email: string) => ({ type: 'customer', customerId: null, email }) as const;

/** Writes a customer as a request does that began before any deletion was accepted. */
async function writeUnseen(lab: DeletionsLab, customer: { readonly CustomerId: string; readonly Email: string }) {
  const path = recordPath(lab.tenant.tenantId, 'customers', customerRecordId(customer, 'customerid'));
  await lab.memory.commit([{ set: path, data: toCustomerDocument(customer, 'late') }]);
}

/** The queries of the transactions that accept. */
function countingQueries(lab: DeletionsLab): { queries: number } {
  const calls = { queries: 0 };
  lab.store = changingTransactions(lab.memory, (transaction) =>
    overriding(transaction, {
      findWhere: (...query) => {
        calls.queries += 1;
        return transaction.findWhere(...query);
      },
    }),
  );
  return calls;
}

it('name a customer anew whom the pending entry means no more, as an upsert came in between (D-43)', async () => {
  const lab = new DeletionsLab(byId);
  await lab.upsert({ CustomerId: '1', Email: 'a@x.com' });
  await lab.deleteCustomer(null, 'a@x.com');
  await writeUnseen(lab, { CustomerId: '1', Email: 'b@x.com' });
  await lab.deleteCustomer('1', null);
  await lab.drain();
  expect(await lab.documents()).toEqual([]);
});

it('by two identifiers pass over a customer whom a pending entry still means, and over no other (D-43)', async () => {
  const lab = new DeletionsLab(byId);
  await lab.upsert({ CustomerId: '1', Email: 'a@x.com' }, { CustomerId: '2', Email: 'b@x.com' });
  await lab.deleteCustomer(null, 'a@x.com');
  await lab.deleteCustomer('1', 'b@x.com'); // the first one counts as removed
  await lab.drain();
  expect(await lab.documents()).toEqual([]);

  await lab.upsert({ CustomerId: '1', Email: 'a@x.com' }, { CustomerId: '2', Email: 'b@x.com' });
  await lab.deleteCustomer(null, 'a@x.com');
  await writeUnseen(lab, { CustomerId: '1', Email: 'c@x.com' });
  await lab.deleteCustomer('1', 'b@x.com'); // the first one is not removed by the deletion before
  await lab.drain();
  expect(await lab.customers('CustomerId')).toEqual(['2']);
});

it('name whom a wide deletion means, too, as their tombstone is newer than it (R-33)', async () => {
  const lab = new DeletionsLab(byId);
  await lab.upsert(...times(MAX_NAMED_CUSTOMERS + 1, (n) => ({ CustomerId: `${n}`, Email: 'all@x.com' })));
  await lab.deleteCustomer(null, 'all@x.com');
  const [wide] = await lab.memory.list(wideDeletionsPath(lab.tenant.tenantId), { limit: 2 });
  // By its time it may have been written since; that no tombstone says so tells that it was not.
  for (const CustomerId of ['5', '6']) await writeUnseen(lab, { CustomerId, Email: 'all@x.com' });
  await lab.deleteCustomer('5', null);
  await lab.deleteCustomer('6', 'nobody@x.com');
  await applyWideDeletion(lab.tenant, idOf(wide!.path), AMPLE, lab);
  await lab.drain();
  expect(await lab.documents()).toEqual([]);
});

it('are not added to one that the operator retries: that spares what was written since (D-41)', async () => {
  const lab = new DeletionsLab();
  const variant = (VariantId: string) => ({ VariantId, Sku: VariantId });
  const target = (variantId: string) => ({ type: 'variant', productId: 'p', variantId }) as const;
  await lab.accept(target('a'));
  lab.store = overriding(lab.memory, {
    commit: (writes) =>
      writes.some((write) => 'set' in write && write.set.includes('/tombstones/'))
        ? Promise.reject(new RequestInvalid('too large'))
        : lab.memory.commit(writes),
  });
  await lab.apply('products');
  lab.store = lab.memory;
  expect(await lab.memory.list(setAsideDeletionsPath(lab.tenant.tenantId), { limit: 2 })).toHaveLength(1);
  await lab.upsertProduct('p', variant('a'), variant('b'));
  // It is pending again when the next one is accepted, and not applied.
  lab.store = overriding(lab.memory, { listRefs: () => Promise.reject(new Error('Stopped.')) });
  await expect(retryDeletions(lab.tenant.tenantId, await lab.operator())).rejects.toThrow('Stopped.');
  lab.store = lab.memory;
  expect(await lab.pending()).toHaveLength(1);
  await lab.accept(target('b'));
  await lab.drain();
  expect((await lab.documents('products')).map(({ data }) => data.ProductVariants)).toMatchObject([
    [{ VariantId: 'a' }],
  ]);
});

it('are those of the attempt that was committed, where that came to light late (D-41)', async () => {
  const lab = new DeletionsLab(byEmail);
  await lab.upsert({ Email: 'ann@x.com', CustomerId: 'A' }, { Email: 'bob@x.com', CustomerId: 'B' });
  const late: (() => Promise<unknown>)[] = [];
  let attempts = 0;
  lab.store = changingCommits(lab.memory, async (commit, writes) => {
    if (!writes.some((write) => 'set' in write && write.set.includes('/deletions/'))) return commit();
    attempts += 1;
    if (attempts === 1) {
      late.push(() => lab.memory.commit(writes));
      await lab.memory.commit([{ delete: (await lab.documents()).find(({ data }) => data.CustomerId === 'A')!.path }]);
      return 'conflict';
    }
    for (const apply of late.splice(0)) await apply();
    return commit();
  });
  await lab.deleteCustomer('B', 'ann@x.com'); // Ann, and in the second attempt Bob
  expect(attempts).toBe(2);
  expect(await lab.pending()).toHaveLength(1);
  expect(requestedIds(lab.publisher)).toEqual(await lab.pending());
  await lab.drain();
  expect(await lab.customers('CustomerId')).toEqual(['B']);
});

it('are found by few queries, also where one of many deletions matches very many customers (R-33)', async () => {
  const lab = new DeletionsLab(byId);
  const count = 30;
  await lab.upsert(
    ...times(count, (n) => ({ CustomerId: `${n}`, Email: `${n}@x.com` })),
    ...times(MAX_NAMED_CUSTOMERS + 1, (n) => ({ CustomerId: `many-${n}`, Email: '7@x.com' })),
  );
  const calls = countingQueries(lab);
  await acceptDeletions(
    lab.tenant,
    'customers',
    times(count, (n) => ofEmail(`${n}@x.com`)),
    AMPLE,
    lab,
  );
  expect(calls.queries).toBeLessThan(count);
  await lab.drain();
  expect(await lab.documents()).toEqual([]);
});

it('wait for their turn, where they are very many, without a transaction (R-33)', async () => {
  const labs = times(3 * MANY_MATCHES_AT_ONCE, () => new DeletionsLab(byId));
  let open = 0;
  let most = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  for (const lab of labs) {
    await lab.upsert(...times(MAX_NAMED_CUSTOMERS + 1, (n) => ({ CustomerId: `${n}`, Email: 'all@x.com' })));
    let began = 0;
    lab.store = changingTransactions(lab.memory, (transaction) => {
      began += 1;
      const isLarge = began === 3; // the first finds the flag lowered, the second one too many customers
      open += isLarge ? 1 : 0;
      most = Math.max(most, open);
      return overriding(transaction, {
        findWhere: async (...query) => {
          if (isLarge) await released;
          return transaction.findWhere(...query);
        },
        end: () => {
          open -= isLarge ? 1 : 0;
          return transaction.end();
        },
      });
    });
  }
  const accepting = labs.map((lab) => lab.deleteCustomer(null, 'all@x.com'));
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  expect(most).toBe(MANY_MATCHES_AT_ONCE);
  release();
  await Promise.all(accepting);
  expect(most).toBe(MANY_MATCHES_AT_ONCE);
});

it('are removed together also where one of them has changed since', async () => {
  const lab = new DeletionsLab(byId);
  const ids = times(DELETIONS_IN_COMMIT, (n) => `${n}`);
  await lab.upsert(...ids.map((CustomerId) => ({ CustomerId, Email: 'a@x.com' })));
  const targets = ids.map((customerId) => ({ type: 'customer', customerId, email: null }) as const);
  await acceptDeletions(lab.tenant, 'customers', targets, AMPLE, lab);
  await writeUnseen(lab, { CustomerId: '7', Email: 'b@x.com' });
  let commits = 0;
  lab.store = changingCommits(lab.memory, (commit) => {
    commits += 1;
    return commit();
  });
  await applyDeletions(lab.tenant, await lab.pending(), AMPLE, lab);
  expect(commits).toBe(2);
  expect(await lab.documents()).toEqual([]);
});

it.each([0, 60])(
  'apply a pending wide deletion first that targets what their second identifier matches, beside %s since (R-65)',
  async (since) => {
    const lab = new DeletionsLab(byId);
    const many = 12 * MAX_NAMED_CUSTOMERS;
    await lab.upsert(...times(many, (n) => ({ CustomerId: `${n}`, Email: 'all@x.com' })));
    await lab.deleteCustomer(null, 'all@x.com');
    if (since > 0) await lab.upsert(...times(since, (n) => ({ CustomerId: `since ${n}`, Email: 'all@x.com' })));
    const calls = countingQueries(lab);
    await lab.deleteCustomer('nobody', 'all@x.com');
    // The wide deletion is applied a page at a time, in a commit for each, and then few are left to be looked up.
    expect(calls.queries).toBeLessThan(many / MAX_NAMED_CUSTOMERS);
    await lab.drain();
    expect(await lab.documents()).toEqual([]);
  },
);

it('look up by one query each only for a while in one commit, and go on in the next one', async () => {
  const lab = new DeletionsLab(byId);
  await lab.noteKeyed();
  const email = (n: number) => `${n}@x.com`;
  await lab.upsert(...times(MAX_NAMED_CUSTOMERS, (n) => ({ CustomerId: `${n}`, Email: 'all@x.com' })));
  const targets = times(50, (n) => ({ type: 'customer', customerId: `${n}`, email: email(n) }) as const);
  await raiseFlag(lab.tenant.tenantId, 'customers', {}, AMPLE, lab);
  let nowMs = 0;
  const longest: number[] = [];
  lab.store = overriding(lab.memory, {
    begin: async () => {
      const transaction = await lab.memory.begin();
      const beganMs = nowMs;
      return overriding(transaction, {
        findWhere: (...query) => {
          nowMs += 500;
          return transaction.findWhere(...query);
        },
        end: () => {
          longest.push(nowMs - beganMs);
          return transaction.end();
        },
      });
    },
  });
  const deadline = { remainingMs: () => 100_000 - nowMs };
  const all = [{ type: 'customer', customerId: null, email: 'all@x.com' } as const, ...targets];
  await acceptDeletions(lab.tenant, 'customers', all, deadline, lab);
  expect(Math.max(...longest)).toBeLessThanOrEqual(LOOKUPS_IN_COMMIT_MS + 1_000);
  await lab.drain();
  expect(await lab.documents()).toEqual([]);
});

it.each([
  ['inherits nothing, and stays', false, [{ CustomerId: '1', Surname: 'after' }]],
  ['would be removed, did the entry name him by the settings,', true, []],
])(
  'who is written by his new key %s where the deletion was admitted before the change (R-412)',
  async (_, isMistaken, left) => {
    const lab = new DeletionsLab(byEmail);
    const renewed = { ...lab.tenant, customerIdentifier: 'customerid' } as const;
    const upsertById = (customer: object) => upsertCustomers([customer], renewed, AMPLE, lab.with(lab.memory));
    await upsertById({ CustomerId: '1', Email: 'a@x.com', Name: 'before' });
    // It finds the customer by a query. Who writes him by his new key applies it first.
    mockNamesBySettings = isMistaken;
    await lab.deleteCustomer(null, 'a@x.com');
    await upsertById({ CustomerId: '1', Surname: 'after' });
    await lab.drain();
    const documents = await lab.documents();
    expect(documents.map(({ data: { CustomerId, Name, Surname } }) => ({ CustomerId, Name, Surname }))).toEqual(left);
  },
);
