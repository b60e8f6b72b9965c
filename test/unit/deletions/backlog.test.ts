/** Deletions that wait, however many they are, and what each of them means meanwhile. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toTenantDocument } from '../../../shared/auth/tenant-documents';
import type * as ApplyDeletion from '../../../shared/deletions/apply-deletion';
import { applyDeletions, drainDeletions } from '../../../shared/deletions/apply-deletion';
import { acceptDeletions } from '../../../shared/deletions/acceptance/accept-deletions';
import { findPendingDeletions } from '../../../shared/deletions/pending-deletions';
import type { DocumentStore, DocumentWrite, StoredDocument } from '../../../shared/documents/document-store';
import { versionTime } from '../../../shared/documents/document-store';
import { recordPath, tenantPath } from '../../../shared/documents/paths';
import { toDeletionId } from '../../../shared/domain/deletion';
import type { DocumentData } from '../../../shared/domain/records/document';
import { documentBytes } from '../../../shared/domain/records/document';
import { customerRecordId } from '../../../shared/domain/identity';
import {
  DELETION_READ_BYTES,
  ENTRIES_READ_BYTES,
  DELETION_COMMITS_AT_ONCE,
  DELETIONS_IN_COMMIT,
  FEW_PENDING_DELETIONS,
  LISTS_SKIPPED,
  LONGEST_LIST_MS,
  MAX_NAMED_CUSTOMERS,
  PENDING_DELETIONS_PAGE,
  SLOW_LIST_MS,
  WIDE_DELETION_PAGE,
} from '../../../shared/limits/deletions';
import { MAX_RECORD_BYTES } from '../../../shared/limits/records';
import { deadlineIn } from '../../../shared/platform/deadline';
import { Status } from '../../../shared/platform/retry';
import { RetryLater } from '../../../shared/platform/retry-later';
import { datedRevision, toCustomerDocument } from '../../../shared/workspace/record-documents';
import { changingCommits, overriding } from '../../support/overriding';
import { pendingDeletions } from '../../support/pending-deletions';
import { upsertCustomers, upsertOrders } from '../../support/upserts';
import { requestedIds } from '../../support/deletions';
import { aTenant } from '../support/tenant';
import { AMPLE, DeletionsLab } from './deletions-lab';

/** A planted mistake: the consumer goes on with an entry that is written again. */
let mockLeavesNone = false;
/** A planted mistake: an upsert leaves an entry that is written again. */
let mockLeavesAll = false;

jest.mock<typeof ApplyDeletion>('../../../shared/deletions/apply-deletion', () => {
  const actual = jest.requireActual<typeof ApplyDeletion>('../../../shared/deletions/apply-deletion');
  return {
    ...actual,
    applyFoundDeletions: (tenant, found, deadline, dependencies, how) =>
      actual.applyFoundDeletions(tenant, found, deadline, dependencies, mockLeavesNone ? undefined : how),
    applyDeletionsBeforeWrite: async (...call) => {
      if (!mockLeavesAll) return actual.applyDeletionsBeforeWrite(...call);
      const [tenant, kind, ids, , deadline, dependencies] = call;
      const deletionIds = [...ids].map((id) => toDeletionId(kind, id));
      const found = await findPendingDeletions(tenant.tenantId, deletionIds, dependencies.store, deadline);
      return actual.applyFoundDeletions(tenant, found, deadline, dependencies, { leavesRenewed: true });
    },
  };
});

/** Time for one page and no more. */
const SHORT = { remainingMs: () => 1_000 };

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));

/** Applies what is pending, one by one, the last one first. */
async function applyBackwards(lab: DeletionsLab): Promise<void> {
  for (const deletionId of (await lab.pending()).reverse()) await applyDeletions(lab.tenant, [deletionId], AMPLE, lab);
}

