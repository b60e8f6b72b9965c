/** Records as a shop sends them: most fields, some variety, and no two alike. */

export type BenchKind = 'customers' | 'orders' | 'products';

const NAMES = ['Ann', 'Bob', 'Chloé', 'Dimitra', 'Emre', 'Fatima', 'Giorgos', 'Hana'];
const SURNAMES = ['Papadopoulou', 'Smith', 'Nguyen', 'Öztürk', 'García', 'Kowalska', 'Rossi'];
const SIZES = ['S', 'M', 'L', '500 ml', '2x250g', '42'];
const COLORS = ['black', 'white', 'red', 'navy blue'];

/** `count` records of a kind, numbered from `first` on; the same numbers are the same records. */
export function sampleRecords(kind: BenchKind, count: number, first = 0): object[] {
  return Array.from({ length: count }, (_, index) => MAKERS[kind](first + index));
}

/** The number of a sample customer, by its `CustomerId`. @throws Error for any other text */
export function customerNumber(customerId: string): number {
  const number = /^C-(\d+)$/.exec(customerId)?.[1];
  if (number === undefined) throw new Error(`Not the id of a sample customer: ${customerId}`);
  return Number(number);
}

const MAKERS: Readonly<Record<BenchKind, (number: number) => object>> = {
  customers: (number) => ({
    CustomerId: `C-${number}`,
    Email: customerEmail(number),
    Name: pick(NAMES, number),
    Surname: pick(SURNAMES, number),
    Phone: `+30210${String(number).padStart(7, '0')}`,
    Language: number % 2 === 0 ? 'el-GR' : 'en',
    EmailOptin: number % 3 !== 0,
    SmsOptin: number % 5 === 0,
    GdprOptin: true,
  }),
  orders: (number) => ({
    OrderId: `O-${number}`,
    Email: `customer.${number % 1_000}@shop.example.com`,
    TotalQuantity: 3,
    TotalRevenue: 10 + (number % 500) / 4,
    OrderDate: '2026-03-01T10:15:30+02:00',
    Currency: 'EUR',
    OrderItems: Array.from({ length: 3 }, (_, line) => ({
      ProductId: `P-${(number + line) % 5_000}`,
      Sku: `P-${(number + line) % 5_000}-${line}`,
      Quantity: 1 + line,
      Price: 9.99 + line,
      Size: pick(SIZES, number + line),
      Color: pick(COLORS, number + line),
      Brand: 'Acme',
    })),
  }),
  products: (number) => ({
    ProductId: `P-${number}`,
    ProductName: `Product number ${number} with an ordinary name`,
    Taxonomy: ['Clothing', 'Women', `Season ${number % 4}`],
    ProductVariants: Array.from({ length: 10 }, (_, variant) => ({
      VariantId: `P-${number}-${variant}`,
      Sku: `SKU-${number}-${variant}`,
      Name: `Product number ${number}, variant ${variant}`,
      Image: `https://cdn.example.com/products/${number}/${variant}.jpg`,
      Size: pick(SIZES, variant),
      Color: pick(COLORS, variant),
      Stock: (number + variant) % 40,
      OriginalPrice: 49.9,
      SalePrice: 39.9,
      Currency: 'EUR',
      IsAvailable: true,
      Url: `https://shop.example.com/products/${number}?variant=${variant}`,
    })),
  }),
};

function pick(values: readonly string[], number: number): string {
  return values[number % values.length] ?? '';
}

/** The e-mail of a sample customer, which keys it under the default settings of a tenant. */
export function customerEmail(number: number): string {
  return `customer.${number}@shop-${number % 97}.example.com`;
}
