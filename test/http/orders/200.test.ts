import { envelopeOf, expectAnswer, NOW } from '../api';
import { describeBatchDeletions } from '../suites/batch-deletions';
import { describeSuccess } from '../suites/success';
import { useTestService } from '../../support/test-service';
import { warningOf } from '../../support/warnings';

describeSuccess('orders');
describeBatchDeletions('orders');

const service = useTestService('orders');
const item = (id: string, more: object = {}) => ({
  ProductId: `P-${id}`,
  Sku: `S-${id}`,
  Quantity: 1,
  Price: 9.5,
  ...more,
});
const order = (id: string, more: object = {}) => ({ OrderId: `O-${id}`, Currency: 'EUR', ...more });
const saved = (count: number, more: object = {}) =>
  envelopeOf('orders', true, 'Orders saved.', { count, created: count, updated: 0, processedAt: NOW, ...more });
const removed = (productId: string | null, sku: string | null) =>
  envelopeOf('orders', true, 'Order item removed.', { orderId: 'O-1', productId, sku, deletedAt: NOW });

describe('POST /orders/<tenant_id>', () => {
  it('stores a new order with every default (Spec §2.5, D-13)', async () => {
    const { tenantId, key } = await service().createCaller();
    await service().request('POST', `/orders/${tenantId}`, { key, json: [order('1', { Currency: 'eur' })] });
    expect(JSON.parse(JSON.stringify(await service().records(tenantId, 'orders')))).toMatchObject([
      {
        OrderId: 'O-1',
        Currency: 'EUR',
        TotalQuantity: 1,
        TotalRevenue: 1,
        UniqueQuantity: 1,
        IsOrderCancelled: false,
        OrderDate: NOW,
        OrderItems: [],
      },
    ]);
  });

  it('stores every field of an order and its item (Spec §2.5, §2.6, D-18)', async () => {
    const { tenantId, key } = await service().createCaller();
    const full = item('1', { Size: 'XL', Color: 'red', Brand: 'b'.repeat(5000), IsGift: true, OriginalPrice: 12 });
    const json = [
      order('1', {
        Email: 'Ada@example.com',
        CustomerId: 'C-1',
        TotalQuantity: 2,
        TotalRevenue: -19.99,
        OrderDate: '2026-02-28T23:30:00+02:00',
        UniqueQuantity: 0,
        IsOrderCancelled: true,
        OrderItems: [full],
      }),
    ];
    expectAnswer(await service().request('POST', `/orders/${tenantId}`, { key, json }), 200, saved(1));
    expect(JSON.parse(JSON.stringify(await service().records(tenantId, 'orders')))).toMatchObject([
      {
        ...json[0],
        OrderDate: '2026-02-28T21:30:00.000Z',
        OrderItems: [{ ...full, SizeNumeric: null, SizeMetric: 'XL' }],
      },
    ]);
  });

  it('keeps two variants of one product as two lines (D-05), and merges the same line (D-06)', async () => {
    const { tenantId, key } = await service().createCaller();
    const path = `/orders/${tenantId}`;
    const lines = [item('1'), item('1', { Sku: 'S-2' })];
    await service().request('POST', path, { key, json: [order('1', { OrderItems: lines })] });
    await service().request('POST', path, { key, json: [order('1', { OrderItems: [item('1', { Quantity: 5 })] })] });
    await service().request('POST', path, { key, json: [order('1', { OrderItems: null })] });
    expect(await service().records(tenantId, 'orders')).toMatchObject([
      { OrderItems: [item('1', { Quantity: 5 }), lines[1]] },
    ]);
  });

  it('counts the orders that are created and updated, each once (R-81)', async () => {
    const { tenantId, key } = await service().createCaller();
    const post = (json: object[]) => service().request('POST', `/orders/${tenantId}`, { key, json });
    expectAnswer(await post([order('1'), order('2')]), 200, saved(2));
    expectAnswer(await post([order('1'), order('3'), order('3')]), 200, saved(3, { created: 1, updated: 1 }));
    await service().request('DELETE', `/orders/${tenantId}/O-1`, { key });
    expectAnswer(await post([order('1'), order('2')]), 200, saved(2, { created: 1, updated: 1 }));
  });

  it('takes an empty batch and 500 orders (Spec §8, D-31)', async () => {
    const { tenantId, key } = await service().createCaller();
    expectAnswer(await service().request('POST', `/orders/${tenantId}`, { key, json: [] }), 200, saved(0));
    const json = Array.from({ length: 500 }, (_, index) => order(String(index)));
    expectAnswer(await service().request('POST', `/orders/${tenantId}`, { key, json }), 200, saved(500));
  });

  it('names the fields that it did not store, those of items by their path (D-21)', async () => {
    const { tenantId, key } = await service().createCaller();
    const json = [order('1', { OrderItems: [item('1', { price: 1 })], Total: 5 })];
    const answer = await service().request('POST', `/orders/${tenantId}`, { key, json });
    const warnings = [
      warningOf('fieldCase', 1, [{ index: 0, field: 'OrderItems.price', expected: 'OrderItems.Price' }]),
    ];
    expectAnswer(answer, 200, saved(1, { ignoredFields: ['OrderItems.price', 'Total'], warnings }));
  });
});

