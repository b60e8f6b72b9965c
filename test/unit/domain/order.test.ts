import * as fc from 'fast-check';
import type { CreateOrderItemDto, UpsertOrderDto } from '../../../shared/domain/dto/order';
import { itemKey } from '../../../shared/domain/identity';
import type { OrderRecord } from '../../../shared/domain/records/order';
import { findOrderCustomer, mergeOrder } from '../../../shared/domain/records/order';
import { withoutParts } from '../../../shared/domain/records/removed-parts';
import { orders } from '../support/dtos';

const NOW = new Date('2026-03-01T12:00:30.000Z');
const merge = (stored: OrderRecord | undefined, sent: UpsertOrderDto, now = NOW) =>
  mergeOrder(stored, sent, 'email', now);
const create = (sent: Partial<UpsertOrderDto> = {}) => merge(undefined, { OrderId: 'o', Currency: 'USD', ...sent });
const item = (ProductId: string, Sku: string, Quantity = 1, Price = 1): CreateOrderItemDto => ({
  ProductId,
  Sku,
  Quantity,
  Price,
});
const feed = fc.array(orders, { minLength: 1, maxLength: 6 });
const fold = (batch: readonly UpsertOrderDto[], stored?: OrderRecord) =>
  batch.reduce<OrderRecord | undefined>((record, sent) => merge(record, sent), stored)!;

describe('an order that is created', () => {
  it('has every default stored with it (Spec §2.5, D-13)', () => {
    expect(create()).toEqual({
      OrderId: 'o',
      Customer: null,
      Currency: 'USD',
      TotalQuantity: 1,
      TotalRevenue: 1,
      OrderDate: NOW,
      UniqueQuantity: 1,
      IsOrderCancelled: false,
      OrderItems: [],
    });
  });

  it('has what was sent instead of the defaults, refunds and zero included (Spec §2.5)', () => {
    const sent = { TotalQuantity: 0, TotalRevenue: -12.5, UniqueQuantity: 0, IsOrderCancelled: true };
    expect(create(sent)).toMatchObject(sent);
  });

  it.each(['TotalQuantity', 'TotalRevenue', 'UniqueQuantity', 'IsOrderCancelled', 'OrderDate'] as const)(
    'has the default of %s for null (D-12, D-13)',
    (field) => {
      expect(create({ [field]: null })).toEqual(create());
    },
  );

  it('has its identifiers as they were sent, while they name the customer in their matching form (D-01)', () => {
    expect(create({ Email: ' A@x.io', CustomerId: ' 1 ' })).toMatchObject({
      Email: ' A@x.io',
      CustomerId: ' 1 ',
      Customer: { Email: 'a@x.io' },
    });
  });

  it.each(['', ' \u3000', null])('has no identifier that is %j (R-01)', (missing) => {
    const order = create({ Email: missing, CustomerId: missing });
    expect([order.Email, order.CustomerId]).toEqual([undefined, undefined]);
  });

  it('has the currency in upper case (D-14)', () => {
    expect(create({ Currency: ' try ' }).Currency).toBe('TRY');
  });

  it('has the date as a time, in UTC where it names no offset (D-18)', () => {
    expect(create({ OrderDate: '2026-02-03T04:05:06' }).OrderDate).toEqual(new Date('2026-02-03T04:05:06.000Z'));
    expect(create({ OrderDate: '2026-02-03' }).OrderDate).toEqual(new Date('2026-02-03T00:00:00.000Z'));
  });

  it('has no unknown field, in the order or in its items (D-21)', () => {
    const sent = JSON.parse(
      '{"OrderId":"o","Currency":"USD","Customer":{"Email":"x@x"},"__proto__":{"Email":"y@y"},' +
        '"OrderItems":[{"ProductId":"p","Sku":"s","Quantity":1,"Price":1,"SizeNumeric":3,"__proto__":{"Color":"red"}}]}',
    ) as UpsertOrderDto;
    expect(merge(undefined, sent)).toEqual({ ...create(), OrderItems: [item('p', 's')] });
  });
});

