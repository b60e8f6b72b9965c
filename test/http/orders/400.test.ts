import { envelopeOf, expectAnswer, expectProblem } from '../api';
import { describeInvalidBody } from '../suites/invalid-body';
import { describeInvalidTenant } from '../suites/invalid-tenant';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';

describeInvalidTenant('orders');
describeInvalidBody('orders', 'array');

const service = useTestService('orders');
const post = ({ tenantId, key }: Caller, json: unknown) =>
  service().request('POST', `/orders/${tenantId}`, { key, json });
const required = (field: string) => `The ${field} field is required.`;
const tooLong = (field: string, length: number) =>
  `The field ${field} must be a string with a maximum length of ${length}.`;
const ORDER = { OrderId: 'O-1', Currency: 'EUR' };
const ITEM = { ProductId: 'P-1', Sku: 'S-1', Quantity: 1, Price: 9.5 };

describe('POST /orders/<tenant_id>', () => {
  it.each(['OrderId', 'Currency'])(
    'refuses a missing, null or blank %s (Spec §2.5, §7.2, D-12, D-14)',
    async (field) => {
      const caller = await service().createCaller();
      for (const value of [undefined, null, '', ' ']) {
        expectProblem(await post(caller, [ORDER, { ...ORDER, [field]: value }]), {
          [`[1].${field}`]: [required(field)],
        });
      }
    },
  );

  it.each(['ProductId', 'Sku', 'Quantity', 'Price'])(
    'refuses a missing or null %s of an item (Spec §2.6, §7.2)',
    async (field) => {
      const caller = await service().createCaller();
      for (const value of [undefined, null]) {
        const answer = await post(caller, [{ ...ORDER, OrderItems: [ITEM, { ...ITEM, [field]: value }] }]);
        expectProblem(answer, { [`[0].OrderItems[1].${field}`]: [required(field)] });
      }
    },
  );

  it.each([
    ['OrderId', 100],
    ['CustomerId', 100],
  ])('refuses a %s longer than %i (Spec §2.5, D-11)', async (field, length) => {
    const answer = await post(await service().createCaller(), [{ ...ORDER, [field]: 'x'.repeat(length + 1) }]);
    expectProblem(answer, { [`[0].${field}`]: [tooLong(field, length)] });
  });

  it('refuses an Email longer than 255 (D-11)', async () => {
    const answer = await post(await service().createCaller(), [{ ...ORDER, Email: `${'e'.repeat(244)}@example.com` }]);
    expectProblem(answer, { '[0].Email': [tooLong('Email', 255)] });
  });

  it.each([
    ['ProductId', 100],
    ['Sku', 50],
    ['Size', 50],
    ['Color', 50],
  ])('refuses an item’s %s longer than %i (Spec §2.6)', async (field, length) => {
    const answer = await post(await service().createCaller(), [
      { ...ORDER, OrderItems: [{ ...ITEM, [field]: 'x'.repeat(length + 1) }] },
    ]);
    expectProblem(answer, { [`[0].OrderItems[0].${field}`]: [tooLong(field, length)] });
  });

  it('refuses a Currency longer than 3 at its length too (Spec §2.5)', async () => {
    const { json } = await post(await service().createCaller(), [{ ...ORDER, Currency: 'EURO' }]);
    expect((json as { errors: Record<string, string[]> }).errors['[0].Currency']).toContain(tooLong('Currency', 3));
  });

  it.each([
    ['Currency', 'ZZZ', 'The field Currency must be an ISO 4217 currency code.'],
    ['Email', 'ada', 'The field Email must be an e-mail address.'],
    ['OrderDate', 'yesterday', 'The field OrderDate must be an ISO 8601 date or date-time.'],
    ['OrderDate', '2026-02-30', 'The field OrderDate must be an ISO 8601 date or date-time.'],
    ['OrderDate', '', 'The field OrderDate must be an ISO 8601 date or date-time.'],
    ['OrderDate', 1_700_000_000, 'The field OrderDate must be a string.'],
    ['TotalQuantity', 1.5, 'The field TotalQuantity must be an integer.'],
    ['TotalQuantity', -(2 ** 31) - 1, 'The field TotalQuantity must be an integer.'],
    ['UniqueQuantity', '2', 'The field UniqueQuantity must be an integer.'],
    ['TotalRevenue', '19.99', 'The field TotalRevenue must be a number.'],
    ['IsOrderCancelled', 'false', 'The field IsOrderCancelled must be a boolean.'],
    ['OrderItems', {}, 'The field OrderItems must be an array.'],
  ])('refuses the %s %p (D-14 to D-18)', async (field, value, message) => {
    const answer = await post(await service().createCaller(), [{ ...ORDER, [field]: value }]);
    expectProblem(answer, { [`[0].${field}`]: [message] });
  });

  it.each([
    ['Quantity', '1', 'The field Quantity must be an integer.'],
    ['Quantity', 0.5, 'The field Quantity must be an integer.'],
    ['Price', '9.5', 'The field Price must be a number.'],
    ['IsGift', 1, 'The field IsGift must be a boolean.'],
    ['Brand', 1, 'The field Brand must be a string.'],
    ['OriginalPrice', '1', 'The field OriginalPrice must be a number.'],
  ])('refuses an item’s %s %p (D-15)', async (field, value, message) => {
    const answer = await post(await service().createCaller(), [
      { ...ORDER, OrderItems: [{ ...ITEM, [field]: value }] },
    ]);
    expectProblem(answer, { [`[0].OrderItems[0].${field}`]: [message] });
  });

  it('refuses a batch of 501 (Spec §8, D-31)', async () => {
    const json = Array.from({ length: 501 }, (_, index) => ({ ...ORDER, OrderId: `O-${index}` }));
    expectProblem(await post(await service().createCaller(), json), {
      '': ['The batch must contain at most 500 records.'],
    });
  });

  it('stores nothing of a batch with one invalid order (D-30)', async () => {
    const caller = await service().createCaller();
    const before = await service().store.dump();
    expect((await post(caller, [ORDER, { ...ORDER, OrderId: 'O-2', TotalRevenue: 'x' }])).status).toBe(400);
    expect(await service().store.dump()).toEqual(before);
  });
});

