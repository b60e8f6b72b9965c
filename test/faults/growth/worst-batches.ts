/** The largest batches that the bounds allow, each the worst of its form for whoever waits meanwhile. */
import { gzipSync } from 'node:zlib';
import { MAX_BATCH, MAX_BODY_BYTES, MAX_DELETION_BATCH } from '../../../shared/domain/limits';
import type { Prepare } from './cost';
import type { PreparedRequest } from './metered-service';
import { MeteredService } from './metered-service';
import { json, order, product, times, unknownFields, variants, wideOrder, wideProduct } from './records';
import type { Input } from './upsert-inputs';
import { batch } from './upsert-inputs';

const { customers: CUSTOMERS, products: PRODUCTS, orders: ORDERS } = MAX_BATCH;
const ANY = [200, 400, 413];
const bySku = { productIdentifier: 'sku' } as const;

/** A body of as many bytes as there may be: `head`, as many `part` as fit, and `tail`. */
function filled(head: string, part: string, tail: string): Buffer {
  const count = Math.floor((MAX_BODY_BYTES - head.length - tail.length) / Buffer.byteLength(part));
  return Buffer.from(head + part.repeat(count) + tail);
}

const CUSTOMER = '{"Email":"a@example.com"';

const raw = (name: string, body: () => Buffer): Input =>
  batch(name, { kind: 'customers', size: 1, statuses: ANY, body });

export const WORST_CUSTOMERS: readonly Input[] = [
  raw('many customers, with long unknown texts', () =>
    json(times(CUSTOMERS, (index) => ({ Email: `c${index}@example.com`, Name: 'Ada', more: 'x'.repeat(16_000) })))),
  raw('one customer many times, with all fields', () =>
    json(times(CUSTOMERS, (index) => ({ CustomerId: 'c', Email: 'c@example.com', Name: `${index}`, Username: 'ä'.repeat(500) })))),
  raw('blanks', () => filled('[', ' \n', ']')),
  raw('one long text', () => filled(`[${CUSTOMER},"Name":"`, 'x', '"}]')),
  raw('one long text of escapes', () => filled(`[${CUSTOMER},"Name":"`, '\\u00e9', '"}]')),
  raw('one long text of emoji', () => filled(`[${CUSTOMER},"Name":"`, '🍵', '"}]')),
  raw('many empty elements', () => filled('[', '{},', '{}]')),
  raw('many numbers', () => filled('[', '1,', '1]')),
  raw('deep arrays', () => filled(`[${CUSTOMER},"more":[`, `${'['.repeat(28)}${']'.repeat(28)},`, '0]}]')),
  raw('brackets that never close', () => filled('', '[', '')),
  raw('what is no JSON at its end', () => filled('[', '"x",', 'x]')),
  raw('an element of 980,000 distinct unknown fields', () => Buffer.from(`[${CUSTOMER},${unknownFields(980_000)}}]`)),
  raw('an element of 90,000 distinct unknown fields', () => Buffer.from(`[${CUSTOMER},${unknownFields(90_000)}}]`)),
  raw('elements of 900 distinct unknown fields', () =>
    Buffer.from(`[${times(CUSTOMERS, (index) => `${CUSTOMER},${unknownFields(900, `${index}-`)}}`).join(',')}]`)),
]; // prettier-ignore

const FULL_ITEM = (index: number) => ({
  ProductId: `p${index}`,
  Sku: `s${index}`,
  Quantity: 1,
  Price: 1.5,
  Size: '4x500ml',
  Color: 'c',
  Brand: 'b',
  IsGift: false,
  OriginalPrice: 2,
});

const orders = (name: string, body: () => Buffer, stored?: () => readonly object[]): Input =>
  batch(name, { kind: 'orders', size: 1, statuses: ANY, body, ...(stored && { stored }) });

export const WORST_ORDERS: readonly Input[] = [
  orders('500 times a stored order of 9,000 items, without items', () => json(times(ORDERS, () => order('x'))), () => [order('x', 9_000)]),
  orders('one order in 500 elements of 300 new items', () => json(times(ORDERS, (index) => order('x', 300, 300 * index)))),
  orders('one order of 18,000 items', () => json([order('x', 18_000)])),
  orders('one order of 6,000 items with all fields', () => json([{ ...order('x'), OrderItems: times(6_000, FULL_ITEM) }])),
  orders('500 orders of 180 items with all fields', () =>
    json(times(ORDERS, (index) => ({ ...order(`o${index}`), OrderItems: times(180, FULL_ITEM) })))),
  orders('one order of many bad items', () => json([{ ...order('x'), OrderItems: times(19_999, () => ({})) }])),
  orders('100 large stored orders, without items', () => json(times(100, (index) => order(`o${index}`))), () => times(100, (index) => wideOrder(`o${index}`, 1_000_000))),
  orders('50 stored orders of many items, without items', () => json(times(50, (index) => order(`o${index}`))), () => times(50, (index) => order(`o${index}`, 14_000))),
]; // prettier-ignore