describe('which customers a deletion removes is decided when it is accepted (D-43, R-13)', () => {
  const ANN = { Email: 'ann@x.com', CustomerId: 'A' };
  const BOB = { Email: 'bob@x.com', CustomerId: 'B' };

  it.each<[string, [string | null, string | null][], string[]]>([
    [
      'the second one finds who is left by its other identifier',
      [
        [null, 'ann@x.com'],
        ['B', 'ann@x.com'],
      ],
      [],
    ],
    [
      'the first one has its first identifier',
      [
        ['B', 'ann@x.com'],
        [null, 'ann@x.com'],
      ],
      ['B'],
    ],
  ])('in whatever order they are applied: %s', async (_, deletions, left) => {
    const lab = new DeletionsLab(aTenant({ customerIdentifier: 'email' }));
    await lab.upsert(ANN, BOB);
    for (const [customerId, email] of deletions) await lab.deleteCustomer(customerId, email);
    await applyBackwards(lab);
    expect(await lab.customers('CustomerId')).toEqual(left);
    expect(await lab.pending()).toEqual([]);
  });

  it('in one batch, too, as if they had been sent one after the other (R-50)', async () => {
    const lab = new DeletionsLab(aTenant({ customerIdentifier: 'email' }));
    await lab.upsert(ANN, BOB);
    const targets = [null, 'B'].map((customerId) => ({ type: 'customer', customerId, email: 'ann@x.com' }) as const);
    await acceptDeletions(lab.tenant, 'customers', targets, AMPLE, lab);
    await applyBackwards(lab);
    expect(await lab.customers('CustomerId')).toEqual([]);
  });

  it('and does not change when the first customer comes again meanwhile', async () => {
    const lab = new DeletionsLab(aTenant({ customerIdentifier: 'email' }));
    await lab.upsert(ANN, BOB);
    await lab.deleteCustomer('B', 'ann@x.com');
    await lab.upsert({ ...ANN, Name: 'Again' });
    await lab.drain();
    expect(await lab.customers('Name')).toEqual(['Again', undefined]);
    expect(await lab.customers('CustomerId')).toEqual(['A', 'B']);
  });

  it('and is decided once when the answer to its commit is lost, even if it is applied by then (D-41)', async () => {
    const lab = new DeletionsLab(aTenant({ customerIdentifier: 'email' }));
    await lab.upsert(ANN, BOB);
    let isLost = false;
    lab.store = overriding(lab.memory, {
      async commit(writes) {
        const outcome = await lab.memory.commit(writes);
        if (isLost || !writes.some((write) => 'set' in write && write.set.includes('/deletions/'))) return outcome;
        isLost = true;
        await drainDeletions(lab.tenant, 'customers', AMPLE, lab.with(lab.memory));
        return lab.memory.commit(writes);
      },
    });
    await lab.deleteCustomer('B', 'ann@x.com'); // accepted a second time, it would mean Bob
    await lab.drain();
    expect(await lab.customers('CustomerId')).toEqual(['B']);
  });
});

describe('a deletion that is accepted while others write', () => {
  const tenant = aTenant({ customerIdentifier: 'email' });
  const isAccepting = (writes: readonly DocumentWrite[]) =>
    writes.some((write) => 'set' in write && write.set.includes('/deletions/'));

  /** Does something once, before the commit that accepts a deletion. */
  function beforeAcceptance(lab: DeletionsLab, meanwhile: () => Promise<unknown>): void {
    let isFirst = true;
    lab.store = changingCommits(lab.memory, async (commit, writes) => {
      if (isFirst && isAccepting(writes)) {
        isFirst = false;
        await meanwhile();
      }
      return commit();
    });
  }

  it('means whom its identifier finds by then, not whom it found', async () => {
    const lab = new DeletionsLab(tenant);
    await lab.upsert({ Email: 'b@x.com', CustomerId: '1', EmailOptin: true });
    beforeAcceptance(lab, () =>
      upsertCustomers(
        [
          { Email: 'b@x.com', CustomerId: '2' },
          { Email: 'c@x.com', CustomerId: '1' },
        ],
        tenant,
        AMPLE,
        lab.with(lab.memory),
      ),
    );
    await lab.deleteCustomer('1', null);
    await lab.drain();
    expect(await lab.customers('Email')).toEqual(['b@x.com']);
  });

  it('means somebody who came between its look and its acceptance, such as by a row of an older file (D-54)', async () => {
    const lab = new DeletionsLab(tenant);
    const older = new Date(lab.clock.nowMs() - 3_600_000);
    const row = toCustomerDocument({ Email: 'b@x.com', CustomerId: '1' }, datedRevision('s', older));
    const path = recordPath(tenant.tenantId, 'customers', customerRecordId({ Email: 'b@x.com' }, 'email'));
    beforeAcceptance(lab, () => lab.memory.commit([{ set: path, data: row }]));
    await lab.deleteCustomer('1', null);
    await lab.drain();
    expect(await lab.documents()).toEqual([]);
  });

  it('counts from its last acceptance on, whether or not the one before is applied', async () => {
    const lab = new DeletionsLab();
    await lab.accept({ type: 'product', productId: 'p' });
    const between = new Date(lab.clock.nowMs());
    await lab.accept({ type: 'product', productId: 'p' });
    const [pending] = await pendingDeletions(lab.tenant.tenantId, lab.memory, AMPLE);
    expect(versionTime(pending!.version).getTime()).toBeGreaterThan(between.getTime());
  });

  it('is not lost when the one before, of another part of the same record, is applied meanwhile', async () => {
    const lab = new DeletionsLab();
    const item = (ProductId: string) => ({ ProductId, Sku: `s-${ProductId}`, Quantity: 1, Price: 1 });
    await lab.upsertOrder({ OrderId: 'o', Currency: 'EUR', OrderItems: ['a', 'b', 'c'].map(item) });
    const target = (productId: string) => ({ type: 'orderItem', orderId: 'o', productId, sku: null }) as const;
    await lab.accept(target('a'));
    let isFirst = true;
    const applying = overriding(lab.memory, {
      async commit(writes) {
        if (isFirst) {
          isFirst = false;
          await lab.accept(target('b'));
        }
        return lab.memory.commit(writes);
      },
    });
    await drainDeletions(lab.tenant, 'orders', AMPLE, lab.with(applying));
    const [order] = await lab.documents('orders');
    expect(order?.data.OrderItems).toMatchObject([{ ProductId: 'c' }]);
  });
});

