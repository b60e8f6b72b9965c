import { setImmediate as nextTurn } from 'node:timers/promises';
import type * as AcceptanceAttempts from '../../../shared/deletions/acceptance/acceptance-attempts';
import { AcceptanceQueue } from '../../../shared/deletions/acceptance/acceptance-queue';
import type { DocumentStore, DocumentWrite } from '../../../shared/documents/document-store';
import { writtenPath } from '../../../shared/documents/document-store';
import { ACCEPTED_IN_COMMIT } from '../../../shared/limits/deletions';
import type { DeletionTarget } from '../../../shared/domain/deletion';
import type { TenantId } from '../../../shared/domain/tenant';
import { requestedIds } from '../../support/deletions';
import { MAX_NAMED_CUSTOMERS } from '../../../shared/limits/deletions';
import { Status } from '../../../shared/platform/retry';
import { RetryLater } from '../../../shared/platform/retry-later';
import { changingCommits, overriding } from '../../support/overriding';
import { aTenant } from '../support/tenant';
import { AMPLE, DeletionsLab } from './deletions-lab';
import { toTraceparent, traceFrom } from '../../../shared/platform/trace';
import { TRACE } from '../../support/traces';

/** A planted mistake: the queue tries a deletion again whatever it means when it is accepted twice. */
let mockTriesAll = false;

jest.mock<typeof AcceptanceAttempts>('../../../shared/deletions/acceptance/acceptance-attempts', () => {
  const actual = jest.requireActual<typeof AcceptanceAttempts>(
    '../../../shared/deletions/acceptance/acceptance-attempts',
  );
  return { ...actual, needsReceipt: (targets) => !mockTriesAll && actual.needsReceipt(targets) };
});

afterEach(() => {
  mockTriesAll = false;
});

const COUNT = ACCEPTED_IN_COMMIT + 20;
const isEntry = (write: DocumentWrite) => 'set' in write && write.set.includes('/deletions/');
const customer = (n: number) => ({ type: 'customer', customerId: null, email: `${n}@x.com` }) as const;

it('accepts what arrives at once in few commits, in the order of arrival, each commit with one message (R-51)', async () => {
  const lab = new DeletionsLab();
  let commits = 0;
  lab.store = changingCommits(lab.memory, (commit) => {
    commits += 1;
    return commit();
  });
  const queue = new AcceptanceQueue(lab);
  const { tenant } = lab;
  await Promise.all(
    Array.from({ length: COUNT }, (_, n) => queue.accept(tenant, 'customers', [customer(n)], AMPLE, TRACE)),
  );
  expect(commits).toBe(4); // of the flag, of the first one by itself, of what came meanwhile, and of the rest
  expect(await lab.pending()).toHaveLength(COUNT);
  expect(requestedIds(lab.publisher).sort()).toEqual((await lab.pending()).sort());
});

it('tells each request the trace of the message that names its deletion: that of the first in its commit (R-394)', async () => {
  const lab = new DeletionsLab();
  const queue = new AcceptanceQueue(lab);
  const traces = ['a', 'b', 'c'].map(traceFrom);
  const published = await Promise.all(
    traces.map((trace, n) => queue.accept(lab.tenant, 'customers', [customer(n)], AMPLE, trace)),
  );
  expect(published).toEqual([traces[0], traces[1], traces[1]]);
  const carried = lab.publisher.published.map(({ attributes }) => attributes.traceparent);
  expect(carried).toEqual([traces[0], traces[1]].map((trace) => toTraceparent(trace!)));
});

it('accepts batches one after the other, each in its commits, and single deletions beside them (R-50)', async () => {
  const lab = new DeletionsLab();
  const { tenant } = lab;
  const commits: string[] = [];
  let goOn: () => void = () => undefined;
  const areSinglesAnswered = new Promise<void>((resolve) => (goOn = resolve));
  lab.store = changingCommits(lab.memory, async (commit, writes) => {
    const entries = writes.filter(isEntry).length;
    if (entries > 1) await areSinglesAnswered; // the commits of a batch are slow
    if (entries > 0) commits.push(`${entries}`);
    return commit();
  });
  const queue = new AcceptanceQueue(lab);
  const batch = (first: number) => Array.from({ length: ACCEPTED_IN_COMMIT + 2 }, (_, n) => customer(first + n));
  const accept = (...targets: readonly ReturnType<typeof customer>[]) =>
    queue.accept(tenant, 'customers', targets, AMPLE, TRACE);
  const batches = Promise.all([accept(...batch(0)), accept(...batch(1_000))]);
  await Promise.all([accept(customer(2_000)), accept(customer(2_001))]);
  expect(commits).toEqual(['1', '1']);
  goOn();
  await batches;
  const ofBatch = [`${ACCEPTED_IN_COMMIT}`, '2'];
  expect(commits).toEqual(['1', '1', ...ofBatch, ...ofBatch]);
  expect(await lab.pending()).toHaveLength(2 * (ACCEPTED_IN_COMMIT + 2) + 2);
});

