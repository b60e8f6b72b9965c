/** What is deleted, and what is written again right after its deletion. */
import type { Fields } from '../fields';
import { textOf } from '../fields';
import type { ExpectedShop } from '../model/expected-shop';
import type { RouteName } from '../routes';
import { CUSTOMERS } from './customers';
import type { Delivery } from './delivery';
import type { OddCase } from './odd-cases';
import { VARIANTS } from './products';

/** One delete request. */
export interface Deletion {
  readonly title: string;
  readonly route: RouteName;
  /** What stands for `<name>` in the path, but the tenant. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Many at once. */
  readonly body?: readonly Fields[];
  /** What the answer's `data` must say beside `deletedAt`. */
  readonly echo: Fields;
  /** What is expected of it. */
  readonly apply: (expected: ExpectedShop) => void;
}

/** A record that is deleted and written again at once: it must be there, with nothing of what it was (D-41). */
export interface Revival {
  readonly deletion: Deletion;
  readonly delivery: Delivery;
  readonly find: OddCase['find'];
  /** Fields of the stored record, null for one that must be gone. */
  readonly stored: Fields;
}

const NEWSLETTER_READER = CUSTOMERS[3]!;
const CARD_HOLDER = CUSTOMERS[6]!;
const [ONE, ANOTHER] = [CUSTOMERS[20]!, CUSTOMERS[21]!];

export const DELETIONS: readonly Deletion[] = [
  customer('by e-mail, in upper case', { email: NEWSLETTER_READER.email.toUpperCase() }),
  customer('by customer id', { customerId: CARD_HOLDER.id }),
  customer("by both: the tenant's priority counts", { customerId: ONE.id, email: ANOTHER.email }),
  customer('nobody has', { email: 'nobody@example.com' }),
  product('with all its variants', 'SHOE-42'),
  product('named ..', '..'),
  variant('100% of the product a/b', 'a/b', '100%'),
  variant('of a product that is gone', 'SHOE-42', 'SHOE-42/01'),
  order('with an id full of signs', '#2026/0815 ü?'),
  order('once more: nothing is left to do', '#2026/0815 ü?'),
  item('by product and sku', 'LINES-1', { productId: 'TEE-100', sku: 'TEE-100-01' }),
  item('by sku alone', 'NULL-1', { sku: 'GIFT' }),
  item('by product alone', 'O-5000', { productId: 'TEE-100' }),
  atOnce('customers', 'deleteCustomers', [
    customer('by e-mail', { email: CUSTOMERS[40]!.email }),
    customer('by customer id', { customerId: CUSTOMERS[41]!.id }),
    customer('by both', { customerId: CUSTOMERS[42]!.id, email: CUSTOMERS[43]!.email }),
    customer('by both, once more: whom the first one left', {
      customerId: CUSTOMERS[42]!.id,
      email: CUSTOMERS[43]!.email,
    }),
    customer('nobody has', { email: 'nobody@example.com' }),
  ]),
  atOnce('variants and a product', 'deleteProducts', [
    variant('one', 'JEANS-7', 'JEANS-7/01'),
    variant('and another', 'JEANS-7', 'JEANS-7/02'),
    product('', 'HOOD-1'),
  ]),
  atOnce('orders and an item', 'deleteOrders', [
    order('', 'O-5010'),
    order('', 'O-5011'),
    item('', 'O-5012', { productId: VARIANTS[60]!.productId, sku: VARIANTS[60]!.sku }),
  ]),
];