it('applies deletions of parts of one record in the order of acceptance (D-44)', async () => {
  const lab = new DeletionsLab();
  const items = ['a', 'b'].map((ProductId) => ({ ProductId, Sku: 's', Quantity: 1, Price: 1 }));
  await lab.upsertOrder({ OrderId: 'o', Currency: 'EUR', OrderItems: items });
  const item = { type: 'orderItem', orderId: 'o' } as const;
  await lab.accept({ ...item, productId: 'a', sku: 's' });
  await lab.accept({ ...item, productId: 'a', sku: null }); // the first of all, it would remove the same
  await lab.accept({ ...item, productId: 'x', sku: 's' }); // the only one of its ids that is left is the Sku of b
  expect(await lab.pending()).toHaveLength(1);
  await lab.apply('orders');
  expect((await lab.documents('orders')).map(({ data }) => data.OrderItems)).toEqual([[]]);
});

it('accepts every one of many that come at once', async () => {
  const lab = new DeletionsLab();
  await Promise.all(times(20, (n) => lab.deleteCustomer(null, `${n}@x.com`)));
  expect(await lab.pending()).toHaveLength(20);
});

it('names in its message what it left, however often that comes (R-51)', async () => {
  const lab = new DeletionsLab();
  for (const id of ['P-1', 'P-2']) await lab.upsertProduct(id);
  const targets = ['P-1', 'P-2'].map((productId) => ({ type: 'product', productId }) as const);
  await acceptDeletions(lab.tenant, 'products', targets, AMPLE, lab);
  const ids = requestedIds(lab.publisher);
  expect([...ids].sort()).toEqual(await lab.pending());
  for (let delivery = 0; delivery < 2; delivery += 1) {
    await applyDeletions(lab.tenant, ids, AMPLE, lab);
    expect([await lab.pending(), await lab.documents('products')]).toEqual([[], []]);
  }
});

it('holds an upsert up by what is pending of its own records only, however much else there is (R-08, R-62)', async () => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
  await lab.upsert({ CustomerId: 'mine', Name: 'Old' });
  for (let n = 0; n < 300; n += 1) await lab.deleteCustomer(`other ${n}`, null);
  await lab.deleteCustomer('mine', null);
  let reads = 0;
  lab.store = overriding(lab.memory, {
    getAll(paths) {
      reads += paths.length;
      return lab.memory.getAll(paths);
    },
    getSome(paths, maxBytes) {
      reads += paths.length;
      return lab.memory.getSome(paths, maxBytes);
    },
    listRefs: () => Promise.reject(new Error('One customer is no reason to list.')),
  });
  await lab.upsert({ CustomerId: 'mine', Email: 'new@x.com' });
  expect(reads).toBeLessThan(5);
  expect((await lab.documents()).map(({ data }) => [data.Name, data.Email])).toEqual([[undefined, 'new@x.com']]);
  expect(await lab.pending()).toHaveLength(300);
});

