/** The shop's orders: what its customers bought, then cancellations, refunds and late changes. */
import type { Fields } from '../fields';
import { partsOf } from '../fields';
import { CUSTOMERS } from './customers';
import type { Delivery } from './delivery';
import { inParts, toCents } from './delivery';
import { VARIANTS } from './products';
import spellings from './spellings.json';

const ORDER_COUNT = 240;
const DATES = Object.keys(spellings.dates);
const FIRST_ORDER_MS = Date.parse('2026-01-02T07:00:00.000Z');
const BETWEEN_ORDERS_MS = 5_432_100;

const ORDERS: readonly Fields[] = Array.from({ length: ORDER_COUNT }, (_, i) => toOrder(i));

export const ORDER_DELIVERIES: readonly Delivery[] = [
  ...inParts('orders', 'orders', ORDERS, 80),
  { kind: 'orders', title: 'cancellations', batch: cancellations() },
  { kind: 'orders', title: 'refunds (negative totals)', batch: refunds() },
  { kind: 'orders', title: 'late lines and new quantities', batch: lateChanges() },
];

function toOrder(i: number): Fields {
  const customer = CUSTOMERS[(i * 37) % CUSTOMERS.length]!;
  const items = Array.from({ length: 1 + (i % 4) }, (_, j) => toItem(i * 5 + j * 29, i + j));
  const revenue = items.reduce((sum, { Price, Quantity }) => sum + Number(Price) * Number(Quantity), 0);
  return {
    OrderId: i % 16 === 5 ? `2026/${i} ✓` : `O-${5000 + i}`,
    ...(i % 13 !== 12 && { Email: customer.email }),
    ...(i % 17 !== 16 && { CustomerId: customer.id }),
    ...(i % 11 !== 10 && { TotalQuantity: items.reduce((sum, { Quantity }) => sum + Number(Quantity), 0) }),
    TotalRevenue: toCents(revenue),
    ...(i % 20 !== 19 && { OrderDate: toDate(i) }),
    Currency: customer.currency,
    ...(i % 6 !== 5 && { UniqueQuantity: items.length }),
    ...(i % 25 === 24 && { IsOrderCancelled: true }),
    OrderItems: items,
  };
}

/** Most as the shop writes them, in UTC; every ninth in another valid form. */
function toDate(i: number): string {
  const other = i % 9 === 8 ? DATES[Math.floor(i / 9) % DATES.length] : undefined;
  return other ?? new Date(FIRST_ORDER_MS + i * BETWEEN_ORDERS_MS).toISOString();
}

function toItem(seed: number, i: number): Fields {
  const { productId, sku, brand, price, size, color } = VARIANTS[seed % VARIANTS.length]!;
  return {
    ProductId: productId,
    Sku: sku,
    Quantity: 1 + (seed % 3),
    Price: price,
    ...(size !== undefined && { Size: size }),
    ...(color !== undefined && { Color: color }),
    ...(i % 2 === 0 && { Brand: brand }),
    ...(i % 10 === 0 && { IsGift: true }),
    ...(i % 3 === 0 && { OriginalPrice: toCents(price * 1.2) }),
  };
}

function cancellations(): Fields[] {
  return ORDERS.filter((_, i) => i % 19 === 4).map(({ OrderId, Currency }) => ({
    OrderId,
    Currency,
    IsOrderCancelled: true,
  }));
}

function refunds(): Fields[] {
  return ORDERS.filter((_, i) => i % 23 === 9).map(({ OrderId, Email, CustomerId, Currency, TotalRevenue }) => ({
    OrderId: `${String(OrderId)}-R`,
    Email,
    CustomerId,
    Currency: String(Currency).toLowerCase() === 'cad' ? 'cad' : Currency,
    TotalRevenue: -Number(TotalRevenue),
    OrderDate: '2026-02-28T23:30:00-05:00',
  }));
}

/** The first line gets another quantity, a line is added, all others stay. */
function lateChanges(): Fields[] {
  return ORDERS.filter((_, i) => i % 15 === 7).map((order, i) => {
    const [first] = partsOf(order, 'OrderItems');
    const changed = { ...first, Quantity: 9, Size: null, OriginalPrice: null };
    const added = { ProductId: 'GIFT', Sku: 'GIFT-01', Quantity: 1, Price: 50, IsGift: true };
    return { OrderId: order.OrderId, Currency: order.Currency, OrderItems: i % 3 === 2 ? null : [changed, added] };
  });
}
