/**
 * Deletions on the real database: in any order, repeated, late, and after a crash between any two steps (D-41 to D-44).
 */
import { getRecord, countRecords } from '../../shared/operations/records';
import { acceptDeletion } from '../support/deletions';
import { applyDeletions, drainDeletions } from '../../shared/deletions/apply-deletion';
import type { DocumentStore } from '../../shared/documents/document-store';
import type { DeletionRequested, DeletionTarget, DrainRequested } from '../../shared/domain/deletion';
import { PENDING_DELETIONS_PAGE } from '../../shared/limits/deletions';
import type { Tenant } from '../../shared/domain/tenant';
import { lookUpCustomers } from '../../shared/workspace/customer-lookup';
import { overriding } from '../support/overriding';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { pendingDeletions } from '../support/pending-deletions';
import { RecordingPublisher } from '../support/recording-fakes';
import { upsertCustomers, upsertOrders, upsertProducts } from '../support/upserts';

let operator: EmulatorOperator;
beforeAll(() => {
  operator = connectToEmulator();
});
afterAll(() => operator.close());

type Message = DeletionRequested | DrainRequested;

/** Accepts a deletion and returns its messages, which the test delivers when it likes. */
async function accept(tenant: Tenant, target: DeletionTarget): Promise<Message[]> {
  const publisher = new RecordingPublisher();
  await acceptDeletion(tenant, target, operator.deadline(), { ...operator, publisher, deletionsTopic: 'd' });
  return publisher.published.map(({ event }) => event as Message);
}

async function deliver(tenant: Tenant, messages: readonly Message[]): Promise<void> {
  for (const message of messages) {
    if ('drain' in message) await drainDeletions(tenant, message.drain, operator.deadline(), operator);
    else await applyDeletions(tenant, message.deletionIds, operator.deadline(), operator);
  }
}

const upsertCustomer = (tenant: Tenant, customer: object) =>
  upsertCustomers([customer], tenant, operator.deadline(), operator);

/** A database whose first commit is applied and its answer lost: other things happen before it is sent again. */
function losingAnAnswer(meanwhile: () => Promise<void>): DocumentStore {
  const { store } = operator;
  let isLost = false;
  return overriding(store, {
    commit: async (...call) => {
      const outcome = await store.commit(...call);
      if (isLost) return outcome;
      isLost = true;
      await meanwhile();
      return store.commit(...call);
    },
  });
}

const customer = (customerId: string | null, email: string | null): DeletionTarget => ({
  type: 'customer',
  customerId,
  email,
});
const find = (tenant: Tenant, email: string) => getRecord(tenant.tenantId, 'customers', { email }, operator);
const pending = (tenant: Tenant) => pendingDeletions(tenant.tenantId, operator.store, operator.deadline());

