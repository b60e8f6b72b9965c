/** All that is stored of a person, for the answer to an access request. */
import { exportPerson } from '../../../shared/operations/person';
import type { RecordAddress } from '../../../shared/operations/records';
import { createTenant } from '../../../shared/operations/tenants';
import type { DeletionTarget } from '../../../shared/domain/deletion';
import type { TenantSettings } from '../../../shared/domain/tenant';
import { LIST_PAGE_DOCUMENTS } from '../../../shared/limits/records';
import { acceptDeletion } from '../../support/deletions';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { RecordingPublisher } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';
import { upsertCustomers, upsertOrders } from '../../support/upserts';

const CUSTOMERS = [
  { Email: 'Ann@x.com', CustomerId: '1' },
  { Email: 'ann.second@x.com', CustomerId: '1' },
  { Email: 'bob@x.com', CustomerId: '2' },
];
const ORDERS = [
  { OrderId: 'by e-mail', Email: 'ann@X.com' },
  { OrderId: 'by id', CustomerId: '1' },
  { OrderId: 'by her second e-mail', Email: 'ann.second@x.com' },
  { OrderId: 'paid by Bob', Email: 'bob@x.com', CustomerId: '1' },
  { OrderId: "Bob's", Email: 'bob@x.com', CustomerId: '2' },
  { OrderId: 'of nobody' },
].map((order) => ({ ...order, Currency: 'EUR' }));

async function aShop({ orders = ORDERS, ...settings }: Partial<TenantSettings> & { orders?: typeof ORDERS } = {}) {
  const store = new MemoryDocumentStore();
  const operator = operatorOn(store, { clock: new FixedClock(), random: new SeededRandom() });
  const { customerIdentifier, orderCustomer } = settings;
  const options = { ...(customerIdentifier && { customerIdentifier }), ...(orderCustomer && { orderCustomer }) };
  const tenant = await createTenant({ organization: 'test', ...options }, operator);
  await upsertCustomers(CUSTOMERS, tenant, operator.deadline(), operator);
  await upsertOrders(orders, tenant, operator.deadline(), operator);
  const accept = (target: DeletionTarget) =>
    acceptDeletion(tenant, target, operator.deadline(), {
      ...operator,
      publisher: new RecordingPublisher(),
      deletionsTopic: 'deletions',
    });
  const show = async (address: RecordAddress) => {
    const records: object[] = [];
    for await (const shown of exportPerson(tenant.tenantId, address, operator)) records.push(shown);
    return records;
  };
  /** The e-mails of the customers and the ids of the orders. */
  const find = async (address: RecordAddress) =>
    ((await show(address)) as { record: { OrderId?: string; Email?: string } }[])
      .map(({ record }) => record.OrderId ?? record.Email)
      .sort();
  return { operator, accept, show, find };
}

describe('records person', () => {
  it('prints the customers with the identifier, the orders that have it, and those of these customers (R-71)', async () => {
    const { find } = await aShop();
    expect(await find({ email: 'ANN@x.com' })).toEqual(['Ann@x.com', 'by e-mail', 'by id']);
    expect(await find({ customerId: '1' })).toEqual(
      ['Ann@x.com', 'ann.second@x.com', 'by e-mail', 'by her second e-mail', 'by id', 'paid by Bob'].sort(),
    );
    expect(await find({ email: 'nobody@x.com' })).toEqual([]);
  });

  it('goes by the tenant’s order customer identification where an order names two customers (R-71)', async () => {
    const { find } = await aShop({ orderCustomer: 'customerid' });
    expect(await find({ email: 'ann@x.com' })).toEqual(['Ann@x.com', 'by e-mail', 'by id', 'paid by Bob']);
    expect(await find({ email: 'bob@x.com' })).toEqual(["Bob's", 'bob@x.com', 'paid by Bob']);
  });

  it('finds the orders of a person who is no customer (R-71)', async () => {
    const { find } = await aShop({ orders: [{ OrderId: 'guest', Email: 'guest@x.com', Currency: 'EUR' }] });
    expect(await find({ email: 'guest@x.com' })).toEqual(['guest']);
  });

  it('prints records as the routes do, each with its kind (R-71)', async () => {
    const { show } = await aShop();
    const [customer, order] = await show({ email: 'ann@x.com' });
    const times = { updatedAt: '1970-01-01T00:00:00.000Z', asOf: '1970-01-01T00:00:00.000Z' };
    expect(customer).toMatchObject({ kind: 'customers', record: { Email: 'Ann@x.com', CustomerId: '1', ...times } });
    expect(order).toMatchObject({ kind: 'orders', record: { Currency: 'EUR', OrderItems: [], ...times } });
    expect(JSON.stringify([customer, order])).not.toMatch(/revision|matching/);
  });

  it('leaves out what an accepted deletion means, and says so (R-69)', async () => {
    const { find, accept, operator } = await aShop();
    await accept({ type: 'customer', customerId: null, email: 'ann@x.com' });
    await accept({ type: 'order', orderId: 'by e-mail' });
    expect(await find({ email: 'ann@x.com' })).toEqual([]);
    expect(operator.said.at(-1)).toContain('Left out as deleted, applied or not: 2.');
    expect(await find({ email: 'bob@x.com' })).toContain('bob@x.com');
    expect(operator.said.filter((text) => text.startsWith('Left out'))).toHaveLength(1);
  });

  it('says after each page of orders how far it is', async () => {
    const orders = Array.from({ length: LIST_PAGE_DOCUMENTS + 1 }, (_, n) => ({ ...ORDERS[0]!, OrderId: `o${n}` }));
    const { find, operator } = await aShop({ orders });
    expect(await find({ email: 'ann@x.com' })).toHaveLength(LIST_PAGE_DOCUMENTS + 2);
    const counts = [LIST_PAGE_DOCUMENTS, LIST_PAGE_DOCUMENTS + 1];
    expect(operator.said).toEqual(counts.map((count) => `${count} orders looked through`));
  });

  it.each<[string, RecordAddress]>([
    ['no identifier', {}],
    ['a blank one', { email: ' ' }],
    ['both', { email: 'ann@x.com', customerId: '1' }],
  ])('refuses %s', async (_, address) => {
    const { show } = await aShop();
    await expect(show(address)).rejects.toThrow('Name the customer by either --email X or --customer-id X');
  });
});
