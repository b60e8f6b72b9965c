/** Reading records back from the real database. */
import { findPendingDeletions } from '../../shared/deletions/pending-deletions';
import { setAside } from '../../shared/deletions/set-aside';
import { deletionPath } from '../../shared/documents/paths';
import type { DeletionTarget } from '../../shared/domain/deletion';
import { toDeletionId } from '../../shared/domain/deletion';
import { emailIdentity, orderRecordId, productRecordId } from '../../shared/domain/identity';
import type { Tenant } from '../../shared/domain/tenant';
import { MAX_READ_CUSTOMERS } from '../../shared/limits/records';
import { findCustomers, findRecord } from '../../shared/records/read-records';
import { acceptDeletion } from '../support/deletions';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { RecordingPublisher } from '../support/recording-fakes';
import { upsertCustomers, upsertOrders, upsertProducts } from '../support/upserts';

let operator: EmulatorOperator;
beforeAll(() => {
  operator = connectToEmulator();
});
afterAll(() => operator.close());

const accept = (tenant: Tenant, target: DeletionTarget) =>
  acceptDeletion(tenant, target, operator.deadline(), {
    ...operator,
    publisher: new RecordingPublisher(),
    deletionsTopic: 'd',
  });
const customersOf = (tenant: Tenant, customerId: string | null, email: string | null) =>
  findCustomers(tenant, { customerId, email }, operator.store, operator.deadline());

/** Sets a pending deletion aside, as whoever cannot apply it does. */
async function setPendingAside({ tenantId }: Tenant, deletionId: string): Promise<void> {
  const { store } = operator;
  const { pending } = await findPendingDeletions(tenantId, [deletionId], store, operator.deadline());
  const failed = { ...pending[0]!, path: deletionPath(tenantId, deletionId) };
  expect(await setAside(tenantId, failed, new Error('No.'), operator.deadline(), operator)).toBe(true);
}

it('finds customers by their key, by a query and by both, and says when there are more (R-70)', async () => {
  const tenant = await operator.createTenant();
  const all = Array.from({ length: MAX_READ_CUSTOMERS + 1 }, (_, n) => ({ Email: `c${n}@x.com`, CustomerId: '7' }));
  await upsertCustomers(all, tenant, operator.deadline(), operator);
  expect(await customersOf(tenant, null, 'C3@x.com')).toMatchObject({
    records: [{ Email: 'c3@x.com' }],
    hasMore: false,
  });
  expect(await customersOf(tenant, '7', 'c5@x.com')).toMatchObject({
    records: [{ Email: 'c5@x.com' }],
    hasMore: false,
  });
  expect(await customersOf(tenant, '8', 'c5@x.com')).toEqual({ records: [], hasMore: false });
  const shared = await customersOf(tenant, '7', null);
  expect([shared.records.length, shared.hasMore]).toEqual([MAX_READ_CUSTOMERS, true]);
});

it('shows what accepted deletions leave, pending or set aside, until they are sent again (R-69)', async () => {
  const tenant = await operator.createTenant();
  const deadline = () => operator.deadline();
  await upsertCustomers([{ Email: 'a@x.com' }, { Email: 'b@x.com' }], tenant, deadline(), operator);
  const variants = ['1', '2'].map((id) => ({ VariantId: id, Sku: id }));
  await upsertProducts([{ ProductId: 'p', ProductVariants: variants }], tenant, deadline(), operator);
  await upsertOrders([{ OrderId: 'o', Currency: 'EUR' }], tenant, deadline(), operator);
  await accept(tenant, { type: 'customer', customerId: null, email: 'a@x.com' });
  await accept(tenant, { type: 'variant', productId: 'p', variantId: '1' });
  await accept(tenant, { type: 'order', orderId: 'o' });
  const shown = async () => [
    (await customersOf(tenant, null, 'a@x.com')).records.length,
    (await customersOf(tenant, null, 'b@x.com')).records.length,
    await findRecord(tenant, 'products', productRecordId('p'), operator.store, deadline()),
    await findRecord(tenant, 'orders', orderRecordId('o'), operator.store, deadline()),
  ];
  const left = expect.objectContaining({ ProductId: 'p', ProductVariants: [variants[1]] }) as unknown;
  const deletionAcceptedAt = expect.any(Date) as unknown;
  const expected = [0, 1, { record: left, deletionAcceptedAt }, { record: undefined, deletionAcceptedAt }];
  expect(await shown()).toEqual(expected);
  await setPendingAside(tenant, toDeletionId('customers', emailIdentity('a@x.com')));
  await setPendingAside(tenant, toDeletionId('products', productRecordId('p')));
  await setPendingAside(tenant, toDeletionId('orders', orderRecordId('o')));
  expect(await shown()).toEqual(expected);
  await upsertCustomers([{ Email: 'a@x.com', Name: 'Back' }], tenant, deadline(), operator);
  await upsertOrders([{ OrderId: 'o', Currency: 'EUR' }], tenant, deadline(), operator);
  expect(await shown()).toMatchObject([1, 1, {}, { record: { OrderId: 'o' } }]);
});
