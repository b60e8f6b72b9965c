/**
 * Orders and their items: defaults, merge rules and the customer they belong to (Spec §2.5 and §2.6, D-05, D-06, D-12).
 */
import { canonicalCurrency } from './currency';
import { parseDateTime } from './date-time';
import type { CreateOrderItemDto, UpsertOrderDto } from './dto/order';
import { itemKey } from './identity';
import { mergeParts } from './parts';
import { applySent } from './sent-fields';
import type { Sized } from './sized';
import { withSize } from './sized';
import type { CustomerIdentifier, ProductIdentifier } from './tenant';
import { isPresent, toMatchingEmail, toMatchingId } from './text';

/** A stored item; optional fields are there only with a value. */
export interface OrderItemRecord extends Sized {
  readonly ProductId: string;
  readonly Sku: string;
  readonly Quantity: number;
  readonly Price: number;
  readonly Color?: string;
  readonly Brand?: string;
  readonly IsGift?: boolean;
  readonly OriginalPrice?: number;
}

/** Whose order it is: the identifying field and its matching form (D-01). */
export type OrderCustomer = { readonly Email: string } | { readonly CustomerId: string };

/** A stored order. */
export interface OrderRecord {
  readonly OrderId: string;
  readonly Email?: string;
  readonly CustomerId?: string;
  /** By the tenant's order customer identification, else by the other field; null when the order names nobody. */
  readonly Customer: OrderCustomer | null;
  readonly TotalQuantity: number;
  readonly TotalRevenue: number;
  readonly OrderDate: Date;
  readonly Currency: string;
  readonly UniqueQuantity: number;
  readonly IsOrderCancelled: boolean;
  readonly OrderItems: readonly OrderItemRecord[];
}

const SCALARS = [
  'OrderId',
  'Email',
  'CustomerId',
  'TotalQuantity',
  'TotalRevenue',
  'OrderDate',
  'Currency',
  'UniqueQuantity',
  'IsOrderCancelled',
] as const;
type Scalar = (typeof SCALARS)[number];

/** An order after an upsert; `stored` undefined: it is created at `now`. Items that are not mentioned stay (D-06). */
export function mergeOrder(
  stored: OrderRecord | undefined,
  sent: UpsertOrderDto,
  orderCustomer: CustomerIdentifier,
  now: Date,
): OrderRecord {
  const defaults = {
    TotalQuantity: 1,
    TotalRevenue: 1,
    OrderDate: now,
    UniqueQuantity: 1,
    IsOrderCancelled: false,
  };
  const { OrderDate, Email, CustomerId } = sent;
  const canonical = {
    OrderId: sent.OrderId,
    Email: isPresent(Email) || Email === undefined ? Email : null, // a blank identifier counts as missing
    CustomerId: isPresent(CustomerId) || CustomerId === undefined ? CustomerId : null,
    TotalQuantity: sent.TotalQuantity,
    TotalRevenue: sent.TotalRevenue,
    OrderDate: typeof OrderDate === 'string' ? parseDateTime(OrderDate) : OrderDate,
    Currency: canonicalCurrency(sent.Currency) ?? sent.Currency,
    UniqueQuantity: sent.UniqueQuantity,
    IsOrderCancelled: sent.IsOrderCancelled,
  };
  const order = applySent<OrderRecord, Scalar>(stored ?? {}, canonical, SCALARS, defaults);
  return Object.assign(order, {
    Customer: findOrderCustomer(order, orderCustomer),
    OrderItems: mergeParts(stored?.OrderItems ?? [], sent.OrderItems ?? [], itemKey, mergeItem),
  });
}

/** Whose order it is; see `OrderRecord.Customer`. */
export function findOrderCustomer(
  order: Pick<OrderRecord, 'Email' | 'CustomerId'>,
  orderCustomer: CustomerIdentifier,
): OrderCustomer | null {
  const byEmail = isPresent(order.Email) ? { Email: toMatchingEmail(order.Email) } : null;
  const byId = isPresent(order.CustomerId) ? { CustomerId: toMatchingId(order.CustomerId) } : null;
  return orderCustomer === 'email' ? (byEmail ?? byId) : (byId ?? byEmail);
}

/**
 * The order, stored or sent, without the items that a deletion addresses: those that match both ids; if none does,
 * those that match the tenant's preferred product identifier, then the other (D-44). Undefined when nothing matches.
 */
export function removeItems<O extends { readonly OrderItems?: readonly ItemIds[] | null }>(
  order: O,
  address: { readonly productId: string | null; readonly sku: string | null },
  preferred: ProductIdentifier,
): O | undefined {
  const { productId, sku } = address;
  const items = order.OrderItems ?? [];
  const byProduct = (item: ItemIds) => productId !== null && toMatchingId(item.ProductId) === toMatchingId(productId);
  const bySku = (item: ItemIds) => sku !== null && toMatchingId(item.Sku) === toMatchingId(sku);
  const byBoth = (item: ItemIds) => byProduct(item) && bySku(item);
  const tries = preferred === 'sku' ? [byBoth, bySku, byProduct] : [byBoth, byProduct, bySku];
  const addressed = tries.find((matches) => items.some(matches));
  return addressed && { ...order, OrderItems: items.filter((item) => !addressed(item)) };
}

type ItemIds = Pick<OrderItemRecord, 'ProductId' | 'Sku'>;

const ITEM_FIELDS = ['ProductId', 'Sku', 'Quantity', 'Price', 'Color', 'Brand', 'IsGift', 'OriginalPrice'] as const;

function mergeItem(stored: OrderItemRecord | undefined, sent: CreateOrderItemDto): OrderItemRecord {
  const item = applySent<OrderItemRecord, (typeof ITEM_FIELDS)[number]>(stored ?? {}, sent, ITEM_FIELDS);
  return withSize(item, stored, sent.Size);
}
