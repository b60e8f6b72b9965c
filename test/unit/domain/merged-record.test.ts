import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { documentBytes, valueBytes } from '../../../shared/domain/records/document';
import type { DocumentData } from '../../../shared/domain/records/document';
import type { UpsertOrderDto } from '../../../shared/domain/dto/order';
import type { UpsertProductDto } from '../../../shared/domain/dto/product';
import { MergedRecord } from '../../../shared/domain/records/merged-record';
import type { OrderRecord } from '../../../shared/domain/records/order';
import { mergeOrder, orderRules } from '../../../shared/domain/records/order';
import type { ProductRecord } from '../../../shared/domain/records/product';
import { mergeProduct, productRules } from '../../../shared/domain/records/product';

const NOW = new Date('2026-03-01T12:00:30.000Z');

/** A field that may be left out, null, or have a value. */
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(fc.option(value, { nil: null }), { nil: undefined });
const id = fc.constantFrom('a', ' a', 'a ', 'b', 'B', '__proto__');
const text = fc.constantFrom('', 'x', 'ä', '4x500ml', 'XL', 'y'.repeat(70));

/** A record whose members that are undefined are left out, as in JSON. */
const sentOf = <T>(record: fc.Arbitrary<T>) => record.map((value) => JSON.parse(JSON.stringify(value)) as T);

const item = fc.record({ ProductId: id, Sku: id, Quantity: fc.integer(), Price: fc.double({ noNaN: true, noDefaultInfinity: true }), Size: maybe(text), Color: maybe(text), Brand: maybe(text), IsGift: maybe(fc.boolean()), OriginalPrice: maybe(fc.integer()) }); // prettier-ignore
const order = sentOf(
  fc.record({ OrderId: id, Currency: fc.constantFrom('EUR', 'usd'), Email: maybe(fc.constantFrom('A@x.com', ' ')), CustomerId: maybe(id), TotalQuantity: maybe(fc.integer()), OrderDate: maybe(fc.constant('2026-01-01')), IsOrderCancelled: maybe(fc.boolean()), OrderItems: maybe(fc.array(item, { maxLength: 6 })) }), // prettier-ignore
) as fc.Arbitrary<UpsertOrderDto>;

const variant = fc.record({ VariantId: id, Sku: id, Name: maybe(text), Stock: maybe(fc.integer()), Currency: maybe(fc.constantFrom('EUR', ' ')), Language: maybe(fc.constant('en')), Size: maybe(text), Url: maybe(text) }); // prettier-ignore
const product = sentOf(
  fc.record({ ProductId: id, ProductName: maybe(text), Taxonomy: maybe(fc.array(text, { maxLength: 3 })), IsOfflineExclusive: maybe(fc.boolean()), ProductVariants: fc.array(variant, { maxLength: 6 }) }), // prettier-ignore
) as fc.Arbitrary<UpsertProductDto>;

/** A copy that later changes do not reach. */
const copyOf = (record: unknown) => structuredClone(record) as DocumentData;
const sizeOf = (record: object | undefined) => documentBytes((record ?? {}) as DocumentData) - documentBytes({});

it('equals merging order after order, with the size at each (D-07, R-41)', () => {
  const batches = fc.array(order, { maxLength: 6 });
  fc.assert(
    fc.property(batches, batches, fc.constantFrom('email' as const, 'customerid' as const), (first, second, by) => {
      const fold = (record: OrderRecord | undefined, sent: UpsertOrderDto) => mergeOrder(record, sent, by, NOW);
      const stored = first.reduce<OrderRecord | undefined>(fold, undefined);
      const merged = new MergedRecord(orderRules(by, NOW), stored);
      let expected = stored;
      for (const sent of second) {
        merged.add(sent);
        expected = fold(expected, sent);
        expect(copyOf(merged.record)).toStrictEqual(copyOf(expected));
        expect(merged.bytes()).toBe(sizeOf(expected));
      }
    }),
  );
});

it.each(['productid', 'sku'] as const)(
  'equals merging product after product by %s, with the size at each (D-07)',
  (identifier) => {
    // prettier-ignore
    const batches = fc.array(product, { maxLength: 6 });
    fc.assert(
      fc.property(batches, batches, (first, second) => {
        const fold = (record: ProductRecord | undefined, sent: UpsertProductDto) =>
          mergeProduct(record, sent, identifier);
        const stored = first.reduce<ProductRecord | undefined>(fold, undefined);
        const before = copyOf(stored);
        const merged = new MergedRecord(productRules(identifier), stored);
        let expected = stored;
        for (const sent of second) {
          merged.add(sent);
          expected = fold(expected, sent);
          expect(copyOf(merged.record)).toStrictEqual(copyOf(expected));
          expect(merged.bytes()).toBe(sizeOf(expected));
        }
        expect(copyOf(stored)).toStrictEqual(before);
      }),
    );
  },
);

it('merges into the first of two stored parts that share a key', () => {
  const variantOf = (VariantId: string, Stock: number) => ({ VariantId, Sku: 's', Stock });
  const stored: ProductRecord = { ProductId: 'p', ProductVariants: [variantOf('v', 1), variantOf(' v', 2)] };
  const sent: UpsertProductDto = { ProductId: 'p', ProductVariants: [{ VariantId: 'v', Sku: 's', Stock: 3 }] };
  const merged = new MergedRecord(productRules('productid'), stored);
  merged.add(sent);
  merged.add(sent);
  expect(copyOf(merged.record)).toStrictEqual(copyOf(mergeProduct(stored, sent, 'productid')));
  expect(merged.record?.ProductVariants.map(({ Stock }) => Stock)).toEqual([3, 2]);
});

