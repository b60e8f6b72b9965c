/** `tenants rekey` (D-08). */
import { countRecords, getRecord } from '../../shared/operations/records';
import { rekeyTenant } from '../../shared/operations/rekey';
import { updateTenant } from '../../shared/operations/tenants';
import { remove } from '../support/api-writes';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { upsertCustomers, upsertOrders, upsertProducts } from '../support/upserts';

let operator: EmulatorOperator;
beforeAll(() => {
  operator = connectToEmulator();
});
afterAll(() => operator.close());

it('moves customers to the new identifier, merges those that meet (the younger wins, D-09), and is safe to run again (D-08)', async () => {
  const tenant = await operator.createTenant();
  const send = (customer: object) => upsertCustomers([customer], tenant, operator.deadline(), operator);
  await send({ Email: 'old@x.com', CustomerId: 'c1', Name: 'Old', EmailOptin: true, Phone: '1' });
  await send({ Email: 'new@x.com', CustomerId: 'c1', Name: 'New' });
  await send({ Email: 'single@x.com', CustomerId: 'c2' });
  await send({ Email: 'no-id@x.com' });
  await updateTenant(tenant.tenantId, { customerIdentifier: 'customerid' }, operator);

  expect(await rekeyTenant(tenant.tenantId, operator)).toMatchObject({
    tenantId: tenant.tenantId,
    moved: 3,
    merged: 1,
  });
  expect(await countRecords(tenant.tenantId, 'customers', operator)).toEqual({ count: 3 });
  expect(await getRecord(tenant.tenantId, 'customers', { customerId: 'c1' }, operator)).toMatchObject({
    Email: 'new@x.com',
    Name: 'New',
    EmailOptin: false,
    Phone: '1',
  });
  expect(await rekeyTenant(tenant.tenantId, operator)).toMatchObject({ moved: 0, merged: 0 });
});

it('never brings back a consent that was withdrawn on one of two records that become one, and says how many (D-09)', async () => {
  const tenant = await operator.createTenant();
  const send = (customer: object) => upsertCustomers([customer], tenant, operator.deadline(), operator);
  await send({ Email: 'a@x.com', CustomerId: '1', EmailOptin: true, SmsOptin: true, IsExcluded: true });
  await send({ Email: 'b@x.com', CustomerId: '1', EmailOptin: true, SmsOptin: true, Phone: '1' });
  await send({ Email: 'a@x.com', EmailOptin: false });
  await send({ Email: 'b@x.com', Name: 'Bea' });
  await updateTenant(tenant.tenantId, { customerIdentifier: 'customerid' }, operator);

  expect(await rekeyTenant(tenant.tenantId, operator)).toMatchObject({ merged: 1, consentsWithdrawn: 1 });
  expect(await getRecord(tenant.tenantId, 'customers', { customerId: '1' }, operator)).toMatchObject({
    Email: 'b@x.com',
    Name: 'Bea',
    Phone: '1',
    EmailOptin: false,
    SmsOptin: true,
    IsExcluded: true,
  });
  expect(await rekeyTenant(tenant.tenantId, operator)).toMatchObject({ merged: 0, consentsWithdrawn: 0 });
});

it.each([
  [
    'updated',
    [
      { Email: 'b@x.com', CustomerId: '1', Phone: '2' },
      { Email: 'b@x.com', Phone: null },
    ],
  ],
  ['created', [{ Email: 'b@x.com', CustomerId: '1', Phone: null }]],
])('keeps a field cleared that the younger record cleared when it was %s (D-09)', async (_, younger) => {
  const tenant = await operator.createTenant();
  const send = (customer: object) => upsertCustomers([customer], tenant, operator.deadline(), operator);
  await send({ Email: 'a@x.com', CustomerId: '1', Phone: '1', Username: 'ann' });
  for (const customer of younger) await send(customer);
  await updateTenant(tenant.tenantId, { customerIdentifier: 'customerid' }, operator);
  await rekeyTenant(tenant.tenantId, operator);
  const left = await getRecord(tenant.tenantId, 'customers', { customerId: '1' }, operator);
  expect(left).toMatchObject({ Email: 'b@x.com', Username: 'ann' });
  expect(left).not.toHaveProperty('Phone');

  // What is sent after that counts again.
  const customerid = await updateTenant(tenant.tenantId, {}, operator);
  await upsertCustomers([{ CustomerId: '1', Phone: '3' }], customerid, operator.deadline(), operator);
  await updateTenant(tenant.tenantId, { customerIdentifier: 'email' }, operator);
  await rekeyTenant(tenant.tenantId, operator);
  expect(await getRecord(tenant.tenantId, 'customers', { email: 'b@x.com' }, operator)).toMatchObject({ Phone: '3' });
});