const products = (name: string, body: () => Buffer, stored?: () => readonly object[], settings = {}): Input =>
  batch(name, { kind: 'products', size: 1, statuses: ANY, settings, body, ...(stored && { stored }) });

const claiming = (index: number) => product(`p${index}`, [{ VariantId: `v${index}`, Sku: `v${index}` }]);

export const WORST_PRODUCTS: readonly Input[] = [
  products('200 products of 800 variants', () =>
    json(times(PRODUCTS, (index) => product(`p${index}`, times(800, (part) => ({ VariantId: `v${part}`, Sku: `v${part}`, Name: 'n'.repeat(40) })))))),
  products('one product of 20,000 variants', () => json([product('x', variants(20_000))])),
  products('200 products of 10,000 texts', () =>
    json(times(PRODUCTS, (index) => ({ ...product(`p${index}`), Taxonomy: times(10_000, () => 't') })))),
  products('100 large stored products, without variants', () => json(times(100, (index) => product(`p${index}`))), () => times(100, (index) => wideProduct(`p${index}`, 1_000_000))),
  products('200 times a stored product of 18,000 variants', () => json(times(PRODUCTS, () => product('x'))), () => [product('x', variants(18_000))]),
  products('by Sku, 80 elements that each claim a Sku of one stored product of 8,000 variants', () => json(times(80, claiming)), () => [product('x', variants(8_000))], bySku),
  products('by Sku, 200 elements of one stored product of 8,000 variants', () =>
    json(times(PRODUCTS, () => product('x', [{ VariantId: 'v0', Sku: 'v0' }]))), () => [product('x', variants(8_000))], bySku),
  products('by Sku, a chain of 200 products, from its end', () =>
    json(times(PRODUCTS, (index) => product(`p${PRODUCTS - index - 1}`, [{ VariantId: 'v', Sku: `${PRODUCTS - index}-0` }]))),
    () => times(PRODUCTS, (index) => product(`p${index}`, variants(40, `${index}-`))), bySku),
  products('by Sku, one product of 8,750 new variants', () => json([product('x', variants(8_750))]), undefined, bySku),
  products('by Sku, 200 products of 700 variants', () =>
    json(times(PRODUCTS, (index) => product(`p${index}`, variants(700, `p${index}-`)))), undefined, bySku),
]; // prettier-ignore

/** A request that comes after a batch of deletions whose message has not come yet. */
function behind(
  kind: 'products' | 'orders',
  stored: object,
  elements: readonly object[],
  last: (path: string) => PreparedRequest,
): Prepare {
  return async () => {
    const to = await MeteredService.open(kind);
    const caller = await to.createMeteredCaller();
    await to.upsert(caller, kind, [stored]);
    const path = `/${kind}/${caller.tenantId}`;
    await to.must([200], 'POST', `${path}/deletions`, { key: caller.key, json: elements });
    return to.prepare(caller, ANY, last(path));
  };
}

/** An upsert that applies a full batch of deletions before it writes. */
function behindDeletions(
  name: string,
  kind: 'products' | 'orders',
  stored: object,
  elements: readonly object[],
): Input {
  const body = json([kind === 'orders' ? order('y') : product('y')]);
  return {
    name: `POST ${kind}: ${name}`,
    size: 1,
    prepare: behind(kind, stored, elements, (path) => ({ path, body })),
  };
}

/** Reads what deletions have left of the record `x`. */
function read(name: string, kind: 'products' | 'orders', stored: object, elements: readonly object[] = []): Input {
  const prepare = behind(kind, stored, elements, (path) => ({ method: 'GET', path: `${path}/x` }));
  return { name: `GET ${kind}: ${name}`, size: 1, prepare };
}

export const WORST_READS: readonly Input[] = [
  read('an order of 6,000 items with all fields', 'orders', { ...order('x'), OrderItems: times(6_000, FULL_ITEM) }),
  read('a product of 18,000 variants behind 1,000 deletions of some (R-69)', 'products', product('x', variants(18_000)),
    times(MAX_DELETION_BATCH, (index) => ({ ProductId: 'x', VariantId: `v${17 * index}` }))),
]; // prettier-ignore

export const WORST_DELETIONS: readonly Input[] = [
  behindDeletions('behind 1,000 deletions of variants of one product of 18,000 (R-53)', 'products', product('x', variants(18_000)),
    times(MAX_DELETION_BATCH, (index) => ({ ProductId: 'x', VariantId: `v${17 * index}` }))),
  behindDeletions('behind 1,000 deletions of items that an order of 9,000 does not hold (R-53)', 'orders', order('x', 9_000),
    times(MAX_DELETION_BATCH, (index) => ({ OrderId: 'x', ProductId: `none${index}` }))),
]; // prettier-ignore

/** A body that is small on the wire, and as large as it may be when it is inflated. */
export const WORST_GZIP: readonly Input[] = [
  batch('blanks of gzip', {
    kind: 'customers',
    size: 1,
    statuses: ANY,
    headers: { 'content-encoding': 'gzip' },
    body: () => gzipSync(filled('[', ' ', ']')),
  }),
];