it('is not listed by each batch beside it, and is found by the batches that do not list it (R-62)', async () => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
  const sent = times(FEW_PENDING_DELETIONS + 50, (n) => ({ CustomerId: `${n}`, Name: 'Before', EmailOptin: true }));
  await lab.upsert(...sent);
  for (const { CustomerId } of sent) await lab.deleteCustomer(CustomerId, null);
  let lists = 0;
  lab.store = overriding(lab.memory, {
    listRefs: (...page) => {
      lists += 1;
      return lab.memory.listRefs(...page);
    },
  });
  const others = times(FEW_PENDING_DELETIONS + 1, (n) => ({ CustomerId: `other ${n}` }));
  for (let batch = 0; batch < LISTS_SKIPPED; batch += 1) await lab.upsert(...others);
  await lab.upsert(...sent.slice(0, FEW_PENDING_DELETIONS + 1).map(({ CustomerId }) => ({ CustomerId })));
  expect(lists).toBe(1);
  expect(await lab.pending()).toHaveLength(49);
  expect((await lab.customers('Name')).filter((name) => name === 'Before')).toHaveLength(49);
  await lab.upsert(...others);
  expect(lists).toBe(2);
});

it('is listed without those of other kinds, which would be read for nothing (R-62)', async () => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
  for (const orderId of times(3, String)) await lab.accept({ type: 'order', orderId });
  await lab.deleteCustomer('gone', null);
  const found: number[] = [];
  lab.store = overriding(lab.memory, {
    listRefs: async (...page) => {
      const refs = await lab.memory.listRefs(...page);
      found.push(refs.length);
      return refs;
    },
  });
  await lab.upsert(...times(FEW_PENDING_DELETIONS + 1, (n) => ({ CustomerId: `other ${n}` })));
  expect(found).toEqual([1]);
});

it('is not listed again for some batches where a list is slow, though few are pending (R-62)', async () => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
  await lab.upsert({ CustomerId: 'gone', Name: 'Before' });
  await lab.deleteCustomer('gone', null);
  let lists = 0;
  lab.store = overriding(lab.memory, {
    listRefs: (...page) => {
      lists += 1;
      lab.passMs(SLOW_LIST_MS);
      return lab.memory.listRefs(...page);
    },
  });
  const batch = [{ CustomerId: 'gone' }, ...times(FEW_PENDING_DELETIONS, (n) => ({ CustomerId: `other ${n}` }))];
  await lab.deleteCustomer('gone', null);
  await upsertCustomers(batch, lab.tenant, deadlineIn(60_000, lab.clock), lab);
  expect([lists, await lab.customers('Name')]).toEqual([1, batch.map(() => undefined)]);
  for (let skipped = 0; skipped < LISTS_SKIPPED; skipped += 1) {
    await lab.deleteCustomer('gone', null);
    await upsertCustomers(batch, lab.tenant, deadlineIn(60_000, lab.clock), lab);
    expect(await lab.pending()).toEqual([]);
  }
  expect(lists).toBe(1);
  await lab.deleteCustomer('gone', null);
  await upsertCustomers(batch, lab.tenant, deadlineIn(60_000, lab.clock), lab);
  expect(lists).toBe(2);
});

it('is got by ids while the list of another upsert is slow, and listed beside one that is not (R-62)', async () => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
  await lab.upsert({ CustomerId: 'gone', Name: 'Before' });
  await lab.deleteCustomer('gone', null);
  let lists = 0;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  lab.store = overriding(lab.memory, {
    async listRefs(...page) {
      lists += 1;
      await released;
      return lab.memory.listRefs(...page);
    },
  });
  const others = times(FEW_PENDING_DELETIONS, (n) => ({ CustomerId: `other ${n}` }));
  const upsert = (...first: { CustomerId: string }[]) =>
    upsertCustomers([...first, ...others, { CustomerId: 'one more' }], lab.tenant, deadlineIn(60_000, lab.clock), lab);
  const waiting = [upsert(), upsert()];
  while (lists < waiting.length) await nextTurn();
  lab.passMs(SLOW_LIST_MS + 1);
  await upsert({ CustomerId: 'gone' });
  expect([lists, await lab.pending()]).toEqual([waiting.length, []]);
  expect(await lab.customers('Name')).toEqual(times(others.length + 2, () => undefined));
  release();
  await Promise.all(waiting);
});

const failure = (code: number) => Object.assign(new Error('No list.'), { code });