export const REVIVALS: readonly Revival[] = [
  {
    deletion: customer('keep-1', { email: 'keep@example.com' }),
    delivery: {
      kind: 'customers',
      title: 'keep-1 signs up again',
      batch: [{ CustomerId: 'keep-1', Email: 'keep@example.com', Surname: 'Back' }],
    },
    find: { customerId: 'keep-1' },
    stored: { Name: null, Surname: 'Back', EmailOptin: false, GdprOptin: false },
  },
  {
    deletion: product('twice', 'twice'),
    delivery: {
      kind: 'products',
      title: 'twice comes back with one variant',
      batch: [{ ProductId: 'twice', ProductVariants: [{ VariantId: '3', Sku: 'TW-3', Stock: 1 }] }],
    },
    find: { id: 'twice' },
    stored: { ProductName: null, ProductVariants: [{ VariantId: '3', Sku: 'TW-3', Stock: 1 }] },
  },
  {
    deletion: variant('50% of the product a/b', 'a/b', '50%'),
    delivery: {
      kind: 'products',
      title: 'a/b gets its variant 50% again',
      batch: [{ ProductId: 'a/b', ProductVariants: [{ VariantId: '50%', Sku: 'AB-50', Stock: 4 }] }],
    },
    find: { id: 'a/b' },
    stored: { ProductName: 'Half & half', ProductVariants: [{ VariantId: '50%', Sku: 'AB-50', Stock: 4 }] },
  },
  {
    deletion: order('REFUND-1', 'REFUND-1'),
    delivery: {
      kind: 'orders',
      title: 'REFUND-1 is entered anew',
      batch: [
        {
          OrderId: 'REFUND-1',
          Currency: 'CHF',
          OrderItems: [{ ProductId: 'GIFT', Sku: 'GIFT-01', Quantity: -1, Price: 50 }],
        },
      ],
    },
    find: { id: 'REFUND-1' },
    stored: {
      Email: null,
      TotalRevenue: 1,
      Currency: 'CHF',
      OrderItems: [{ ProductId: 'GIFT', Sku: 'GIFT-01', Quantity: -1, Price: 50 }],
    },
  },
];

/** Many in one request; they count one after the other. */
function atOnce(which: string, route: RouteName, parts: readonly Deletion[]): Deletion {
  return {
    title: `${parts.length} at once: ${which}`,
    route,
    body: parts.map(({ echo }) => toElement(echo)),
    echo: { count: parts.length },
    apply: (expected) => parts.forEach(({ apply }) => apply(expected)),
  };
}

/** The element that stands for a delete: its ids, named as the fields are. */
function toElement(ids: Fields): Fields {
  const sent = Object.entries(ids).filter(([, id]) => id !== null);
  return Object.fromEntries(sent.map(([name, id]) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, id]));
}

function customer(which: string, query: { readonly customerId?: string; readonly email?: string }): Deletion {
  const echo = { customerId: query.customerId ?? null, email: query.email ?? null };
  return {
    title: `customer ${which}`,
    route: 'deleteCustomer',
    query,
    echo,
    apply: ({ customers }) =>
      customers.remove({ CustomerId: textOf(echo, 'customerId'), Email: textOf(echo, 'email') }),
  };
}

function product(which: string, productId: string): Deletion {
  const apply = ({ products }: ExpectedShop) => products.remove(productId);
  return {
    title: `product ${which}`,
    route: 'deleteProduct',
    params: { product: productId },
    echo: { productId },
    apply,
  };
}

function variant(which: string, productId: string, variantId: string): Deletion {
  return {
    title: `variant ${which}`,
    route: 'deleteVariant',
    params: { product: productId, variant: variantId },
    echo: { productId, variantId },
    apply: ({ products }) => products.removeVariant(productId, variantId),
  };
}

function order(which: string, orderId: string): Deletion {
  const apply = ({ orders }: ExpectedShop) => orders.remove(orderId);
  return { title: `order ${which}`, route: 'deleteOrder', params: { order: orderId }, echo: { orderId }, apply };
}

function item(which: string, orderId: string, query: { readonly productId?: string; readonly sku?: string }): Deletion {
  return {
    title: `item ${which}`,
    route: 'deleteItem',
    params: { order: orderId },
    query,
    echo: { orderId, productId: query.productId ?? null, sku: query.sku ?? null },
    apply: ({ orders }) => orders.removeItem(orderId, query),
  };
}
