/** Deletions that wait, in their order and however many they are. */
import { applyDeletion, applyPendingDeletions, DeletionsPending } from '../../../shared/deletions/apply-deletion';
import { acceptDeletions } from '../../../shared/deletions/deletion-log';
import { documentBytes } from '../../../shared/domain/document';
import {
  DELETION_SHARED_RECORDS,
  DELETION_STEP_RECORDS,
  DELETION_STEPS_AT_ONCE,
  DELETIONS_IN_COMMIT,
  PENDING_DELETIONS_PAGE,
} from '../../../shared/domain/limits';
import { ContentionTimeout } from '../../../shared/records/settle';
import { overriding } from '../../support/overriding';
import { aTenant } from '../support/tenant';
import { AMPLE, DeletionsLab } from './deletions-lab';

/** Time for one page and no more. */
const SHORT = { remainingMs: () => 1_000 };

it('applies deletions in the order of acceptance, while others are accepted page by page (R-13)', async () => {
  const lab = new DeletionsLab();
  await lab.upsert({ Email: 'ann@x.com', CustomerId: 'A' }, { Email: 'bob@x.com', CustomerId: 'B' });
  for (let n = 0; n < PENDING_DELETIONS_PAGE + 1; n += 1) await lab.deleteCustomer(null, `${n}@x.com`);
  let pages = 0;
  lab.store = overriding(lab.memory, {
    async list(collection, page) {
      const listed = await lab.memory.list(collection, page);
      pages += 1;
      if (pages > 1) return listed;
      await lab.deleteCustomer('B', 'ann@x.com');
      await lab.deleteCustomer(null, 'ann@x.com'); // applied first, it would leave Bob to the one before
      return listed;
    },
  });
  await lab.apply();
  expect(pages).toBe(2);
  expect(await lab.pending()).toHaveLength(2); // accepted after it began, and left to others
  await lab.apply();
  expect(await lab.customers('CustomerId')).toEqual(['B']);
  expect(await lab.pending()).toEqual([]);
});

it('tells acceptances apart that try for one place in the line, and numbers each (R-30)', async () => {
  const lab = new DeletionsLab();
  await Promise.all(Array.from({ length: 20 }, (_, n) => lab.deleteCustomer(null, `${n}@x.com`)));
  const sequences = (await lab.pending()).map((id) => Number(id.split('-')[1]));
  expect(sequences).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
});

it('accepts a deletion once whose commit is sent again after its answer is lost (D-41)', async () => {
  const lab = new DeletionsLab();
  let isLost = false;
  lab.store = overriding(lab.memory, {
    async commit(writes) {
      const outcome = await lab.memory.commit(writes);
      if (isLost) return outcome;
      isLost = true;
      await lab.deleteCustomer(null, 'other@x.com'); // takes the next place
      return lab.memory.commit(writes);
    },
  });
  await lab.deleteCustomer(null, 'ann@x.com');
  expect(await lab.pending()).toHaveLength(2);
});

it('applies what a message left that comes again after its own deletion alone was applied (R-51)', async () => {
  const lab = new DeletionsLab();
  const { tenantId } = lab.tenant;
  for (const id of ['P-1', 'P-2']) await lab.upsertProduct(id);
  const targets = ['P-1', 'P-2'].map((productId) => ({ type: 'product', productId }) as const);
  await acceptDeletions(tenantId, 'products', targets, AMPLE, lab);
  const ids = await lab.pending();
  expect(lab.publisher.published.map(({ event }) => event)).toEqual([{ tenantId, deletionId: ids[1] }]);
  const failing = overriding(lab.memory, {
    commit: (writes) => {
      const isOfFirst = writes.some((write) => 'delete' in write && write.delete.endsWith(ids[0]!));
      return isOfFirst ? Promise.reject(new Error('The database is away.')) : lab.memory.commit(writes);
    },
  });
  await expect(applyDeletion(lab.tenant, ids[1]!, AMPLE, lab.with(failing))).rejects.toThrow('away');
  expect(await lab.pending()).toEqual([ids[0]]);
  await applyDeletion(lab.tenant, ids[1]!, AMPLE, lab);
  expect(await lab.pending()).toEqual([]);
});

it('leaves what was accepted after a deletion to its own message (R-51)', async () => {
  const lab = new DeletionsLab();
  await lab.deleteCustomer('A', null);
  const [first] = await lab.pending();
  await lab.apply();
  await lab.deleteCustomer('B', null);
  await applyDeletion(lab.tenant, first!, AMPLE, lab);
  expect(await lab.pending()).toHaveLength(1);
});

it('comes forward by a page with each request, however short the time, and says that there are more (R-30)', async () => {
  const lab = new DeletionsLab();
  const pages = 3;
  for (let n = 0; n < pages * PENDING_DELETIONS_PAGE; n += 1) await lab.deleteCustomer(null, `${n}@x.com`);
  for (let left = pages - 1; left > 0; left -= 1) {
    const applying = lab.apply('customers', SHORT);
    await expect(applying).rejects.toBeInstanceOf(DeletionsPending);
    await expect(applying).rejects.toBeInstanceOf(ContentionTimeout); // a caller is asked to repeat the request
    expect(await lab.pending()).toHaveLength(left * PENDING_DELETIONS_PAGE);
  }
  await expect(lab.apply('customers', SHORT)).rejects.toBeInstanceOf(DeletionsPending);
  await lab.apply('customers', SHORT);
  expect(await lab.pending()).toEqual([]);
});