it.each<[string, Error]>([
  ['is given up', new RetryLater('A call had too little time left.')],
  ['does not come to an end in time', failure(Status.DEADLINE_EXCEEDED)],
  ['cannot be made now', failure(Status.UNAVAILABLE)],
])('is got by ids where a list %s (R-62)', async (_, error) => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
  const gone = times(2, (n) => ({ CustomerId: `gone ${n}`, Name: 'Before' }));
  await lab.upsert(...gone);
  for (const { CustomerId } of gone) await lab.deleteCustomer(CustomerId, null);
  const lists: number[] = [];
  lab.store = overriding<DocumentStore>(lab.memory, {
    listRefs: (_collection, _page, deadline) => {
      lists.push(deadline.remainingMs());
      lab.passMs(deadline.remainingMs());
      return Promise.reject(error);
    },
  });
  const others = times(FEW_PENDING_DELETIONS, (n) => ({ CustomerId: `other ${n}` }));
  const deadline = deadlineIn(60_000, lab.clock);
  for (const { CustomerId } of gone) await upsertCustomers([{ CustomerId }, ...others], lab.tenant, deadline, lab);
  expect(lists).toHaveLength(1);
  expect(lists[0]).toBeLessThanOrEqual(LONGEST_LIST_MS);
  expect(deadline.remainingMs()).toBeGreaterThan(60_000 - 2 * LONGEST_LIST_MS);
  expect([await lab.pending(), await lab.customers('Name')]).toEqual([[], times(others.length + 2, () => undefined)]);
});

it.each([
  ['is got by ids', false, undefined],
  ['would be overlooked, were that list taken for an empty one', true, 'Before'],
])('where a list is given up, %s (R-62)', async (_, isMistaken, name) => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
  await lab.upsert({ CustomerId: 'gone', Name: 'Before' });
  await lab.deleteCustomer('gone', null);
  lab.store = overriding(lab.memory, {
    listRefs: () => (isMistaken ? Promise.resolve([]) : Promise.reject(new RetryLater('Given up.'))),
  });
  const others = times(FEW_PENDING_DELETIONS, (n) => ({ CustomerId: `other ${n}`, Name: 'Other' }));
  await upsertCustomers([{ CustomerId: 'gone' }, ...others], lab.tenant, deadlineIn(60_000, lab.clock), lab);
  expect((await lab.customers('Name')).filter((each) => each !== 'Other')).toEqual([name]);
});

it('fails the upsert where its own time is over, and lists again for the next one (R-62)', async () => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
  await lab.deleteCustomer('gone', null);
  let lists = 0;
  lab.store = overriding<DocumentStore>(lab.memory, {
    listRefs: (_collection, _page, deadline) => {
      lists += 1;
      lab.passMs(deadline.remainingMs());
      return Promise.reject(new RetryLater('A call had too little time left.'));
    },
  });
  const others = times(FEW_PENDING_DELETIONS + 1, (n) => ({ CustomerId: `other ${n}` }));
  const upsert = () => upsertCustomers(others, lab.tenant, deadlineIn(LONGEST_LIST_MS / 2, lab.clock), lab);
  await expect(upsert()).rejects.toThrow(RetryLater);
  await expect(upsert()).rejects.toThrow(RetryLater);
  expect(lists).toBe(2);
});

it('comes forward by a page each time, however short the time, and says that there are more (R-30)', async () => {
  const lab = new DeletionsLab();
  const pages = 3;
  for (let n = 0; n < pages * PENDING_DELETIONS_PAGE; n += 1) await lab.deleteCustomer(null, `${n}@x.com`);
  for (let left = pages - 1; left >= 0; left -= 1) {
    expect(await drainDeletions(lab.tenant, 'customers', SHORT, lab)).toBe(false);
    expect(await lab.pending()).toHaveLength(left * PENDING_DELETIONS_PAGE);
  }
  expect(await drainDeletions(lab.tenant, 'customers', SHORT, lab)).toBe(true);
});

it('begins no deletion of very many after others where the time is short, and else comes forward by a page (R-30, R-33)', async () => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
  const many = WIDE_DELETION_PAGE + 1;
  await lab.upsert({ CustomerId: 'one' }, ...times(many, (n) => ({ CustomerId: `${n}`, Email: 'shared@x.com' })));
  await lab.deleteCustomer('one', null);
  await lab.deleteCustomer(null, 'shared@x.com');
  const left: number[] = [];
  const drained = async () => {
    const isDone = await drainDeletions(lab.tenant, 'customers', SHORT, lab);
    left.push((await lab.documents()).length);
    return isDone;
  };
  expect([await drained(), await drained(), await drained()]).toEqual([false, false, true]);
  expect(left).toEqual([many, 1, 0]);
});

