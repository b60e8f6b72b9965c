/** What the operator sees of stored records, and of the buckets that organizations have registered. */
import { listBuckets, showBucket } from '../../../shared/operations/buckets';
import type { RecordAddress } from '../../../shared/operations/records';
import { countRecords, exportRecords, getRecord } from '../../../shared/operations/records';
import { createTenant } from '../../../shared/operations/tenants';
import { drainDeletions } from '../../../shared/deletions/apply-deletion';
import { recordsPath } from '../../../shared/documents/paths';
import type { FirestoreCalls } from '../../../shared/adapters/firestore/firestore-calls';
import { FirestoreDocumentStore } from '../../../shared/adapters/firestore/firestore-document-store';
import { Status } from '../../../shared/platform/retry';
import { RetryLater } from '../../../shared/platform/retry-later';
import { deadlineIn } from '../../../shared/platform/deadline';
import type { DocumentStore } from '../../../shared/documents/document-store';
import type { RecordKind } from '../../../shared/domain/identity';
import { CALL_TIMEOUT_MS } from '../../../shared/limits/platform';
import { LIST_PAGE_DOCUMENTS } from '../../../shared/limits/records';
import { claimBucket } from '../../../shared/transfers/runs/bucket-ownership';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { overriding } from '../../support/overriding';
import { SeededRandom } from '../../support/seeded-random';
import { acceptDeletion } from '../../support/deletions';
import { RecordingPublisher } from '../../support/recording-fakes';
import { upsertCustomers, upsertOrders } from '../../support/upserts';

async function aShop(customers: readonly object[]) {
  const store = new MemoryDocumentStore();
  const operator = operatorOn(store, { clock: new FixedClock(), random: new SeededRandom() });
  const tenant = await createTenant({ organization: 'test' }, operator);
  await upsertCustomers(customers, tenant, operator.deadline(), operator);
  return { operator, tenant, store, find: (by: object) => getRecord(tenant.tenantId, 'customers', by, operator) };
}

describe('records get', () => {
  it('shows all customers who share an identifier, the one that is keyed by it first', async () => {
    const { find } = await aShop([
      { Email: 'a@x.com', CustomerId: '7' },
      { Email: 'b@x.com', CustomerId: '7' },
      { CustomerId: '8' },
      { Email: 'c@x.com', CustomerId: '8' },
    ]);
    const shared = (await find({ customerId: '7' })) as { Email: string }[];
    expect(shared.map(({ Email }) => Email).sort()).toEqual(['a@x.com', 'b@x.com']);
    expect(await find({ customerId: '8' })).toMatchObject([{ CustomerId: '8' }, { Email: 'c@x.com' }]);
    expect(await find({ email: 'a@x.com' })).toMatchObject({ Email: 'a@x.com' });
    expect(await find({ customerId: '9' })).toBeNull();
  });

  it('says so when it does not show all of them', async () => {
    const customers = Array.from({ length: 1_001 }, (_, n) => ({ Email: `c${n}@x.com`, CustomerId: '7' }));
    const { find, operator } = await aShop(customers);
    expect(await find({ customerId: '7' })).toHaveLength(1_000);
    expect(operator.said.join()).toContain('More than 1000 customers');
  });
});

describe('records get refuses', () => {
  const ONE_OF = 'Name the customer by either --email X or --customer-id X, and X must not be blank.';
  const FOR_CUSTOMERS = '--email and --customer-id are for customers alone: records get TENANT';

  it.each<[string, RecordKind, RecordAddress, string]>([
    ['a blank e-mail', 'customers', { email: ' ' }, ONE_OF],
    ['a blank customer id', 'customers', { customerId: '' }, ONE_OF],
    ['both', 'customers', { email: 'a@x.com', customerId: '7' }, ONE_OF],
    ['a customer’s plain id', 'customers', { id: '7' }, ONE_OF],
    ['no id', 'products', {}, 'Name the record: records get TENANT products ID.'],
    ['a blank id', 'orders', { id: ' ' }, 'Name the record: records get TENANT orders ID.'],
    ['an order’s customer', 'orders', { id: '1', customerId: '7' }, `${FOR_CUSTOMERS} orders ID.`],
    ['a product’s e-mail', 'products', { email: 'a@x.com' }, `${FOR_CUSTOMERS} products ID.`],
  ])('%s', async (_, kind, address, message) => {
    const { operator, tenant } = await aShop([]);
    await expect(getRecord(tenant.tenantId, kind, address, operator)).rejects.toThrow(message);
  });
});

it('shows, counts and exports no order that was deleted (R-300)', async () => {
  const { operator, tenant } = await aShop([]);
  const orders = ['1', '2', '3'].map((OrderId) => ({ OrderId, Currency: 'EUR' }));
  await upsertOrders(orders, tenant, operator.deadline(), operator);
  const ended = { type: 'order', orderId: '2' } as const;
  await acceptDeletion(tenant, ended, operator.deadline(), { ...operator, publisher: new RecordingPublisher(), deletionsTopic: 'd' }); // prettier-ignore
  await drainDeletions(tenant, 'orders', operator.deadline(), operator);
  expect(await operator.store.count(recordsPath(tenant.tenantId, 'orders'), operator.deadline())).toBe(3);
  expect(await countRecords(tenant.tenantId, 'orders', operator)).toEqual({ count: 2 });
  expect(await getRecord(tenant.tenantId, 'orders', { id: '2' }, operator)).toBeNull();
  const exported: object[] = [];
  for await (const record of exportRecords(tenant.tenantId, 'orders', operator)) exported.push(record);
  expect(exported.map((record) => (record as { OrderId: string }).OrderId).sort()).toEqual(['1', '3']);
  const neverInTime = overriding(operator.store, { count: () => Promise.reject(Object.assign(new Error(), { code: Status.DEADLINE_EXCEEDED })) }); // prettier-ignore
  expect(await countRecords(tenant.tenantId, 'orders', { ...operator, store: neverInTime })).toEqual({ count: 2 });
});