describe('DELETE /orders/<tenant_id>/…', () => {
  it.each([
    ['productId=P-1', removed('P-1', null)],
    ['sku=S-1', removed(null, 'S-1')],
    ['sku=S+1&productId=P%2F1', removed('P/1', 'S 1')],
    ['productId=&sku=S-1', removed(null, 'S-1')],
  ])(
    'echoes what it accepted of items?%s, null for an id that was not sent (Spec §4.5, D-44)',
    async (query, expected) => {
      const { tenantId, key } = await service().createCaller();
      expectAnswer(await service().request('DELETE', `/orders/${tenantId}/O-1/items?${query}`, { key }), 200, expected);
    },
  );

  it('removes the order with its items once the event is delivered (Spec §4.5)', async () => {
    const { tenantId, key } = await service().createCaller();
    await service().request('POST', `/orders/${tenantId}`, {
      key,
      json: [order('1', { OrderItems: [item('1')] }), order('2')],
    });
    await service().request('DELETE', `/orders/${tenantId}/O-1`, { key });
    await service().deliverDeletions();
    expect(await service().records(tenantId, 'orders')).toMatchObject([{ OrderId: 'O-2' }]);
  });

  it('removes one line once the event is delivered, and keeps the others (Spec §4.5, D-44)', async () => {
    const { tenantId, key } = await service().createCaller();
    const OrderItems = [item('1'), item('1', { Sku: 'S-2' }), item('3')];
    await service().request('POST', `/orders/${tenantId}`, { key, json: [order('1', { OrderItems })] });
    await service().request('DELETE', `/orders/${tenantId}/O-1/items?productId=P-1&sku=S-2`, { key });
    await service().deliverDeletions();
    await service().deliverDeletions();
    expect(await service().records(tenantId, 'orders')).toMatchObject([{ OrderItems: [item('1'), item('3')] }]);
  });

  it('takes an order whose id is "items" (D-45)', async () => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('DELETE', `/orders/${tenantId}/items`, { key });
    expectAnswer(answer, 200, envelopeOf('orders', true, 'Order removed.', { orderId: 'items', deletedAt: NOW }));
  });
});

describe('POST /orders/<tenant_id>/deletions', () => {
  const ITEM = { OrderId: 'O-1', ProductId: 'P-1', Sku: 'S-1' };
  it.each([
    ['an item by both ids', [ITEM], ['S-2', 'S-3']],
    ['items by product', [{ OrderId: 'O-1', ProductId: 'P-1' }], ['S-3']],
    ['items by sku, the product blank', [{ OrderId: 'O-1', ProductId: '', Sku: 'S-3' }], ['S-1', 'S-2']],
    ['by a repeated element what it means then', [ITEM, ITEM], ['S-3']],
    ['the order where both are null', [{ OrderId: 'O-1', ProductId: null, Sku: null }], undefined],
  ])('deletes %s (R-50, R-52, D-44)', async (_title, json, left) => {
    const { tenantId, key } = await service().createCaller();
    const OrderItems = [item('1'), item('1', { Sku: 'S-2' }), item('3')];
    await service().request('POST', `/orders/${tenantId}`, { key, json: [order('1', { OrderItems })] });
    expect((await service().request('POST', `/orders/${tenantId}/deletions`, { key, json })).status).toBe(200);
    await service().deliverDeletions();
    const [stored] = await service().records(tenantId, 'orders');
    expect((stored?.OrderItems as { Sku: string }[] | undefined)?.map(({ Sku }) => Sku)).toEqual(left);
  });

  it('leaves the order `deletions` to DELETE (D-45)', async () => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('DELETE', `/orders/${tenantId}/deletions`, { key });
    expectAnswer(answer, 200, envelopeOf('orders', true, 'Order removed.', { orderId: 'deletions', deletedAt: NOW }));
  });
});

describe('GET /orders/<tenant_id>/<order_id>', () => {
  it('shows the order with its fields in their order, and its date in UTC (R-68, D-18)', async () => {
    const { tenantId, key } = await service().createCaller();
    const items = [{ Price: 2, Quantity: 1, Sku: 'S-1', ProductId: 'P-1', Size: 'XL' }];
    const order = {
      OrderItems: items,
      Currency: 'eur',
      OrderDate: '2026-01-31T23:30:00-02:00',
      Email: 'ada@example.com',
    };
    await service().request('POST', `/orders/${tenantId}`, { key, json: [{ ...order, OrderId: 'O-1' }] });
    const { status, text } = await service().request('GET', `/orders/${tenantId}/O-1`, { key });
    const record =
      '{"OrderId":"O-1","Email":"ada@example.com","Customer":{"Email":"ada@example.com"},"TotalQuantity":1,' +
      '"TotalRevenue":1,"OrderDate":"2026-02-01T01:30:00.000Z","Currency":"EUR","UniqueQuantity":1,' +
      '"IsOrderCancelled":false,"OrderItems":[{"ProductId":"P-1","Sku":"S-1","Quantity":1,"Price":2,"Size":"XL",' +
      '"SizeNumeric":null,"SizeMetric":"XL"}],"updatedAt":"1970-01-01T00:00:00.000Z","asOf":"1970-01-01T00:00:00.000Z"}';
    expect([status, text]).toEqual([200, `{"success":true,"message":"Order found.","data":{"record":${record}}}`]);
  });

  it('shows the order `items`, whatever the query (R-68)', async () => {
    const { tenantId, key } = await service().createCaller();
    await service().request('POST', `/orders/${tenantId}`, { key, json: [{ OrderId: 'items', Currency: 'EUR' }] });
    const { json } = await service().request('GET', `/orders/${tenantId}/items?sku=S-1`, { key });
    expect(json).toMatchObject({ message: 'Order found.', data: { record: { OrderId: 'items' } } });
  });
});