describe('an order that is updated', () => {
  const stored = create({
    Email: 'A@x.io',
    CustomerId: '1',
    TotalQuantity: 3,
    TotalRevenue: 30,
    OrderDate: '2026-01-01',
    UniqueQuantity: 2,
    IsOrderCancelled: true,
    OrderItems: [{ ...item('p1', 's1', 1, 10), Size: '500ml', Color: 'red' }, item('p1', 's2', 2, 10)],
  });

  it('keeps everything that it does not mention, the date too (D-06, D-12, D-13)', () => {
    const later = new Date('2027-01-01');
    expect(merge(stored, { OrderId: 'o', Currency: 'EUR' }, later)).toEqual({ ...stored, Currency: 'EUR' });
  });

  it.each([null, []])('keeps its items for OrderItems %j (D-06)', (OrderItems) => {
    expect(merge(stored, { OrderId: 'o', Currency: 'USD', OrderItems })).toEqual(stored);
  });

  it('falls back to the defaults for null, the date to now (D-12)', () => {
    const later = new Date('2027-01-01');
    const cleared = {
      Email: null, CustomerId: null, TotalQuantity: null, TotalRevenue: null, OrderDate: null, UniqueQuantity: null, IsOrderCancelled: null,
    }; // prettier-ignore
    expect(merge(stored, { OrderId: 'o', Currency: 'USD', ...cleared }, later)).toEqual({
      ...create(),
      OrderDate: later,
      OrderItems: stored.OrderItems,
    });
  });

  it('tells two lines of one product apart by their Sku, and keeps the revenue of both (D-05)', () => {
    const after = merge(stored, { OrderId: 'o', Currency: 'USD', OrderItems: [item(' p1 ', 's2 ', 9, 99)] });
    expect(after.OrderItems).toEqual([stored.OrderItems[0], item(' p1 ', 's2 ', 9, 99)]);
  });

  it('merges an item field by field, null clearing an optional one (D-06, D-12)', () => {
    const sent = [{ ...item('p1', 's1', 5, 50), Size: null, IsGift: true }];
    expect(merge(stored, { OrderId: 'o', Currency: 'USD', OrderItems: sent }).OrderItems[0]).toEqual({
      ...item('p1', 's1', 5, 50),
      Color: 'red',
      IsGift: true,
    });
  });

  it('applies a line that is sent twice one after the other (D-07)', () => {
    const sent = [{ ...item('p9', 's'), Color: 'red' }, item('p8', 's'), item('p9', 's', 2, 3)];
    expect(create({ OrderItems: sent }).OrderItems).toEqual([
      { ...item('p9', 's', 2, 3), Color: 'red' },
      item('p8', 's'),
    ]);
  });

  it('keeps what is not mentioned (D-06, D-12)', () => {
    fc.assert(
      fc.property(orders, orders, (first, second) => {
        const before = merge(undefined, first);
        const after = merge(before, second, new Date('2027-01-01'));
        for (const field of [
          'Email', 'CustomerId', 'TotalQuantity', 'TotalRevenue', 'OrderDate', 'UniqueQuantity', 'IsOrderCancelled',
        ] as const) {
          if (second[field] === undefined) expect(after[field]).toEqual(before[field]);
        } // prettier-ignore
        const sent = new Set((second.OrderItems ?? []).map(itemKey));
        before.OrderItems.forEach((line, index) => {
          if (!sent.has(itemKey(line))) expect(after.OrderItems[index]).toEqual(line);
        });
        expect(after.OrderItems.length).toBe(new Set([...before.OrderItems.map(itemKey), ...sent]).size);
      }),
    );
  });
});

describe('orders that are merged one after the other', () => {
  it('hold one line a pair of ProductId and Sku, in the order of first appearance (D-05, D-07)', () => {
    fc.assert(
      fc.property(feed, (batch) => {
        const sent = batch.flatMap(({ OrderItems }) => OrderItems ?? []).map(itemKey);
        expect(fold(batch).OrderItems.map(itemKey)).toEqual([...new Set(sent)]);
      }),
    );
  });

  it('are the same after a repeat (D-07)', () => {
    fc.assert(
      fc.property(feed, (batch) => {
        const once = fold(batch);
        expect(fold(batch, once)).toEqual(once);
      }),
    );
  });

  it('always name a customer that fits their e-mail and CustomerId (Spec §2.1, D-01)', () => {
    fc.assert(
      fc.property(feed, fc.constantFrom('email' as const, 'customerid' as const), (batch, by) => {
        const order = batch.reduce<OrderRecord | undefined>(
          (stored, sent) => mergeOrder(stored, sent, by, NOW),
          undefined,
        )!;
        expect(order.Customer).toEqual(findOrderCustomer(order, by));
        expect(order.Customer === null).toBe(order.Email === undefined && order.CustomerId === undefined);
      }),
    );
  });

  it('leave what was stored as it is', () => {
    fc.assert(
      fc.property(orders, orders, (first, second) => {
        const stored = merge(undefined, first);
        const copy = structuredClone(stored);
        merge(stored, second);
        expect(stored).toEqual(copy);
      }),
    );
  });
});