it('reads a backlog of one kind only, and each page once', async () => {
  const lab = new DeletionsLab();
  for (let n = 0; n < 2 * PENDING_DELETIONS_PAGE; n += 1) await lab.accept({ type: 'order', orderId: `${n}` });
  await lab.deleteCustomer(null, 'ann@x.com');
  await lab.accept({ type: 'product', productId: 'p' });
  let pages = 0;
  lab.store = overriding(lab.memory, {
    listRefs(collection, page) {
      pages += 1;
      return lab.memory.listRefs(collection, page);
    },
  });
  await lab.apply('products');
  expect(pages).toBe(1);
  expect(await lab.pending()).toHaveLength(2 * PENDING_DELETIONS_PAGE + 1);
  await lab.apply('orders');
  expect(pages).toBe(1 + 3); // the third one is the first that is not full
  expect(await lab.pending()).toHaveLength(1);
});

describe('deletions that match very many customers', () => {
  /** A customer as large as one can be, who shares an e-mail with others. */
  const largest = (n: number, Email: string) => {
    const text = (length: number) => '𝔷'.repeat(length);
    const [CustomerId, Name, Surname] = [`${n}${text(90)}`, text(100), text(300)];
    return { CustomerId, Email, Name, Surname, Phone: '1'.repeat(20), Username: text(500) };
  };

  /** Counts what is read of customers, and how many bytes of it before each commit. */
  function observe(lab: DeletionsLab) {
    const seen = { documents: 0, commits: 0, mostBytes: 0 };
    let bytes = 0;
    const note = <T extends readonly { readonly data: object }[]>(found: T): T => {
      const customers = found.filter(({ data }) => 'Email' in data || 'CustomerId' in data);
      seen.documents += customers.length;
      for (const { data } of customers) bytes += documentBytes(data as never);
      return found;
    };
    lab.store = overriding(lab.memory, {
      findWhere: async (...call) => note(await lab.memory.findWhere(...call)),
      getAll: async (paths) => note(await lab.memory.getAll(paths)),
      async getSome(paths, maxBytes) {
        const some = await lab.memory.getSome(paths, maxBytes);
        note(some.documents);
        return some;
      },
      commit(writes) {
        seen.commits += 1;
        seen.mostBytes = Math.max(seen.mostBytes, bytes);
        bytes = 0;
        return lab.memory.commit(writes);
      },
    });
    return seen;
  }

  it.each([
    ['one e-mail', 1, 900],
    ['an e-mail each', DELETIONS_IN_COMMIT, 25],
    ['an e-mail each, by more', 12, 75],
    ['an e-mail each, by very many', 6, MAX_NAMED_CUSTOMERS + 50],
  ])('are applied in commits of bounded bytes, each read a few times: by %s (R-33)', async (_, emails, sharing) => {
    const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
    const email = (n: number) => `${n % emails}@${'x'.repeat(200)}.com`;
    await lab.upsert(...times(emails * sharing, (n) => largest(n, email(n))), {
      CustomerId: 'kept',
      Email: 'k@x.com',
    });
    const seen = observe(lab);
    const targets = times(
      DELETIONS_IN_COMMIT,
      (n) => ({ type: 'customer', customerId: null, email: email(n) }) as const,
    );
    await acceptDeletions(lab.tenant, 'customers', targets, AMPLE, lab);
    seen.mostBytes = 0; // customers are looked up in batches when deletions are accepted, and not kept
    await lab.drain();
    expect(await lab.customers('CustomerId')).toEqual(['kept']);
    expect(await lab.pending()).toEqual([]);
    expect(seen.mostBytes).toBeLessThan(1.5 * DELETION_READ_BYTES);
    expect(seen.documents).toBeLessThan(5 * emails * sharing);
  });

  it('means who was written in the millisecond of its acceptance, before it, and nobody who comes after it (R-33)', async () => {
    const lab = new DeletionsLab(aTenant({ customerIdentifier: 'email' }));
    const many = Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, n) => ({ Email: `${n}@x.com`, CustomerId: '1' }));
    const now = lab.clock.nowMs();
    lab.clock.nowMs = () => now;
    // The second one is keyed by the identity that is remembered as deleted.
    await lab.upsert(...many, { CustomerId: '1' });
    await lab.deleteCustomer('1', null);
    await lab.drain();
    expect(await lab.documents()).toEqual([]);
    await lab.upsert(...many);
    await lab.deleteCustomer('1', null);
    await lab.upsert({ Email: 'new@x.com', CustomerId: '1' });
    await lab.drain();
    expect(await lab.customers('Email')).toStrictEqual(['new@x.com']);
  });

  it('take few commits where each matches few', async () => {
    const lab = new DeletionsLab();
    await lab.upsert(...times(DELETIONS_IN_COMMIT, (n) => ({ CustomerId: `${n}`, Email: `${n}@x.com` })));
    // By the other identifier than the one that they are keyed by: one entry each.
    for (let n = 0; n < DELETIONS_IN_COMMIT; n += 1) await lab.deleteCustomer(`${n}`, null);
    const seen = observe(lab);
    await lab.apply();
    expect(await lab.documents()).toEqual([]);
    expect(seen).toMatchObject({ commits: 1 });
  });

  it('are in memory for some commits at once, however many requests apply them (R-33)', async () => {
    const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
    await lab.upsert({ CustomerId: 'c', Email: 'c@x.com' });
    await lab.deleteCustomer('c', null);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let commits = 0;
    lab.store = overriding(lab.memory, {
      commit: (writes) => {
        commits += 1;
        return released.then(() => lab.memory.commit(writes));
      },
    });
    const applying = times(2 * DELETION_COMMITS_AT_ONCE, () => lab.apply());
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(commits).toBe(DELETION_COMMITS_AT_ONCE);
    release();
    await Promise.all(applying);
    expect(await lab.documents()).toEqual([]);
  });
});