describe('a batch and single deletions of the same records at once (R-50)', () => {
  const NUMBERS = Array.from({ length: ACCEPTED_IN_COMMIT + 20 }, (_, n) => n);

  /** The database as instances see it: between the reads and the commit of one acceptance there is time for others. */
  function slowly(store: DocumentStore): DocumentStore {
    return changingCommits(store, async (commit) => {
      await nextTurn();
      return commit();
    });
  }

  it('are all accepted, and applied once: of customers by one identifier and by both', async () => {
    const lab = new DeletionsLab();
    const stored = (n: number) => ({ Email: `${n}@x.com`, CustomerId: `${n}` });
    await lab.upsert(...NUMBERS.map(stored), { Email: 'kept@x.com', CustomerId: 'kept' });
    lab.store = slowly(lab.memory);
    const queue = new AcceptanceQueue(lab);
    const both = (n: number) => ({ type: 'customer', customerId: `${n}`, email: `${n}@x.com` }) as const;
    const accept = (...targets: readonly DeletionTarget[]) =>
      queue.accept(lab.tenant, 'customers', targets, AMPLE, TRACE);
    await Promise.all([accept(...NUMBERS.map(customer)), ...NUMBERS.slice(0, 40).map((n) => accept(both(n)))]);
    await lab.drain();
    expect(await lab.customers('Email')).toEqual(['kept@x.com']);
    expect(await lab.pending()).toEqual([]);
  });

  it('are all accepted, and applied once: of the items of one order', async () => {
    const lab = new DeletionsLab();
    const OrderItems = [...NUMBERS, 'kept'].map((Sku) => ({ ProductId: 'p', Sku: `${Sku}`, Quantity: 1, Price: 1 }));
    await lab.upsertOrder({ OrderId: 'o', Email: 'a@x.com', Currency: 'EUR', OrderDate: '2026-01-01', OrderItems });
    lab.store = slowly(lab.memory);
    const queue = new AcceptanceQueue(lab);
    const item = (n: number) => ({ type: 'orderItem', orderId: 'o', productId: null, sku: `${n}` }) as const;
    const accept = (...targets: readonly DeletionTarget[]) => queue.accept(lab.tenant, 'orders', targets, AMPLE, TRACE);
    const [batch, singles] = [NUMBERS.slice(20), NUMBERS.slice(0, 40)];
    await Promise.all([accept(...batch.map(item)), ...singles.map((n) => accept(item(n)))]);
    await lab.drain();
    const [order] = await lab.documents('orders');
    expect(order?.data.OrderItems).toMatchObject([{ Sku: 'kept' }]);
    expect(await lab.pending()).toEqual([]);
  });
});