describe('DELETE /orders/<tenant_id>/…', () => {
  it.each([
    ['', 'Order ID is required.'],
    ['/', 'Order ID is required.'],
    ['/%20', 'Order ID is required.'],
    ['//items?sku=S-1', 'Order ID is required.'],
    ['/%20/items?sku=S-1', 'Order ID is required.'],
    ['/O-1/items', 'Product ID or SKU is required.'],
    ['/O-1/items?productId=&sku=%20', 'Product ID or SKU is required.'],
    ['/O-1/items?ProductId=P-1', 'Product ID or SKU is required.'],
    ['/%E0%A4%A', 'The URL contains a malformed percent-encoding.'],
    ['/O-1/items?sku=%', 'The URL contains a malformed percent-encoding.'],
    ['/O-1?sku=%', 'The URL contains a malformed percent-encoding.'],
    ['/O-1?productId=P-1&sku=S-1&productId=P-2', 'The query parameter productId must be given once.'],
    ['/O-1?productId=P-1&sku=S-1&sku=S-2', 'The query parameter sku must be given once.'],
  ])('refuses %p: %s (Spec §4.5, D-45)', async (path, message) => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('DELETE', `/orders/${tenantId}${path}`, { key });
    expectAnswer(answer, 400, envelopeOf('orders', false, message), { remaining: 99 });
    expect(service().publisher.published).toEqual([]);
  });
});

describe('DELETE /orders/<tenant_id>/items', () => {
  it.each(['productId=p', 'sku=s'])(
    'is an item without its order when it has %s, and deletes no order (D-45)',
    async (query) => {
      const { tenantId, key } = await service().createCaller();
      const answer = await service().request('DELETE', `/orders/${tenantId}/items?${query}`, { key });
      expectAnswer(answer, 400, envelopeOf('orders', false, 'Order ID is required.'));
      expect(await service().pendingDeletions(tenantId)).toEqual([]);
    },
  );
});

describe('GET /orders/<tenant_id>/<order_id>', () => {
  it.each([
    ['', 'Order ID is required.'],
    ['/', 'Order ID is required.'],
    ['/%20%09', 'Order ID is required.'],
    ['/%E0%A4%A', 'The URL contains a malformed percent-encoding.'],
    ['/%ED%A0%80', 'The URL contains a malformed percent-encoding.'],
  ])('refuses %p: %s (R-68, D-45)', async (path, message) => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('GET', `/orders/${tenantId}${path}`, { key });
    expectAnswer(answer, 400, envelopeOf('orders', false, message), { remaining: 99 });
  });
});

describe('POST /orders/<tenant_id>/deletions', () => {
  const BLANK = 'Element [1]: at least one of ProductId, Sku must have a value; leave both out to delete the order.';
  const text = (field: string) => ({ [`[1].${field}`]: [`The field ${field} must be a string.`] });
  it.each<[element: object, errors: object]>([
    [{}, { '[1].OrderId': [required('OrderId')] }],
    [{ OrderId: ' ', Sku: 'S-1' }, { '[1].OrderId': [required('OrderId')] }],
    [{ OrderId: 'O-1', Sku: '' }, { '': [BLANK] }],
    [{ OrderId: 'O-1', ProductId: ' ', Sku: '' }, { '': [BLANK] }],
    [{ OrderId: 'O-1', ProductId: ' ', Sku: null }, { '': [BLANK] }],
    [{ OrderId: 7 }, text('OrderId')],
    [{ OrderId: 'O-1', ProductId: 7 }, text('ProductId')],
    [{ OrderId: 'O-1', Sku: {} }, text('Sku')],
    [{ OrderId: 'x'.repeat(101) }, { '[1].OrderId': [tooLong('OrderId', 100)] }],
    [{ OrderId: 'O-1', ProductId: 'x'.repeat(101) }, { '[1].ProductId': [tooLong('ProductId', 100)] }],
    [{ OrderId: 'O-1', Sku: 'x'.repeat(51) }, { '[1].Sku': [tooLong('Sku', 50)] }],
  ])('refuses the element %j, and accepts nothing (R-50, R-52, D-15, D-30)', async (element, errors) => {
    const { tenantId, key } = await service().createCaller();
    const json = [{ OrderId: 'O-1' }, element];
    expectProblem(await service().request('POST', `/orders/${tenantId}/deletions`, { key, json }), errors);
    expect(await service().pendingDeletions(tenantId)).toEqual([]);
  });
});
