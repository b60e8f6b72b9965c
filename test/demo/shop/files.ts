/**
 * The files of the shop's bucket, in three formats: what is in each, which of its rows are bad, and which are older
 * than what is stored. The valid records are made first and the files from them, so that the model needs no file.
 */
import { gzipSync } from 'node:zlib';
import type { Fields, Kind } from '../fields';
import { partsOf } from '../fields';
import { CUSTOMERS } from './customers';
import { toCents } from './delivery';
import { VARIANTS } from './products';

export interface ShopFile {
  /** Of the object; its folders or its own name tell the kind. */
  readonly name: string;
  /** For the reader. */
  readonly title: string;
  readonly content: Buffer;
  /** What it holds; absent: no records. */
  readonly rows?: {
    readonly kind: Kind;
    /** Valid ones that are not stale, in their order. */
    readonly stored: readonly Fields[];
    /** Valid ones that yield to something newer. */
    readonly stale: number;
    readonly bad: readonly BadRow[];
  };
}

interface BadRow {
  /** Of the record's first line; in a JSON array its position. */
  readonly line: number;
  readonly messages: Readonly<Record<string, readonly string[]>>;
}

const MEMBERS = CUSTOMERS.filter((_, i) => i % 5 === 2);

/** Takes a consent back through the API after the export was made. */
export const WITHDRAWER = CUSTOMERS[28]!;

/** Known to the export as they were two years ago. */
const OUTDATED = CUSTOMERS[30]!;

const ONE_BAD_ORDER = { OrderId: 'A-108', Currency: 'XYZ' };

/** What the shop has put into its bucket before the historical transfer. */
export function archiveFiles(): ShopFile[] {
  return [
    customersFile(),
    ordersFile('orders of 2024; nested rows', ONE_BAD_ORDER),
    productsFile(),
    { name: 'archive/2025/readme.txt', title: 'no records, by its name', content: Buffer.from('Made by the shop.\n') },
  ];
}

/** What changes before the daily transfer: the orders are mended, and the CRM sends a file for the first time. */
export function laterFiles(): ShopFile[] {
  return [ordersFile('replaced: the bad order is mended', { ...ONE_BAD_ORDER, Currency: 'EUR' }), crmFile()];
}

/**
 * Line by line, compressed: two bad rows, a consent that has been withdrawn since, an old row, one with a time of its
 * own.
 */
function customersFile(): ShopFile {
  const members = MEMBERS.map(({ id, email }, i) => ({
    CustomerId: id,
    Email: email,
    Username: `member ${i + 1}`,
    SmsOptin: i % 2 === 0,
  }));
  const early = { Email: 'first.ever@example.com', Name: 'Zoë', UpdatedAt: '2024-01-31T08:00:00Z' };
  const lines = [
    ...members.slice(0, 10).map(toLine),
    toLine({ Email: 'no at sign', Name: 'Bad' }),
    ...members.slice(10).map(toLine),
    toLine({ Email: WITHDRAWER.email, EmailOptin: true, SmsOptin: true }),
    toLine({ Email: OUTDATED.email, Surname: 'Outdated', UpdatedAt: '2024-05-01T10:00:00+02:00' }),
    '{"Email": "cut.off@exam',
    toLine(early),
  ];
  return {
    name: 'archive/2024/customers.ndjson.gz',
    title: 'one record a line, compressed',
    content: gzipSync(lines.map((line) => `${line}\n`).join('')),
    rows: {
      kind: 'customers',
      stored: [...members, early],
      stale: 2,
      bad: [
        { line: 11, messages: { Email: ['The field Email must be an e-mail address.'] } },
        { line: lines.length - 1, messages: { '': ['The record is not valid JSON.'] } },
      ],
    },
  };
}

const ORDER_COLUMNS = ['OrderId', 'Email', 'Currency', 'OrderDate', 'TotalRevenue', 'IsOrderCancelled'];
const ITEM_COLUMNS = ['ProductId', 'Sku', 'Quantity', 'Price', 'Size'];