describe('as much as may be pending for one record, of many records (R-33)', () => {
  const ORDERS = 20;
  const item = (order: number, n: number) =>
    ({ type: 'orderItem', orderId: `o${order}`, productId: `${'𝔭'.repeat(90)}${n}`, sku: null }) as const;
  const orders = times(ORDERS, (n) => n);

  /** A backlog whose entries are nearly as large as one may be. */
  async function openFull(): Promise<DeletionsLab> {
    const lab = new DeletionsLab();
    for (const order of orders) {
      const targets = times(1_000, (n) => item(order, n));
      await acceptDeletions(lab.tenant, 'orders', targets, AMPLE, lab);
    }
    const entries = await pendingDeletions(lab.tenant.tenantId, lab.memory, AMPLE);
    const bytes = entries.map(({ data }) => documentBytes(data));
    expect(bytes.reduce((sum, each) => sum + each)).toBeGreaterThan(1.5 * DELETION_READ_BYTES);
    expect(Math.max(...bytes)).toBeLessThan(MAX_RECORD_BYTES);
    return lab;
  }

  /** The most bytes that one call reads of entries, and that one commit writes. */
  function observe(lab: DeletionsLab) {
    const seen = { read: 0, written: 0 };
    const sum = (documents: readonly { readonly data: DocumentData }[]) =>
      documents.reduce((bytes, { data }) => bytes + documentBytes(data), 0);
    const read = <T extends readonly StoredDocument[]>(found: T): T => {
      seen.read = Math.max(seen.read, sum(found));
      return found;
    };
    lab.store = overriding(lab.memory, {
      list: async (...call) => read(await lab.memory.list(...call)),
      getAll: async (paths) => read(await lab.memory.getAll(paths)),
      async getSome(paths, maxBytes) {
        const some = await lab.memory.getSome(paths, maxBytes);
        read(some.documents);
        return some;
      },
      commit(writes) {
        const data = writes.flatMap((write) => ('set' in write ? [{ data: write.data }] : []));
        seen.written = Math.max(seen.written, sum(data));
        return lab.memory.commit(writes);
      },
    });
    return seen;
  }

  const MOST = DELETION_READ_BYTES + MAX_RECORD_BYTES;

  it('is drained in reads of bounded bytes', async () => {
    const lab = await openFull();
    const seen = observe(lab);
    await lab.apply('orders');
    expect(await lab.pending()).toEqual([]);
    expect(seen.read).toBeLessThan(ENTRIES_READ_BYTES + MAX_RECORD_BYTES);
  });

  it('takes more deletions of all of these records, in reads and commits of bounded bytes', async () => {
    const lab = await openFull();
    const seen = observe(lab);
    const targets = orders.map((order) => item(order, 1_001));
    await acceptDeletions(lab.tenant, 'orders', targets, AMPLE, lab);
    expect(await lab.pending()).toHaveLength(ORDERS);
    expect(seen.read).toBeLessThan(MOST);
    expect(seen.written).toBeLessThan(MOST);
  });

  it('holds an upsert of all of these records up in reads of bounded bytes', async () => {
    const lab = await openFull();
    const seen = observe(lab);
    await upsertOrders(orders.map((n) => ({ OrderId: `o${n}`, Currency: 'EUR' })), lab.tenant, AMPLE, lab); // prettier-ignore
    expect(await lab.pending()).toEqual([]);
    expect(seen.read).toBeLessThan(MOST);
  });
});

