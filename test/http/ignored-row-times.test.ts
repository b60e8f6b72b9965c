/** The times of rows of files are no fields of the API: there they are ignored like others (D-21, D-58, R-27). */
import { useTestService } from '../support/test-service';

const customers = useTestService('customers');
const orders = useTestService('orders');

it('ignores and names UpdatedAt and DeletedAt of a record, and deletes nothing (R-27)', async () => {
  const { tenantId, key } = await customers().createCaller();
  const times = { UpdatedAt: '2026-01-01', DeletedAt: '2026-01-01' };
  const json = [{ Email: 'ada@example.com', ...times }];
  const answer = await customers().request('POST', `/customers/${tenantId}`, { key, json });
  expect(answer.json).toMatchObject({ success: true, data: { count: 1, ignoredFields: ['UpdatedAt', 'DeletedAt'] } });
  expect(await customers().records(tenantId, 'customers')).toHaveLength(1);
});

it('ignores and names DeletedAt of an item, which has to be valid and is stored', async () => {
  const { tenantId, key } = await orders().createCaller();
  const item = { ProductId: 'p', Sku: 's', Quantity: 1, Price: 1 };
  const send = (OrderItems: object[]) =>
    orders().request('POST', `/orders/${tenantId}`, { key, json: [{ OrderId: 'o', Currency: 'EUR', OrderItems }] });
  expect((await send([{ Sku: 's', DeletedAt: '2026-01-01' }])).status).toBe(400);
  const answer = await send([{ ...item, DeletedAt: '2026-01-01' }]);
  expect(answer.json).toMatchObject({ data: { ignoredFields: ['OrderItems.DeletedAt'] } });
  expect(await orders().records(tenantId, 'orders')).toMatchObject([{ OrderItems: [item] }]);
});