it('accepts nothing of a batch behind what cannot be accepted, and goes on with those after it (R-50)', async () => {
  const lab = new DeletionsLab();
  const { tenant } = lab;
  let commits = 0;
  lab.store = changingCommits(lab.memory, (commit, writes) => {
    commits += writes.some(isEntry) ? 1 : 0;
    return commits === 2 ? Promise.reject(new Error('The database is away.')) : commit();
  });
  const queue = new AcceptanceQueue(lab);
  const batch = Array.from({ length: 3 * ACCEPTED_IN_COMMIT }, (_, n) => customer(n));
  const after = [1, 2].map((n) => customer(3 * ACCEPTED_IN_COMMIT + n));
  const outcomes = await Promise.allSettled([
    queue.accept(tenant, 'customers', batch, AMPLE, TRACE),
    queue.accept(tenant, 'customers', after, AMPLE, TRACE),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(await lab.pending()).toHaveLength(ACCEPTED_IN_COMMIT + after.length);
});

it('tells everybody of a commit that fails, and goes on with those after it', async () => {
  const lab = new DeletionsLab();
  let isFailing = true;
  lab.store = changingCommits(lab.memory, (commit) =>
    isFailing ? Promise.reject(new Error('The database is away.')) : commit(),
  );
  const queue = new AcceptanceQueue(lab);
  const { tenant } = lab;
  const outcomes = await Promise.allSettled(
    [0, 1, 2].map((n) => queue.accept(tenant, 'customers', [customer(n)], AMPLE, TRACE)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await lab.pending()).toEqual([]);
  isFailing = false;
  await queue.accept(tenant, 'customers', [customer(3)], AMPLE, TRACE);
  expect(await lab.pending()).toHaveLength(1);
});

it('answers a deletion that is durable, whatever becomes of those that were accepted after it (R-65)', async () => {
  const lab = new DeletionsLab(aTenant({ customerIdentifier: 'customerid' }));
  const { tenant } = lab;
  const ids = Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, id) => `${id}`);
  await lab.upsert(...ids.map((CustomerId) => ({ CustomerId, Email: '2@x.com' })));
  lab.store = changingCommits(lab.memory, (commit, writes) => {
    const isWide = writes.some((write) => writtenPath(write).includes('/wideDeletions/'));
    return isWide ? Promise.reject(new Error('The database is away.')) : commit();
  });
  const queue = new AcceptanceQueue(lab);
  // The first one is accepted alone. The others go together, in two commits: the last one needs one of its own.
  const outcomes = await Promise.allSettled(
    [0, 1, 2].map((n) => queue.accept(tenant, 'customers', [customer(n)], AMPLE, TRACE)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(await lab.pending()).toHaveLength(2);
});

it('gives a deletion its own time, where one that waited longer ran out of it (R-65)', async () => {
  const lab = new DeletionsLab();
  const { tenant } = lab;
  let remainingMs = 20_000;
  const short = { remainingMs: () => remainingMs };
  lab.store = changingCommits(lab.memory, (commit, writes) => {
    const isOfEntries = writes.some((write) => 'set' in write && write.set.includes('/deletions/'));
    if (isOfEntries && remainingMs > 0) remainingMs = 0; // the first commit takes all of the time
    return commit();
  });
  const { store } = lab;
  lab.store = overriding(store, {
    begin: (deadline) =>
      deadline.remainingMs() > 0 ? store.begin(deadline) : Promise.reject(new RetryLater('There was no time left.')),
  });
  const queue = new AcceptanceQueue(lab);
  const outcomes = await Promise.allSettled([
    queue.accept(tenant, 'customers', [customer(0)], AMPLE, TRACE),
    queue.accept(tenant, 'customers', [customer(1)], short, TRACE),
    queue.accept(tenant, 'customers', [customer(2)], AMPLE, TRACE),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await lab.pending()).toHaveLength(2);
});

it.each([
  ['is not tried again', false, 'rejected', ['7']],
  ['would mean another customer, were it tried again', true, 'fulfilled', []],
] as const)('a deletion with two identifiers that may be durable %s (R-65)', async (_, isMistaken, ofBothIs, left) => {
  mockTriesAll = isMistaken;
  const lab = new DeletionsLab();
  const { tenant, publisher } = lab;
  await lab.upsert({ Email: 'a@x.com', CustomerId: '1' }, { Email: 'b@x.com', CustomerId: '7' });
  let published = 0;
  const failing = overriding(publisher, {
    publish: (...event) => {
      published += 1;
      const failure = Object.assign(new Error('The topic is away.'), { code: Status.UNAVAILABLE });
      return published === 2 ? Promise.reject(failure) : publisher.publish(...event);
    },
  });
  const queue = new AcceptanceQueue({
    ...lab.with(lab.memory),
    publisher: failing,
    deletionsTopic: lab.deletionsTopic,
  });
  const ofBoth = { type: 'customer', customerId: '7', email: 'a@x.com' } as const;
  const outcomes = await Promise.allSettled([
    queue.accept(tenant, 'customers', [customer(0)], AMPLE, TRACE),
    queue.accept(tenant, 'customers', [customer(1)], { remainingMs: () => 10_000 }, TRACE),
    queue.accept(tenant, 'customers', [ofBoth], AMPLE, TRACE),
    queue.accept(tenant, 'customers', [customer(2)], AMPLE, TRACE),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', ofBothIs, 'fulfilled']);
  await lab.drain();
  expect(await lab.customers('CustomerId')).toEqual(left);
});

it('does not let a tenant wait for another one', async () => {
  const lab = new DeletionsLab();
  const other = 'ffffffff-1111-4111-8111-111111111111';
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  lab.store = changingCommits(lab.memory, async (commit, writes) => {
    const [first] = writes;
    if (first && !writtenPath(first).includes(other)) await held;
    return commit();
  });
  const queue = new AcceptanceQueue(lab);
  const waiting = queue.accept(lab.tenant, 'customers', [customer(0)], AMPLE, TRACE);
  await queue.accept({ ...lab.tenant, tenantId: other as TenantId }, 'customers', [customer(1)], AMPLE, TRACE);
  expect(await lab.pending()).toEqual([]);
  release();
  await waiting;
  expect(await lab.pending()).toHaveLength(1);
});
