import * as fc from 'fast-check';
import type { UpsertProductDto, UpsertProductVariantDto } from '../../../shared/domain/dto/product';
import { productSchema, productVariantSchema } from '../../../shared/domain/dto/product';
import { variantKey } from '../../../shared/domain/identity';
import type { ProductRecord, VariantRecord } from '../../../shared/domain/records/product';
import { mergeProduct, uniteProducts } from '../../../shared/domain/records/product';
import { withoutParts } from '../../../shared/domain/records/removed-parts';
import type { ProductIdentifier } from '../../../shared/domain/tenant';
import { products } from '../support/dtos';

const create = (sent: UpsertProductDto, identifier: ProductIdentifier = 'productid') =>
  mergeProduct(undefined, sent, identifier);
const product = (...ProductVariants: UpsertProductVariantDto[]): UpsertProductDto => ({
  ProductId: 'p',
  ProductVariants,
});
const identifiers = fc.constantFrom('productid' as const, 'sku' as const);
const feed = fc.array(products, { minLength: 1, maxLength: 6 });

describe('a product that is created', () => {
  it('has what was sent and nothing else: a product has no defaults (Spec §2.3)', () => {
    expect(create({ ProductId: ' p ', ProductName: null, ProductVariants: [] })).toEqual({
      ProductId: ' p ',
      ProductVariants: [],
    });
  });

  it('has the size parsed, the currency in upper case and the language in canonical case (Spec §2.4, D-14, D-16)', () => {
    const sent = {
      VariantId: 'v', Sku: 's', Name: 'n', Image: 'i', Size: '4x500ml', Color: 'red', Stock: -1, OriginalPrice: 1, SalePrice: 2,
      Currency: 'eur', IsAvailable: false, Language: 'EN-gb', BrandName: 'b', Url: 'u',
    }; // prettier-ignore
    expect(create(product(sent)).ProductVariants).toEqual([
      { ...sent, Currency: 'EUR', Language: 'en-GB', SizeNumeric: 2, SizeMetric: 'l' },
    ]);
  });

  it('accepts a SalePrice above the OriginalPrice (D-19)', () => {
    const [variant] = create(product({ VariantId: 'v', Sku: 's', OriginalPrice: 5, SalePrice: 9 })).ProductVariants;
    expect(variant).toMatchObject({ OriginalPrice: 5, SalePrice: 9 });
  });

  it.each(['', ' ', null])('has no currency when it is %j (D-14)', (Currency) => {
    expect(create(product({ VariantId: 'v', Sku: 's', Currency })).ProductVariants[0]?.Currency).toBeUndefined();
  });

  it('has no unknown field, nor a derived one that the caller sent (D-20, D-21)', () => {
    const sent = JSON.parse(
      '{"ProductId":"p","Colour":1,"__proto__":{"ProductName":"x"},"ProductVariants":[{"VariantId":"v","Sku":"s",' +
        '"SizeNumeric":7,"SizeMetric":"l","__proto__":{"Stock":1}}]}',
    ) as UpsertProductDto;
    expect(create(sent)).toEqual({ ProductId: 'p', ProductVariants: [{ VariantId: 'v', Sku: 's' }] });
  });
});