describe('deletions whose messages come in another order than they were accepted in (D-41, R-13)', () => {
  it('of customers: a later one leaves to the earlier one whom it means, and nobody else goes (D-43)', async () => {
    const tenant = await operator.createTenant();
    await upsertCustomer(tenant, { Email: 'a@x.com' });
    await upsertCustomer(tenant, { CustomerId: '1' });
    const first = await accept(tenant, customer('1', 'a@x.com')); // finds the e-mail, so that the id does not count
    const second = await accept(tenant, customer('2', 'a@x.com'));
    await deliver(tenant, second);
    await deliver(tenant, first);
    expect(await find(tenant, 'a@x.com')).toBeNull();
    expect(await getRecord(tenant.tenantId, 'customers', { customerId: '1' }, operator)).toMatchObject({
      CustomerId: '1',
    });
  });

  it('of customers: many between the two make no difference', async () => {
    const tenant = await operator.createTenant();
    const others = Array.from({ length: 120 }, (_, n) => `c${n}@x.com`);
    await upsertCustomers(
      ['a@x.com', ...others].map((Email) => ({ Email })),
      tenant,
      operator.deadline(),
      operator,
    );
    await upsertCustomer(tenant, { CustomerId: '1' });
    const messages = [await accept(tenant, customer('1', 'a@x.com'))];
    for (const email of others) messages.push(await accept(tenant, customer(null, email)));
    messages.push(await accept(tenant, customer('2', 'a@x.com')));
    await deliver(tenant, messages.reverse().flat());
    expect(await countRecords(tenant.tenantId, 'customers', operator)).toEqual({ count: 1 });
    expect(await pending(tenant)).toEqual([]);
  });

  it('of items: a later one takes no item for the earlier one (D-44)', async () => {
    const tenant = await operator.createTenant();
    const item = (ProductId: string, Sku: string) => ({ ProductId, Sku, Quantity: 1, Price: 1 });
    const order = { OrderId: 'o', Currency: 'EUR', OrderItems: [item('p', 's'), item('p', 't')] };
    await upsertOrders([order], tenant, operator.deadline(), operator);
    const target = { type: 'orderItem', orderId: 'o', productId: 'p', sku: 's' } as const;
    const first = await accept(tenant, target);
    const second = await accept(tenant, { ...target, productId: null });
    await deliver(tenant, second);
    await deliver(tenant, first);
    expect(await getRecord(tenant.tenantId, 'orders', { id: 'o' }, operator)).toMatchObject({
      OrderItems: [{ Sku: 't' }],
    });
  });
});

describe('an acceptance whose answer is lost and that is sent again (D-41)', () => {
  const acceptAgain = async (tenant: Tenant, target: DeletionTarget, meanwhile: () => Promise<void>) => {
    const publisher = new RecordingPublisher();
    const log = { ...operator, store: losingAnAnswer(meanwhile), publisher, deletionsTopic: 'd' };
    await acceptDeletion(tenant, target, operator.deadline(), log);
    return publisher.published.map(({ event }) => event as Message);
  };

  it('removes nothing that is sent after its answer', async () => {
    const tenant = await operator.createTenant();
    await upsertCustomer(tenant, { Email: 'a@x.com', Name: 'Before' });
    const message = await acceptAgain(tenant, customer(null, 'a@x.com'), async () => {
      await upsertCustomer(tenant, { Email: 'a@x.com', Name: 'Meanwhile' });
    });
    await upsertCustomer(tenant, { Email: 'a@x.com', Name: 'After' });
    await deliver(tenant, message);
    expect(await find(tenant, 'a@x.com')).toMatchObject({ Name: 'After' });
  });

  it('removes no other customer, whom only its other identifier names (D-43)', async () => {
    const tenant = await operator.createTenant();
    await upsertCustomer(tenant, { Email: 'a@x.com', CustomerId: 'A' });
    await upsertCustomer(tenant, { Email: 'b@x.com', CustomerId: 'B' });
    const message = await acceptAgain(tenant, customer('B', 'a@x.com'), async () => {
      await drainDeletions(tenant, 'customers', operator.deadline(), operator);
    });
    await deliver(tenant, message);
    expect(await find(tenant, 'a@x.com')).toBeNull();
    expect(await find(tenant, 'b@x.com')).toMatchObject({ CustomerId: 'B' });
  });

  it('stays one deletion when nothing happened meanwhile', async () => {
    const tenant = await operator.createTenant();
    await acceptAgain(tenant, customer(null, 'a@x.com'), () => Promise.resolve());
    expect(await pending(tenant)).toHaveLength(1);
  });
});