it('reads a backlog of one kind only, and each page once', async () => {
  const lab = new DeletionsLab();
  for (let n = 0; n < 2 * PENDING_DELETIONS_PAGE; n += 1) await lab.accept({ type: 'order', orderId: `${n}` });
  await lab.deleteCustomer(null, 'ann@x.com');
  await lab.accept({ type: 'product', productId: 'p' });
  let pages = 0;
  lab.store = overriding(lab.memory, {
    list(collection, page) {
      pages += 1;
      return lab.memory.list(collection, page);
    },
  });
  await lab.apply('customers');
  await lab.apply('products');
  expect(pages).toBe(2);
  expect(await lab.pending()).toHaveLength(2 * PENDING_DELETIONS_PAGE);
  await lab.apply('orders');
  expect(await lab.pending()).toEqual([]);
});

it('goes on by the identifier that found customers, when a deletion takes several commits (D-43)', async () => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'email' }));
  const many = DELETION_STEP_RECORDS + 50;
  const shared = Array.from({ length: many }, (_, n) => ({ CustomerId: 'shared', Email: `${n}@x.com` }));
  await lab.upsert(...shared, { Email: 'ann@x.com', CustomerId: 'A' });
  const renamed = { ...lab.tenant, customerIdentifier: 'customerid' as const };
  let commits = 0;
  const store = overriding(lab.memory, {
    async commit(writes) {
      const outcome = await lab.memory.commit(writes);
      commits += 1;
      // Somebody else removes the rest: in the second step the customer id finds nobody.
      const rest = commits === 1 ? await lab.documents() : [];
      for (const { path, data } of rest) if (data.CustomerId === 'shared') await lab.memory.commit([{ delete: path }]);
      return outcome;
    },
  });
  await lab.deleteCustomer('shared', 'ann@x.com');
  await applyPendingDeletions(renamed, 'customers', AMPLE, lab.with(store));
  expect(commits).toBeGreaterThan(1);
  expect(await lab.customers('Email')).toEqual(['ann@x.com']);
  expect(await lab.pending()).toEqual([]);
});

describe('deletions that match very many customers', () => {
  /** What one step may have in memory of them. */
  const STEP_BYTES = 6_000_000;
  /** A customer as large as one can be, who shares an e-mail with others. */
  const largest = (n: number, Email: string) => {
    const text = (length: number) => '𝔷'.repeat(length);
    const [CustomerId, Name, Surname] = [`${n}${text(90)}`, text(100), text(300)];
    return { CustomerId, Email, Name, Surname, Phone: '1'.repeat(20), Username: text(500) };
  };
  const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));

  /** Counts what is looked up, and how many bytes of it before each commit. */
  function observe(lab: DeletionsLab) {
    const seen = { documents: 0, commits: 0, mostBytes: 0 };
    let bytes = 0;
    lab.store = overriding(lab.memory, {
      async findWhere(collection, field, value, limit) {
        const found = await lab.memory.findWhere(collection, field, value, limit);
        seen.documents += found.length;
        for (const { data } of found) bytes += documentBytes(data);
        return found;
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
    ['an e-mail each, by as many as share a step', DELETIONS_IN_COMMIT, DELETION_SHARED_RECORDS],
    ['an e-mail each, by more', 12, DELETION_SHARED_RECORDS + 50],
  ])('are applied in steps of bounded bytes, none read again and again: by %s (R-33)', async (_, emails, sharing) => {
    const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
    const email = (n: number) => `${n % emails}@${'x'.repeat(200)}.com`;
    await lab.upsert(...times(emails * sharing, (n) => largest(n, email(n))), { CustomerId: 'kept', Email: 'k@x.com' });
    for (let n = 0; n < DELETIONS_IN_COMMIT; n += 1) await lab.deleteCustomer(null, email(n));
    const seen = observe(lab);
    await lab.apply();
    expect(await lab.customers('CustomerId')).toEqual(['kept']);
    expect(await lab.pending()).toEqual([]);
    expect(seen.mostBytes).toBeLessThan(STEP_BYTES);
    expect(seen.documents).toBeLessThan(3 * emails * sharing);
  });

  it('take few commits where each matches few', async () => {
    const lab = new DeletionsLab();
    await lab.upsert(...times(DELETIONS_IN_COMMIT, (n) => ({ CustomerId: `${n}`, Email: `${n}@x.com` })));
    for (let n = 0; n < DELETIONS_IN_COMMIT; n += 1) await lab.deleteCustomer(`${n}`, null);
    const seen = observe(lab);
    await lab.apply();
    expect(await lab.documents()).toEqual([]);
    expect(seen).toMatchObject({ documents: DELETIONS_IN_COMMIT, commits: 2 }); // and the mark is taken down
  });

  it('are in memory for some steps at once, however many requests apply them (R-33)', async () => {
    const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
    await lab.upsert(...times(DELETION_STEP_RECORDS + 1, (n) => ({ CustomerId: `${n}`, Email: 'shared@x.com' })));
    await lab.deleteCustomer(null, 'shared@x.com');
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let lookUps = 0;
    lab.store = overriding(lab.memory, {
      findWhere(collection, field, value, limit) {
        lookUps += 1;
        return lab.memory.findWhere(collection, field, value, limit);
      },
      commit: (writes) => released.then(() => lab.memory.commit(writes)),
    });
    const applying = times(2 * DELETION_STEPS_AT_ONCE, () => lab.apply());
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(lookUps).toBe(DELETION_STEPS_AT_ONCE);
    release();
    await Promise.all(applying);
    expect(await lab.documents()).toEqual([]);
  });
});