it('takes the last upsert back as if it had not been added', () => {
  fc.assert(
    fc.property(fc.array(order, { maxLength: 6 }), fc.array(fc.boolean()), fc.boolean(), (batch, taken, hasStored) => {
      const stored = hasStored ? mergeOrder(undefined, batch[0] ?? { OrderId: 'a', Currency: 'EUR' }, 'email', NOW) : undefined; // prettier-ignore
      const merged = new MergedRecord(orderRules('email', NOW), stored);
      let expected = stored;
      batch.forEach((sent, index) => {
        merged.add(sent);
        if (taken[index]) merged.undo();
        else expected = mergeOrder(expected, sent, 'email', NOW);
        expect(copyOf(merged.record)).toStrictEqual(copyOf(expected));
        expect(merged.bytes()).toBe(sizeOf(expected));
      });
    }),
  );
});

it('says whether the last upsert has changed a value, or created the record', () => {
  const valuesOf = (record: object | undefined) => JSON.stringify(record) && (JSON.parse(JSON.stringify(record)) as object);
  fc.assert(
    fc.property(fc.array(product, { maxLength: 6 }), (batch) => {
      const merged = new MergedRecord(productRules('productid'), undefined);
      for (const sent of batch.flatMap((one) => [one, one])) {
        const before = valuesOf(merged.record);
        merged.add(sent);
        expect(merged.hasChanged).toBe(!isDeepStrictEqual(valuesOf(merged.record), before));
      }
    }),
  );
}); // prettier-ignore

it('is changed by a new part, and not by one that is sent with another value and then as it was', () => {
  const [known, other] = [
    { VariantId: 'v', Sku: 's', Stock: 1 },
    { VariantId: 'v', Sku: 's', Stock: 2 },
  ];
  const merged = new MergedRecord(productRules('productid'), { ProductId: 'p', ProductVariants: [known] });
  merged.add({ ProductId: 'p', ProductVariants: [other, known] });
  expect(merged.hasChanged).toBe(false);
  merged.add({ ProductId: 'p', ProductVariants: [known, other] });
  expect(merged.hasChanged).toBe(true);
  merged.add({ ProductId: 'p', ProductVariants: [] });
  expect(merged.hasChanged).toBe(false);
  merged.add({ ProductId: 'p', ProductVariants: [{ VariantId: 'w', Sku: 't' }] });
  expect(merged.hasChanged).toBe(true);
});

it('names the field that takes the most bytes', () => {
  const merged = new MergedRecord(productRules('productid'), undefined);
  merged.add({ ProductId: 'p'.repeat(50), Taxonomy: ['a'], ProductVariants: [] });
  expect(merged.largestField()).toBe('ProductId');
  merged.add({ ProductId: 'p', Taxonomy: ['a'.repeat(200)], ProductVariants: [{ VariantId: 'v', Sku: 's' }] });
  expect(merged.largestField()).toBe('Taxonomy');
  merged.add({ ProductId: 'p', ProductVariants: [{ VariantId: 'v', Sku: 's', Url: 'u'.repeat(300) }] });
  expect(merged.largestField()).toBe('ProductVariants');
});

it('looks at each stored part and each sent part a bounded number of times, however often an order comes', () => {
  let keys = 0;
  let merges = 0;
  const rules = orderRules('email', NOW);
  const counting = {
    ...rules,
    keyOf: (part: Parameters<typeof rules.keyOf>[0]) => ((keys += 1), rules.keyOf(part)),
    mergePart: (...parts: Parameters<typeof rules.mergePart>) => ((merges += 1), rules.mergePart(...parts)),
  };
  const itemOf = (n: number) => ({ ProductId: `p${n}`, Sku: 's', Quantity: 1, Price: 1 });
  const items = (from: number, count: number) => Array.from({ length: count }, (_, n) => itemOf(from + n));
  const stored = mergeOrder(undefined, { OrderId: 'o', Currency: 'EUR', OrderItems: items(0, 9_000) }, 'email', NOW);
  const merged = new MergedRecord(counting, stored);
  for (let n = 0; n < 500; n += 1) merged.add({ OrderId: 'o', Currency: 'EUR' });
  expect({ keys, merges }).toEqual({ keys: 0, merges: 0 });
  for (let n = 0; n < 500; n += 1) merged.add({ OrderId: 'o', Currency: 'EUR', OrderItems: items(n, 10) });
  expect({ keys, merges }).toEqual({ keys: 9_000 + 5_000, merges: 5_000 });
  expect(merged.bytes()).toBe(sizeOf(merged.record));
});

it('measures a long list of its own once, not at each element', () => {
  let reads = 0;
  const categories = Array.from({ length: 1_000 }, (_, n) => `category ${n}`);
  const Taxonomy = new Proxy(categories, { get: (list, name) => ((reads += 1), Reflect.get(list, name) as unknown) });
  const merged = new MergedRecord(productRules('productid'), undefined);
  merged.add({ ProductId: 'p', Taxonomy, ProductVariants: [] });
  const before = merged.bytes();
  expect(before).toBeGreaterThan(valueBytes(categories));
  expect(reads).toBeGreaterThan(1_000);
  reads = 0;
  for (let n = 0; n < 100; n += 1) {
    merged.add({ ProductId: 'p', ProductVariants: [] });
    expect(merged.bytes()).toBe(before);
  }
  expect(reads).toBe(0);
});