it('makes known products findable by Sku, and orders name their customer by the new field', async () => {
  const tenant = await operator.createTenant();
  await upsertProducts(
    [{ ProductId: 'P1', ProductVariants: [{ VariantId: 'v', Sku: 'A' }] }],
    tenant,
    operator.deadline(),
    operator,
  );
  await upsertOrders(
    [{ OrderId: 'o', Currency: 'EUR', Email: 'A@x.com', CustomerId: 'c1' }],
    tenant,
    operator.deadline(),
    operator,
  );
  const changed = await updateTenant(
    tenant.tenantId,
    { productIdentifier: 'sku', orderCustomer: 'customerid' },
    operator,
  );

  expect(await rekeyTenant(tenant.tenantId, operator)).toMatchObject({
    products: { moved: 1, merged: 0 },
    orders: { moved: 1, merged: 0 },
  });
  expect(await getRecord(tenant.tenantId, 'orders', { id: 'o' }, operator)).toMatchObject({
    Customer: { CustomerId: 'c1' },
  });
  await upsertProducts(
    [{ ProductId: 'P2', ProductVariants: [{ VariantId: 'w', Sku: 'A' }] }],
    changed,
    operator.deadline(),
    operator,
  );
  expect(await countRecords(tenant.tenantId, 'products', operator)).toEqual({ count: 1 });
});

it('merges 100 customers that meet in one, and counts each', async () => {
  const tenant = await operator.createTenant({ customerIdentifier: 'customerid' });
  const customers = Array.from({ length: 100 }, (_, index) => ({ CustomerId: `c${index}`, Email: 'shared@x.com' }));
  await upsertCustomers(customers, tenant, operator.deadline(), operator);
  await updateTenant(tenant.tenantId, { customerIdentifier: 'email' }, operator);
  expect(await rekeyTenant(tenant.tenantId, operator)).toMatchObject({ moved: 1, merged: 99 });
  expect(await countRecords(tenant.tenantId, 'customers', operator)).toEqual({ count: 1 });
});

it.each([
  ['older', ['a@x.com', 'b@x.com']],
  ['newer', ['b@x.com', 'a@x.com']],
])('applies a deletion that is pending before two customers become one: of the %s one', async (_, emails) => {
  const tenant = await operator.createTenant();
  for (const Email of emails) {
    const customer = { Email, CustomerId: '1', ...(Email === 'a@x.com' && { Phone: '123' }) };
    await upsertCustomers([customer], tenant, operator.deadline(), operator);
  }
  await remove(tenant, { type: 'customer', email: 'a@x.com', customerId: null }, 'pending', operator);
  await updateTenant(tenant.tenantId, { customerIdentifier: 'customerid' }, operator);
  await rekeyTenant(tenant.tenantId, operator);
  const left = await getRecord(tenant.tenantId, 'customers', { customerId: '1' }, operator);
  expect(left).toMatchObject({ Email: 'b@x.com', CustomerId: '1' });
  expect(left).not.toHaveProperty('Phone');
  expect(await countRecords(tenant.tenantId, 'customers', operator)).toEqual({ count: 1 });
});

it('loses no setting of two updates at once', async () => {
  const tenant = await operator.createTenant();
  await Promise.all([
    updateTenant(tenant.tenantId, { required: ['Language'] }, operator),
    updateTenant(tenant.tenantId, { defaultLanguage: 'de' }, operator),
    updateTenant(tenant.tenantId, { orderCustomer: 'customerid' }, operator),
  ]);
  expect(await updateTenant(tenant.tenantId, {}, operator)).toMatchObject({
    requiredFields: ['Language'],
    defaultLanguage: 'de',
    orderCustomer: 'customerid',
  });
});