it('reads again what another one has applied or changed meanwhile, and does not go one by one (R-33)', async () => {
  const lab = new DeletionsLab();
  const orders = times(DELETIONS_IN_COMMIT, (n) => ({ type: 'order', orderId: `${n}` }) as const);
  await acceptDeletions(lab.tenant, 'orders', orders, AMPLE, lab);
  const deletionIds = await lab.pending();
  const commits: (readonly DocumentWrite[])[] = [];
  const others = deletionIds.slice(0, 60);
  const store = changingCommits(lab.memory, async (commit, writes) => {
    commits.push(writes);
    // Others apply some, and one more deletion of the last order is accepted, which renews its entry.
    if (commits.length === 1) {
      await applyDeletions(lab.tenant, others, AMPLE, lab.with(lab.memory));
      await lab.accept({ type: 'order', orderId: `${DELETIONS_IN_COMMIT - 1}` });
    }
    return commit();
  });
  await applyDeletions(lab.tenant, deletionIds, AMPLE, lab.with(store));
  expect(commits).toHaveLength(2);
  expect(await lab.pending()).toEqual([]);
});

describe('an entry that is written again while it is worked on (R-414)', () => {
  /** An order with three items, whose Skus are their numbers. */
  const order = {
    OrderId: 'o',
    Email: 'a@x.com',
    Currency: 'EUR',
    OrderDate: '2026-01-01',
    OrderItems: times(3, (n) => ({ ProductId: 'p', Sku: `${n}`, Quantity: 1, Price: 1 })),
  };

  /**
   * The order, and a pending deletion of its first item.
   * @param renewals how many commits of the `busy` store come after one more deletion, which is of the second item
   */
  async function openBusy(renewals: number) {
    const lab = new DeletionsLab();
    const accept = (sku: string) => lab.accept({ type: 'orderItem', orderId: 'o', productId: null, sku });
    await lab.upsertOrder(order);
    await accept('0');
    const { tenantId } = lab.tenant;
    await lab.memory.commit([{ set: tenantPath(tenantId), data: toTenantDocument(lab.tenant) }]);
    const tried = { commits: 0 };
    const busy = changingCommits(lab.memory, async (commit) => {
      tried.commits += 1;
      if (tried.commits <= renewals) await accept('1');
      return commit();
    });
    const items = async () =>
      (await lab.documents('orders')).flatMap(({ data }) => data.OrderItems as { Sku: string }[]).map(({ Sku }) => Sku);
    return { lab, busy, tried, items };
  }

  afterEach(() => {
    mockLeavesNone = false;
    mockLeavesAll = false;
  });

  it.each([
    ['is left by the consumer of its message to the message of that one', false],
    ['would be worked on for as long as it is written again, did the consumer not leave it', true],
  ])('%s (R-414)', async (_, isMistaken) => {
    const renewals = 10;
    const { lab, busy, tried, items } = await openBusy(renewals);
    const deletionIds = await lab.pending();
    const event = { tenantId: lab.tenant.tenantId, deletionIds };
    mockLeavesNone = isMistaken;
    await lab.deliver(event, busy);
    const [commits, left] = isMistaken ? [renewals + 1, []] : [1, deletionIds];
    expect([tried.commits, await lab.pending()]).toEqual([commits, left]);
    await lab.deliver(event);
    expect([await lab.pending(), await items()]).toEqual([[], ['2']]);
  });

  it.each([
    ['is applied before an upsert writes its record, whatever its version', false, ['2', '1']],
    ['would remove what an upsert writes, did that leave it', true, ['2']],
  ])('%s (R-414)', async (_, isMistaken, left) => {
    const { lab, busy, items } = await openBusy(1);
    mockLeavesAll = isMistaken;
    await upsertOrders([{ ...order, OrderItems: order.OrderItems.slice(1, 2) }], lab.tenant, AMPLE, lab.with(busy));
    await lab.drain();
    expect(await items()).toEqual(left);
  });
});
