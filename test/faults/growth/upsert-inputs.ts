/** Batches that a caller may send, each made so that one mistake makes its work grow faster than its bytes. */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { RecordKind } from '../../../shared/domain/identity';
import type { TenantSettings } from '../../../shared/domain/tenant';
import type { Prepare } from './cost';
import { MeteredService } from './metered-service';
import { json, order, product, times, unknownFields, variants, wideOrder, wideProduct } from './records';

export interface Input {
  /** The defect that it shows, or what is worst in it. */
  readonly name: string;
  /** The smallest of three sizes, whose bodies are all short or all longer (SHORT_JSON_BYTES). */
  readonly size: number;
  readonly prepare: Prepare;
}

interface Batch {
  readonly kind: RecordKind;
  readonly size: number;
  readonly settings?: Partial<TenantSettings>;
  /** What is stored before. */
  readonly stored?: (size: number) => readonly object[];
  readonly storedAtOnce?: number;
  readonly body: (size: number) => Buffer;
  readonly statuses?: readonly number[];
  /** The work may not grow with the size at all. */
  readonly isConstant?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** After the tenant. */
  readonly path?: string;
}

export function batch(name: string, definition: Batch): Input {
  const { kind, size, settings, stored, storedAtOnce, body, statuses = [200], isConstant = false } = definition;
  const { headers = {}, path = '' } = definition;
  const prepare: Prepare = async (n) => {
    const to = await MeteredService.open(kind);
    const caller = await to.createMeteredCaller(settings);
    if (stored) await to.upsert(caller, kind, stored(n), storedAtOnce);
    const sent = body(n);
    const length = headers['content-encoding'] === 'gzip' ? gunzipSync(sent).length : sent.length;
    const bytes = isConstant ? 1 : length + (await to.storedBytes(caller));
    return to.prepare(caller, statuses, { path: `/${kind}/${caller.tenantId}${path}`, body: sent, bytes, headers });
  };
  return { name: `POST ${kind}: ${name}`, size, prepare };
}

const REFUSED = [400, 413];
const EITHER = [200, 400, 413];
const bySku = { productIdentifier: 'sku' } as const;

const ITEM = { ProductId: 'p', Sku: 's', Quantity: 1, Price: 1, Size: '4x500ml' };

const ORDERS: readonly Input[] = [
  batch('ordinary orders', {
    kind: 'orders',
    size: 125,
    body: (n) => json(times(n, (index) => order(`o${index}`, 10))),
  }),
  batch('an order of many items that is sent again and again without items', {
    kind: 'orders',
    size: 60,
    stored: (n) => [order('x', 16 * n)],
    body: (n) => json(times(n, () => order('x'))),
  }),
  batch('one order in many elements, each with new items', {
    kind: 'orders',
    size: 60,
    body: (n) => json(times(n, (index) => order('x', 20, 20 * index))),
  }),
  batch('one order that outgrows its document, in many elements with new items', {
    kind: 'orders',
    size: 100,
    statuses: REFUSED,
    body: (n) => json(times(n, (index) => order('x', 300, 300 * index))),
  }),
  batch('one order of many items', { kind: 'orders', size: 2_000, body: (n) => json([order('x', n)]) }),
  batch('one item again and again in one order', {
    kind: 'orders',
    size: 3_000,
    body: (n) => json([{ OrderId: 'x', Currency: 'EUR', OrderItems: times(n, () => ITEM) }]),
  }),
  batch('many large stored orders', {
    kind: 'orders',
    size: 4,
    stored: (n) => times(n, (index) => wideOrder(`o${index}`, 500_000)),
    body: (n) => json(times(n, (index) => order(`o${index}`))),
  }),
  batch('an order with many bad items', {
    kind: 'orders',
    size: 4_500,
    statuses: REFUSED,
    body: (n) => json([{ OrderId: 'x', Currency: 'EUR', OrderItems: times(n, () => ({ ProductId: 1 })) }]),
  }),
];

const PRODUCTS: readonly Input[] = [
  batch('ordinary products', {
    kind: 'products',
    size: 50,
    body: (n) => json(times(n, (index) => product(`p${index}`, variants(5)))),
  }),
  batch('many large stored products without variants', {
    kind: 'products',
    size: 4,
    stored: (n) => times(n, (index) => wideProduct(`p${index}`, 500_000)),
    body: (n) => json(times(n, (index) => product(`p${index}`))),
  }),
  batch('a product of many variants in many elements', {
    kind: 'products',
    size: 40,
    stored: (n) => [product('x', variants(32 * n))],
    body: (n) => json(times(n, () => product('x'))),
  }),
  batch('one product of many variants', {
    kind: 'products',
    size: 4_000,
    body: (n) => json([product('x', variants(n))]),
  }),
  batch('one product of many texts', {
    kind: 'products',
    size: 1_750,
    body: (n) => json([{ ...product('x'), Taxonomy: times(n, (index) => `t${index}`) }]),
  }),
];