describe('order of deletions and upserts (D-41)', () => {
  it('keeps an upsert that was accepted after the deletion, however late and often its message comes', async () => {
    const tenant = await operator.createTenant();
    await upsertCustomer(tenant, { Email: 'a@x.com', Name: 'Before' });
    const message = await accept(tenant, customer(null, 'a@x.com'));
    await upsertCustomer(tenant, { Email: 'a@x.com', Phone: 'After' });
    for (let delivery = 0; delivery < 3; delivery += 1) {
      await deliver(tenant, message);
      expect(await find(tenant, 'a@x.com')).toMatchObject({ Phone: 'After' });
    }
  });

  it('never carries a consent from before the deletion into a record written after it (R-08)', async () => {
    const tenant = await operator.createTenant();
    await upsertCustomer(tenant, { Email: 'a@x.com', EmailOptin: true, Name: 'Before' });
    await accept(tenant, customer(null, 'a@x.com'));
    await upsertCustomer(tenant, { Email: 'a@x.com', Phone: 'After' });
    expect(await find(tenant, 'a@x.com')).toEqual({
      Email: 'a@x.com',
      Phone: 'After',
      EmailOptin: false,
      SmsOptin: false,
      WhatsappOptin: false,
      AppPushOptin: false,
      GdprOptin: false,
      IsExcluded: false,
    });
  });

  it('applies a deletion by customer id before an upsert that names the same customer by e-mail only', async () => {
    const tenant = await operator.createTenant();
    await upsertCustomer(tenant, { Email: 'a@x.com', CustomerId: 'c1', EmailOptin: true });
    const message = await accept(tenant, customer('c1', null));
    await upsertCustomer(tenant, { Email: 'a@x.com', Name: 'After' });
    await deliver(tenant, message);
    expect(await find(tenant, 'a@x.com')).toMatchObject({ Name: 'After', EmailOptin: false });
  });

  it('applies a deletion whose message was never published with the next upsert of its record (R-08)', async () => {
    const tenant = await operator.createTenant();
    await upsertCustomer(tenant, { Email: 'a@x.com', Name: 'Before' });
    const publisher = { publish: () => Promise.reject(new Error('crash')) };
    const accepting = acceptDeletion(tenant, customer(null, 'a@x.com'), operator.deadline(), {
      ...operator,
      publisher,
      deletionsTopic: 'd',
    });
    await expect(accepting).rejects.toThrow('crash');
    await upsertCustomer(tenant, { Email: 'other@x.com' });
    expect(await pending(tenant)).toHaveLength(1); // it is about another record
    await upsertCustomer(tenant, { Email: 'a@x.com' });
    expect(await find(tenant, 'a@x.com')).not.toHaveProperty('Name');
    expect(await pending(tenant)).toEqual([]);
  });

  it('applies one deletion once when five workers take it at the same time', async () => {
    const tenant = await operator.createTenant();
    await upsertCustomer(tenant, { Email: 'a@x.com' });
    const message = await accept(tenant, customer(null, 'a@x.com'));
    await Promise.all(Array.from({ length: 5 }, () => deliver(tenant, message)));
    expect(await find(tenant, 'a@x.com')).toBeNull();
    expect(await pending(tenant)).toEqual([]);
  });
});

it('applies a backlog of 300 deletions of one order before an upsert, each once', async () => {
  const tenant = await operator.createTenant();
  const items = Array.from({ length: 301 }, (_, index) => ({
    ProductId: `p${index}`,
    Sku: 's',
    Quantity: 1,
    Price: 1,
  }));
  await upsertOrders([{ OrderId: 'o', Currency: 'EUR', OrderItems: items }], tenant, operator.deadline(), operator);
  for (let index = 0; index < 300; index += 1) {
    await accept(tenant, { type: 'orderItem', orderId: 'o', productId: `p${index}`, sku: null });
  }
  await drainDeletions(tenant, 'orders', operator.deadline(), operator);
  expect(await getRecord(tenant.tenantId, 'orders', { id: 'o' }, operator)).toMatchObject({
    OrderItems: [{ ProductId: 'p300' }],
  });
  expect(await pending(tenant)).toEqual([]);
});

const BLANKS = ' '.repeat(12_000);