describe('a product that is updated', () => {
  const stored: ProductRecord = {
    ProductId: 'p',
    ProductName: 'name',
    Taxonomy: ['a', 'b'],
    IsOfflineExclusive: true,
    ProductVariants: [
      { VariantId: 'v1', Sku: 's1', Stock: 1, Size: 'XL', SizeNumeric: null, SizeMetric: 'XL' },
      { VariantId: 'v2', Sku: 's2', Stock: 2, Currency: 'USD' },
    ],
  };

  it('keeps everything that an empty list of variants does not mention (D-06, D-12)', () => {
    expect(mergeProduct(stored, product(), 'productid')).toEqual(stored);
  });

  it('replaces the Taxonomy as a whole, and clears it for null (D-12)', () => {
    expect(mergeProduct(stored, { ...product(), Taxonomy: ['c'] }, 'productid').Taxonomy).toEqual(['c']);
    expect(mergeProduct(stored, { ...product(), Taxonomy: [] }, 'productid').Taxonomy).toEqual([]);
    expect(mergeProduct(stored, { ...product(), Taxonomy: null }, 'productid').Taxonomy).toBeUndefined();
  });

  it('merges a variant by VariantId under productid, which may change its Sku (D-04)', () => {
    const after = mergeProduct(stored, product({ VariantId: ' v1', Sku: 's2', Stock: 9 }), 'productid');
    expect(after.ProductVariants).toEqual([
      { VariantId: ' v1', Sku: 's2', Stock: 9, Size: 'XL', SizeNumeric: null, SizeMetric: 'XL' },
      stored.ProductVariants[1],
    ]);
  });

  it('merges a variant by Sku under sku, which may change its VariantId (D-04)', () => {
    const after = mergeProduct(stored, product({ VariantId: 'v1', Sku: 's2 ', Stock: 9 }), 'sku');
    expect(after.ProductVariants).toEqual([
      stored.ProductVariants[0],
      { VariantId: 'v1', Sku: 's2 ', Stock: 9, Currency: 'USD' },
    ]);
  });

  it('adds a variant that is new at the end (D-06)', () => {
    const after = mergeProduct(stored, product({ VariantId: 'v3', Sku: 's1' }), 'productid');
    expect(after.ProductVariants).toEqual([...stored.ProductVariants, { VariantId: 'v3', Sku: 's1' }]);
  });

  it('clears a size and a currency for null (D-12)', () => {
    const after = mergeProduct(
      stored,
      product({ VariantId: 'v1', Sku: 's1', Size: null }, { VariantId: 'v2', Sku: 's2', Currency: null }),
      'productid',
    );
    expect(after.ProductVariants).toEqual([
      { VariantId: 'v1', Sku: 's1', Stock: 1 },
      { VariantId: 'v2', Sku: 's2', Stock: 2 },
    ]);
  });

  it('keeps what is not mentioned, of the product and of each variant (D-06, D-12)', () => {
    fc.assert(
      fc.property(products, products, identifiers, (first, second, identifier) => {
        const before = create(first, identifier);
        const after = mergeProduct(before, second, identifier);
        expectKept(before, after, second, ['ProductName', 'Taxonomy', 'IsOfflineExclusive']);
        const keys = after.ProductVariants.map((variant) => variantKey(variant, identifier));
        for (const variant of before.ProductVariants) {
          const key = variantKey(variant, identifier);
          const merged = after.ProductVariants[keys.indexOf(key)]!;
          const sent = second.ProductVariants.filter((other) => variantKey(other, identifier) === key);
          if (sent.length === 0) expect(merged).toEqual(variant);
          const all = Object.assign({}, ...sent) as UpsertProductVariantDto;
          expectKept(variant, merged, all, Object.keys(productVariantSchema.properties) as (keyof VariantRecord)[]);
        }
      }),
    );
  });
});

describe('products that are merged one after the other', () => {
  it('hold one variant a key, in the order of first appearance (D-04, D-07)', () => {
    fc.assert(
      fc.property(feed, identifiers, (batch, identifier) => {
        const merged = batch.reduce<ProductRecord | undefined>(
          (stored, sent) => mergeProduct(stored, sent, identifier),
          undefined,
        )!;
        const sentKeys = batch.flatMap(({ ProductVariants }) =>
          ProductVariants.map((variant) => variantKey(variant, identifier)),
        );
        expect(merged.ProductVariants.map((variant) => variantKey(variant, identifier))).toEqual([
          ...new Set(sentKeys),
        ]);
      }),
    );
  });

  it('are the same after a repeat (D-07)', () => {
    fc.assert(
      fc.property(feed, identifiers, (batch, identifier) => {
        const fold = (before: ProductRecord | undefined) =>
          batch.reduce((stored, sent) => mergeProduct(stored, sent, identifier), before);
        const once = fold(undefined);
        expect(fold(once)).toEqual(once);
      }),
    );
  });

  it('leave what was stored as it is', () => {
    fc.assert(
      fc.property(products, products, identifiers, (first, second, identifier) => {
        const stored = create(first, identifier);
        const copy = structuredClone(stored);
        mergeProduct(stored, second, identifier);
        expect(stored).toEqual(copy);
      }),
    );
  });

  it('hold no value of another kind than their fields say', () => {
    fc.assert(
      fc.property(feed, identifiers, (batch, identifier) => {
        const merged = batch.reduce<ProductRecord | undefined>(
          (stored, sent) => mergeProduct(stored, sent, identifier),
          undefined,
        )!;
        expect(Object.keys(productSchema.properties)).toEqual(expect.arrayContaining(Object.keys(merged)));
        for (const variant of merged.ProductVariants) {
          const { SizeNumeric, SizeMetric, ...others } = variant;
          const derived = [SizeNumeric, SizeMetric].map((value) => value !== undefined);
          expect(derived).toEqual(derived.map(() => variant.Size !== undefined));
          expect(Object.values(others).filter((value) => (value as unknown) === null)).toEqual([]);
        }
      }),
    );
  });
});

