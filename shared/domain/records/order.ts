/**
 * Orders and their items: defaults, merge rules and the customer they belong to (Spec §2.5 and §2.6, D-05, D-06, D-12).
 */
import { canonicalCurrency } from '../values/currency';
import { parseDateTime } from '../values/date-time';
import type { CreateOrderItemDto, UpsertOrderDto } from '../dto/order';
import { itemKey } from '../identity';
import type { MergeRules } from './merged-record';
import { mergeParts } from './parts';
import { fieldAfter } from './sent-fields';
import type { Sized } from '../values/sized';
import { sizeAfter } from '../values/sized';
import type { CustomerIdentifier } from '../tenant';
import { isPresent, toMatchingEmail, toMatchingId } from '../values/text';

/** A stored item; an optional field without a value is absent or undefined. */
export interface OrderItemRecord extends Sized {
  readonly ProductId: string;
  readonly Sku: string;
  readonly Quantity: number;
  readonly Price: number;
  readonly Color?: string | undefined;
  readonly Brand?: string | undefined;
  readonly IsGift?: boolean | undefined;
  readonly OriginalPrice?: number | undefined;
}

/** Whose order it is: the identifying field and its matching form (D-01). */
export type OrderCustomer = { readonly Email: string } | { readonly CustomerId: string };

/** A stored order. */
export interface OrderRecord {
  readonly OrderId: string;
  readonly Email?: string | undefined;
  readonly CustomerId?: string | undefined;
  /** By the tenant's `orderCustomer`, else by the other field; null when the order names no customer. */
  readonly Customer: OrderCustomer | null;
  readonly TotalQuantity: number;
  readonly TotalRevenue: number;
  readonly OrderDate: Date;
  readonly Currency: string;
  readonly UniqueQuantity: number;
  readonly IsOrderCancelled: boolean;
  readonly OrderItems: readonly OrderItemRecord[];
}

/** How orders are merged. A new order is created at `now`. Items that were not sent stay (D-06). */
export function orderRules(
  orderCustomer: CustomerIdentifier,
  now: Date,
): MergeRules<OrderRecord, UpsertOrderDto, OrderItemRecord, CreateOrderItemDto> {
  return {
    partsField: 'OrderItems',
    partsOf: ({ OrderItems }) => OrderItems,
    sentPartsOf: ({ OrderItems }) => OrderItems ?? [],
    keyOf: itemKey,
    mergePart: mergeItem,
    after: (before, sent, items) => orderAfter(before, sent, items, orderCustomer, now),
  };
}

/** An order after an upsert; `stored` undefined: it is created at `now`. */
export function mergeOrder(
  stored: OrderRecord | undefined,
  sent: UpsertOrderDto,
  orderCustomer: CustomerIdentifier,
  now: Date,
): OrderRecord {
  const items = mergeParts(stored?.OrderItems ?? [], sent.OrderItems ?? [], itemKey, mergeItem);
  return orderAfter(stored, sent, items, orderCustomer, now);
}

function orderAfter(
  stored: OrderRecord | undefined,
  sent: UpsertOrderDto,
  OrderItems: readonly OrderItemRecord[],
  orderCustomer: CustomerIdentifier,
  now: Date,
): OrderRecord {
  const { OrderDate } = sent;
  const Email = fieldAfter(stored?.Email, blankToNull(sent.Email));
  const CustomerId = fieldAfter(stored?.CustomerId, blankToNull(sent.CustomerId));
  const sentDate = typeof OrderDate === 'string' ? parseDateTime(OrderDate) : OrderDate;
  return {
    OrderId: sent.OrderId,
    Email,
    CustomerId,
    TotalQuantity: fieldAfter(stored?.TotalQuantity, sent.TotalQuantity) ?? 1,
    TotalRevenue: fieldAfter(stored?.TotalRevenue, sent.TotalRevenue) ?? 1,
    OrderDate: fieldAfter(stored?.OrderDate, sentDate) ?? now,
    Currency: canonicalCurrency(sent.Currency) ?? sent.Currency,
    UniqueQuantity: fieldAfter(stored?.UniqueQuantity, sent.UniqueQuantity) ?? 1,
    IsOrderCancelled: fieldAfter(stored?.IsOrderCancelled, sent.IsOrderCancelled) ?? false,
    Customer: findOrderCustomer({ Email, CustomerId }, orderCustomer),
    OrderItems,
  };
}

/** A blank identifier counts as missing, like null. */
function blankToNull(sent: string | null | undefined): string | null | undefined {
  return sent === undefined || isPresent(sent) ? sent : null;
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

function mergeItem(stored: OrderItemRecord | undefined, sent: CreateOrderItemDto): OrderItemRecord {
  const { Size, SizeNumeric, SizeMetric } = sizeAfter(stored, sent.Size);
  return {
    ProductId: sent.ProductId,
    Sku: sent.Sku,
    Quantity: sent.Quantity,
    Price: sent.Price,
    Color: fieldAfter(stored?.Color, sent.Color),
    Brand: fieldAfter(stored?.Brand, sent.Brand),
    IsGift: fieldAfter(stored?.IsGift, sent.IsGift),
    OriginalPrice: fieldAfter(stored?.OriginalPrice, sent.OriginalPrice),
    Size,
    SizeNumeric,
    SizeMetric,
  };
}