const PRODUCTS_BY_SKU: readonly Input[] = [
  batch('by Sku, ordinary products', {
    kind: 'products',
    settings: bySku,
    size: 50,
    body: (n) => json(times(n, (index) => product(`p${index}`, variants(5, `p${index}-`)))),
  }),
  batch('by Sku, elements that each claim a Sku of one stored product of many variants', {
    kind: 'products',
    settings: bySku,
    size: 10,
    stored: (n) => [product('x', variants(40 * n))],
    body: (n) => json(times(n, (index) => product(`p${index}`, [{ VariantId: `v${index}`, Sku: `v${index}` }]))),
  }),
  batch('by Sku, a chain of products that each claim a Sku of the next', {
    kind: 'products',
    settings: bySku,
    size: 20,
    stored: (n) => times(n, (index) => product(`p${index}`, [{ VariantId: `v${index}`, Sku: `v${index}` }])),
    body: (n) => json(times(n, (index) => product(`p${index}`, [{ VariantId: 'v', Sku: `v${index + 1}` }]))),
  }),
  batch('by Sku, a chain of products, from its end, each taking over the ones behind it', {
    kind: 'products',
    settings: bySku,
    size: 15,
    stored: (n) => times(n, (index) => product(`p${index}`, variants(40, `${index}-`))),
    body: (n) => json(times(n, (index) => product(`p${n - index - 1}`, [{ VariantId: 'v', Sku: `${n - index}-0` }]))),
  }),
  batch('by Sku, one product of many new variants that collects many stored ones', {
    kind: 'products',
    settings: bySku,
    size: 20,
    storedAtOnce: 100,
    stored: (n) => times(n, (index) => product(`p${index}`, [{ VariantId: 'v', Sku: `s${index}` }])),
    body: (n) =>
      json([
        product('x', variants(60 * n, 'x')),
        ...times(n, (index) => product('x', [{ VariantId: 'v', Sku: `s${index}` }])),
      ]),
  }),
  batch('by Sku, one product of many stored variants in many elements', {
    kind: 'products',
    settings: bySku,
    size: 25,
    stored: (n) => [product('x', variants(40 * n))],
    body: (n) => json(times(n, () => product('x', [{ VariantId: 'v0', Sku: 'v0' }]))),
  }),
  batch('by Sku, a product that takes a Sku which many have taken before', {
    kind: 'products',
    settings: bySku,
    size: 100,
    isConstant: true,
    storedAtOnce: 100,
    stored: (n) => [
      ...times(n, (index) => product(`p${index}`, [{ VariantId: 'own', Sku: `own${index}` }])),
      ...times(n, (index) =>
        product(`p${index}`, [
          { VariantId: 'own', Sku: `own${index}` },
          { VariantId: 'shared', Sku: 'shared' },
        ]),
      ),
    ],
    body: () => json([product('q', [{ VariantId: 'shared', Sku: 'shared' }])]),
  }),
];

/** As they are sent by callers who spare the line. */
const COMPRESSED: readonly Input[] = [
  batch('ordinary products, of gzip', {
    kind: 'products',
    size: 50,
    headers: { 'content-encoding': 'gzip' },
    body: (n) => gzipSync(json(times(n, (index) => product(`p${index}`, variants(5))))),
  }),
  batch('ordinary orders, of gzip', {
    kind: 'orders',
    size: 125,
    headers: { 'content-encoding': 'gzip' },
    body: (n) => gzipSync(json(times(n, (index) => order(`o${index}`, 10)))),
  }),
];

const customer = (index: number) => ({ CustomerId: `c${index}`, Email: `c${index}@example.com`, Name: 'Ada' });

const CUSTOMERS: readonly Input[] = [
  batch('ordinary customers', { kind: 'customers', size: 250, body: (n) => json(times(n, customer)) }),
  batch('one customer in many elements', {
    kind: 'customers',
    size: 250,
    body: (n) => json(times(n, (index) => ({ ...customer(0), Name: `Ada ${index}` }))),
  }),
  batch('an element of many distinct unknown fields', {
    kind: 'customers',
    size: 20_000,
    statuses: EITHER,
    body: (n) =>
      Buffer.from(`[{"Email":"a@example.com",${unknownFields(n)}}]`),
  }),
  batch('elements of some distinct unknown fields each', {
    kind: 'customers',
    size: 100,
    statuses: EITHER,
    body: (n) =>
      Buffer.from(
        `[${times(n, (index) => `{"Email":"c${index}@example.com",${unknownFields(200, `${index}-`)}}`).join(',')}]`,
      ),
  }),
  batch('unknown fields of deep values', {
    kind: 'customers',
    size: 250,
    body: (n) => json(times(n, (index) => ({ ...customer(index), more: deep(28) }))),
  }),
  batch('bad elements', { kind: 'customers', size: 250, statuses: REFUSED, body: (n) => json(times(n, () => ({ Name: 1 }))) }),
  batch('a text that is too long', {
    kind: 'customers',
    size: 1_000_000,
    statuses: REFUSED,
    body: (n) => json([{ Email: 'a@example.com', Name: 'x'.repeat(n) }]),
  }),
  batch('a text of escapes that is too long', {
    kind: 'customers',
    size: 40_000,
    statuses: REFUSED,
    body: (n) => Buffer.from(`[{"Email":"a@example.com","Name":"${'\\u00e9'.repeat(n)}"}]`),
  }),
  batch('blanks', { kind: 'customers', size: 1_000_000, body: (n) => Buffer.from(`[${' \n'.repeat(n / 2)}]`) }),
  batch('brackets that never close', { kind: 'customers', size: 1_000_000, statuses: REFUSED, body: (n) => Buffer.from('['.repeat(n)) }),
  batch('many tiny elements', { kind: 'customers', size: 80_000, statuses: REFUSED, body: (n) => Buffer.from(`[${'{},'.repeat(n)}{}]`) }),
  batch('text that is no JSON at its end', {
    kind: 'customers',
    size: 1_000_000,
    statuses: REFUSED,
    body: (n) => Buffer.from(`[${'1,'.repeat(n / 2)}x]`),
  }),
]; // prettier-ignore

function deep(levels: number): unknown {
  return levels === 0 ? 0 : [deep(levels - 1)];
}

export const UPSERT_INPUTS: readonly Input[] = [
  ...CUSTOMERS,
  ...ORDERS,
  ...PRODUCTS,
  ...PRODUCTS_BY_SKU,
  ...COMPRESSED,
];