describe('uniteProducts', () => {
  it('keeps what the first has and fills it up from the second, variants by their key (D-03, R-03)', () => {
    const first: ProductRecord = {
      ProductId: 'p1',
      ProductName: 'first',
      Taxonomy: ['tea'],
      ProductVariants: [{ VariantId: 'v1', Sku: 's1', Stock: 1 }],
    };
    const second: ProductRecord = {
      ProductId: 'p2',
      ProductName: 'second',
      IsOfflineExclusive: true,
      ProductVariants: [
        { VariantId: 'v1', Sku: 's2' },
        { VariantId: 'v2', Sku: 's1', Stock: 2, Color: 'red' },
      ],
    };
    expect(uniteProducts(first, second, 'sku')).toEqual({
      ProductId: 'p1',
      ProductName: 'first',
      Taxonomy: ['tea'],
      IsOfflineExclusive: true,
      ProductVariants: [
        { VariantId: 'v1', Sku: 's1', Stock: 1, Color: 'red' },
        { VariantId: 'v1', Sku: 's2' },
      ],
    });
  });

  it('changes nothing when a product is united with itself (D-03)', () => {
    fc.assert(
      fc.property(products, (sent) => {
        const stored = create(sent, 'sku');
        expect(uniteProducts(stored, stored, 'sku')).toEqual(stored);
      }),
    );
  });
});

describe('withoutParts of a product', () => {
  const remove = <P extends object>(product: P, variantId: string): P | undefined => {
    const after = withoutParts(product, [{ type: 'variant', productId: 'p', variantId }], 'productid');
    return after === product ? undefined : after;
  };
  const stored = create(
    product({ VariantId: ' v1 ', Sku: 'v2' }, { VariantId: 'v2', Sku: 'v1' }, { VariantId: 'V1', Sku: 'x' }),
  );

  it('removes the variant of this VariantId, compared trimmed and exactly (Spec §4.4, D-01)', () => {
    expect(remove(stored, 'v1')?.ProductVariants.map(({ VariantId }) => VariantId)).toEqual(['v2', 'V1']);
    expect(remove(stored, ' v2\t')?.ProductVariants.map(({ VariantId }) => VariantId)).toEqual([' v1 ', 'V1']);
  });

  it('removes every variant of this VariantId, of which there can be several under sku (D-04)', () => {
    const twins = create(product({ VariantId: 'v', Sku: 's1' }, { VariantId: 'v', Sku: 's2' }), 'sku');
    expect(remove(twins, 'v')).toEqual({ ProductId: 'p', ProductVariants: [] });
  });

  it('finds nothing to remove for an id that no variant has (Spec §4.4)', () => {
    expect(remove(stored, 'v3')).toBeUndefined();
    expect(remove(stored, 'x')).toBeUndefined();
  });
});

/** What an update did not mention has the value that it had before. */
function expectKept<R extends object>(before: R, after: R, sent: object, fields: readonly (keyof R)[]): void {
  for (const field of fields) if (Reflect.get(sent, field) === undefined) expect(after[field]).toEqual(before[field]);
}