describe('findOrderCustomer', () => {
  const both = { Email: ' A@X.io ', CustomerId: ' Ab ' };

  it.each([
    ['email', both, { Email: 'a@x.io' }],
    ['customerid', both, { CustomerId: 'Ab' }],
    ['email', { CustomerId: 'Ab' }, { CustomerId: 'Ab' }],
    ['customerid', { Email: 'a@x.io' }, { Email: 'a@x.io' }],
    ['customerid', { Email: 'a@x.io', CustomerId: ' ' }, { Email: 'a@x.io' }],
    ['email', {}, null],
    ['customerid', { Email: '', CustomerId: ' ' }, null],
  ] as const)('under %s says that %j belongs to %j (Spec §2.1, D-01, R-05)', (by, order, customer) => {
    expect(findOrderCustomer(order, by)).toEqual(customer);
  });
});

/** What a deletion of items names. */
interface Address {
  readonly productId?: string;
  readonly sku?: string;
}

describe('withoutParts of an order', () => {
  const lines = [item('a', 'x'), item('a', 'y'), item('b', 'a'), item('y', 'b')];
  const order = create({ OrderItems: lines });
  const remove = <O extends object>(from: O, address: Address, preferred: 'productid' | 'sku'): O | undefined => {
    const target = { type: 'orderItem', orderId: 'o', productId: null, sku: null, ...address } as const;
    const after = withoutParts(from, [target], preferred);
    return after === from ? undefined : after;
  };
  const left = (address: Address, preferred: 'productid' | 'sku') =>
    remove(order, address, preferred)?.OrderItems.map((line) =>
      lines.findIndex((other) => itemKey(other) === itemKey(line)),
    );

  it.each([
    ['removes the line that matches both ids', { productId: 'a', sku: 'y' }, 'productid', [0, 2, 3]],
    ['removes the line that matches both ids', { productId: ' a', sku: 'y ' }, 'sku', [0, 2, 3]],
    ['removes by the preferred ProductId when no line matches both', { productId: 'a', sku: 'b' }, 'productid', [2, 3]],
    ['removes by the preferred Sku when no line matches both', { productId: 'a', sku: 'b' }, 'sku', [0, 1, 2]],
    ['falls back to Sku when no line has the ProductId', { productId: 'zz', sku: 'a' }, 'productid', [0, 1, 3]],
    ['falls back to ProductId when no line has the Sku', { productId: 'b', sku: 'zz' }, 'sku', [0, 1, 3]],
    ['removes all lines of a ProductId sent alone', { productId: 'a' }, 'sku', [2, 3]],
    ['removes all lines of a Sku sent alone', { sku: 'x' }, 'productid', [1, 2, 3]],
    ['finds nothing for an unknown ProductId', { productId: 'x' }, 'productid', undefined],
    ['finds nothing for an unknown Sku', { sku: 'X' }, 'sku', undefined],
    ['finds nothing when neither is known', { productId: 'q', sku: 'q' }, 'sku', undefined],
  ] as const)('%s: %j under %s (D-44)', (_, address, preferred, expected) => {
    expect(left(address, preferred)).toEqual(expected);
  });

  it.each([{}, { OrderItems: null }])('finds nothing in an order that was sent without lines: %j', (sent) => {
    expect(remove(sent, { productId: 'a' }, 'sku')).toBeUndefined();
  });

  it('keeps the rest of the order (Spec §4.5)', () => {
    expect(remove(order, { productId: 'a' }, 'sku')).toEqual({
      ...order,
      OrderItems: lines.slice(2),
    });
    expect(order.OrderItems).toHaveLength(4);
  });
});