describe('records export', () => {
  const exported = async (count: number) => {
    const { operator, tenant } = await aShop(Array.from({ length: count }, (_, n) => ({ Email: `c${n}@x.com` })));
    const exported: object[] = [];
    for await (const record of exportRecords(tenant.tenantId, 'customers', operator)) exported.push(record);
    return { records: exported.length, said: operator.said };
  };

  it('says after each page of many records how far it is', async () => {
    const { records, said } = await exported(2 * LIST_PAGE_DOCUMENTS + 1);
    expect(records).toBe(2 * LIST_PAGE_DOCUMENTS + 1);
    expect(said).toEqual([1, 2].map((page) => `${page * LIST_PAGE_DOCUMENTS} customers exported`));
  });

  it('says nothing of few', async () => {
    expect(await exported(3)).toEqual({ records: 3, said: [] });
  });
});

it('records export is one query, however many records there are, and reads each once (R-194)', async () => {
  for (const count of [10, 2 * LIST_PAGE_DOCUMENTS]) {
    const { operator, tenant, store } = await aShop(
      Array.from({ length: count }, (_, n) => ({ Email: `c${n}@x.com` })),
    );
    const observed = new ObservedDocumentStore(store);
    let exported = 0;
    for await (const _ of exportRecords(tenant.tenantId, 'customers', { ...operator, store: observed })) exported += 1;
    expect(exported).toBe(count);
    expect(observed.calls.map(({ method }) => method)).toEqual(['get', 'stream']);
  }
});

describe('records count', () => {
  it.each([
    ['the client', Status.DEADLINE_EXCEEDED],
    ['the server', Status.CANCELLED],
  ])('goes through them by one query, and says how far it is, where a count takes too long by %s', async (_, code) => {
    const { operator, tenant, store } = await aShop(
      Array.from({ length: LIST_PAGE_DOCUMENTS + 1 }, (_, n) => ({ Email: `c${n}@x.com` })),
    );
    const count = () => Promise.reject(Object.assign(new Error('late'), { code }));
    const observed = new ObservedDocumentStore(overriding<DocumentStore>(store, { count }));
    const slow = { ...operator, store: observed };
    expect(await countRecords(tenant.tenantId, 'customers', slow)).toEqual({ count: LIST_PAGE_DOCUMENTS + 1 });
    expect(operator.said.at(-1)).toBe(`${LIST_PAGE_DOCUMENTS + 1} customers counted`);
    expect(observed.calls.map(({ method }) => method)).toEqual(['get', 'count', 'stream']);
  });

  it('does not begin to go through them where the time of a request is over', async () => {
    const { operator, tenant, store } = await aShop([{ Email: 'a@x.com' }]);
    const count = () => Promise.reject(Object.assign(new Error('late'), { code: Status.CANCELLED }));
    const deadline = operator.deadline();
    const request = { ...operator, store: overriding<DocumentStore>(store, { count }), deadline: () => deadline };
    await expect(countRecords(tenant.tenantId, 'customers', request)).rejects.toThrow(RetryLater);
  });

  it('does so where a count takes longer than a step may, by the adapter of the real database', async () => {
    const { operator, tenant, store } = await aShop([{ Email: 'a@x.com' }]);
    const clock = new FixedClock();
    const calls = {
      count: async (_: string, timeoutMs: number) => {
        await clock.sleep(timeoutMs);
        throw Object.assign(new Error('late'), { code: Status.DEADLINE_EXCEEDED });
      },
    } as Partial<FirestoreCalls> as FirestoreCalls;
    const firestore = new FirestoreDocumentStore(calls, { clock, random: new SeededRandom() });
    for (const stepMs of [1_000, CALL_TIMEOUT_MS - 1, CALL_TIMEOUT_MS, 2 * CALL_TIMEOUT_MS]) {
      const count = (collection: string) => firestore.count(collection, deadlineIn(stepMs, clock));
      const slow = { ...operator, store: overriding<DocumentStore>(store, { count }) };
      expect(await countRecords(tenant.tenantId, 'customers', slow)).toEqual({ count: 1 });
    }
  });

  it('fails where the database cannot be reached', async () => {
    const { operator, tenant, store } = await aShop([]);
    const count = () => Promise.reject(Object.assign(new Error('UNAVAILABLE'), { code: Status.UNAVAILABLE }));
    const away = { ...operator, store: overriding<DocumentStore>(store, { count }) };
    await expect(countRecords(tenant.tenantId, 'customers', away)).rejects.toThrow('UNAVAILABLE');
  });
});

describe('buckets', () => {
  it('are listed with their organizations, and shown one by one', async () => {
    const { operator, store } = await aShop([]);
    for (const name of ['one', 'two']) await claimBucket(name, `org-${name}`, store, operator.deadline());
    const listed: object[] = [];
    for await (const bucket of listBuckets(operator)) listed.push(bucket);
    expect(listed).toHaveLength(2);
    expect(listed).toContainEqual({ bucketName: 'two', organizationId: 'org-two' });
    expect(await showBucket('one', operator)).toEqual({ bucketName: 'one', organizationId: 'org-one' });
    await expect(showBucket('none', operator)).rejects.toThrow('registered by no organization');
  });
});