it.each([
  ['blanks before the item', 'o', BLANKS],
  ['blanks before the order', `${BLANKS}o`, ''],
  ['an id that no order has', 'o'.repeat(12_000), ''],
])('stores orders on after 100 deletions of items as long as a request takes: %s', async (_, orderId, beforeSku) => {
  const tenant = await operator.createTenant();
  for (let n = 0; n < 100; n += 1) {
    await accept(tenant, { type: 'orderItem', orderId, productId: null, sku: `${beforeSku}s${n}` });
  }
  await upsertOrders([{ OrderId: 'o', Currency: 'EUR' }], tenant, operator.deadline(), operator);
  expect(await countRecords(tenant.tenantId, 'orders', operator)).toEqual({ count: 1 });
  expect(await pending(tenant)).toEqual([]);
});

describe('which customers a deletion removes (D-43)', () => {
  it.each(['email', 'customerid'] as const)(
    'tries the priority identifier (%s) first and stops where it finds one',
    async (customerIdentifier) => {
      const tenant = await operator.createTenant({ customerIdentifier });
      await upsertCustomer(tenant, { Email: 'a@x.com', CustomerId: 'other' });
      await upsertCustomer(tenant, { Email: 'b@x.com', CustomerId: 'c1' });
      await deliver(tenant, await accept(tenant, customer('c1', 'A@x.com ')));
      expect((await find(tenant, 'a@x.com')) === null).toBe(customerIdentifier === 'email');
      expect((await find(tenant, 'b@x.com')) === null).toBe(customerIdentifier === 'customerid');
    },
  );

  it('tries the other identifier where the priority one finds nothing', async () => {
    const tenant = await operator.createTenant();
    await upsertCustomer(tenant, { Email: 'a@x.com', CustomerId: 'c1' });
    await deliver(tenant, await accept(tenant, customer('c1', 'nobody@x.com')));
    expect(await find(tenant, 'a@x.com')).toBeNull();
  });

  it('removes all customers that match, more than one commit holds', async () => {
    const tenant = await operator.createTenant();
    const many = Array.from({ length: 950 }, (_, index) => ({ Email: `e${index}@x.com`, CustomerId: 'shared' }));
    await upsertCustomers(
      [...many, { Email: 'stays@x.com', CustomerId: 'another' }],
      tenant,
      operator.deadline(),
      operator,
    );
    await deliver(tenant, await accept(tenant, customer('shared', null)));
    expect(await countRecords(tenant.tenantId, 'customers', operator)).toEqual({ count: 1 });
    expect(await pending(tenant)).toEqual([]);
  });
});

describe('cascades', () => {
  it.each(['productid', 'sku'] as const)(
    'removes a product with its variants, or one variant (priority %s)',
    async (productIdentifier) => {
      const tenant = await operator.createTenant({ productIdentifier });
      const variants = ['a', 'b'].map((id) => ({ VariantId: id, Sku: `sku-${id}` }));
      await upsertProducts([{ ProductId: 'P/1', ProductVariants: variants }], tenant, operator.deadline(), operator);
      await deliver(tenant, await accept(tenant, { type: 'variant', productId: 'P/1', variantId: 'a' }));
      expect(await getRecord(tenant.tenantId, 'products', { id: 'P/1' }, operator)).toMatchObject({
        ProductVariants: [{ VariantId: 'b' }],
      });
      await deliver(tenant, await accept(tenant, { type: 'product', productId: 'P/1' }));
      expect(await getRecord(tenant.tenantId, 'products', { id: 'P/1' }, operator)).toBeNull();
      // A Sku of a removed product leads nowhere: the next product with it is a new one.
      await upsertProducts([{ ProductId: 'P2', ProductVariants: variants }], tenant, operator.deadline(), operator);
      expect(await countRecords(tenant.tenantId, 'products', operator)).toEqual({ count: 1 });
      expect(await getRecord(tenant.tenantId, 'products', { id: 'P2' }, operator)).not.toBeNull();
    },
  );

  it('removes an item by its ids, and an order with all of its items', async () => {
    const tenant = await operator.createTenant();
    const items = ['a', 'b'].map((Sku) => ({ ProductId: 'p', Sku, Quantity: 1, Price: 1 }));
    await upsertOrders([{ OrderId: 'o', Currency: 'EUR', OrderItems: items }], tenant, operator.deadline(), operator);
    await deliver(tenant, await accept(tenant, { type: 'orderItem', orderId: 'o', productId: 'p', sku: 'a' }));
    expect(await getRecord(tenant.tenantId, 'orders', { id: 'o' }, operator)).toMatchObject({
      OrderItems: [{ Sku: 'b' }],
    });
    await deliver(tenant, await accept(tenant, { type: 'order', orderId: 'o' }));
    expect(await getRecord(tenant.tenantId, 'orders', { id: 'o' }, operator)).toBeNull();
  });

  it.each<DeletionTarget>([
    { type: 'customer', customerId: 'none', email: null },
    { type: 'product', productId: 'none' },
    { type: 'variant', productId: 'none', variantId: 'none' },
    { type: 'order', orderId: 'none' },
    { type: 'orderItem', orderId: 'none', productId: null, sku: 'none' },
  ])('leaves nothing pending where nothing matches: $type', async (target) => {
    const tenant = await operator.createTenant();
    await deliver(tenant, await accept(tenant, target));
    expect(await pending(tenant)).toEqual([]);
  });
});