/** A row for each item; the first one of an order has the order's own fields, too. */
function ordersFile(title: string, special: Fields): ShopFile {
  const orders = Array.from({ length: 24 }, (_, i) => toOrder(i)).map((order) =>
    order.OrderId === special.OrderId ? { ...order, ...special } : order,
  );
  let line = 2; // behind the header
  const bad: BadRow[] = [];
  const stored: Fields[] = [];
  const cells = orders.flatMap((order) => {
    const isValid = order.Currency !== 'XYZ';
    if (isValid) stored.push(order);
    else bad.push({ line, messages: { Currency: ['The field Currency must be an ISO 4217 currency code.'] } });
    const rows = partsOf(order, 'OrderItems').map((item, i) => [
      ...ORDER_COLUMNS.map((field) => (i === 0 || field === 'OrderId' ? (order as Fields)[field] : undefined)),
      ...ITEM_COLUMNS.map((field) => item[field]),
    ]);
    line += rows.length;
    return rows;
  });
  return {
    name: 'archive/2024/orders.csv',
    title,
    content: toCsv([...ORDER_COLUMNS, ...ITEM_COLUMNS.map((field) => `OrderItems.${field}`)], cells),
    rows: { kind: 'orders', stored, stale: 0, bad },
  };
}

function toOrder(i: number) {
  const items = Array.from({ length: 1 + (i % 3) }, (_, j) => {
    const { productId, sku, price, size } = VARIANTS[(i * 7 + j * 11) % VARIANTS.length]!;
    return { ProductId: productId, Sku: sku, Quantity: 1 + j, Price: price, ...(size !== undefined && { Size: size }) };
  });
  return {
    OrderId: `A-${100 + i}`,
    Email: CUSTOMERS[(i * 13) % CUSTOMERS.length]!.email,
    Currency: 'EUR',
    OrderDate: new Date(Date.UTC(2024, i % 12, 1 + i, 9)).toISOString(),
    TotalRevenue: toCents(items.reduce((sum, { Price, Quantity }) => sum + Price * Quantity, 0)),
    ...(i % 8 === 7 && { IsOrderCancelled: true }),
    OrderItems: items,
  };
}

/** One array, as a person would indent it; the third product has forgotten its variants. */
function productsFile(): ShopFile {
  const products: Fields[] = Array.from({ length: 12 }, (_, i) => ({
    ProductId: `VINTAGE-${i + 1}`,
    ProductName: `Vintage „${i + 1}“, a\nclassic`,
    Taxonomy: ['Archive', i % 2 === 0 ? 'Shoes' : 'Coats'],
    ProductVariants: ['S', 'M', 'L'].slice(0, 1 + (i % 3)).map((size) => ({
      VariantId: `V${i + 1}${size}`,
      Sku: `VINTAGE-${i + 1}-${size}`,
      Size: size,
      Stock: i,
      OriginalPrice: 20 + i,
      Currency: 'EUR',
    })),
  }));
  const all: readonly Fields[] = products.toSpliced(2, 0, { ProductId: 'VINTAGE-0', ProductName: 'Incomplete' });
  return {
    name: 'archive/2025/products.json',
    title: 'an array',
    content: Buffer.from(JSON.stringify(all, null, 2)),
    rows: {
      kind: 'products',
      stored: products,
      stale: 0,
      bad: [{ line: 3, messages: { ProductVariants: ['The ProductVariants field is required.'] } }],
    },
  };
}

/** As a spreadsheet saves it: byte-order mark, CRLF, booleans in capitals, a comma and a line break within cells. */
function crmFile(): ShopFile {
  const customers = [
    { Email: WITHDRAWER.email, Phone: '+49 30 901820', GdprOptin: true },
    { Email: 'kim@example.com', Name: 'Kim', Surname: 'Park, "PK"', Username: 'two\nlines', GdprOptin: false },
    { Email: 'li@example.com', Name: '丽', EmailOptin: true, GdprOptin: true },
  ];
  const columns = ['Email', 'Name', 'Surname', 'Username', 'Phone', 'EmailOptin', 'GdprOptin'];
  const cells = customers.map((customer: Fields) => columns.map((field) => customer[field]));
  const text = toCsv(columns, cells).toString().replaceAll('true', 'TRUE');
  return {
    name: 'crm/Customers 2026.csv',
    title: 'new, from a spreadsheet',
    content: Buffer.from(`\uFEFF${text}`),
    rows: { kind: 'customers', stored: customers, stale: 0, bad: [] },
  };
}

function toLine(record: Fields): string {
  return JSON.stringify(record);
}

/** RFC 4180. */
function toCsv(columns: readonly string[], rows: readonly (readonly unknown[])[]): Buffer {
  const text = [columns, ...rows].map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('');
  return Buffer.from(text);
}

function toCell(value: unknown): string {
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
