/** What is expected to be stored of orders (Spec §2.5, §2.6, §4.5, D-05, D-06, D-12, D-44). */
import { TIME_OF_THIS_RUN } from '../compare';
import type { Fields } from '../fields';
import { partsOf, textOf } from '../fields';
import { idKey, mergeAll, mergeFields, sameId } from './merge';
import type { Settings } from './settings';
import { withSize } from './sizes';
import { expectedCurrency, expectedDate } from './spellings';

const DEFAULTS: Fields = {
  TotalQuantity: 1,
  TotalRevenue: 1,
  OrderDate: TIME_OF_THIS_RUN,
  UniqueQuantity: 1,
  IsOrderCancelled: false,
};
const FIELDS = ['OrderId', 'Email', 'CustomerId', 'Currency', ...Object.keys(DEFAULTS)];
const ITEM_FIELDS = ['ProductId', 'Sku', 'Quantity', 'Price', 'Color', 'Brand', 'IsGift', 'OriginalPrice'];

export class ExpectedOrders {
  private readonly stored = new Map<string, Fields>();

  constructor(private readonly settings: Settings) {}

  records(): ReadonlyMap<string, Fields> {
    return this.stored;
  }

  keyOf = (order: Fields): string => idKey(order.OrderId);

  upsert(sent: Fields): void {
    const before = this.stored.get(this.keyOf(sent)) ?? DEFAULTS;
    const order = mergeFields(before, sent, FIELDS, { defaults: DEFAULTS, toStored });
    const items = mergeAll(itemsOf(before), itemsOf(sent), itemKeyOf, mergeItem);
    this.stored.set(this.keyOf(sent), { ...order, Customer: this.customerOf(order), OrderItems: items });
  }

  remove(orderId: string): void {
    this.stored.delete(idKey(orderId));
  }

  /** The lines that match both ids; if none does, those of the tenant's own product identifier, then of the other. */
  removeItem(orderId: string, address: { readonly productId?: string; readonly sku?: string }): void {
    const key = idKey(orderId);
    const order = this.stored.get(key);
    if (!order) return;
    const byProduct = ({ ProductId }: Fields) =>
      address.productId !== undefined && sameId(ProductId, address.productId);
    const bySku = ({ Sku }: Fields) => address.sku !== undefined && sameId(Sku, address.sku);
    const one = this.settings.productIdentifier === 'sku' ? [bySku, byProduct] : [byProduct, bySku];
    const tries = [(item: Fields) => byProduct(item) && bySku(item), ...one];
    const isAddressed = tries.find((matches) => itemsOf(order).some(matches));
    if (!isAddressed) return;
    this.stored.set(key, { ...order, OrderItems: itemsOf(order).filter((item) => !isAddressed(item)) });
  }

  /** Whose order it is: by the field that the tenant prefers, else by the other one, in the form that is compared. */
  private customerOf(order: Fields): Fields | null {
    const email = textOf(order, 'Email');
    const id = textOf(order, 'CustomerId');
    const byEmail = email === undefined ? null : { Email: email.trim().toLowerCase() };
    const byId = id === undefined ? null : { CustomerId: id.trim() };
    return this.settings.orderCustomer === 'email' ? (byEmail ?? byId) : (byId ?? byEmail);
  }
}

function itemsOf(order: Fields): readonly Fields[] {
  return partsOf(order, 'OrderItems');
}

function itemKeyOf({ ProductId, Sku }: Fields): string {
  return `${idKey(ProductId)}\n${idKey(Sku)}`;
}

function mergeItem(stored: Fields, sent: Fields): Fields {
  return withSize(mergeFields(stored, sent, ITEM_FIELDS), sent.Size);
}

function toStored(field: string, value: unknown): unknown {
  if (field === 'Currency') return expectedCurrency(String(value));
  return field === 'OrderDate' ? expectedDate(String(value)) : value;
}