describe('a deletion with an id as long as a URL carries (R-32)', () => {
  const LONG = 'x'.repeat(2_000);

  it.each<[kind: string, target: DeletionTarget]>([
    ['a customer id', { type: 'customer', customerId: LONG, email: null }],
    ['an e-mail', { type: 'customer', customerId: null, email: `${LONG}@x.com` }],
  ])('lets upserts and deletions go on: %s', async (_, target) => {
    const tenant = await operator.createTenant();
    await acceptDeletion(tenant, target, operator.deadline(), {
      ...operator,
      publisher: new RecordingPublisher(),
      deletionsTopic: 'd',
    });
    await upsertCustomer(tenant, { Email: 'a@x.com' });
    await deliver(tenant, await accept(tenant, customer(null, 'A@X.com')));
    expect(await find(tenant, 'a@x.com')).toBeNull();
    expect(await pending(tenant)).toEqual([]);
  });

  it('could be looked up all the same: the index holds hashes', async () => {
    const tenant = await operator.createTenant();
    const by = (value: string) => ({ by: 'customerid', value }) as const;
    await upsertCustomer(tenant, { CustomerId: ' c ' });
    const lookUp = (value: string) => lookUpCustomers(tenant.tenantId, by(value), { limit: 2 }, operator.store, operator.deadline()); // prettier-ignore
    expect(await lookUp(LONG)).toEqual([]);
    expect(await lookUp('c')).toHaveLength(1);
    const [stored] = await lookUp('c');
    expect(stored?.data.matchingCustomerId).toMatch(/^[\w-]{43}$/);
  });
});

it('accepts what 32 instances get at once while the flag is lowered: none waits for the lock of another one (R-63)', async () => {
  const tenant = await operator.createTenant();
  await Promise.all(Array.from({ length: 32 }, (_, n) => accept(tenant, customer(null, `${n}@x.com`))));
  expect(await pendingDeletions(tenant.tenantId, operator.store, operator.deadline())).toHaveLength(32);
});

it('applies a backlog of more than a page once, however many workers take it', async () => {
  const tenant = await operator.createTenant();
  await upsertCustomer(tenant, { Email: 'a@x.com', CustomerId: 'A' });
  await upsertCustomer(tenant, { Email: 'b@x.com', CustomerId: 'B' });
  for (let n = 0; n < PENDING_DELETIONS_PAGE; n += 1) await accept(tenant, customer(null, `${n}@x.com`));
  await accept(tenant, customer('B', 'a@x.com')); // finds the e-mail
  await accept(tenant, customer(null, 'a@x.com'));
  await Promise.all(Array.from({ length: 3 }, () => deliver(tenant, [{ tenantId: tenant.tenantId, drain: 'customers' }]))); // prettier-ignore
  expect(await find(tenant, 'a@x.com')).toBeNull();
  expect(await find(tenant, 'b@x.com')).not.toBeNull();
  expect(await pending(tenant)).toEqual([]);
});
